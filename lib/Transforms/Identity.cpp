// remove_identity.
#include "Dialect/PointwiseOps.h"
#include "Dialect/Shape.h"
#include "Dialect/ShapeOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/NewNode.h"
#include "Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

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

/// A product with ones, a quotient by ones.
template <class Op>
Value unchangedBy(Op op, double neutral, bool commutes) {
  if (!hasNoActivation(op))
    return Value();
  if (isConstant(op.getB(), neutral))
    return op.getA();
  return commutes && isConstant(op.getA(), neutral) ? op.getB() : Value();
}

/// x - 0 and x + (-0.0): x + 0.0 would turn -0.0 into +0.0. Integers have one zero.
template <class Op>
Value unchangedBySum(Op op) {
  double alpha = op.getAlpha().convertToDouble();
  if (!hasNoActivation(op) || !(alpha > 0.0))
    return Value();
  bool integer = isa<IntegerType>(getElementTypeOrSelf(op.getType()));
  double zero = integer || isa<SubOp>(op) ? 0.0 : -0.0;
  if (isConstant(op.getB(), zero))
    return op.getA();
  bool commutes = isa<AddOp>(op) && alpha == 1.0;
  return commutes && isConstant(op.getA(), zero) ? op.getB() : Value();
}

/// The operand that `op`'s one result equals if their types are the same, or null.
Value unchanged(Operation *op) {
  auto first = [&] { return op->getOperand(0); };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<CastOp, ReshapeOp, SqueezeOp, UnsqueezeOp, ExpandOp, TileOp>([&](auto) { return first(); })
      .Case<TransposeOp>([&](TransposeOp t) {
        return isOrdered(t.getPerm(), cast<RankedTensorType>(t.getX().getType()).getRank()) ? first() : Value();
      })
      .Case<SliceOp>([&](SliceOp s) {
        bool forward = !s.getStepsTensor() && llvm::all_of(s.getSteps(), [](int64_t step) { return step > 0; });
        return forward ? first() : Value();
      })
      .Case<PadOp>([&](PadOp p) {
        bool none = !p.getPadsTensor() && llvm::all_of(p.getPads(), [](int64_t pad) { return pad == 0; });
        return none ? first() : Value();
      })
      .Case<ConcatOp>([&](ConcatOp c) { return c->getNumOperands() == 1 ? first() : Value(); })
      .Case<ClampOp>(
          [&](ClampOp c) { return c->getNumOperands() == 1 && !c.getMinAttr() && !c.getMaxAttr() ? first() : Value(); })
      .Case<MulOp>([](MulOp m) { return unchangedBy(m, 1.0, true); })
      .Case<DivOp>([](DivOp d) { return unchangedBy(d, 1.0, false); })
      .Case<AddOp>([](AddOp a) { return unchangedBySum(a); })
      .Case<SubOp>([](SubOp s) { return unchangedBySum(s); })
      .Default([](Operation *) { return Value(); });
}

struct RemoveIdentityRule : RewritePattern {
  explicit RemoveIdentityRule(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || op->getNumOperands() == 0)
      return rewriter.notifyMatchFailure(op, "not one result of some operand");
    Value same = unchanged(op);
    if (!same)
      return rewriter.notifyMatchFailure(op, "it may change a value");
    if (!sameType(same, op->getResult(0)))
      return rewriter.notifyMatchFailure(op, "the shape or dtype changes, or is not known to stay");
    rewriter.replaceOp(op, same);
    return success();
  }
};

} // namespace

LogicalResult runRemoveIdentity(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<RemoveIdentityRule>(p.getContext()); });
}

} // namespace clika
