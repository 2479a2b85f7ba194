// merge_casts and narrow_casts.
#include "Dialect/AttentionOps.h"
#include "Dialect/ConstantData.h"
#include "Dialect/CoreOps.h"
#include "Dialect/IndexOps.h"
#include "Dialect/LinearOps.h"
#include "Dialect/NormOps.h"
#include "Dialect/PointwiseOps.h"
#include "Dialect/PoolOps.h"
#include "Dialect/ReduceOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/Moved.h"
#include "Transforms/NewNode.h"
#include "Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"
#include <array>
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

/// Casts before an op that only compares or picks numbers, or works on their bits.
struct CompareUncastRule : RewritePattern {
  CompareUncastRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    bool compares = isa<EqualOp, NotEqualOp, LessOp, LessEqualOp, GreaterOp, GreaterEqualOp>(op);
    unsigned first = isa<WhereOp>(op) ? 1 : 0;
    CastOp a = ownCast(op->getOperand(first)), b = ownCast(op->getOperand(first + 1));
    if (!a || !b || elementOf(a.getX()) != elementOf(b.getX()) || elementOf(a.getX()).isInteger(1) ||
        !keepsEach(elementOf(a.getX()), elementOf(a)))
      return rewriter.notifyMatchFailure(op, kNoPair);
    Operation *narrow = cloneAsNew(rewriter, op);
    narrow->setOperand(first, a.getX());
    narrow->setOperand(first + 1, b.getX());
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

/// Ops that only move elements, or pick some.
bool moves(Operation *op) {
  return isa<ReshapeOp, TransposeOp, SqueezeOp, UnsqueezeOp, ExpandOp, TileOp, FlipOp, SliceOp, ConcatOp, GatherOp,
             GatherElementsOp, GatherNdOp, DepthToSpaceOp, SpaceToDepthOp, TriluOp>(op);
}

bool hasPlainSum(Operation *op) {
  if (auto add = dyn_cast<AddOp>(op))
    return add.getAlpha().convertToDouble() == 1.0;
  auto sub = dyn_cast<SubOp>(op);
  return !sub || sub.getAlpha().convertToDouble() == 1.0;
}

/// Ops that compute half precision in float32 and round once.
bool computesInFloat32(Operation *op) {
  return (isa<PointwiseOp>(op) && !isa<CastOp>(op)) ||
         isa<MatmulOp, LinearOp, ConvOp, ConvTransposeOp, SoftmaxOp, LogSoftmaxOp, LayerNormOp, RmsNormOp, GroupNormOp,
             InstanceNormOp, BatchNormOp, LrnOp, RotaryEmbeddingOp, AttentionOp, ReduceSumOp, ReduceMeanOp, ReduceMaxOp,
             ReduceMinOp, ReduceProdOp, ReduceL1Op, ReduceL2Op, ReduceLogsumexpOp, ReduceSumsqOp, CumsumOp, MaxPoolOp,
             AvgPoolOp, LpPoolOp, GlobalMaxPoolOp, GlobalAvgPoolOp, GlobalLpPoolOp>(op);
}

/// Whether the dtype takes the settings that are numbers of it.
bool boundsFit(Operation *op, FloatType narrow) {
  auto clamp = dyn_cast<ClampOp>(op);
  double largest = llvm::APFloat::getLargest(narrow.getFloatSemantics()).convertToDouble();
  return !clamp ||
         llvm::all_of(llvm::ArrayRef<Attribute>{clamp.getMinAttr(), clamp.getMaxAttr()},
                      [&](Attribute bound) { return !bound || std::abs(numberOf(bound).value_or(NAN)) <= largest; });
}

/// Whether the op gives on numbers of the dtype `narrow` what it gives on them in `wide`, then cast to `narrow`.
bool isSameNarrow(Operation *op, Type narrow, Type wide) {
  if (!hasPlainSum(op) || !keepsEach(narrow, wide))
    return false;
  if (moves(op) || isa<WhereOp>(op) || (isa<MaximumOp, MinimumOp>(op) && !narrow.isInteger(1)))
    return true;
  auto from = dyn_cast<FloatType>(narrow), to = dyn_cast<FloatType>(wide);
  // Integers wrap, in whatever width.
  if (!from)
    return isa<IntegerType>(wide) && !narrow.isInteger(1) &&
           isa<AddOp, SubOp, MulOp, NegOp, BitwiseAndOp, BitwiseOrOp, BitwiseXorOp, BitwiseNotOp>(op);
  if (from.getWidth() == 16 && wide.isF32())
    return computesInFloat32(op) && boundsFit(op, from);
  if (isa<NegOp, AbsOp, ReluOp, FloorOp, CeilOp, RoundOp>(op))
    return true;
  // Rounded to twice the digits and two more, and again, these are as if rounded once.
  return to.getFPMantissaWidth() >= 2 * from.getFPMantissaWidth() + 2 && isa<AddOp, SubOp, MulOp, DivOp, SqrtOp>(op);
}

/// The elements of a constant of integers, as bits of 64.
std::optional<llvm::SmallVector<int64_t>> smallIntegers(Value value, IntegerType narrow) {
  std::optional<llvm::SmallVector<int64_t>> numbers = constantIntegers(value);
  unsigned bits = magnitudeBits(narrow);
  int64_t end = bits > 62 ? std::numeric_limits<int64_t>::max() : int64_t(1) << bits;
  bool fits = numbers && llvm::all_of(*numbers, [&](int64_t number) {
                return number < end && number >= (narrow.isUnsigned() ? 0 : -end);
              });
  return fits ? numbers : std::nullopt;
}

/// Whether `value` is a cast from the dtype, or a constant of numbers that it holds.
bool isNarrow(Value value, Type narrow) {
  if (auto cast = value.getDefiningOp<CastOp>())
    return elementOf(cast.getX()) == narrow;
  if (auto integer = dyn_cast<IntegerType>(narrow))
    return isa<IntegerType>(elementOf(value)) && smallIntegers(value, integer);
  auto type = cast<FloatType>(narrow), from = dyn_cast<FloatType>(elementOf(value));
  auto constant = value.getDefiningOp<ConstantOp>();
  ConstantData data = constant && from ? constantData(constant.getValue()) : ConstantData();
  // Weights are large, and most have such a number early.
  return data.valid && llvm::all_of(llvm::seq<int64_t>(0, typeOf(value).getNumElements()), [&](int64_t i) {
           llvm::APFloat rounded(*numberAt(data.bytes, from, i));
           bool loses = false;
           rounded.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &loses);
           return !loses && !rounded.isNaN();
         });
}

/// The same numbers in the dtype.
Value inNarrow(Value value, Type narrow, RewriterBase &rewriter) {
  if (auto cast = value.getDefiningOp<CastOp>())
    return cast.getX();
  auto type = RankedTensorType::get(typeOf(value).getShape(), narrow);
  auto integer = dyn_cast<IntegerType>(narrow);
  if (!integer)
    return makeConstant(rewriter, value.getLoc(), type, *readNumbers(value));
  llvm::SmallVector<APInt> elements;
  llvm::SmallVector<int64_t> numbers = *smallIntegers(value, integer);
  for (int64_t number : numbers)
    elements.push_back(APInt(64, static_cast<uint64_t>(number), true).sextOrTrunc(integer.getWidth()));
  return ConstantOp::create(rewriter, value.getLoc(), cast<ElementsAttr>(DenseElementsAttr::get(type, elements)));
}

/// cast(op(cast(x), …)) with a dtype around a wider one.
struct UncastRule : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp outer, PatternRewriter &rewriter) const override {
    Type narrow = elementOf(outer), wide = elementOf(outer.getX());
    Operation *op = outer.getX().getDefiningOp();
    if (narrow == wide || !keepsEach(narrow, wide))
      return rewriter.notifyMatchFailure(outer, "does not round to fewer digits");
    if (!op || op->getNumResults() != 1 || !isReadOnce(op->getResult(0)) || !isSameNarrow(op, narrow, wide) ||
        !hasNoActivation(op))
      return rewriter.notifyMatchFailure(outer, "what it rounds is not read here alone, or not the same operator's "
                                                "result in the dtype it rounds to");
    auto isWide = [&](Value operand) { return elementOf(operand) == wide; };
    if (!llvm::any_of(op->getOperands(), [](Value operand) { return operand.getDefiningOp<CastOp>(); }))
      return rewriter.notifyMatchFailure(outer, "no operand of the operator before it is a cast");
    if (!llvm::all_of(op->getOperands(), [&](Value v) { return !isWide(v) || isNarrow(v, narrow); }))
      return rewriter.notifyMatchFailure(outer,
                                         "an operand of the operator before it is not of the dtype it rounds to");
    llvm::SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isWide(operand) ? inNarrow(operand, narrow, rewriter) : operand);
    Operation *same = cloneAsNew(rewriter, op);
    same->setOperands(operands);
    same->getResult(0).setType(outer.getType());
    rewriter.replaceOp(outer, same->getResults());
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
              MinimumOp, WhereOp, BitwiseAndOp, BitwiseOrOp, BitwiseXorOp>(p);
    p.add<UncastRule>(p.getContext());
  });
}

} // namespace clika
