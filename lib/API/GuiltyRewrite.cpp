#include "API/GuiltyRewrite.h"

#include "API/Fail.h"
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

/// What became of the nodes since `recorder` was made.
std::string nodesText(GraphCore &core, RewriteRecorder &recorder) {
  recorder.step(core.module(), core.index.inputIds(), "entry", 1);
  std::string text;
  const RewriteLog log = RewriteLog::from_text(recorder.text(core.module()));
  for (const RewriteStep &step : log.steps()) {
    addNames(text, "changes", step.changed);
    // The names of the added ones are those of this attempt.
    if (!step.added.empty())
      text += (text.empty() ? "adds " : ", adds ") + std::to_string(step.added.size()) +
              (step.added.size() == 1 ? " node" : " nodes");
    addNames(text, "removes", step.removed);
    addNames(text, "changes the function", step.functions);
  }
  return text.empty() ? "changes no node" : text;
}

} // namespace

void GuiltyRewrite::applyFirst(int64_t count) {
  before.restoreCopy();
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
  before.restoreCopy();
  std::optional<RewriteRecorder> recorder;
  apply([&](int64_t count) {
    if (count + 1 == number && !recorder) {
      core.index.settle();
      recorder.emplace(core.module(), core.index.inputIds());
    }
    return count < number;
  });
  if (!recorder || !differs())
    return "";
  std::lock_guard lock(core.mutex);
  std::string which =
      made == 1 ? "its one rewrite" : "rewrite " + std::to_string(number) + " of " + std::to_string(made);
  return "; " + which + " does it, which " + nodesText(core, *recorder);
}

std::string GuiltyRewrite::clause(int64_t made) {
  if (made > 0)
    return ofRewrite(firstGuilty(made), made);
  std::lock_guard lock(core.mutex);
  RewriteRecorder recorder(before.module(), before.inputs());
  return "; it " + nodesText(core, recorder);
}

} // namespace clika
