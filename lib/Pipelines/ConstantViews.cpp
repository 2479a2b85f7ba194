#include "Pipelines/ConstantViews.h"
#include "Pipelines/HoistConstants.h"

#include <cstring>

using namespace mlir;

namespace clika {
namespace {

SmallVector<int64_t> denseSteps(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> steps(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    steps[dim - 1] = steps[dim] * shape[dim];
  return steps;
}

/// Of elements of type T, whose addresses need not be multiples of its size.
template <typename T>
void copyElements(const char *from, char *to, ArrayRef<int64_t> shape, ArrayRef<int64_t> steps) {
  constexpr auto size = static_cast<int64_t>(sizeof(T));
  if (shape.empty()) {
    std::memcpy(to, from, sizeof(T));
    return;
  }
  if (shape.size() == 1) {
    for (int64_t i = 0; i != shape[0]; ++i)
      std::memcpy(to + i * size, from + i * steps[0] * size, sizeof(T));
    return;
  }
  int64_t inner = 1;
  for (int64_t size : shape.drop_front())
    inner *= size;
  for (int64_t i = 0; i != shape[0]; ++i)
    copyElements<T>(from + i * steps[0] * size, to + i * inner * size, shape.drop_front(), steps.drop_front());
}

template <typename T>
void copyView(const void *from, void *to, ArrayRef<int64_t> shape, const View &view) {
  copyElements<T>(static_cast<const char *>(from) + view.offset * static_cast<int64_t>(sizeof(T)),
                  static_cast<char *>(to), shape, view.steps);
}

/// Null where the elements are of no size that can be copied, and where there is no memory.
std::shared_ptr<void> copyOf(const void *from, RankedTensorType type, const View &view) {
  Type element = type.getElementType();
  unsigned width = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  void (*copy)(const void *, void *, ArrayRef<int64_t>, const View &) = width == 8    ? copyView<uint8_t>
                                                                        : width == 16 ? copyView<uint16_t>
                                                                        : width == 32 ? copyView<uint32_t>
                                                                        : width == 64 ? copyView<uint64_t>
                                                                                      : nullptr;
  if (!copy)
    return nullptr;
  std::shared_ptr<void> to = allocateConstant(type.getNumElements() * (width / 8));
  if (to)
    copy(from, to.get(), type.getShape(), view);
  return to;
}

} // namespace

std::optional<View> ConstantViews::of(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  SmallVector<int64_t> dense = denseSteps(type.getShape());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != &main.getBody().front() || argument.getArgNumber() < first)
      return std::nullopt;
    return View{argument, 0, dense};
  }
  Operation *op = value.getDefiningOp();
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return ofSlice(slice);
  if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op))
    return std::nullopt;
  std::optional<View> source = of(op->getOperand(0));
  if (!source || source->steps != denseSteps(cast<RankedTensorType>(op->getOperand(0).getType()).getShape()))
    return std::nullopt;
  source->steps = dense;
  return source;
}

std::optional<View> ConstantViews::ofSlice(tensor::ExtractSliceOp slice) {
  std::optional<View> source = of(slice.getSource());
  if (!source || ShapedType::isDynamicShape(slice.getStaticOffsets()) ||
      ShapedType::isDynamicShape(slice.getStaticStrides()))
    return std::nullopt;
  View view{source->constant, source->offset, {}};
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  for (auto [dim, step] : llvm::enumerate(source->steps)) {
    view.offset += step * slice.getStaticOffsets()[dim];
    if (!dropped[dim])
      view.steps.push_back(step * slice.getStaticStrides()[dim]);
  }
  return view;
}

Value ConstantViews::materialize(const View &view, RankedTensorType type) {
  std::shared_ptr<void> data = copyOf(dataOf(view), type, view);
  if (!data)
    return {};
  const void *bytes = data.get();
  return addConstant(main, type, {bytes, std::move(data)}, constants);
}

void ConstantViews::release() {
  for (unsigned i = 0; i != constants.size(); ++i)
    if (main.getArgument(first + i).use_empty())
      constants[i] = {};
}

void eraseViews(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && op->use_empty()) {
    Operation *before = op->getNumOperands() ? op->getOperand(0).getDefiningOp() : nullptr;
    op->erase();
    op = before;
  }
}

} // namespace clika
