#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"

#include "Conversion/ClikaToLinalg/Control.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace clika {
namespace {

struct ConvertClikaToLinalg : PassWrapper<ConvertClikaToLinalg, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertClikaToLinalg)

  StringRef getArgument() const override { return "convert-clika-to-linalg"; }
  StringRef getDescription() const override { return "Lower the operators of a graph to linalg on tensors"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<arith::ArithDialect, bufferization::BufferizationDialect, cf::ControlFlowDialect, linalg::LinalgDialect,
                math::MathDialect, memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect>();
  }

protected:
  void runOnOperation() override {
    LoweredTypes types;
    RewritePatternSet patterns(&getContext());
    populateConstantToLinalg(types, patterns);
    populatePointwiseToLinalg(types, patterns);
    populateMatmulToLinalg(types, patterns);
    populateReduceToLinalg(types, patterns);
    populateConvToLinalg(types, patterns);
    populateConvTransposeToLinalg(types, patterns);
    populatePoolToLinalg(types, patterns);
    populateNormToLinalg(types, patterns);
    populateSoftmaxToLinalg(types, patterns);
    populateAttentionToLinalg(types, patterns);
    populateRotaryToLinalg(types, patterns);
    populateRecurrentToLinalg(types, patterns);
    populateScanToLinalg(types, patterns);
    populateReshapeToLinalg(types, patterns);
    populateSliceToLinalg(types, patterns);
    populateFillToLinalg(types, patterns);
    populateGatherToLinalg(types, patterns);
    populateSortToLinalg(types, patterns);
    populateQuantizeToLinalg(types, patterns);
    populateResizeToLinalg(types, patterns);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, types);
    populateReturnOpTypeConversionPattern(patterns, types);
    populateCallOpTypeConversionPattern(patterns, types);

    // Ops of the dialect are not declared illegal, so that the conversion goes on past one without a lowering and all
    // of them can be named.
    ConversionTarget target(getContext());
    target.addLegalDialect<arith::ArithDialect, cf::ControlFlowDialect, linalg::LinalgDialect, math::MathDialect,
                           scf::SCFDialect, tensor::TensorDialect>();
    target.addLegalOp<ModuleOp>();
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp function) {
      return types.isSignatureLegal(function.getFunctionType()) && types.isLegal(&function.getBody());
    });
    target.addDynamicallyLegalOp<func::ReturnOp, func::CallOp>([&](Operation *op) { return types.isLegal(op); });
    keepControl(types, patterns, target);
    noteLoopSizes(getOperation());
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      return signalPassFailure();
    lowerControl(getOperation());
    if (failed(reportLeftOver()))
      signalPassFailure();
  }

  LogicalResult reportLeftOver() {
    bool leftOver = false;
    getOperation().walk([&](Operation *op) {
      if (!isa_and_nonnull<ClikaDialect>(op->getDialect()))
        return;
      leftOver = true;
      emitError(op->getLoc(), nodeText(op) + " cannot be compiled: there is no lowering for it with these types");
    });
    return failure(leftOver);
  }
};

} // namespace

std::unique_ptr<Pass> createConvertClikaToLinalgPass() { return std::make_unique<ConvertClikaToLinalg>(); }

void registerConversionPasses() { registerPass(createConvertClikaToLinalgPass); }

} // namespace clika
