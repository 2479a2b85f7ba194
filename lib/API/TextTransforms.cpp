#include "API/TextTransforms.h"

#include "API/Fail.h"
#include "API/Optimize.h"
#include "API/PdlPool.h"
#include "API/TransformNames.h"
#include "Dialect/ConstantStore.h"
#include "Dialect/Diagnostics.h"
#include "Dialect/Dialect.h"
#include "Runtime/Aside.h"
#include "Transforms/ApplyOnce.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include <algorithm>
#include <mutex>

using namespace mlir;

namespace clika {
namespace {

constexpr int kMostNests = 32;

/// MLIR's passes that work on any dialect, and the runtime's transforms.
void registerPasses() {
  static std::once_flag once;
  std::call_once(once, [] {
    registerTransformsPasses();
    registerTransformPasses();
  });
}

/// The passes of `pipeline`; an Error where it is not well formed.
void parsePipeline(PassManager &passes, const std::string &pipeline, std::string_view call) {
  registerPasses();
  // Pass managers within pass managers call one another.
  if (std::ranges::count(pipeline, '(') > kMostNests)
    invalid(call, "the pipeline nests more than " + std::to_string(kMostNests) +
                      " times; a graph is one function of a "
                      "module");
  std::string text;
  llvm::raw_string_ostream errors(text);
  DiagnosticCapture capture(passes.getContext());
  bool ok = succeeded(parsePassPipeline(pipeline, passes, errors));
  StringRef message = StringRef(text).rtrim();
  if (!ok)
    invalid(call, quote(pipeline) + " is no pass pipeline: " +
                      (message.empty() ? capture.message("it cannot be read") : message.str()) +
                      "; write it as mlir-opt's --pass-pipeline does, as in 'canonicalize,cse'");
  if (passes.empty())
    invalid(call, "the pipeline is empty; name a pass, as in 'canonicalize'");
}

/// A pass reads the bytes of constants as it likes, of those too that the pass before it has made.
struct ConstantsForPasses : PassInstrumentation {
  void runBeforePass(Pass *, Operation *op) override { ConstantStore::readAll(op); }
};

} // namespace

void runPipeline(GraphCore &core, const PipelineBody &body, uint64_t firstAge) {
  auto before = fingerprint(core, firstAge);
  DiagnosticCapture capture(core.mlir());
  PassManager passes(core.mlir());
  parsePipeline(passes, body.pipeline, "from_pass_pipeline");
  passes.addInstrumentation(std::make_unique<ConstantsForPasses>());
  if (failed(passes.run(core.module())))
    fail(Status::Internal, "from_pass_pipeline", capture.message("a pass failed without a reason"));
  core.reindex("from_pass_pipeline");
  if (fingerprint(core, firstAge) != before)
    ++core.changes;
}

PdlCache::~PdlCache() {
  for (auto &[body, compiled] : rules)
    core.context->pdlPool().giveBack(body->pdl, std::move(compiled));
}

void PdlCache::apply(const PdlBody &body, TransformContext &context) {
  auto known = rules.find(&body);
  if (known == rules.end())
    known = rules.emplace(&body, core.context->pdlPool().take(core.mlir(), body.pdl)).first;
  PdlRules *compiled = known->second.get();
  compiled->use(core);
  DiagnosticCapture capture(core.mlir());
  context.failed = [&] { return compiled->failure != nullptr; };
  bool ok = succeeded(applyOnce(context, compiled->rules()));
  core.index.settle();
  if (compiled->failure)
    std::rethrow_exception(compiled->failure);
  if (!ok || capture.any())
    fail(Status::Internal, "from_pdl", capture.message("a rewrite failed without a reason"));
}

const PdlReasons &PdlCache::reasonsOf(const PdlBody &body) {
  auto &known = reasons[&body];
  if (!known)
    known = std::make_unique<PdlReasons>(core, body);
  return *known;
}

} // namespace clika

using namespace clika;

namespace ClikaRT::graph {

Transform Transform::from_pass_pipeline(const std::string &pipeline, std::vector<Transform> runs_after) {
  checkTransformName(pipeline, "from_pass_pipeline");
  checkRunsAfter(pipeline, runs_after, "from_pass_pipeline");
  auto context = GraphContext::create();
  PassManager passes(context->mlir());
  parsePipeline(passes, pipeline, "from_pass_pipeline");
  auto body = std::make_shared<TransformBody>();
  body->name = pipeline;
  body->runsAfter = std::move(runs_after);
  body->what = PipelineBody{pipeline};
  return Transform(std::move(body));
}

Transform Transform::from_pdl(std::string name, const std::string &text, std::vector<Transform> runs_after) {
  checkTransformName(name, "from_pdl");
  checkRunsAfter(name, runs_after, "from_pdl");
  auto body = std::make_shared<TransformBody>();
  body->what = PdlBody{pdlOf(text, "from_pdl"), !isPdll(text)};
  body->name = std::move(name);
  body->runsAfter = std::move(runs_after);
  return Transform(std::move(body));
}

} // namespace ClikaRT::graph
