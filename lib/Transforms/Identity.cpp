// remove_identity.
#include "Dialect/PointwiseOps.h"
#include "Dialect/Shape.h"
#include "Dialect/ShapeOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/NewNode.h"
#include "Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;

namespace clika {
namespace {

/// Whether both types have one element type and sizes that are known to be equal.
bool sameType(Value a, Value b) {
  if (a.getType() != b.getType())
    return false;
  return llvm::all_of(dimsOf(a.getType()), [](Dim dim) { return dim != nullptr; });
}

bool isOrdered(llvm::ArrayRef<int64_t> perm, int64_t rank) {
  if (perm.empty())
    return rank < 2;
  for (auto [i, p] : llvm::enumerate(perm))
    if (p != int64_t(i) && p + rank != int64_t(i))
      return false;
  return true;
}

/// The operand that an op's one result equals if their types are the same, or why there is none.
struct Same {
  Same(Value value) : value(value) {}
  Same(const char *why) : why(why) {}

  Value value;
  const char *why = "";
};

constexpr const char *kActivation = "it has an activation";

/// A product with ones, a quotient by ones.
template <class Op>
Same unchangedBy(Op op, bool commutes) {
  if (!hasNoActivation(op))
    return kActivation;
  if (isConstant(op.getB(), 1.0))
    return op.getA();
  if (commutes && isConstant(op.getA(), 1.0))
    return op.getB();
  return commutes ? "neither operand is 1" : "the divisor is not 1";
}

/// Whether alpha * 0 is +0 in what the op computes in: half precision is computed in float32.
bool keepsZero(double alpha, Type element) {
  if (isa<IntegerType>(element))
    return true;
  return alpha > 0.0 && std::isfinite(isa<Float64Type>(element) ? alpha : static_cast<float>(alpha));
}

/// x - 0 and x + (-0.0): x + 0.0 would turn -0.0 into +0.0. Integers have one zero.
template <class Op>
Same unchangedBySum(Op op) {
  Type element = getElementTypeOrSelf(op.getType());
  double alpha = op.getAlpha().convertToDouble();
  if (!hasNoActivation(op))
    return kActivation;
  if (!keepsZero(alpha, element))
    return "alpha times zero is not zero with its sign";
  double zero = isa<IntegerType>(element) || isa<SubOp>(op) ? 0.0 : -0.0;
  if (isConstant(op.getB(), zero))
    return op.getA();
  if (isa<AddOp>(op) && alpha == 1.0 && isConstant(op.getA(), zero))
    return op.getB();
  return isa<SubOp>(op) ? "the subtrahend is not +0.0" : "neither term is -0.0, the zero that changes no sign";
}

/// x and true, x or false, and the like: `neutral` is the other operand that changes nothing.
Same unchangedBy(Operation *op, double neutral) {
  for (unsigned place : {0u, 1u})
    if (isConstant(op->getOperand(1 - place), neutral))
      return op->getOperand(place);
  return neutral == 1.0 ? "neither operand is true" : "neither operand is false, or 0";
}

Same unchangedSlice(SliceOp slice) {
  bool forward = !slice.getStepsTensor() && llvm::all_of(slice.getSteps(), [](int64_t step) { return step > 0; });
  if (forward && !movesByKnownSizes(slice))
    return "it may be refused at run time";
  return forward ? Same(slice.getX()) : "a step is negative or not known";
}

Same unchangedPad(PadOp pad) {
  bool none = !pad.getPadsTensor() && llvm::all_of(pad.getPads(), [](int64_t size) { return size == 0; });
  return none ? Same(pad.getX()) : "a pad is not 0 or not known";
}

Same unchangedTranspose(TransposeOp transpose) {
  int64_t rank = cast<RankedTensorType>(transpose.getX().getType()).getRank();
  return isOrdered(transpose.getPerm(), rank) ? Same(transpose.getX()) : "it changes the order of dimensions";
}

Same unchangedClamp(ClampOp clamp) {
  bool open = clamp->getNumOperands() == 1 && !clamp.getMinAttr() && !clamp.getMaxAttr();
  return open ? Same(clamp.getX()) : "it has a bound";
}

Same unchangedMove(Operation *move) {
  return movesByKnownSizes(move) ? Same(move->getOperand(0)) : "it may be refused at run time";
}

Same unchangedPieces(Operation *pieces) {
  bool one = pieces->getNumOperands() == 1 && pieces->getNumResults() == 1;
  return one ? Same(pieces->getOperand(0)) : "it joins or makes several pieces";
}

struct RemoveIdentityRule : RewritePattern {
  RemoveIdentityRule(StringRef root, MLIRContext *context, Same (*unchanged)(Operation *))
      : RewritePattern(root, 1, context), unchanged(unchanged) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    Same same = unchanged(op);
    if (!same.value)
      return rewriter.notifyMatchFailure(op, same.why);
    if (!sameType(same.value, op->getResult(0)))
      return rewriter.notifyMatchFailure(op, "the shape or dtype changes, or is not known to stay");
    rewriter.replaceOp(op, same.value);
    return success();
  }

  Same (*unchanged)(Operation *);
};

template <class... Roots>
void add(RewritePatternSet &patterns, Same (*unchanged)(Operation *)) {
  (patterns.add<RemoveIdentityRule>(Roots::getOperationName(), patterns.getContext(), unchanged), ...);
}

void addRules(RewritePatternSet &p) {
  add<IdentityOp, CastOp, ReshapeOp, SqueezeOp, UnsqueezeOp, ExpandOp, TileOp>(p, unchangedMove);
  add<ConcatOp, SplitOp>(p, unchangedPieces);
  add<TransposeOp>(p, [](Operation *op) { return unchangedTranspose(cast<TransposeOp>(op)); });
  add<SliceOp>(p, [](Operation *op) { return unchangedSlice(cast<SliceOp>(op)); });
  add<PadOp>(p, [](Operation *op) { return unchangedPad(cast<PadOp>(op)); });
  add<ClampOp>(p, [](Operation *op) { return unchangedClamp(cast<ClampOp>(op)); });
  add<MulOp>(p, [](Operation *op) { return unchangedBy(cast<MulOp>(op), true); });
  add<DivOp>(p, [](Operation *op) { return unchangedBy(cast<DivOp>(op), false); });
  add<AddOp>(p, [](Operation *op) { return unchangedBySum(cast<AddOp>(op)); });
  add<SubOp>(p, [](Operation *op) { return unchangedBySum(cast<SubOp>(op)); });
  add<LogicalAndOp>(p, [](Operation *op) { return unchangedBy(op, 1.0); });
  add<LogicalOrOp, LogicalXorOp, BitwiseOrOp, BitwiseXorOp>(p, [](Operation *op) { return unchangedBy(op, 0.0); });
}

} // namespace

LogicalResult runRemoveIdentity(TransformContext &context) { return applyOnce(context, addRules); }

} // namespace clika
