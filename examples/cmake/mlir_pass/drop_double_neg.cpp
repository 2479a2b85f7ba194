// -(-x) is x, as a pass over the module of a graph.
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

namespace {

struct DropDoubleNeg : mlir::PassWrapper<DropDoubleNeg, mlir::OperationPass<mlir::ModuleOp>> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropDoubleNeg)

    llvm::StringRef getArgument() const final { return "drop-double-neg"; }
    llvm::StringRef getDescription() const final { return "Let the readers of -(-x) read x"; }

    void runOnOperation() override {
        getOperation().walk([](mlir::Operation* op) {
            mlir::Operation* inner = isNeg(op) ? op->getOperand(0).getDefiningOp() : nullptr;
            if (inner && isNeg(inner)) op->getResult(0).replaceAllUsesWith(inner->getOperand(0));
        });
    }

private:
    static bool isNeg(mlir::Operation* op) { return op->getName().getStringRef() == "clika.neg"; }
};

const mlir::PassRegistration<DropDoubleNeg> registered;

}  // namespace

// For clika-opt --load-pass-plugin.
extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
    return {MLIR_PLUGIN_API_VERSION, "drop_double_neg", LLVM_VERSION_STRING, [] {}};
}
