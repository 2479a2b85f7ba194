#include "Pipelines/MathFunctions.h"
#include "Pipelines/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace clika {
#define GEN_PASS_DEF_EXPANDMATH
#include "Pipelines/Passes.h.inc"

namespace {

// An f32 function as arithmetic; null where it has no formula here.
Value expand(MathBuilder &b, Operation *op) {
  Value x = op->getOperand(0);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) { return buildExp(b, x); })
      .Case([&](math::ExpM1Op) { return buildExpM1(b, x); })
      .Case([&](math::LogOp) { return buildLog(b, x); })
      .Case([&](math::Log1pOp) { return buildLog1p(b, x); })
      .Case([&](math::TanhOp) { return buildTanh(b, x); })
      .Case([&](math::ErfOp) { return buildErf(b, x); })
      .Case([&](math::SinOp) { return buildSin(b, x); })
      .Case([&](math::CosOp) { return buildCos(b, x); })
      .Case([&](math::PowFOp) { return buildPow(b, x, op->getOperand(1)); })
      .Default(Value());
}

// Whether the C library computes the op: LLVM would make nothing of it on vectors.
bool isLibraryCall(Operation *op) {
  return isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log2Op, math::Log10Op, math::Log1pOp,
             math::TanhOp, math::ErfOp, math::ErfcOp, math::SinOp, math::CosOp, math::TanOp, math::AsinOp, math::AcosOp,
             math::AtanOp, math::Atan2Op, math::SinhOp, math::CoshOp, math::AsinhOp, math::AcoshOp, math::AtanhOp,
             math::CbrtOp, math::PowFOp, arith::RemFOp>(op);
}

// LLVM has no intrinsic for e^x - 1, and its lowering would subtract what it cannot see any more.
Value callExpM1(RewriterBase &rewriter, math::ExpM1Op op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto function = module.lookupSymbol<func::FuncOp>("expm1");
  if (!function) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(module.getBody());
    auto type = rewriter.getFunctionType(op.getType(), op.getType());
    function = func::FuncOp::create(rewriter, module.getLoc(), "expm1", type);
    function.setPrivate();
  }
  return func::CallOp::create(rewriter, op->getLoc(), function, op.getOperand()).getResult(0);
}

// The op on each element of its vectors.
Value scalarize(RewriterBase &rewriter, Operation *op, VectorType type) {
  Location location = op->getLoc();
  Value result = arith::ConstantOp::create(rewriter, location, rewriter.getZeroAttr(type));
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    SmallVector<int64_t> position = delinearize(i, strides);
    SmallVector<Value> scalars;
    for (Value operand : op->getOperands())
      scalars.push_back(vector::ExtractOp::create(rewriter, location, operand, position));
    OperationState state(location, op->getName(), scalars, {type.getElementType()}, op->getAttrs());
    Operation *one = rewriter.create(state);
    Value scalar = one->getResult(0);
    if (auto expM1 = dyn_cast<math::ExpM1Op>(one)) {
      scalar = callExpM1(rewriter, expM1);
      rewriter.eraseOp(one);
    }
    result = vector::InsertOp::create(rewriter, location, scalar, result, position);
  }
  return result;
}

struct ExpandMathPass : impl::ExpandMathBase<ExpandMathPass> {
  using ExpandMathBase::ExpandMathBase;

protected:
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isLibraryCall(op))
        ops.push_back(op);
    });
    bool fused = fma || getOperation()->hasAttr(kFusedMultiplyAddAttr);
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops) {
      Type type = op->getResult(0).getType();
      rewriter.setInsertionPoint(op);
      Value value;
      if (getElementTypeOrSelf(type).isF32()) {
        MathBuilder builder(rewriter, op->getLoc(), type, fused);
        value = expand(builder, op);
      }
      auto vector = dyn_cast<VectorType>(type);
      if (!value && vector && !vector.isScalable())
        value = scalarize(rewriter, op, vector);
      if (auto expM1 = dyn_cast<math::ExpM1Op>(op); expM1 && type.isF64())
        value = callExpM1(rewriter, expM1);
      if (value)
        rewriter.replaceOp(op, value);
    }
  }
};

} // namespace
} // namespace clika
