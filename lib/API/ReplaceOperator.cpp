#include "API/Edits.h"

#include "API/Fail.h"
#include "API/Order.h"
#include "Dialect/Shape.h"

#include <algorithm>

using namespace mlir;

namespace clika {
namespace {

/// A size of `after` that nothing is known of keeps the name it had in `before`, else it gets one.
Type nameSizes(GraphCore &core, Type before, Type after) {
  Dims dims = dimsOf(after), known = dimsOf(before);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i])
      continue;
    bool keeps = known.size() == dims.size() && known[i] && !constantOf(known[i]);
    if (keeps)
      core.forgetBroadcast(known[i]);
    dims[i] = keeps ? known[i] : namedDim(core.mlir(), core.freshDimension());
  }
  return tensorOf(dims, cast<RankedTensorType>(after).getElementType());
}

} // namespace

void replaceOperator(GraphCore &core, Operation *op, const OpInfo &info, ArrayRef<Value> operands,
                     const std::vector<ClikaRT::graph::Attr> &changed, std::string_view call) {
  std::string prefix = std::string(call) + ": " + quote(core.nameOf(op));
  DetachedOp next = rebuildOp(op, info, operands, changed, {}, prefix);
  // A setting may change how many outputs there are.
  for (unsigned i = 0; i < std::max(op->getNumResults(), next->getNumResults()); ++i) {
    Value before = i < op->getNumResults() ? op->getResult(i) : Value();
    Value after = i < next->getNumResults() ? next->getResult(i) : Value();
    if (after)
      after.setType(nameSizes(core, before ? before.getType() : after.getType(), after.getType()));
    if (!before || before.use_empty() || (after && before.getType() == after.getType()))
      continue;
    std::string output = op->getNumResults() == 1 ? "its output" : "its output " + std::to_string(i);
    invalid(prefix, output + (after ? " would become " + describe(after.getType()) : " would go") +
                        ", and its readers read " + describe(before.getType()) +
                        "; move its readers first, or build a new operator");
  }
  for (auto [before, after] : llvm::zip(op->getResults(), next->getResults())) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : before.getUses())
      uses.push_back(&use);
    checkSizes(core, after, uses, prefix);
  }
  for (Value operand : operands)
    if (operand)
      makeAvailable(core, operand, readerBeside(core, operand, op, call), call);
  Operation *placed = next.release();
  op->getBlock()->getOperations().insert(op->getIterator(), placed);
  NodeIdentity *identity = identityOf(op), *taken = identityOf(placed);
  *taken = *identity;
  *identity = NodeIdentity();
  core.index.moved(placed);
  placed->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  placed->setLoc(op->getLoc());
  for (auto [before, after] : llvm::zip(op->getResults(), placed->getResults()))
    before.replaceAllUsesWith(after);
  op->erase();
  ++core.changes;
}

} // namespace clika
