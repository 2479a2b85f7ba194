#include "Pipelines/ConstantViews.h"
#include "Pipelines/HoistConstants.h"
#include "Runtime/FilePages.h"

#include <cstring>

using namespace mlir;

namespace clika {
namespace {

/// Of elements of type T, whose addresses need not be multiples of its size.
template <typename T>
void copyElements(const char *from, char *to, ArrayRef<int64_t> shape, ArrayRef<int64_t> steps,
                  ArrayRef<int64_t> toSteps) {
  if (shape.empty()) {
    std::memcpy(to, from, sizeof(T));
    return;
  }
  const int64_t step = steps[0] * static_cast<int64_t>(sizeof(T)),
                toStep = toSteps[0] * static_cast<int64_t>(sizeof(T));
  if (shape.size() == 1) {
    for (int64_t i = 0; i != shape[0]; ++i)
      std::memcpy(to + i * toStep, from + i * step, sizeof(T));
    return;
  }
  for (int64_t i = 0; i != shape[0]; ++i)
    copyElements<T>(from + i * step, to + i * toStep, shape.drop_front(), steps.drop_front(), toSteps.drop_front());
}

template <typename T>
void copyPart(const void *from, void *to, const ConstantPart &part) {
  constexpr auto size = static_cast<int64_t>(sizeof(T));
  copyElements<T>(static_cast<const char *>(from) + part.view.offset * size,
                  static_cast<char *>(to) + part.offset * size, part.shape, part.view.steps, part.steps);
}

using CopyPart = void (*)(const void *from, void *to, const ConstantPart &part);

/// Null where the elements are of no size that can be copied.
CopyPart copierOf(unsigned width) {
  return width == 8    ? copyPart<uint8_t>
         : width == 16 ? copyPart<uint16_t>
         : width == 32 ? copyPart<uint32_t>
         : width == 64 ? copyPart<uint64_t>
                       : nullptr;
}

} // namespace

SmallVector<int64_t> denseSteps(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> steps(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    steps[dim - 1] = steps[dim] * shape[dim];
  return steps;
}

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
  if (auto copy = dyn_cast<linalg::LinalgOp>(op))
    return ofCopy(copy);
  if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op))
    return std::nullopt;
  std::optional<View> source = of(op->getOperand(0));
  if (!source || source->steps != denseSteps(cast<RankedTensorType>(op->getOperand(0).getType()).getShape()))
    return std::nullopt;
  source->steps = dense;
  return source;
}

namespace {

/// Adds `factor · expr` to `view`.
bool addLinear(View &view, AffineExpr expr, int64_t factor) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    view.steps[dim.getPosition()] += factor;
    return true;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    view.offset += factor * constant.getValue();
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return addLinear(view, binary.getLHS(), factor) && addLinear(view, binary.getRHS(), factor);
  auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && scale && addLinear(view, binary.getLHS(), factor * scale.getValue());
}

} // namespace

/// What an op that does no more than copy reads; none for another.
std::optional<View> ConstantViews::ofCopy(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
      op.hasIndexSemantics() || !llvm::hasSingleElement(*op.getBlock()) ||
      op.getBlock()->getTerminator()->getOperand(0) != op.getBlock()->getArgument(0) ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return std::nullopt;
  std::optional<View> source = of(op.getDpsInputs()[0]);
  if (!source)
    return std::nullopt;
  View view{source->constant, source->offset, SmallVector<int64_t>(op.getNumLoops(), 0)};
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  for (auto [expr, step] : llvm::zip_equal(map.getResults(), source->steps))
    if (!addLinear(view, expr, step))
      return std::nullopt;
  return view;
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
  ConstantPart whole{view, SmallVector<int64_t>(type.getShape()), 0, denseSteps(type.getShape())};
  return assemble(whole, type);
}

Value ConstantViews::assemble(ArrayRef<ConstantPart> parts, RankedTensorType type) {
  Type element = type.getElementType();
  unsigned width = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  CopyPart copy = copierOf(width);
  size_t bytes = static_cast<size_t>(type.getNumElements()) * (width / 8);
  std::shared_ptr<void> data = copy ? allocateConstant(bytes) : nullptr;
  if (!data)
    return {};
  int64_t copied = 0;
  for (const ConstantPart &part : parts)
    copied += ShapedType::getNumElements(part.shape);
  if (copied != type.getNumElements())
    std::memset(data.get(), 0, bytes);
  for (const ConstantPart &part : parts) {
    copy(dataOf(part.view), data.get(), part);
    // Most often nothing reads it any more: else a model would be in memory twice, as it is in its file and as it is
    // here.
    releaseFilePages(dataOf(part.view), sizeOf(part.view, width / 8));
  }
  const void *start = data.get();
  return addConstant(main, type, {start, std::move(data)}, constants);
}

size_t ConstantViews::sizeOf(const View &view, unsigned elementBytes) const {
  return static_cast<size_t>(cast<RankedTensorType>(view.constant.getType()).getNumElements()) * elementBytes;
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
