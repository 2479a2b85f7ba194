// reciprocal_mul_to_div, reassociate and shift_range.
#include "Dialect/CoreOps.h"
#include "Dialect/PointwiseOps.h"
#include "Dialect/ShapeValues.h"
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

/// A number added to a range of integers, or taken away.
struct ShiftRangeRule : RewritePattern {
  ShiftRangeRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    auto range = op->getOperand(0).getDefiningOp<RangeOp>();
    Value other = op->getOperand(1);
    if (!range && isa<AddOp>(op)) {
      range = other.getDefiningOp<RangeOp>();
      other = op->getOperand(0);
    }
    if (!range)
      return failure();
    Value result = op->getResult(0);
    auto element = dyn_cast<IntegerType>(elementOf(result));
    double alpha =
        isa<AddOp>(op) ? cast<AddOp>(op).getAlpha().convertToDouble() : cast<SubOp>(op).getAlpha().convertToDouble();
    if (!element || !hasNoActivation(op) || alpha != 1.0 || range.getType() != result.getType())
      return rewriter.notifyMatchFailure(op, "not a plain sum of integers, or one that is broadcast");
    std::optional<double> shift = splatOf(other);
    std::optional<double> start = range.getStartAttr() ? numberOf(range.getStartAttr()) : 0.0;
    std::optional<double> limit = numberOf(range.getLimitAttr());
    if (!shift || !start || !limit || range->getNumOperands() != 0)
      return shiftTensors(op, range, other, rewriter);
    double by = isa<AddOp>(op) ? *shift : -*shift, first = *start + by, last = *limit + by;
    if (!holds(first, element) || !holds(last, element))
      return rewriter.notifyMatchFailure(op, "a bound would leave the dtype");
    rewriter.replaceOpWithNewOp<RangeOp>(
        op, range.getType(), Value(), Value(), Value(), rewriter.getI64IntegerAttr(static_cast<int64_t>(first)),
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

  /// A bound that is a tensor, or the number that the setting in its place holds.
  struct Bound {
    Value tensor;
    std::optional<double> number;
  };
  static Bound boundOf(Value tensor, Attribute literal) {
    if (tensor)
      return {tensor, splatOf(tensor)};
    return {Value(), literal ? numberOf(literal) : 0.0};
  }

  /// The bounds shifted by operators on one element.
  static LogicalResult shiftTensors(Operation *op, RangeOp range, Value other, PatternRewriter &rewriter) {
    auto element = cast<IntegerType>(elementOf(range.getResult()));
    if (rankOf(other) > 1 || !typeOf(other).hasStaticShape() || typeOf(other).getNumElements() != 1)
      return rewriter.notifyMatchFailure(op, "the other term is not one number");
    Bound start = boundOf(range.getStartTensor(), range.getStartAttr());
    Bound limit = boundOf(range.getLimitTensor(), range.getLimitAttr());
    // Elements wrap as the bounds do; how many there are must not come of bounds that have wrapped.
    bool counted = range.getType().hasStaticShape() ||
                   (element.isSignlessInteger(64) && isSize(start) && isSize(limit) && isSize(boundOf(other, {})));
    if (!counted)
      return rewriter.notifyMatchFailure(op, "the bounds or the other term may be so large that a sum wraps");
    for (const Bound &bound : {start, limit})
      if (bound.tensor ? !typeOf(bound.tensor).hasStaticShape() : !bound.number || !holds(*bound.number, element))
        return rewriter.notifyMatchFailure(op, "a bound is no integer of the dtype, or of unknown shape");
    Value first = isa<AddOp>(op) && start.number == 0.0 ? other : shifted(op, start, other, rewriter);
    rewriter.replaceOpWithNewOp<RangeOp>(op, range.getType(), first, shifted(op, limit, other, rewriter),
                                         range.getDeltaTensor(), Attribute(), Attribute(), range.getDeltaAttr(),
                                         TypeAttr::get(element));
    return success();
  }

  static Value shifted(Operation *op, const Bound &bound, Value other, PatternRewriter &rewriter) {
    Value from = bound.tensor;
    if (!from) {
      auto element = cast<IntegerType>(elementOf(other));
      APInt bits(64, static_cast<uint64_t>(static_cast<int64_t>(*bound.number)), true);
      auto data = DenseElementsAttr::get(RankedTensorType::get({}, element), bits.sextOrTrunc(element.getWidth()));
      from = ConstantOp::create(rewriter, op->getLoc(), cast<ElementsAttr>(data));
    }
    return cloneOver(rewriter, op, {from, other}, rankOf(other) > rankOf(from) ? other.getType() : from.getType());
  }

  /// Whether the element is a size, or no larger than one may be.
  static bool isSize(const Bound &bound) {
    constexpr double kMost = 1e14;
    if (bound.number)
      return std::abs(*bound.number) < kMost;
    std::optional<Dims> known = shapeValues(bound.tensor);
    return known && known->size() == 1 && known->front();
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
  return applyOnce(context, addRooted<ShiftRangeRule, AddOp, SubOp>);
}

} // namespace clika
