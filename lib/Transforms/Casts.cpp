// merge_casts and narrow_casts.
#include "Dialect/ConstantData.h"
#include "Dialect/CoreOps.h"
#include "Dialect/NormOps.h"
#include "Dialect/PointwiseOps.h"
#include "Dialect/ReduceOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/Moved.h"
#include "Transforms/NewNode.h"
#include "Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;

namespace clika {
namespace {

/// Bits of the integers that the dtype holds exactly, its sign left out.
unsigned magnitudeBits(Type element) {
  if (auto number = dyn_cast<FloatType>(element))
    return number.getFPMantissaWidth();
  return element.getIntOrFloatBitWidth() - (element.isSignlessInteger() && !element.isInteger(1) ? 1 : 0);
}

/// Whether every number of the dtype `from` is one of `to`, so that a cast and a cast back change nothing.
bool keepsEach(Type from, Type to) {
  if (from == to)
    return true;
  if (to.isInteger(1))
    return false;
  bool isSigned = from.isSignlessInteger() && !from.isInteger(1);
  if (auto float_ = dyn_cast<FloatType>(from)) {
    auto wide = dyn_cast<FloatType>(to);
    return wide && wide.getWidth() > float_.getWidth();
  }
  // The lowest integer is a power of two, so a float holds it where it holds the others.
  return magnitudeBits(from) <= magnitudeBits(to) && (isa<FloatType>(to) || !isSigned || to.isSignlessInteger());
}

Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

struct MergeCastsRule : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp outer, PatternRewriter &rewriter) const override {
    auto inner = outer.getX().getDefiningOp<CastOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(outer, "does not read a cast");
    Value x = inner.getX();
    if (!keepsEach(elementOf(x), elementOf(inner)))
      return rewriter.notifyMatchFailure(outer, "the cast before it does not keep every number");
    // A float beyond an integer's range becomes its end, an integer wraps.
    bool wraps =
        isa<IntegerType>(elementOf(x)) && isa<FloatType>(elementOf(inner)) && isa<IntegerType>(elementOf(outer));
    if (wraps && !elementOf(outer).isInteger(1) && !keepsEach(elementOf(x), elementOf(outer)))
      return rewriter.notifyMatchFailure(outer, "a float saturates where an integer wraps");
    if (x.getType() == outer.getType())
      rewriter.replaceOp(outer, x);
    else
      rewriter.replaceOpWithNewOp<CastOp>(outer, outer.getType(), x, outer.getDtypeAttr());
    return success();
  }
};

/// A cast that only `user` reads.
CastOp ownCast(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  return cast && isReadOnce(cast->getResult(0)) ? cast : CastOp();
}

constexpr const char *kNoPair =
    "its operands are not both casts, read here alone, of one dtype to one that holds each of "
    "its numbers";

/// Casts before an op that only compares or picks numbers.
struct CompareUncastRule : RewritePattern {
  CompareUncastRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    bool compares = isa<EqualOp, NotEqualOp, LessOp, LessEqualOp, GreaterOp, GreaterEqualOp>(op);
    CastOp a = ownCast(op->getOperand(0)), b = ownCast(op->getOperand(1));
    if (!a || !b || elementOf(a.getX()) != elementOf(b.getX()) || elementOf(a.getX()).isInteger(1) ||
        !keepsEach(elementOf(a.getX()), elementOf(a)))
      return rewriter.notifyMatchFailure(op, kNoPair);
    Operation *narrow = cloneAsNew(rewriter, op);
    narrow->setOperands({a.getX(), b.getX()});
    if (compares) {
      rewriter.replaceOp(op, narrow->getResults());
      return success();
    }
    Value result = narrow->getResult(0);
    result.setType(tensorOf(dimsOf(op->getResult(0).getType()), elementOf(a.getX())));
    rewriter.replaceOpWithNewOp<CastOp>(op, op->getResult(0).getType(), result, a.getDtypeAttr());
    return success();
  }
};

/// Ops that compute half precision in float32 and round once, whose settings are no numbers of the dtype.
bool computesInFloat32(Operation *op) {
  if (auto add = dyn_cast<AddOp>(op))
    return add.getAlpha().convertToDouble() == 1.0;
  if (auto sub = dyn_cast<SubOp>(op))
    return sub.getAlpha().convertToDouble() == 1.0;
  return isa<MulOp, DivOp, ReluOp, ExpOp, LogOp, TanhOp, ErfOp, SigmoidOp, SqrtOp, RsqrtOp, ReciprocalOp, NegOp, AbsOp,
             SinOp, CosOp, SiluOp, GeluOp, FloorOp, CeilOp, RoundOp, SoftmaxOp, LogSoftmaxOp, LayerNormOp, RmsNormOp,
             ReduceSumOp, ReduceMeanOp>(op);
}

/// Whether float32 `value` is a cast from half precision, or a constant of numbers that it holds.
bool isHalf(Value value, FloatType half) {
  if (auto cast = value.getDefiningOp<CastOp>())
    return elementOf(cast.getX()) == half;
  std::optional<std::vector<double>> numbers = readNumbers(value);
  return numbers && llvm::all_of(*numbers, [&](double number) {
           llvm::APFloat rounded(number);
           bool loses = false;
           rounded.convert(half.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &loses);
           return !loses && !std::isnan(number);
         });
}

/// The same numbers in half precision.
Value inHalf(Value value, FloatType half, RewriterBase &rewriter) {
  if (auto cast = value.getDefiningOp<CastOp>())
    return cast.getX();
  return makeConstant(rewriter, value.getLoc(), RankedTensorType::get(typeOf(value).getShape(), half),
                      *readNumbers(value));
}

/// cast(op(cast(x), …)) with half precision around float32.
struct UncastRule : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp outer, PatternRewriter &rewriter) const override {
    auto half = dyn_cast<FloatType>(elementOf(outer));
    Operation *op = outer.getX().getDefiningOp();
    if (!half || half.getWidth() != 16 || !elementOf(outer.getX()).isF32())
      return rewriter.notifyMatchFailure(outer, "does not round float32 to half precision");
    if (!op || !isReadOnce(op->getResult(0)) || !computesInFloat32(op) || !hasNoActivation(op))
      return rewriter.notifyMatchFailure(outer, "what it rounds is not read here alone, or none that computes half "
                                                "precision in float32");
    if (!llvm::any_of(op->getOperands(), [](Value operand) { return operand.getDefiningOp<CastOp>(); }))
      return rewriter.notifyMatchFailure(outer, "no operand of the operator before it is a cast");
    if (!llvm::all_of(op->getOperands(), [&](Value operand) { return isHalf(operand, half); }))
      return rewriter.notifyMatchFailure(outer, "an operand of the operator before it is not half precision");
    llvm::SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(inHalf(operand, half, rewriter));
    Operation *narrow = cloneAsNew(rewriter, op);
    narrow->setOperands(operands);
    narrow->getResult(0).setType(outer.getType());
    rewriter.replaceOp(outer, narrow->getResults());
    return success();
  }
};

} // namespace

LogicalResult runMergeCasts(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<MergeCastsRule>(p.getContext()); });
}

LogicalResult runNarrowCasts(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) {
    addRooted<CompareUncastRule, EqualOp, NotEqualOp, LessOp, LessEqualOp, GreaterOp, GreaterEqualOp, MaximumOp,
              MinimumOp>(p);
    p.add<UncastRule>(p.getContext());
  });
}

} // namespace clika
