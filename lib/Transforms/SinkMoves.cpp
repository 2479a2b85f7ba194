// sink_moves.
#include "Dialect/PointwiseOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/Moved.h"
#include "Transforms/NewNode.h"
#include "Transforms/Transforms.h"

using namespace mlir;

namespace clika {
namespace {

bool isReshape(Operation *op) { return isa_and_nonnull<ReshapeOp, SqueezeOp, UnsqueezeOp>(op); }
bool isMove(Operation *op) { return isReshape(op) || isa_and_nonnull<TransposeOp>(op); }

bool isKnown(Type type) {
  return llvm::all_of(dimsOf(type), [](Dim dim) { return dim != nullptr; });
}

/// Whether both are one move of one known shape, each read once.
bool sameMove(Operation *a, Operation *b) {
  return a->getName() == b->getName() && isReadOnce(a->getResult(0)) && isReadOnce(b->getResult(0)) &&
         a->getOperands().drop_front() == b->getOperands().drop_front() &&
         a->getName().compareOpProperties(a->getPropertiesStorage(), b->getPropertiesStorage()) &&
         dimsOf(a->getOperand(0).getType()) == dimsOf(b->getOperand(0).getType());
}

/// A pointwise op of moved values, and of single elements.
struct SinkMovesRule : RewritePattern {
  explicit SinkMovesRule(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isBroadcasting(op) || !llvm::any_of(op->getOperands(), [](Value v) { return isMove(v.getDefiningOp()); }))
      return failure();
    Operation *move = nullptr;
    for (Value operand : op->getOperands())
      if (Operation *found = operand.getDefiningOp(); !move && isMove(found) && !isSingle(operand))
        move = found;
    if (!move || !isReadOnce(move->getResult(0)) || !movesByKnownSizes(move))
      return rewriter.notifyMatchFailure(op,
                                         "what moves its operand has another reader, or may be refused at run time");
    Value source = move->getOperand(0);
    llvm::SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      Operation *other = operand.getDefiningOp();
      bool single = isSingle(operand) && rankOf(operand) <= std::min(rankOf(source), rankOf(move->getResult(0)));
      if (other != move && !single && !(isMove(other) && sameMove(move, other) && isKnown(source.getType())))
        return rewriter.notifyMatchFailure(op, "an operand is neither moved alike from a known shape nor one element");
      operands.push_back(single ? operand : other->getOperand(0));
    }
    Value early = cloneOver(rewriter, op, operands, source.getType());
    llvm::SmallVector<Value> moved(move->getOperands());
    moved[0] = early;
    Value result = cloneOver(rewriter, move, moved, move->getResult(0).getType());
    result.setType(op->getResult(0).getType());
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static bool isSingle(Value value) {
    return llvm::all_of(typeOf(value).getShape(), [](int64_t size) { return size == 1; });
  }
};

/// reshape(op(reshape(a), b)) back to a's shape.
struct ReshapeOtherRule : RewritePattern {
  ReshapeOtherRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *outer, PatternRewriter &rewriter) const override {
    Operation *op = outer->getOperand(0).getDefiningOp();
    if (!isBroadcasting(op) || op->getNumOperands() != 2)
      return failure();
    if (!isReadOnce(op->getResult(0)) || !movesByKnownSizes(outer))
      return rewriter.notifyMatchFailure(outer, "what it reads has another reader, or it may be refused at run time");
    for (unsigned place : {0u, 1u}) {
      Operation *inner = op->getOperand(place).getDefiningOp();
      Value other = op->getOperand(1 - place);
      if (!isReshape(inner) || !isReadOnce(inner->getResult(0)) || !movesByKnownSizes(inner))
        continue;
      Type type = inner->getOperand(0).getType();
      auto shape = literalReshape(other, cast<RankedTensorType>(type));
      if (!shape || !isKnown(type) || dimsOf(outer->getResult(0).getType()) != dimsOf(type) ||
          !isKnown(other.getType()) || dimsOf(other.getType()) != dimsOf(inner->getResult(0).getType()))
        continue;
      Value moved = ReshapeOp::create(rewriter, outer->getLoc(), tensorOf(dimsOf(type), typeOf(other).getElementType()),
                                      other, Value(), *shape, true);
      llvm::SmallVector<Value, 2> operands(2, moved);
      operands[place] = inner->getOperand(0);
      rewriter.replaceOp(outer, cloneOver(rewriter, op, operands, type));
      return success();
    }
    return rewriter.notifyMatchFailure(outer, "it does not undo a reshape of one operand, of which the other has the "
                                              "known shape");
  }
};

} // namespace

LogicalResult runSinkMoves(TransformContext &context) {
  if (context.lacks<ReshapeOp, SqueezeOp, UnsqueezeOp, TransposeOp>())
    return success();
  return applyOnce(context, [](RewritePatternSet &p) {
    p.add<SinkMovesRule>(p.getContext());
    addRooted<ReshapeOtherRule, ReshapeOp, SqueezeOp, UnsqueezeOp>(p);
  });
}

} // namespace clika
