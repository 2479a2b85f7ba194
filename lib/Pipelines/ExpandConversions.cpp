#include "Pipelines/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace clika {
#define GEN_PASS_DEF_EXPANDCONVERSIONS
#include "Pipelines/Passes.h.inc"

namespace {

bool isHalf(Type type) { return isa<Float16Type, BFloat16Type>(getElementTypeOrSelf(type)); }

/// Builds arithmetic on scalars, or on vectors of the shape of the op at hand.
class Arithmetic {
public:
  Arithmetic(RewriterBase &rewriter, Operation *at)
      : rewriter(rewriter), loc(at->getLoc()), shape(dyn_cast<VectorType>(at->getResult(0).getType())) {}

  Type type(Type element) const { return shape ? VectorType::get(shape.getShape(), element) : element; }
  Type integer(unsigned width) const { return type(rewriter.getIntegerType(width)); }
  Type f32() const { return type(rewriter.getF32Type()); }
  Type f64() const { return type(rewriter.getF64Type()); }

  Value constant(unsigned width, uint64_t value) {
    Type element = rewriter.getIntegerType(width);
    TypedAttr attr = rewriter.getIntegerAttr(element, APInt(width, value));
    if (shape)
      attr = SplatElementsAttr::get(shape.clone(element), Attribute(attr));
    return arith::ConstantOp::create(rewriter, loc, attr);
  }
  template <typename Op>
  Value cast(Type to, Value value) {
    return Op::create(rewriter, loc, to, value);
  }
  template <typename Op>
  Value binary(Value a, Value b) {
    return Op::create(rewriter, loc, a, b);
  }
  Value bits(Type to, Value value) { return cast<arith::BitcastOp>(to, value); }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(rewriter, loc, predicate, a, b);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(rewriter, loc, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) { return arith::SelectOp::create(rewriter, loc, condition, a, b); }

  Value widen(Value half) {
    if (isa<Float16Type>(getElementTypeOrSelf(half.getType())))
      return cast<arith::ExtFOp>(f32(), half);
    Value wide = cast<arith::ExtUIOp>(integer(32), bits(integer(16), half));
    return bits(f32(), binary<arith::ShLIOp>(wide, constant(32, 16)));
  }

  /// f32 to bf16, nearest even. The CPU's own instruction takes subnormals for zero.
  Value toBFloat16(Value value) {
    Value word = bits(integer(32), value);
    Value odd = binary<arith::AndIOp>(binary<arith::ShRUIOp>(word, constant(32, 16)), constant(32, 1));
    Value rounded = binary<arith::AddIOp>(word, binary<arith::AddIOp>(odd, constant(32, 0x7FFF)));
    Value quiet = binary<arith::OrIOp>(word, constant(32, 0x400000));
    Value isNan = compare(arith::CmpFPredicate::UNO, value, value);
    Value high = binary<arith::ShRUIOp>(select(isNan, quiet, rounded), constant(32, 16));
    return bits(type(rewriter.getBF16Type()), cast<arith::TruncIOp>(integer(16), high));
  }

  /// f64 to f32 so that a second rounding to fewer bits is the only one: an inexact result gets an odd last bit.
  Value toFloat32Odd(Value value) {
    Value nearest = cast<arith::TruncFOp>(f32(), value);
    Value back = cast<arith::ExtFOp>(f64(), nearest);
    Value mask = constant(64, 0x7FFFFFFFFFFFFFFFull);
    Value backSize = binary<arith::AndIOp>(bits(integer(64), back), mask);
    Value size = binary<arith::AndIOp>(bits(integer(64), value), mask);
    Value away = compare(arith::CmpIPredicate::ugt, backSize, size);
    Value word = bits(integer(32), nearest);
    Value toZero = binary<arith::SubIOp>(word, cast<arith::ExtUIOp>(integer(32), away));
    Value odd = binary<arith::OrIOp>(toZero, constant(32, 1));
    Value inexact = compare(arith::CmpFPredicate::ONE, back, value);
    return bits(f32(), select(inexact, odd, word));
  }

  Value narrow(Value value, Type half) {
    if (getElementTypeOrSelf(value.getType()).isF64())
      value = toFloat32Odd(value);
    if (isa<BFloat16Type>(getElementTypeOrSelf(half)))
      return toBFloat16(value);
    return cast<arith::TruncFOp>(half, value);
  }

  /// An integer as f32 or f64 from which one more rounding gives the right bf16 or f16.
  Value fromInteger(Value value, bool isSigned, Type half) {
    unsigned width = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
    // Whatever f32 cannot hold exactly is beyond f16 anyway.
    bool single = width <= 16 || isa<Float16Type>(getElementTypeOrSelf(half));
    if (!single && width == 64)
      value = stickyLowBits(value, isSigned);
    Type wide = single ? f32() : f64();
    return isSigned ? cast<arith::SIToFPOp>(wide, value) : cast<arith::UIToFPOp>(wide, value);
  }

private:
  /// Folds the bits that f64 has no room for into one that it keeps.
  Value stickyLowBits(Value value, bool isSigned) {
    Value low = binary<arith::AndIOp>(value, constant(64, 0xFFF));
    Value sticky =
        select(compare(arith::CmpIPredicate::ne, low, constant(64, 0)), constant(64, 0x800), constant(64, 0));
    Value folded = binary<arith::OrIOp>(binary<arith::AndIOp>(value, constant(64, ~0xFFFull)), sticky);
    Value above = binary<arith::ShRUIOp>(value, constant(64, 53));
    Value small = compare(arith::CmpIPredicate::eq, above, constant(64, 0));
    if (isSigned) {
      Value negative = binary<arith::ShRSIOp>(value, constant(64, 53));
      Value minusOne = compare(arith::CmpIPredicate::eq, negative, constant(64, ~0ull));
      small = binary<arith::OrIOp>(small, minusOne);
    }
    return select(small, value, folded);
  }

  RewriterBase &rewriter;
  Location loc;
  VectorType shape;
};

/// The op on f32, its half operands widened and a half result rounded once.
Value computeWide(RewriterBase &rewriter, Operation *op, Arithmetic &arith) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isHalf(operand.getType()) ? arith.widen(operand) : operand);
  Type result = op->getResult(0).getType();
  OperationState state(op->getLoc(), op->getName(), operands, {isHalf(result) ? arith.f32() : result}, op->getAttrs());
  Value wide = rewriter.create(state)->getResult(0);
  return isHalf(result) ? arith.narrow(wide, result) : wide;
}

Value expand(RewriterBase &rewriter, Operation *op) {
  Type to = op->getResult(0).getType();
  Arithmetic arith(rewriter, op);
  if (isa<arith::ExtFOp>(op)) {
    Value from = op->getOperand(0);
    bool native = isa<Float16Type>(getElementTypeOrSelf(from.getType())) && getElementTypeOrSelf(to).isF32();
    if (native || !isHalf(from.getType()))
      return {};
    Value wide = arith.widen(from);
    return getElementTypeOrSelf(to).isF64() ? arith.cast<arith::ExtFOp>(to, wide) : wide;
  }
  if (isa<arith::TruncFOp>(op)) {
    Value from = op->getOperand(0);
    bool native = isa<Float16Type>(getElementTypeOrSelf(to)) && getElementTypeOrSelf(from.getType()).isF32();
    if (native || !isHalf(to))
      return {};
    return arith.narrow(isHalf(from.getType()) ? arith.widen(from) : from, to);
  }
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return isHalf(to) ? arith.narrow(arith.fromInteger(op->getOperand(0), isa<arith::SIToFPOp>(op), to), to) : Value();
  if (isa<arith::BitcastOp, arith::SelectOp, arith::ConstantOp>(op))
    return {};
  return computeWide(rewriter, op, arith);
}

struct ExpandConversionsPass : impl::ExpandConversionsBase<ExpandConversionsPass> {
protected:
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
          !isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
        return;
      if (llvm::any_of(op->getOperandTypes(), isHalf) || isHalf(op->getResult(0).getType()))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      if (Value value = expand(rewriter, op))
        rewriter.replaceOp(op, value);
    }
  }
};

} // namespace
} // namespace clika
