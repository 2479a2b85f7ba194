#include "Transforms/RuntimeTransforms.h"

#include "Transforms/NodeListener.h"
#include "Transforms/Transforms.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace clika {
namespace {

const RuntimeTransform kTransforms[] = {
#include "Transforms/TransformTable.inc"
};

/// A transform as a pass over the module, with the listener that hands names on. With the option `remarks` it says at
/// each op that it leaves why.
class TransformPass : public PassWrapper<TransformPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TransformPass)

  explicit TransformPass(const RuntimeTransform &transform) : transform(transform) {
    argument = transform.name.str();
    llvm::replace(argument, '_', '-');
  }
  TransformPass(const TransformPass &other)
      : PassWrapper(other), transform(other.transform), argument(other.argument) {}

  StringRef getArgument() const override { return argument; }
  StringRef getDescription() const override { return transform.summary; }

protected:
  StringRef getName() const override { return transform.name; }

  void runOnOperation() override {
    NodeListener listener;
    TransformContext context;
    context.module = getOperation();
    context.listener = &listener;
    if (remarks)
      context.refused = [&](Operation *op, StringRef reason) { op->emitRemark() << transform.name << ": " << reason; };
    if (failed(transform.run(context)))
      signalPassFailure();
  }

private:
  const RuntimeTransform &transform;
  std::string argument;
  Option<bool> remarks{*this, "remarks", llvm::cl::desc("Say at each op that is left as it is why"),
                       llvm::cl::init(false)};
};

} // namespace

llvm::ArrayRef<RuntimeTransform> runtimeTransforms() { return kTransforms; }

const RuntimeTransform *findRuntimeTransform(llvm::StringRef name) {
  const auto *found = llvm::find_if(kTransforms, [&](const RuntimeTransform &t) { return t.name == name; });
  return found == std::end(kTransforms) ? nullptr : found;
}

void registerTransformPasses() {
  for (const RuntimeTransform &transform : kTransforms)
    registerPass([&transform] { return std::make_unique<TransformPass>(transform); });
}

} // namespace clika
