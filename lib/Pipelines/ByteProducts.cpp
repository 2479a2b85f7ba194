#include "Pipelines/ByteProducts.h"
#include "Pipelines/ByteWeights.h"
#include "Pipelines/OpGroups.h"
#include "Pipelines/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace clika {
#define GEN_PASS_DEF_BYTEPRODUCTS
#include "Pipelines/Passes.h.inc"

namespace {

using BuildBody = llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

/// An int32 contraction as the loops of its maps.
struct Contraction {
  mutable linalg::LinalgOp op; // handles, whose queries MLIR does not mark const
  mutable linalg::FillOp fill;
  AffineMap left, right, result;
  unsigned group = 0;  // the summed loop that runs along the innermost dimension of the left operand
  unsigned column = 0; // the loop along the innermost dimensions of the right operand and the result

  bool isSummed(unsigned loop) const { return !result.isFunctionOfDim(loop); }
};

std::optional<unsigned> lastDim(AffineMap map) {
  if (!map.getNumResults() || !isa<AffineDimExpr>(map.getResults().back()))
    return std::nullopt;
  return cast<AffineDimExpr>(map.getResults().back()).getPosition();
}

/// Whether the body adds the product of its two inputs to the sum.
bool sumsProducts(linalg::LinalgOp op) {
  Block &body = *op.getBlock();
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddIOp>();
  if (!sum || body.getNumArguments() != 3 || body.getOperations().size() != 3)
    return false;
  bool isFirst = sum.getLhs() == body.getArgument(2);
  auto product = (isFirst ? sum.getRhs() : sum.getLhs()).getDefiningOp<arith::MulIOp>();
  if (!product || (!isFirst && sum.getRhs() != body.getArgument(2)))
    return false;
  Value a = product.getLhs(), b = product.getRhs(), x = body.getArgument(0), y = body.getArgument(1);
  return (a == x && b == y) || (a == y && b == x);
}

std::optional<Contraction> contractionOf(linalg::LinalgOp op) {
  if (!isContraction(op) || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || op->getNumResults() != 1 ||
      op->hasAttr(kByteProductAttr) || !sumsProducts(op))
    return std::nullopt;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || !type.getElementType().isInteger(32))
      return std::nullopt;
  }
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Contraction found;
  found.op = op;
  found.left = maps[0];
  found.right = maps[1];
  found.result = maps[2];
  std::optional<unsigned> group = lastDim(found.left), column = lastDim(found.right), written = lastDim(found.result);
  found.fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  if (!group || !column || column != written || !found.isSummed(*group) || !found.right.isProjectedPermutation() ||
      !found.right.isFunctionOfDim(*group) || !found.result.isProjectedPermutation() ||
      found.left.isFunctionOfDim(*column) || !found.fill || !matchPattern(found.fill.value(), m_Zero()))
    return std::nullopt;
  for (AffineExpr expr : found.left.getResults().drop_back())
    if (expr.isFunctionOfDim(*group))
      return std::nullopt;
  found.group = *group;
  found.column = *column;
  return found;
}

/// Rewrites one contraction.
class ProductEmitter {
public:
  ProductEmitter(IRRewriter &rewriter, const Contraction &product, int64_t width)
      : b(product.op.getLoc(), rewriter), rewriter(rewriter), at(product), width(width) {}

  ByteWeightShape weightShape() const {
    ByteWeightShape shape;
    shape.type = cast<RankedTensorType>(at.op.getDpsInputs()[1].getType());
    for (auto [dim, expr] : llvm::enumerate(at.right.getResults())) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      shape.summed.push_back(at.isSummed(loop));
      if (loop == at.group)
        shape.grouped = dim;
    }
    shape.width = width;
    return shape;
  }

  /// Of the bytes as unsigned ones.
  static ByteOffset zeroOf(const ByteOperand &left) {
    ByteOffset zero = left.zero;
    zero.constant += left.isSigned ? 128 : 0;
    return zero;
  }

  /// Whether results can be corrected by the offset.
  bool takes(const ByteOffset &left) const { return placeIn(left, at.left).has_value(); }

  /// False where an offset is not one that results can be corrected by.
  bool run(const ByteOperand &left, const ByteWeight &weight, const ByteWeightShape &shape) {
    ByteOffset leftZero = zeroOf(left), rightZero = weight.zero;
    std::optional<AffineMap> leftPlace = placeIn(leftZero, at.left), rightPlace = placeIn(rightZero, at.right);
    if (!leftPlace || !rightPlace)
      return false;
    Value sums = cutTo(products(left, weight, shape));
    Value leftSums = rightZero.isZero() ? Value() : rowSums(left);
    int64_t count = 1;
    for (auto [dim, size] : llvm::enumerate(shape.type.getShape()))
      count *= shape.summed[dim] ? size : 1;
    if (!leftZero.isZero() || leftSums)
      sums = corrected(sums, leftZero, *leftPlace, rightZero, *rightPlace, weight, leftSums, count);
    rewriter.replaceOp(at.op, sums);
    return true;
  }

private:
  /// Where the result reads an offset's tensor; none where that is no place by the result alone.
  std::optional<AffineMap> placeIn(const ByteOffset &offset, AffineMap operand) const {
    if (!offset.value)
      return AffineMap();
    return onResult(offset.map.compose(operand));
  }

  /// A map of loops as one of the result's dimensions.
  std::optional<AffineMap> onResult(AffineMap loops) const {
    SmallVector<AffineExpr> places;
    for (AffineExpr expr : loops.getResults()) {
      if (isa<AffineConstantExpr>(expr)) {
        places.push_back(expr);
        continue;
      }
      std::optional<unsigned> position =
          isa<AffineDimExpr>(expr) ? at.result.getResultPosition(expr) : std::optional<unsigned>();
      if (!position)
        return std::nullopt;
      places.push_back(b.getAffineDimExpr(*position));
    }
    return AffineMap::get(at.result.getNumResults(), 0, places, b.getContext());
  }

  static Value unsignedByte(ImplicitLocOpBuilder &b, Value byte, bool isSigned) {
    if (isSigned)
      byte = arith::XOrIOp::create(b, byte, arith::ConstantOp::create(b, b.getI8IntegerAttr(-128)));
    return arith::ExtUIOp::create(b, b.getI32Type(), byte);
  }

  Value filled(ArrayRef<OpFoldResult> sizes) {
    Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    Value empty = tensor::EmptyOp::create(b, sizes, b.getI32Type());
    return linalg::FillOp::create(b, zero, empty).getResult(0);
  }

  Value generic(ValueRange inputs, Value start, ArrayRef<AffineMap> maps, ArrayRef<utils::IteratorType> loops,
                BuildBody build) {
    return linalg::GenericOp::create(b, start.getType(), inputs, start, maps, loops,
                                     [&](OpBuilder &inner, Location loc, ValueRange arguments) {
                                       ImplicitLocOpBuilder body(loc, inner);
                                       linalg::YieldOp::create(body, build(body, arguments));
                                     })
        .getResult(0);
  }

  /// The left operand's bytes with its innermost dimension in groups of four, filled up with zeros.
  Value groups(Value bytes) {
    auto type = cast<RankedTensorType>(bytes.getType());
    unsigned rank = type.getRank();
    int64_t size = type.getShape().back(), whole = (size + 3) / 4 * 4;
    if (whole != size) {
      SmallVector<int64_t> padded(type.getShape());
      padded.back() = whole;
      SmallVector<OpFoldResult> low(rank, b.getIndexAttr(0)), high = low;
      high.back() = b.getIndexAttr(whole - size);
      Value zero = arith::ConstantOp::create(b, b.getI8IntegerAttr(0));
      bytes = tensor::PadOp::create(b, RankedTensorType::get(padded, b.getI8Type()), bytes, low, high, zero);
    }
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), bytes);
    SmallVector<int64_t> split(cast<RankedTensorType>(bytes.getType()).getShape());
    sizes.back() = b.getIndexAttr(whole / 4);
    sizes.push_back(b.getIndexAttr(4));
    split.back() = whole / 4;
    split.push_back(4);
    SmallVector<ReassociationIndices> runs;
    for (unsigned dim = 0; dim != rank; ++dim)
      runs.push_back({dim});
    runs.back().push_back(rank);
    return tensor::ExpandShapeOp::create(b, RankedTensorType::get(split, b.getI8Type()), bytes, runs, sizes);
  }

  /// The loops: that of panels, the contraction's own, that in a group.
  Value products(const ByteOperand &left, const ByteWeight &weight, const ByteWeightShape &shape) {
    MLIRContext *context = b.getContext();
    unsigned count = at.op.getNumLoops() + 2;
    AffineExpr panel = getAffineDimExpr(0, context), inGroup = getAffineDimExpr(count - 1, context);
    SmallVector<SmallVector<AffineExpr>> places;
    for (AffineMap map : {at.left, at.right, at.result})
      places.emplace_back(map.shiftDims(1).getResults());
    AffineExpr inPanel = places[1].back();
    places[0].push_back(inGroup);
    places[1].insert(places[1].begin(), panel);
    places[1].push_back(inGroup);
    places[2].back() = panel;
    places[2].push_back(inPanel);
    SmallVector<AffineMap> maps;
    for (ArrayRef<AffineExpr> each : places)
      maps.push_back(AffineMap::get(count, 0, each, context));
    SmallVector<utils::IteratorType> loops = at.op.getIteratorTypesArray();
    loops.insert(loops.begin(), utils::IteratorType::parallel);
    loops.push_back(utils::IteratorType::reduction);

    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), at.fill.getDpsInits()[0]);
    sizes.back() = b.getIndexAttr(shape.panelCount());
    sizes.push_back(b.getIndexAttr(width));
    Value sums = generic({groups(left.bytes), weight.panels}, filled(sizes), maps, loops,
                         [&](ImplicitLocOpBuilder &body, ValueRange arguments) -> Value {
                           Value x = unsignedByte(body, arguments[0], left.isSigned);
                           Value y = arith::ExtSIOp::create(body, body.getI32Type(), arguments[1]);
                           Value product = arith::MulIOp::create(body, x, y);
                           return arith::AddIOp::create(body, arguments[2], product);
                         });
    sums.getDefiningOp()->setAttr(kContractionAttr, b.getUnitAttr());
    sums.getDefiningOp()->setAttr(kByteProductAttr, b.getUnitAttr());
    return sums;
  }

  /// Results in panels as they are without; those of the last panel that there are.
  Value cutTo(Value panels) {
    auto type = cast<RankedTensorType>(at.op->getResult(0).getType());
    unsigned rank = type.getRank();
    SmallVector<ReassociationIndices> runs;
    for (unsigned dim = 0; dim != rank; ++dim)
      runs.push_back({dim});
    runs.back().push_back(rank);
    Value whole = tensor::CollapseShapeOp::create(b, panels, runs);
    if (whole.getType() == type)
      return whole;
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), whole);
    sizes.back() = b.getIndexAttr(type.getShape().back());
    SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), steps(rank, b.getIndexAttr(1));
    return tensor::ExtractSliceOp::create(b, type, whole, offsets, sizes, steps);
  }

  /// The sums of the left operand's bytes, unsigned, over what each result is a sum of; with the result's dimensions
  /// that the left operand has.
  Value rowSums(const ByteOperand &left) {
    MLIRContext *context = b.getContext();
    unsigned count = at.op.getNumLoops();
    // A window's loops get their sizes from the weight, of which only the shape is read.
    SmallVector<utils::IteratorType> loops;
    SmallVector<AffineExpr> dims, kernel, written;
    SmallVector<int64_t> kernelSizes;
    SmallVector<OpFoldResult> sizes, all = tensor::getMixedSizes(b, b.getLoc(), at.fill.getDpsInits()[0]);
    rowPlaces.clear();
    for (unsigned loop = 0; loop != count; ++loop) {
      AffineExpr own = getAffineDimExpr(loop, context);
      if (!at.left.isFunctionOfDim(loop)) {
        dims.push_back(getAffineConstantExpr(0, context));
        continue;
      }
      dims.push_back(getAffineDimExpr(loops.size(), context));
      loops.push_back(at.isSummed(loop) ? utils::IteratorType::reduction : utils::IteratorType::parallel);
      if (at.isSummed(loop)) {
        kernel.push_back(dims.back());
        auto weight = cast<RankedTensorType>(at.op.getDpsInputs()[1].getType());
        kernelSizes.push_back(weight.getDimSize(*at.right.getResultPosition(own)));
      }
    }
    for (auto [position, expr] : llvm::enumerate(at.result.getResults())) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      if (!at.left.isFunctionOfDim(loop))
        continue;
      written.push_back(dims[loop]);
      sizes.push_back(all[position]);
      rowPlaces.push_back(b.getAffineDimExpr(position));
    }
    SmallVector<AffineMap> maps{at.left.replaceDimsAndSymbols(dims, {}, loops.size(), 0),
                                AffineMap::get(loops.size(), 0, kernel, context),
                                AffineMap::get(loops.size(), 0, written, context)};
    Value shape = tensor::EmptyOp::create(b, kernelSizes, b.getI8Type());
    return generic({left.bytes, shape}, filled(sizes), maps, loops,
                   [&](ImplicitLocOpBuilder &body, ValueRange arguments) -> Value {
                     Value byte = unsignedByte(body, arguments[0], left.isSigned);
                     return arith::AddIOp::create(body, arguments[2], byte);
                   });
  }

  /// Σ(a - p)(b - q) = Σab - p·Σb - q·(Σa - count·p).
  Value corrected(Value sums, const ByteOffset &p, AffineMap pPlace, const ByteOffset &q, AffineMap qPlace,
                  const ByteWeight &weight, Value leftSums, int64_t count) {
    unsigned rank = at.result.getNumResults();
    SmallVector<Value> inputs{sums};
    SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank)};
    auto add = [&](Value value, AffineMap place) {
      inputs.push_back(value);
      maps.push_back(place);
      return inputs.size() - 1;
    };
    size_t pAt = p.value ? add(p.value, pPlace) : 0, qAt = q.value ? add(q.value, qPlace) : 0;
    size_t columnAt = p.isZero() ? 0 : add(weight.sums, columnPlace());
    size_t rowAt = leftSums ? add(leftSums, AffineMap::get(rank, 0, rowPlaces, b.getContext())) : 0;
    maps.push_back(b.getMultiDimIdentityMap(rank));
    Value empty =
        tensor::EmptyOp::create(b, tensor::getMixedSizes(b, b.getLoc(), at.fill.getDpsInits()[0]), b.getI32Type());
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    return generic(inputs, empty, maps, loops, [&](ImplicitLocOpBuilder &body, ValueRange arguments) -> Value {
      auto number = [&](int64_t value) -> Value {
        return arith::ConstantOp::create(body, body.getI32IntegerAttr(static_cast<int32_t>(value)));
      };
      auto offset = [&](const ByteOffset &of, size_t place) -> Value {
        if (!of.value)
          return number(of.constant);
        return of.constant ? arith::AddIOp::create(body, arguments[place], number(of.constant)).getResult()
                           : arguments[place];
      };
      Value result = arguments[0], left = offset(p, pAt);
      if (columnAt) {
        Value column = arguments[columnAt];
        result = arith::SubIOp::create(body, result,
                                       weight.factor ? column : arith::MulIOp::create(body, left, column).getResult());
      }
      if (rowAt) {
        Value row = arguments[rowAt];
        if (!p.isZero())
          row = arith::SubIOp::create(body, row, arith::MulIOp::create(body, left, number(count)));
        result = arith::SubIOp::create(body, result, arith::MulIOp::create(body, offset(q, qAt), row));
      }
      return result;
    });
  }

  AffineMap columnPlace() const {
    SmallVector<AffineExpr> dims;
    for (AffineExpr expr : at.right.getResults())
      if (!at.isSummed(cast<AffineDimExpr>(expr).getPosition()))
        dims.push_back(expr);
    return *onResult(AffineMap::get(at.op.getNumLoops(), 0, dims, b.getContext()));
  }

  mutable ImplicitLocOpBuilder b;
  IRRewriter &rewriter;
  const Contraction &at;
  int64_t width;
  SmallVector<AffineExpr> rowPlaces;
};

class ByteProducts {
public:
  ByteProducts(func::FuncOp function, std::vector<ConstantArgument> &constants, int64_t vectorBytes)
      : function(function), constants(constants), views(function, constants), lanes(vectorBytes / 4),
        rewriter(function.getContext()) {}

  void run() {
    SmallVector<linalg::LinalgOp> ops;
    function.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops) {
      if (std::optional<Contraction> product = contractionOf(op))
        rewrite(*product);
      else if (auto perChannel = dyn_cast<linalg::DepthwiseConv2DNhwcHwcOp>(op.getOperation()))
        widenInside(perChannel);
    }
  }

private:
  /// Two vectors, except where that would be mostly padding.
  int64_t widthFor(int64_t columns) const {
    return columns % (2 * lanes) == 0 || columns >= 8 * lanes ? 2 * lanes : lanes;
  }

  void rewrite(const Contraction &product) {
    auto leftType = cast<RankedTensorType>(product.op.getDpsInputs()[0].getType());
    auto rightType = cast<RankedTensorType>(product.op.getDpsInputs()[1].getType());
    int64_t terms = leftType.getShape().back();
    if (!rightType.hasStaticShape() || rightType.getNumElements() == 0 || ShapedType::isDynamic(terms) ||
        terms < kFewestTerms || 2 * rightType.getShape().back() < lanes)
      return;
    rewriter.setInsertionPoint(product.op);
    std::optional<ByteOperand> left = byteOperandOf(rewriter, product.op.getDpsInputs()[0]);
    if (!left)
      return;
    ProductEmitter emitter(rewriter, product, widthFor(rightType.getShape().back()));
    if (!emitter.takes(left->zero))
      return;
    ByteWeightShape shape = emitter.weightShape();
    ByteOffset zero = ProductEmitter::zeroOf(*left);
    std::optional<int64_t> factor = zero.value ? std::optional<int64_t>() : zero.constant;
    if (std::optional<ByteWeight> weight = weightOf(product.op, shape, factor))
      emitter.run(*left, *weight, shape);
  }

  /// An element of the operand, which has no zero point but a constant; of int32 it is what it is.
  static Value widened(ImplicitLocOpBuilder &b, Value element, const ByteOperand &operand) {
    Type wide = b.getI32Type();
    if (element.getType() == wide)
      return element;
    Value number = operand.isSigned ? arith::ExtSIOp::create(b, wide, element).getResult()
                                    : arith::ExtUIOp::create(b, wide, element).getResult();
    if (auto zero = static_cast<int32_t>(operand.zero.constant))
      number = arith::SubIOp::create(b, number, arith::ConstantOp::create(b, b.getI32IntegerAttr(zero)));
    return number;
  }

  /// A sum of each channel's own has no groups. Its bytes are moved and padded as they are, and widened where they are
  /// read.
  void widenInside(linalg::DepthwiseConv2DNhwcHwcOp op) {
    if (!sumsProducts(op) || !getElementTypeOrSelf(op->getResult(0).getType()).isInteger(32))
      return;
    rewriter.setInsertionPoint(op);
    std::optional<ByteOperand> left = byteOperandOf(rewriter, op.getDpsInputs()[0]);
    if (!left || left->zero.value)
      return;
    ByteOperand plain{op.getDpsInputs()[1], false, {}};
    std::optional<ByteOperand> right = byteOperandOf(rewriter, plain.bytes);
    if (!right || right->zero.value)
      right = plain;
    linalg::LinalgOp loops = op;
    auto build = [&](OpBuilder &inner, Location loc, ValueRange arguments) {
      ImplicitLocOpBuilder b(loc, inner);
      Value product = arith::MulIOp::create(b, widened(b, arguments[0], *left), widened(b, arguments[1], *right));
      linalg::YieldOp::create(b, arith::AddIOp::create(b, arguments[2], product).getResult());
    };
    auto sums =
        linalg::GenericOp::create(rewriter, op.getLoc(), op->getResultTypes(), ValueRange{left->bytes, right->bytes},
                                  op.getDpsInits(), loops.getIndexingMapsArray(), loops.getIteratorTypesArray(), build);
    sums->setAttr(kContractionAttr, rewriter.getUnitAttr());
    rewriter.replaceOp(op, sums);
  }

  std::optional<ByteWeight> weightOf(linalg::LinalgOp op, const ByteWeightShape &shape, std::optional<int64_t> factor) {
    Value tensor = op.getDpsInputs()[1];
    if (std::optional<View> view = views.of(tensor))
      return constantWeight(function, constants, views, *view, /*isSigned=*/false, shape, factor);
    std::optional<ByteOperand> operand = byteOperandOf(rewriter, tensor);
    if (!operand)
      return std::nullopt;
    std::optional<View> view = views.of(operand->bytes);
    if (!view)
      return runTimeWeight(rewriter, op.getLoc(), *operand, shape);
    std::optional<ByteWeight> weight =
        constantWeight(function, constants, views, *view, operand->isSigned, shape, factor);
    if (!weight)
      return std::nullopt;
    operand->zero.constant += weight->zero.constant;
    weight->zero = operand->zero;
    return weight;
  }

  /// With fewer, most of a group would be padding.
  static constexpr int64_t kFewestTerms = 3;

  func::FuncOp function;
  std::vector<ConstantArgument> &constants;
  ConstantViews views;
  int64_t lanes;
  IRRewriter rewriter;
};

struct ByteProductsPass : impl::ByteProductsBase<ByteProductsPass> {
protected:
  void runOnOperation() override {
    int64_t vectorBytes = 64;
    if (auto attr = getOperation()->getAttrOfType<IntegerAttr>(kVectorBytesAttr))
      vectorBytes = attr.getInt();
    std::vector<ConstantArgument> none;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        useByteProducts(function, none, vectorBytes);
  }
};

} // namespace

void useByteProducts(func::FuncOp function, std::vector<ConstantArgument> &constants, int64_t vectorBytes) {
  ByteProducts(function, constants, vectorBytes).run();
}

} // namespace clika
