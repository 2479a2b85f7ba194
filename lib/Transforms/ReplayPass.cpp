#include "Transforms/RewriteLog.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace clika {
namespace {

class ReplayPass : public PassWrapper<ReplayPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReplayPass)

  explicit ReplayPass(std::string path) : path(std::move(path)) {}

protected:
  StringRef getName() const override { return "ReplayPass"; }

  void runOnOperation() override {
    auto file = llvm::MemoryBuffer::getFile(path);
    if (!file) {
      getOperation().emitError() << "clika-replay: the log '" << path
                                 << "' cannot be read: " << file.getError().message();
      return signalPassFailure();
    }
    auto log = readRewriteLog(&getContext(), (*file)->getBuffer());
    llvm::Error error = log ? llvm::Error::success() : log.takeError();
    std::vector<int64_t> inputs;
    if (!error)
      error = replayRewriteLog(**log, getOperation(), inputs);
    if (!error)
      return;
    getOperation().emitError() << "clika-replay: " << llvm::toString(std::move(error));
    signalPassFailure();
  }

private:
  std::string path;
};

} // namespace

void registerReplayPass() {
  registerPassPipeline(
      "clika-replay", "Replay the log of rewrites that --clika-replay=FILE names, on the graph it was recorded on",
      [](OpPassManager &manager, StringRef file, llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) {
        if (file.empty())
          return fail("clika-replay takes a file: --clika-replay=FILE");
        manager.addPass(std::make_unique<ReplayPass>(file.str()));
        return success();
      },
      [](llvm::function_ref<void(const detail::PassOptions &)>) {});
}

} // namespace clika
