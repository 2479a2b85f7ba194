#include "API/GuiltyRewrite.h"

#include "API/Fail.h"
#include "API/InnerNodes.h"
#include "Runtime/Counted.h"
#include "Transforms/RewriteRecorder.h"

#include <ClikaRT/rewrite_log.h>

using ClikaRT::graph::RewriteLog;
using ClikaRT::graph::RewriteStep;

namespace clika {
namespace {

constexpr size_t kMostNames = 4;

void addNames(std::string &text, const char *verb, const std::vector<std::string> &names) {
  if (names.empty())
    return;
  text += (text.empty() ? "" : ", ") + std::string(verb) + " ";
  for (size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    text += (i == 0 ? "" : ", ") + quote(names[i]);
  if (names.size() > kMostNames)
    text += " and " + std::to_string(names.size() - kMostNames) + " more";
}

void addCount(std::string &text, size_t added) {
  if (added)
    text += (text.empty() ? "adds " : ", adds ") + counted(added, "node");
}

/// The same inside of regions and private functions: "; in 'if_1.then' it removes 'neg_1'".
std::string innerText(const std::vector<std::pair<std::string, InnerNodes::Changes>> &regions) {
  std::string text;
  for (const auto &[path, changes] : llvm::ArrayRef(regions).take_front(kMostNames)) {
    std::string what;
    addNames(what, "changes", changes.changed);
    addCount(what, changes.added);
    addNames(what, "removes", changes.removed);
    text += "; in " + quote(path) + " it " + what;
  }
  if (regions.size() > kMostNames)
    text += "; and so on in " + std::to_string(regions.size() - kMostNames) + " more";
  return text;
}

/// What became of the nodes since `recorder` and `inner` were made.
std::string nodesText(GraphCore &core, RewriteRecorder &recorder, const InnerNodes &inner) {
  recorder.step(core.module(), core.index.inputIds(), "entry", 1);
  std::string text;
  const RewriteLog log = RewriteLog::from_text(recorder.text(core.module()));
  for (const RewriteStep &step : log.steps()) {
    addNames(text, "changes", step.changed);
    // The names of the added ones are those of this attempt.
    addCount(text, step.added.size());
    addNames(text, "removes", step.removed);
    addNames(text, "changes the function", step.functions);
  }
  return (text.empty() ? "changes no node" : text) + innerText(inner.changesTo(core.module()));
}

} // namespace

void GuiltyRewrite::applyFirst(int64_t count) {
  before.restore();
  apply([count](int64_t made) { return made < count; });
}

/// The least number of rewrites after which the graph differs, as far as halving tells.
int64_t GuiltyRewrite::firstGuilty(int64_t made) {
  int64_t good = 0, bad = made;
  while (bad - good > 1) {
    int64_t middle = good + (bad - good) / 2;
    applyFirst(middle);
    (differs() ? bad : good) = middle;
  }
  return bad;
}

std::string GuiltyRewrite::ofRewrite(int64_t number, int64_t made) {
  before.restore();
  std::optional<RewriteRecorder> recorder;
  std::optional<InnerNodes> inner;
  apply([&](int64_t count) {
    if (count + 1 == number && !recorder) {
      core.index.settle();
      recorder.emplace(core.module(), core.index.inputIds());
      inner.emplace(core.module());
    }
    return count < number;
  });
  if (!recorder || !differs())
    return "";
  std::lock_guard lock(core.mutex);
  std::string which =
      made == 1 ? "its one rewrite" : "rewrite " + std::to_string(number) + " of " + std::to_string(made);
  return "; " + which + " does it, which " + nodesText(core, *recorder, *inner);
}

std::string GuiltyRewrite::clause(int64_t made) {
  if (made > 0)
    return ofRewrite(firstGuilty(made), made);
  std::lock_guard lock(core.mutex);
  mlir::OwningOpRef<mlir::ModuleOp> module = before.module();
  RewriteRecorder recorder(*module, before.inputs());
  return "; it " + nodesText(core, recorder, InnerNodes(*module));
}

} // namespace clika
