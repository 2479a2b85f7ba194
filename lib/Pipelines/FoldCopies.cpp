#include "Pipelines/HoistConstants.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace clika {
namespace {

SmallVector<int64_t> denseSteps(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> steps(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    steps[dim - 1] = steps[dim] * shape[dim];
  return steps;
}

/// Element (i0, i1, …) of a tensor is the constant's element offset + Σ steps[d]·i_d.
struct View {
  BlockArgument constant;
  int64_t offset = 0;
  SmallVector<int64_t> steps;
};

template <typename T>
void copyElements(const T *from, T *to, ArrayRef<int64_t> shape, ArrayRef<int64_t> steps) {
  if (shape.empty()) {
    *to = *from;
    return;
  }
  if (shape.size() == 1) {
    for (int64_t i = 0; i != shape[0]; ++i)
      to[i] = from[i * steps[0]];
    return;
  }
  int64_t inner = 1;
  for (int64_t size : shape.drop_front())
    inner *= size;
  for (int64_t i = 0; i != shape[0]; ++i)
    copyElements(from + i * steps[0], to + i * inner, shape.drop_front(), steps.drop_front());
}

template <typename T>
void copyView(const void *from, void *to, ArrayRef<int64_t> shape, const View &view) {
  copyElements(static_cast<const T *>(from) + view.offset, static_cast<T *>(to), shape, view.steps);
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

class CopyFolder {
public:
  CopyFolder(func::FuncOp main, std::vector<ConstantArgument> &constants)
      : main(main), body(main.getBody().front()), first(body.getNumArguments() - constants.size()),
        constants(constants) {}

  void run() {
    SmallVector<linalg::LinalgOp> ops;
    main.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops)
      fold(op);
    for (unsigned i = 0; i != constants.size(); ++i)
      if (body.getArgument(first + i).use_empty())
        constants[i] = {};
  }

private:
  std::optional<View> viewOf(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.hasStaticShape())
      return std::nullopt;
    SmallVector<int64_t> dense = denseSteps(type.getShape());
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != &body || argument.getArgNumber() < first)
        return std::nullopt;
      return View{argument, 0, dense};
    }
    Operation *op = value.getDefiningOp();
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return sliceOf(slice);
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op))
      return std::nullopt;
    std::optional<View> source = viewOf(op->getOperand(0));
    if (!source || source->steps != denseSteps(cast<RankedTensorType>(op->getOperand(0).getType()).getShape()))
      return std::nullopt;
    source->steps = dense;
    return source;
  }

  std::optional<View> sliceOf(tensor::ExtractSliceOp slice) {
    std::optional<View> source = viewOf(slice.getSource());
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

  /// Adds `factor · expr` to `view`.
  static bool addLinear(View &view, AffineExpr expr, int64_t factor) {
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
    return expr.getKind() == AffineExprKind::Mul && scale &&
           addLinear(view, binary.getLHS(), factor * scale.getValue());
  }

  /// What an op that does no more than copy reads; none for another.
  std::optional<View> copiedBy(linalg::LinalgOp op) {
    if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
        op.hasIndexSemantics() || !llvm::hasSingleElement(*op.getBlock()) ||
        op.getBlock()->getTerminator()->getOperand(0) != op.getBlock()->getArgument(0) ||
        !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
      return std::nullopt;
    std::optional<View> source = viewOf(op.getDpsInputs()[0]);
    if (!source)
      return std::nullopt;
    View view{source->constant, source->offset, SmallVector<int64_t>(op.getNumLoops(), 0)};
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
    for (auto [expr, step] : llvm::zip_equal(map.getResults(), source->steps))
      if (!addLinear(view, expr, step))
        return std::nullopt;
    return view;
  }

  void fold(linalg::LinalgOp op) {
    auto type = op->getNumResults() == 1 ? dyn_cast<RankedTensorType>(op->getResult(0).getType()) : RankedTensorType();
    if (!type || !type.hasStaticShape())
      return;
    std::optional<View> view = copiedBy(op);
    if (!view || type.getNumElements() > cast<RankedTensorType>(view->constant.getType()).getNumElements())
      return;
    const void *from = constants[view->constant.getArgNumber() - first].data;
    std::shared_ptr<void> data = copyOf(from, type, *view);
    if (!data)
      return;
    const void *bytes = data.get();
    op->getResult(0).replaceAllUsesWith(addConstant(main, type, {bytes, std::move(data)}, constants));
    Operation *source = op.getDpsInputs()[0].getDefiningOp();
    op->erase();
    while (source && source->use_empty()) {
      Operation *before = source->getOperand(0).getDefiningOp();
      source->erase();
      source = before;
    }
  }

  func::FuncOp main;
  Block &body;
  unsigned first;
  std::vector<ConstantArgument> &constants;
};

} // namespace

void foldCopies(func::FuncOp main, std::vector<ConstantArgument> &constants) { CopyFolder(main, constants).run(); }

} // namespace clika
