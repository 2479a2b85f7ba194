// fold_constants.
#include "Dialect/ByteProduct.h"
#include "Dialect/ControlOps.h"
#include "Dialect/CoreOps.h"
#include "Dialect/ShapeValues.h"
#include "Transforms/EraseUnread.h"
#include "Transforms/Evaluate.h"
#include "Transforms/FoldControl.h"
#include "Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace clika {
namespace {

/// Whether the results are small enough to keep, or take no more room than constants that go.
bool isWorthKeeping(Operation *op, int64_t limit) {
  int64_t made = 0, freed = 0;
  for (Type type : op->getResultTypes()) {
    std::optional<int64_t> bytes = bytesOfType(type);
    if (!bytes)
      return false;
    made += *bytes;
  }
  for (Value operand : op->getOperands())
    if (operand.hasOneUse())
      freed += bytesOfType(operand.getType()).value_or(0);
  return made <= limit || made <= freed;
}

class Folder {
public:
  explicit Folder(TransformContext &context)
      : context(context), rewriter(context.module.getContext(), context.listener) {}

  void visit(Operation *op) {
    if (!isa<NodeOp>(op) || isa<ConstantOp>(op) || (context.keeps && context.keeps(op)))
      return;
    context.attempt(op->getBlock());
    if (isa<OpaqueOp, CallOp>(op))
      return refuse(op, "it cannot be computed here");
    if (op->use_empty())
      return refuse(op, "nothing reads it");
    if (context.foldExcludes && context.foldExcludes(op))
      return refuse(op, "the run leaves operators of its code out of folding");
    if (op->getNumRegions() > 0)
      return visitControl(op);
    if (auto sizes = knownSizes(op))
      return replace(op, ElementsAttr(DenseIntElementsAttr::get(cast<ShapedType>(op->getResult(0).getType()), *sizes)));
    bool constant = llvm::all_of(op->getOperands(), [](Value v) { return v.getDefiningOp<ConstantOp>() != nullptr; });
    if (!constant)
      return refuse(op, "not all of its operands are constants");
    if (llvm::any_of(op->getUsers(), byteProductOf))
      return refuse(op, "a product that reads it is computed of its bytes");
    if (!isWorthKeeping(op, context.foldLimit))
      return refuse(op, "its result is over the limit and takes more room than the constants that would go");
    std::string error;
    auto values = evaluateOnConstants(op, error);
    if (failed(values))
      return refuse(op, error);
    replace(op, *values);
  }

private:
  void visitControl(Operation *op) {
    StringRef reason = foldControl(op, rewriter, context.keeps);
    if (!reason.empty())
      return refuse(op, reason);
    context.rewrote();
  }

  void refuse(Operation *op, StringRef reason) {
    if (context.refused)
      context.refused(op, reason);
  }

  void replace(Operation *op, llvm::ArrayRef<ElementsAttr> values) {
    llvm::SmallVector<Value> constants;
    rewriter.setInsertionPoint(op);
    for (ElementsAttr value : values)
      constants.push_back(ConstantOp::create(rewriter, op->getLoc(), value));
    OpSet producers = producersOf(op->getOperands());
    rewriter.replaceOp(op, constants);
    // What the folded node alone read goes with it: constants, and the shape computation above.
    eraseUnread(rewriter, std::move(producers), context.keeps);
    context.rewrote();
  }

  TransformContext &context;
  IRRewriter rewriter;
};

} // namespace

LogicalResult runFoldConstants(TransformContext &context) {
  Folder folder(context);
  bool stop = false;
  context.module->walk([&](Block *block) {
    if (isa<ModuleOp>(block->getParentOp()))
      return;
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      stop = stop || context.stops();
      if (stop)
        return;
      folder.visit(&op);
    }
  });
  return success();
}

} // namespace clika
