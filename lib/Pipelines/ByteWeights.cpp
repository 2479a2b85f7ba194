#include "Pipelines/ByteWeights.h"
#include "Pipelines/HoistConstants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cstring>
#include <limits>

using namespace mlir;

namespace clika {

SmallVector<int64_t> ByteWeightShape::panelShape() const {
  SmallVector<int64_t> sizes{panelCount()};
  llvm::append_range(sizes, type.getShape().drop_back());
  sizes[grouped + 1] = groups();
  sizes.append({width, 4});
  return sizes;
}

SmallVector<int64_t> ByteWeightShape::resultDims() const {
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim != type.getRank(); ++dim)
    if (!summed[dim])
      dims.push_back(dim);
  return dims;
}

namespace {

/// Walks a constant weight row by row, a row being what lies along its last dimension.
class ConstantWeight {
public:
  ConstantWeight(func::FuncOp main, std::vector<ConstantArgument> &constants, const void *data, const View &view,
                 bool isSigned, const ByteWeightShape &shape)
      : main(main), constants(constants), data(static_cast<const char *>(data)), view(view), isSigned(isSigned),
        shape(shape), isWide(view.constant && getElementTypeOrSelf(view.constant.getType()).isInteger(32)) {
    resultSteps.assign(shape.type.getRank(), 0);
    for (int64_t dim : llvm::reverse(shape.resultDims())) {
      resultSteps[dim] = results;
      results *= shape.type.getDimSize(dim);
    }
  }

  std::optional<ByteWeight> run() {
    if (!chooseOffsets())
      return std::nullopt;
    SmallVector<int64_t> sizes = shape.panelShape();
    size_t bytes = static_cast<size_t>(ShapedType::getNumElements(sizes));
    std::shared_ptr<void> panels = allocateConstant(bytes);
    if (!panels)
      return std::nullopt;
    std::memset(panels.get(), 0, bytes);
    sums.assign(results, 0);
    fill(static_cast<int8_t *>(panels.get()), denseSteps(sizes));
    MLIRContext *context = main.getContext();
    ByteWeight weight;
    const void *start = panels.get();
    weight.panels = addConstant(main, RankedTensorType::get(sizes, IntegerType::get(context, 8)),
                                {start, std::move(panels)}, constants);
    weight.sums = resultConstant(sums);
    if (!weight.sums)
      return std::nullopt;
    if (llvm::all_equal(offsets)) {
      weight.zero.constant = offsets.empty() ? 0 : -offsets[0];
      return weight;
    }
    for (int32_t &offset : offsets)
      offset = -offset;
    weight.zero.value = resultConstant(offsets);
    if (!weight.zero.value)
      return std::nullopt;
    SmallVector<AffineExpr> places;
    for (int64_t dim : shape.resultDims())
      places.push_back(getAffineDimExpr(dim, context));
    weight.zero.map = AffineMap::get(shape.type.getRank(), 0, places, context);
    return weight;
  }

private:
  int32_t element(int64_t at) const {
    if (!isWide)
      return isSigned ? static_cast<int8_t>(data[at]) : static_cast<uint8_t>(data[at]);
    int32_t number;
    std::memcpy(&number, data + at * 4, 4);
    return number;
  }

  /// Calls `body` with each place of a row's start, its first element and its first result.
  template <typename Body>
  void eachRow(Body body) const {
    ArrayRef<int64_t> outer = shape.type.getShape().drop_back();
    if (shape.type.getNumElements() == 0)
      return;
    SmallVector<int64_t> place(outer.size(), 0);
    while (true) {
      int64_t at = view.offset, result = 0;
      for (auto [dim, i] : llvm::enumerate(place)) {
        at += i * view.steps[dim];
        result += i * resultSteps[dim];
      }
      body(ArrayRef<int64_t>(place), at, result);
      size_t dim = outer.size();
      while (dim && ++place[dim - 1] == outer[dim - 1])
        place[--dim] = 0;
      if (!dim)
        return;
    }
  }

  /// offsets[r]: what is taken from the numbers of result r so that they are signed bytes.
  bool chooseOffsets() {
    offsets.assign(results, isSigned ? 0 : 128);
    if (!isWide)
      return true;
    std::vector<int32_t> low(results, std::numeric_limits<int32_t>::max()),
        high(results, std::numeric_limits<int32_t>::min());
    eachRow([&](ArrayRef<int64_t>, int64_t at, int64_t result) {
      for (int64_t i = 0; i != shape.columns(); ++i, ++result, at += view.steps.back()) {
        low[result] = std::min(low[result], element(at));
        high[result] = std::max(high[result], element(at));
      }
    });
    int64_t least = 0, most = 0;
    for (int64_t i = 0; i != results; ++i) {
      least = std::min<int64_t>(least, low[i]);
      most = std::max<int64_t>(most, high[i]);
    }
    for (int64_t i = 0; i != results; ++i) {
      if (int64_t(high[i]) - low[i] > 255)
        return false;
      if (least >= -128 && most <= 127)
        offsets[i] = 0;
      else if (least >= 0 && most <= 255)
        offsets[i] = 128;
      else if (low[i] > std::numeric_limits<int32_t>::max() - 128)
        return false;
      else
        offsets[i] = low[i] + 128;
      if (offsets[i] == std::numeric_limits<int32_t>::min())
        return false;
    }
    return true;
  }

  void fill(int8_t *panels, ArrayRef<int64_t> steps) {
    eachRow([&](ArrayRef<int64_t> place, int64_t at, int64_t result) {
      int8_t *row = panels;
      for (auto [dim, i] : llvm::enumerate(place))
        row += dim == shape.grouped ? i / 4 * steps[dim + 1] + i % 4 : i * steps[dim + 1];
      for (int64_t i = 0; i != shape.columns(); ++i, ++result, at += view.steps.back()) {
        auto byte = static_cast<int8_t>(element(at) - offsets[result]);
        row[i / shape.width * steps[0] + i % shape.width * 4] = byte;
        sums[result] = static_cast<int32_t>(static_cast<uint32_t>(sums[result]) + static_cast<uint32_t>(byte));
      }
    });
  }

  Value resultConstant(const std::vector<int32_t> &numbers) {
    SmallVector<int64_t> sizes;
    for (int64_t dim : shape.resultDims())
      sizes.push_back(shape.type.getDimSize(dim));
    std::shared_ptr<void> copy = allocateConstant(numbers.size() * 4);
    if (!copy)
      return {};
    std::memcpy(copy.get(), numbers.data(), numbers.size() * 4);
    const void *start = copy.get();
    return addConstant(main, RankedTensorType::get(sizes, IntegerType::get(main.getContext(), 32)),
                       {start, std::move(copy)}, constants);
  }

  func::FuncOp main;
  std::vector<ConstantArgument> &constants;
  const char *data;
  const View &view;
  bool isSigned;
  const ByteWeightShape &shape;
  bool isWide;
  int64_t results = 1;
  SmallVector<int64_t> resultSteps;
  std::vector<int32_t> offsets, sums;
};

using BuildBody = llvm::function_ref<Value(OpBuilder &, Location, ValueRange)>;

Value elementwise(OpBuilder &builder, Location loc, Value tensor, BuildBody build) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType());
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, loc, type, tensor, empty, maps, loops,
                                   [&](OpBuilder &inner, Location at, ValueRange arguments) {
                                     linalg::YieldOp::create(inner, at, build(inner, at, arguments));
                                   })
      .getResult(0);
}

/// The sums along the summed dimensions.
Value runTimeSums(OpBuilder &builder, Location loc, Value bytes, const ByteWeightShape &shape) {
  SmallVector<int64_t> sizes;
  SmallVector<AffineExpr> places;
  SmallVector<utils::IteratorType> loops;
  for (int64_t dim = 0; dim != shape.type.getRank(); ++dim) {
    loops.push_back(shape.summed[dim] ? utils::IteratorType::reduction : utils::IteratorType::parallel);
    if (shape.summed[dim])
      continue;
    sizes.push_back(shape.type.getDimSize(dim));
    places.push_back(builder.getAffineDimExpr(dim));
  }
  Type wide = builder.getI32Type();
  Value zero = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, wide);
  Value start = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  SmallVector<AffineMap> maps{builder.getMultiDimIdentityMap(loops.size()),
                              AffineMap::get(loops.size(), 0, places, builder.getContext())};
  return linalg::GenericOp::create(builder, loc, start.getType(), bytes, start, maps, loops,
                                   [&](OpBuilder &inner, Location at, ValueRange arguments) {
                                     Value number = arith::ExtSIOp::create(inner, at, wide, arguments[0]);
                                     Value sum = arith::AddIOp::create(inner, at, arguments[1], number);
                                     linalg::YieldOp::create(inner, at, sum);
                                   })
      .getResult(0);
}

} // namespace

std::optional<ByteWeight> constantWeight(func::FuncOp main, std::vector<ConstantArgument> &constants,
                                         ConstantViews &views, const View &view, bool isSigned,
                                         const ByteWeightShape &shape) {
  return ConstantWeight(main, constants, views.dataOf(view), view, isSigned, shape).run();
}

ByteWeight runTimeWeight(OpBuilder &builder, Location loc, const ByteOperand &operand, const ByteWeightShape &shape) {
  ByteWeight weight;
  weight.zero = operand.zero;
  Value bytes = operand.bytes;
  if (!operand.isSigned) {
    weight.zero.constant -= 128;
    bytes = elementwise(builder, loc, bytes, [](OpBuilder &inner, Location at, ValueRange arguments) -> Value {
      Value sign = arith::ConstantOp::create(inner, at, inner.getI8IntegerAttr(-128));
      return arith::XOrIOp::create(inner, at, arguments[0], sign);
    });
  }
  weight.sums = runTimeSums(builder, loc, bytes, shape);

  unsigned rank = shape.type.getRank(), last = rank - 1;
  SmallVector<int64_t> padded(shape.type.getShape());
  padded[shape.grouped] = shape.groups() * 4;
  padded[last] = shape.panelCount() * shape.width;
  Type byte = builder.getI8Type();
  if (ArrayRef(padded) != shape.type.getShape()) {
    SmallVector<OpFoldResult> low(rank, builder.getIndexAttr(0)), high;
    for (auto [whole, own] : llvm::zip_equal(padded, shape.type.getShape()))
      high.push_back(builder.getIndexAttr(whole - own));
    Value zero = arith::ConstantOp::create(builder, loc, builder.getI8IntegerAttr(0));
    bytes = tensor::PadOp::create(builder, loc, RankedTensorType::get(padded, byte), bytes, low, high, zero);
  }
  SmallVector<int64_t> split, order;
  SmallVector<ReassociationIndices> runs;
  int64_t panel = 0, inPanel = 0, inGroup = 0;
  for (unsigned dim = 0; dim != rank; ++dim) {
    int64_t at = split.size();
    if (dim == last) {
      split.append({shape.panelCount(), shape.width});
      panel = at;
      inPanel = at + 1;
    } else if (dim == shape.grouped) {
      split.append({shape.groups(), 4});
      inGroup = at + 1;
      order.push_back(at);
    } else {
      split.push_back(padded[dim]);
      order.push_back(at);
    }
    runs.emplace_back();
    for (int64_t part = at; part != static_cast<int64_t>(split.size()); ++part)
      runs.back().push_back(part);
  }
  order.insert(order.begin(), panel);
  order.append({inPanel, inGroup});
  Value parts = tensor::ExpandShapeOp::create(builder, loc, RankedTensorType::get(split, byte), bytes, runs);
  Value empty = tensor::EmptyOp::create(builder, loc, shape.panelShape(), byte);
  weight.panels = linalg::TransposeOp::create(builder, loc, parts, empty, order)->getResult(0);
  return weight;
}

} // namespace clika
