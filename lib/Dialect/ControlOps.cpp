#include "Dialect/ControlOps.h"

#include "Dialect/NodeRegistration.h"
#include "Runtime/Counted.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Dialect/ControlOps.cpp.inc"

namespace clika {

void ClikaDialect::addControlOps() {
  addNodes<
#define GET_OP_LIST
#include "Dialect/ControlOps.cpp.inc"
      >();
}

bool canBeOneElement(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor &&
         llvm::all_of(tensor.getShape(), [](int64_t size) { return size == 1 || ShapedType::isDynamic(size); });
}

void KnownDims::add(Type type) {
  if (!isa<RankedTensorType>(type))
    return;
  for (Dim dim : dimsOf(type)) {
    if (!dim)
      continue;
    sizes.insert(dim);
    dim.walk([&](AffineExpr part) {
      if (isa<AffineSymbolExpr>(part))
        names.insert(part);
    });
  }
}

bool KnownDims::hasNames(Dim dim) const {
  bool all = true;
  dim.walk([&](AffineExpr part) { all &= !isa<AffineSymbolExpr>(part) || names.contains(part); });
  return all;
}

RankedTensorType joinTypes(Type a, Type b, llvm::function_ref<bool(Dim)> isKnown) {
  auto left = dyn_cast<RankedTensorType>(a), right = dyn_cast<RankedTensorType>(b);
  if (!left || !right || left.getElementType() != right.getElementType() || left.getRank() != right.getRank())
    return {};
  Dims dims;
  for (auto [x, y] : llvm::zip_equal(dimsOf(left), dimsOf(right)))
    dims.push_back(sameDim(x, y) && (constantOf(x) || isKnown(x)) ? x : Dim());
  return tensorOf(dims, left.getElementType());
}

RankedTensorType stackedType(Dim count, Type each, llvm::function_ref<bool(Dim)> isKnown) {
  Dims dims = {count};
  for (Dim dim : dimsOf(each))
    dims.push_back(dim && (constantOf(dim) || isKnown(dim)) ? dim : Dim());
  return tensorOf(dims, cast<RankedTensorType>(each).getElementType());
}

namespace {

bool isInside(Block &block, Block *other) {
  while (other && other != &block) {
    Operation *parent = other->getParentOp();
    other = parent ? parent->getBlock() : nullptr;
  }
  return other != nullptr;
}

void collectCaptures(Block &block, llvm::SetVector<Value> &captures) {
  block.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!isInside(block, operand.getParentBlock()))
        captures.insert(operand);
  });
}

} // namespace

llvm::StringRef regionName(Operation *op, unsigned i) {
  if (isa<IfOp>(op))
    return i == 0 ? "then" : "else";
  return "body";
}

SmallVector<Value> capturesOf(Block &block) {
  llvm::SetVector<Value> captures;
  collectCaptures(block, captures);
  return captures.takeVector();
}

SmallVector<Value> capturesOf(Operation *op) {
  llvm::SetVector<Value> captures;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      collectCaptures(block, captures);
  return captures.takeVector();
}

namespace {

LogicalResult checkOneElement(Operation *op, Value value, StringRef what) {
  if (!value || canBeOneElement(value.getType()))
    return success();
  return op->emitOpError() << what << " is " << describe(value.getType()) << "; it has one element";
}

LogicalResult checkTypes(Operation *op, TypeRange given, TypeRange wanted, const Twine &what, StringRef stand) {
  if (given.size() != wanted.size())
    return op->emitOpError() << what << " yields " << counted(given.size(), "value") << " for "
                             << counted(wanted.size(), stand.drop_back());
  for (auto [i, types] : llvm::enumerate(llvm::zip_equal(given, wanted)))
    if (!compatibleTypes(std::get<0>(types), std::get<1>(types)))
      return op->emitOpError() << what << " yields " << describe(std::get<0>(types)) << " for number " << i
                               << " of the " << stand << ", which is " << describe(std::get<1>(types));
  return success();
}

YieldOp yieldOf(Region &region) { return dyn_cast<YieldOp>(region.front().back()); }

} // namespace

//===----------------------------------------------------------------------===//
// if
//===----------------------------------------------------------------------===//

LogicalResult YieldOp::verify() { return verifySettings(*this); }

LogicalResult IfOp::verifyRegions() {
  // C1: the condition is one bool.
  if (failed(checkOneElement(*this, getCondition(), "the condition")))
    return failure();
  for (auto [region, name] :
       {std::pair(&getThenRegion(), "the branch `then`"), {&getElseRegion(), "the branch `else`"}}) {
    YieldOp yield = yieldOf(*region);
    // C2: a branch has no arguments, and ends in a yield without a condition.
    if (region->getNumArguments() != 0 || !yield || yield.getCondition())
      return emitOpError() << name << " must have no arguments and end in a `clika.yield` without a condition";
    // C3: a branch yields one value per result, of its dtype and rank.
    if (failed(checkTypes(*this, yield.getValues().getTypes(), getResultTypes(), name, "results")))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// loop
//===----------------------------------------------------------------------===//

YieldOp LoopOp::getYield() { return yieldOf(getBody()); }

ValueRange LoopOp::getScans() { return getYield().getValues().drop_front(getCarried().size()); }

void LoopOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  if (region.empty() || region.getNumArguments() == 0)
    return;
  setName(region.getArgument(0), "i");
  for (BlockArgument argument : region.getArguments().drop_front())
    setName(argument, "carried");
}

LogicalResult LoopOp::verifyRegions() {
  // C1: trip count and condition have one element.
  if (failed(checkOneElement(*this, getTripCount(), "the trip count")) ||
      failed(checkOneElement(*this, getCondition(), "the condition")))
    return failure();
  Region &body = getBody();
  YieldOp yield = getYield();
  size_t carried = getCarried().size();
  // C2: the body's arguments are the iteration and the carried values.
  auto counter = RankedTensorType::get({}, IntegerType::get(getContext(), 64));
  if (!yield || body.getNumArguments() != carried + 1 || body.getArgument(0).getType() != counter)
    return emitOpError() << "the body must have as arguments the iteration, an int64 of rank 0, and the " << carried
                         << " carried values, and end in a `clika.yield`";
  // C3: it ends.
  if (!getTripCount() && !yield.getCondition())
    return emitOpError("has neither a trip count nor a condition that the body yields, and would never end");
  if (failed(checkOneElement(*this, yield.getCondition(), "the condition that the body yields")))
    return failure();
  // C4: results are the carried values and the stacked ones.
  if (yield.getValues().size() != getNumResults() || getNumResults() < carried)
    return emitOpError() << "the body yields " << counted(yield.getValues().size(), "value") << " for "
                         << counted(getNumResults(), "result");
  // C5: a carried value keeps its dtype and rank.
  TypeRange arguments = TypeRange(body.getArgumentTypes()).drop_front();
  TypeRange results = TypeRange(getResultTypes()).take_front(carried);
  if (failed(checkTypes(*this, getCarried().getTypes(), arguments, "the list before the loop", "carried values")) ||
      failed(checkTypes(*this, TypeRange(yield.getValues()).take_front(carried), arguments, "the body",
                        "carried values")) ||
      failed(checkTypes(*this, arguments, results, "the body", "results")))
    return failure();
  // C6: a stacked result has one dimension more than the value of an iteration.
  for (auto [scan, result] : llvm::zip_equal(getScans(), getResults().drop_front(carried))) {
    Type stacked = stackedType(Dim(), scan.getType(), [](Dim) { return false; });
    if (!compatibleTypes(stacked, result.getType()))
      return emitOpError() << "stacks values of " << describe(scan.getType()) << " to " << describe(result.getType())
                           << "; the result has one dimension more";
  }
  return success();
}

} // namespace clika
