// reciprocal_mul_to_div, reassociate and shift_range.
#include "Dialect/CoreOps.h"
#include "Dialect/PointwiseOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/Moved.h"
#include "Transforms/NewNode.h"
#include "Transforms/Terms.h"
#include "Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace clika {
namespace {

Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

/// y where `value` is 1 / y and read here alone; null for another.
Value underOne(Value value) {
  if (!isReadOnce(value))
    return Value();
  if (auto inverse = value.getDefiningOp<ReciprocalOp>())
    return inverse.getX();
  auto div = value.getDefiningOp<DivOp>();
  return div && hasNoActivation(div) && isConstant(div.getA(), 1.0) && div.getB().getType() == div.getType()
             ? div.getB()
             : Value();
}

/// Whether 1 / value neither overflows nor underflows: a root, or an integer as a float.
bool isInvertible(Value value) {
  if (value.getDefiningOp<SqrtOp>())
    return true;
  auto cast = value.getDefiningOp<CastOp>();
  auto from = cast ? dyn_cast<IntegerType>(elementOf(cast.getX())) : IntegerType();
  return from && (isa<Float32Type, Float64Type>(elementOf(value)) || from.getWidth() <= 8);
}

struct ReciprocalMulToDivRule : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp mul, PatternRewriter &rewriter) const override {
    const char *why = "neither factor is a reciprocal that it alone reads";
    for (auto [x, inverse] : {std::pair(mul.getA(), mul.getB()), std::pair(mul.getB(), mul.getA())}) {
      Value divisor = isa<FloatType>(elementOf(mul)) ? underOne(inverse) : Value();
      if (divisor && isInvertible(divisor)) {
        rewriter.replaceOpWithNewOp<DivOp>(mul, mul.getType(), x, divisor, mul.getActivation());
        return success();
      }
      if (divisor)
        why = "the divisor is no root or integer, and its reciprocal could overflow where the quotient does not";
    }
    return rewriter.notifyMatchFailure(mul, why);
  }
};

/// Whether op(op(x, a), b) has the same bits as op(x, op(a, b)) and as with operands exchanged.
bool isAssociative(Operation *op) {
  Type element = elementOf(op->getResult(0));
  if (auto add = dyn_cast<AddOp>(op))
    return isa<IntegerType>(element) && add.getAlpha().convertToDouble() == 1.0;
  if (isa<MulOp>(op))
    return isa<IntegerType>(element);
  return isa<MaximumOp, MinimumOp, LogicalAndOp, LogicalOrOp, LogicalXorOp, BitwiseAndOp, BitwiseOrOp, BitwiseXorOp>(
      op);
}

struct ReassociateRule : RewritePattern {
  ReassociateRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isAssociative(op))
      return rewriter.notifyMatchFailure(op, "sums and products of floats round, and alpha tells the operands apart");
    for (unsigned place : {0u, 1u}) {
      Operation *inner = op->getOperand(place).getDefiningOp();
      if (!inner || inner->getName() != op->getName() || !isReadOnce(inner->getResult(0)) || !isAssociative(inner) ||
          !hasNoActivation(inner))
        continue;
      for (unsigned larger : {0u, 1u})
        if (regroup(op, inner, larger, op->getOperand(1 - place), rewriter))
          return success();
    }
    return rewriter.notifyMatchFailure(op, "does not read one of its kind, read here alone, of which a smaller operand "
                                           "could be joined with its other one first");
  }

private:
  static bool regroup(Operation *op, Operation *inner, unsigned larger, Value other, PatternRewriter &rewriter) {
    Value x = inner->getOperand(larger), small = inner->getOperand(1 - larger);
    FailureOr<Dims> dims = broadcastShapes(dimsOf(small.getType()), dimsOf(other.getType()));
    if (failed(dims))
      return false;
    RankedTensorType joined = tensorOf(*dims, rewriter.getI1Type()), before = typeOf(inner->getResult(0));
    if (!joined.hasStaticShape() || !before.hasStaticShape() || joined.getNumElements() >= before.getNumElements())
      return false;
    Value both = cloneOver(rewriter, inner, {small, other}, joined);
    Operation *outer = cloneAsNew(rewriter, op);
    outer->setOperands({x, both});
    rewriter.replaceOp(op, outer->getResults());
    return true;
  }
};

/// A constant added to a range of literal integers.
struct ShiftRangeRule : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp add, PatternRewriter &rewriter) const override {
    RangeOp range;
    Value other;
    for (unsigned place : {0u, 1u})
      if (auto found = add->getOperand(place).getDefiningOp<RangeOp>(); found && !range) {
        range = found;
        other = add->getOperand(1 - place);
      }
    if (!range)
      return failure();
    auto element = dyn_cast<IntegerType>(elementOf(add));
    if (!element || !hasNoActivation(add) || add.getAlpha().convertToDouble() != 1.0 ||
        range.getType() != add.getType())
      return rewriter.notifyMatchFailure(add, "not a plain sum of integers, or one that is broadcast");
    std::optional<double> shift = splatOf(other);
    std::optional<double> start = range.getStartAttr() ? numberOf(range.getStartAttr()) : 0.0;
    std::optional<double> limit = numberOf(range.getLimitAttr());
    if (!shift || !start || !limit || range->getNumOperands() != 0)
      return rewriter.notifyMatchFailure(add, "the range's bounds, or the other term, are no literals");
    double first = *start + *shift, last = *limit + *shift;
    if (!holds(first, element) || !holds(last, element))
      return rewriter.notifyMatchFailure(add, "a bound would leave the dtype");
    rewriter.replaceOpWithNewOp<RangeOp>(
        add, add.getType(), Value(), Value(), Value(), rewriter.getI64IntegerAttr(static_cast<int64_t>(first)),
        rewriter.getI64IntegerAttr(static_cast<int64_t>(last)), range.getDeltaAttr(), TypeAttr::get(element));
    return success();
  }

private:
  /// Whether the dtype has the number, and a double each number as small.
  static bool holds(double number, IntegerType element) {
    unsigned width = std::min(element.getWidth() - (element.isUnsigned() ? 0 : 1), 52u);
    double most = static_cast<double>(int64_t(1) << width);
    return number < most && number >= (element.isUnsigned() ? 0.0 : -most);
  }
};

} // namespace

LogicalResult runReciprocalMulToDiv(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<ReciprocalMulToDivRule>(p.getContext()); });
}

LogicalResult runReassociate(TransformContext &context) {
  return applyOnce(context, addRooted<ReassociateRule, AddOp, MulOp, MaximumOp, MinimumOp, LogicalAndOp, LogicalOrOp,
                                      LogicalXorOp, BitwiseAndOp, BitwiseOrOp, BitwiseXorOp>);
}

LogicalResult runShiftRange(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<ShiftRangeRule>(p.getContext()); });
}

} // namespace clika
