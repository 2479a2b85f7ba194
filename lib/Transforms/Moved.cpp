#include "Transforms/Moved.h"

#include "Dialect/CoreOps.h"
#include "Dialect/ShapeValues.h"
#include "Transforms/NewNode.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace clika {

constexpr int64_t kMostIndices = 1 << 16;

llvm::SmallVector<int64_t> fromStart(llvm::ArrayRef<int64_t> axes, int64_t rank) {
  llvm::SmallVector<int64_t> result;
  for (int64_t axis : axes)
    result.push_back(fromStart(axis, rank));
  llvm::sort(result);
  return result;
}

llvm::SmallVector<int64_t> permOf(TransposeOp op) {
  int64_t rank = rankOf(op.getX());
  llvm::SmallVector<int64_t> perm(op.getPerm());
  if (perm.empty())
    for (int64_t i = rank - 1; i >= 0; --i)
      perm.push_back(i);
  for (int64_t &p : perm)
    p = fromStart(p, rank);
  return perm;
}

bool hasCountOf(Value x, Type type) {
  Dims sizes = dimsOf(type);
  bool named = llvm::any_of(sizes, [](Dim dim) { return dim && !constantOf(dim); });
  MLIRContext *context = x.getContext();
  return !named || sameDim(productOf(context, dimsOf(x.getType())), productOf(context, sizes));
}

std::optional<llvm::SmallVector<int64_t>> literalReshape(Value x, RankedTensorType type) {
  llvm::SmallVector<int64_t> shape;
  for (int64_t size : type.getShape())
    shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
  int64_t dynamic = llvm::count(shape, -1);
  if (dynamic > 1 || (dynamic == 1 && (llvm::is_contained(shape, 0) || !hasCountOf(x, type))))
    return std::nullopt;
  return shape;
}

bool isElementwise(Operation *op) { return isBroadcasting(op) && op->getNumOperands() == 1; }

bool isBroadcasting(Operation *op) { return isa_and_nonnull<PointwiseOp>(op) && op->getNumResults() == 1; }

std::optional<llvm::SmallVector<SliceAxis, 4>> literalSlice(SliceOp slice) {
  if (slice->getNumOperands() != 1)
    return std::nullopt;
  llvm::SmallVector<SliceAxis, 4> result;
  for (size_t i = 0; i < slice.getStarts().size(); ++i) {
    int64_t axis = slice.getAxes().empty() ? static_cast<int64_t>(i) : slice.getAxes()[i];
    result.push_back({fromStart(axis, rankOf(slice.getX())), slice.getStarts()[i], slice.getEnds()[i],
                      slice.getSteps().empty() ? 1 : slice.getSteps()[i]});
  }
  return result;
}

std::optional<Positions> positionsOf(const SliceAxis &slice, int64_t size) {
  if (slice.step < 1)
    return std::nullopt;
  auto clamped = [&](int64_t bound) { return std::clamp<int64_t>(bound < 0 ? bound + size : bound, 0, size); };
  int64_t first = clamped(slice.start), span = clamped(slice.end) - first;
  return Positions{first, span <= 0 ? 0 : 1 + (span - 1) / slice.step, slice.step};
}

Value makeSlice(RewriterBase &rewriter, Location location, Value x, int64_t axis, Positions positions) {
  int64_t last = positions.first + (positions.count - 1) * positions.step;
  int64_t end = positions.count == 0 ? positions.first : last + 1;
  llvm::SmallVector<int64_t, 1> steps;
  if (positions.step != 1)
    steps.push_back(positions.step);
  return SliceOp::create(rewriter, location, x, Value(), Value(), Value(), Value(), {positions.first}, {end}, {axis},
                         steps);
}

std::optional<llvm::SmallVector<int64_t>> constantIntegers(Value value) {
  auto constant = value ? value.getDefiningOp<ConstantOp>() : ConstantOp();
  if (!constant || !isa<IntegerType>(getElementTypeOrSelf(value.getType())))
    return std::nullopt;
  return integersOf(constant.getValue(), kMostIndices);
}

std::optional<llvm::SmallVector<int64_t>> indicesIn(Value value, int64_t size) {
  std::optional<llvm::SmallVector<int64_t>> indices = constantIntegers(value);
  if (!indices || ShapedType::isDynamic(size))
    return std::nullopt;
  for (int64_t &index : *indices) {
    if (index < -size || index >= size)
      return std::nullopt;
    index = fromStart(index, size);
  }
  return indices;
}

Value makeIntegers(RewriterBase &rewriter, Location location, llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> numbers) {
  auto type = RankedTensorType::get(shape, rewriter.getI64Type());
  return ConstantOp::create(rewriter, location, cast<ElementsAttr>(DenseElementsAttr::get(type, numbers)));
}

std::optional<Positions> evenly(llvm::ArrayRef<int64_t> indices) {
  if (indices.empty())
    return std::nullopt;
  int64_t step = indices.size() == 1 ? 1 : indices[1] - indices[0];
  if (step < 1)
    return std::nullopt;
  for (size_t i = 1; i < indices.size(); ++i)
    if (indices[i] - indices[i - 1] != step)
      return std::nullopt;
  return Positions{indices[0], static_cast<int64_t>(indices.size()), step};
}

Value cloneOver(RewriterBase &rewriter, Operation *op, ValueRange operands, Type like) {
  Operation *copy = cloneAsNew(rewriter, op);
  copy->setOperands(operands);
  if (!like)
    like = operands.front().getType();
  copy->getResult(0).setType(tensorOf(dimsOf(like), getElementTypeOrSelf(op->getResult(0).getType())));
  return copy->getResult(0);
}

} // namespace clika
