// RewriteLog, and replay().
#include "API/Core.h"
#include "API/Fail.h"
#include "IO/FileWriter.h"
#include "IO/MappedFile.h"
#include "Transforms/RewriteLog.h"

#include <ClikaRT/rewrite_log.h>
#include <ostream>

using namespace clika;

namespace clika {
namespace {

using ClikaRT::graph::RewriteStep;

mlir::OwningOpRef<mlir::ModuleOp> read(mlir::MLIRContext *context, const std::string &text, std::string_view call) {
  auto log = readRewriteLog(context, text);
  if (!log)
    invalid(call, llvm::toString(log.takeError()));
  return std::move(*log);
}

std::vector<std::string> textsOf(mlir::func::FuncOp step, llvm::StringRef name) {
  std::vector<std::string> texts;
  for (auto text : step->getAttrOfType<mlir::ArrayAttr>(name).getAsRange<mlir::StringAttr>())
    texts.push_back(text.str());
  return texts;
}

RewriteStep stepOf(mlir::ModuleOp log, mlir::func::FuncOp function) {
  RewriteStep step;
  step.iteration = function->getAttrOfType<mlir::IntegerAttr>(rewrite_log::kIteration).getInt();
  step.transform = function->getAttrOfType<mlir::StringAttr>(rewrite_log::kTransform).str();
  step.removed = textsOf(function, rewrite_log::kRemoved);
  for (mlir::func::FuncOp changed : functionsOf(log, function))
    step.functions.push_back(changed->getAttrOfType<mlir::StringAttr>(rewrite_log::kFunction).str());
  std::vector<std::string> was = textsOf(function, rewrite_log::kWas);
  for (auto [i, op] : llvm::enumerate(function.getBody().front().without_terminator()))
    (was[i].empty() ? step.added : step.changed).push_back(identityOf(&op)->name.str());
  return step;
}

std::string joined(const char *what, const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? std::string("; ") + what + " " : ", ") + name;
  return text;
}

/// The ids of the inputs after a replay: those that stayed keep theirs.
std::vector<uint64_t> inputIdsAfter(GraphCore &core, llvm::ArrayRef<int64_t> places) {
  std::vector<uint64_t> ids;
  for (int64_t place : places)
    ids.push_back(place >= 0 ? core.index.inputIds()[place] : core.index.reserveInput());
  return ids;
}

} // namespace
} // namespace clika

namespace ClikaRT::graph {

RewriteLog RewriteLog::from_text(std::string text) {
  auto context = GraphContext::create();
  auto module = read(context->mlir(), text, "RewriteLog");
  RewriteLog log;
  for (mlir::func::FuncOp step : stepsOf(*module))
    log.steps_.push_back(stepOf(*module, step));
  log.text_ = std::move(text);
  return log;
}

RewriteLog RewriteLog::load(const std::string &path) {
  std::shared_ptr<const MappedFile> file = MappedFile::open(path, "RewriteLog.load");
  return from_text(std::string(file->bytes()));
}

void RewriteLog::save(const std::string &path) const {
  FileWriter writer(path, "RewriteLog.save");
  writer.write(text_);
  writer.finish();
}

std::string RewriteLog::to_string() const {
  std::string text;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const RewriteStep &step = steps_[i];
    text += std::to_string(i) + ": " + step.transform + " (iteration " + std::to_string(step.iteration) + ")" +
            joined("adds", step.added) + joined("changes", step.changed) + joined("removes", step.removed) +
            joined("changes functions", step.functions) + "\n";
  }
  return text;
}

std::ostream &operator<<(std::ostream &os, const RewriteLog &log) { return os << log.to_string(); }

void ModelGraph::replay(const RewriteLog &log) {
  Edit edit(core_, "replay");
  refuseInsideOptimize(*edit, edit.call);
  auto steps = read(edit->mlir(), log.text(), edit.call);
  mlir::OwningOpRef<mlir::ModuleOp> copy = edit->module().clone();
  std::vector<int64_t> inputs;
  if (llvm::Error error = replayRewriteLog(*steps, *copy, inputs))
    invalid(edit.call, llvm::toString(std::move(error)));
  edit->exchange(std::move(copy), inputIdsAfter(*edit, inputs), edit->index.functionIds());
  edit->module()->walk([&](mlir::Operation *op) {
    for (mlir::Type type : op->getResultTypes())
      edit->noteDimensions(type);
  });
  for (auto function : edit->module().getOps<mlir::func::FuncOp>())
    for (mlir::Type type : function.getArgumentTypes())
      edit->noteDimensions(type);
  ++edit->changes;
}

} // namespace ClikaRT::graph
