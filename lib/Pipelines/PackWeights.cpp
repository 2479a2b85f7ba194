#include "Pipelines/ConstantViews.h"
#include "Pipelines/HoistConstants.h"
#include "Pipelines/OpGroups.h"
#include "Pipelines/Passes.h"
#include "Pipelines/TileEmitter.h"
#include "Pipelines/UnitDims.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace clika {
namespace {

/// The numbers of dimensions, with the last one split in two.
SmallVector<ReassociationIndices> splitLast(unsigned rank) {
  SmallVector<ReassociationIndices> runs;
  for (int64_t i = 0; i < rank; ++i)
    runs.push_back({i});
  runs.back().push_back(rank);
  return runs;
}

class Packer {
public:
  Packer(func::FuncOp main, std::vector<ConstantArgument> &constants, int64_t vectorBytes)
      : main(main), views(main, constants), vectorBytes(vectorBytes), rewriter(main.getContext()) {}

  void run() {
    SmallVector<linalg::LinalgOp> ops;
    main.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    bool any = false;
    for (linalg::LinalgOp op : ops)
      if (isContraction(op) && op.getNumDpsInputs() == 2 && op.getNumDpsInits() == 1)
        any |= pack(op);
    if (any)
      views.release();
  }

private:
  /// How wide the panels of a weight with that many results are; 0: it stays as it is.
  int64_t widthFor(linalg::LinalgOp op, int64_t count) {
    Type element = getElementTypeOrSelf(op.getDpsInits()[0].getType());
    int64_t lanes = vectorBytes * 8 / element.getIntOrFloatBitWidth();
    for (int64_t width = tileColumns(rowsOf(op), vectorBytes) * lanes; width >= 2 * lanes; width /= 2)
      if (count % width == 0 ? count > 2 * width : isWorthPadding(op, count, width))
        return width;
    return 0;
  }

  /// Whether a last panel that is filled up with zeros, and results that are cut out of padded ones, cost less than
  /// rows of the weight that lie far apart.
  static bool isWorthPadding(linalg::LinalgOp op, int64_t count, int64_t width) {
    int64_t added = llvm::alignTo(count, width) - count;
    return (count >= kPanelsToPad * width && readsMoreThanItWrites(op)) ||
           (kPartToPad * added <= count && isLongSumOfMuch(op));
  }

  /// Whether each result takes far longer to sum up than to copy, and the weight does not stay in the nearer caches.
  static bool isLongSumOfMuch(linalg::LinalgOp op) {
    SmallVector<unsigned> loops;
    op.getReductionDims(loops);
    int64_t terms = 1;
    for (unsigned loop : loops)
      terms *= std::max<int64_t>(op.getStaticLoopRanges()[loop], 1);
    return terms >= kLongSum && cast<RankedTensorType>(op.getDpsInputs()[1].getType()).getNumElements() >= kMuch;
  }

  /// The size of the innermost dimension of the result that the weight lacks, whose elements share what is read of it.
  static std::optional<int64_t> rowsOf(linalg::LinalgOp op) {
    AffineMap weight = op.getMatchingIndexingMap(op.getDpsInputOperand(1));
    AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    for (AffineExpr expr : llvm::reverse(result.getResults())) {
      unsigned dim = cast<AffineDimExpr>(expr).getPosition();
      int64_t size = op.getStaticLoopRanges()[dim];
      if (!weight.isFunctionOfDim(dim))
        return ShapedType::isDynamic(size) ? std::nullopt : std::optional(size);
    }
    return std::nullopt;
  }

  /// Whether the weight is by far the most of what is read and written: then it costs nothing to cut the results out
  /// of padded ones, nor to work on them after that.
  static bool readsMoreThanItWrites(linalg::LinalgOp op) {
    auto weight = cast<RankedTensorType>(op.getDpsInputs()[1].getType());
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    return result.hasStaticShape() && weight.getNumElements() >= kPanelsToPad * result.getNumElements();
  }

  bool pack(linalg::LinalgOp op) {
    OpOperand *weight = op.getDpsInputOperand(1), *start = op.getDpsInitOperand(0);
    AffineMap weightMap = op.getMatchingIndexingMap(weight), resultMap = op.getMatchingIndexingMap(start);
    AffineMap otherMap = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
    if (!weightMap.isProjectedPermutation() || !resultMap.isProjectedPermutation() || weightMap.getNumResults() < 2 ||
        resultMap.getNumResults() == 0)
      return false;
    auto last = cast<AffineDimExpr>(resultMap.getResults().back());
    if (weightMap.getResults().back() != last || otherMap.isFunctionOfDim(last.getPosition()))
      return false;
    auto fill = start->get().getDefiningOp<linalg::FillOp>();
    auto type = dyn_cast<RankedTensorType>(weight->get().getType());
    int64_t width = fill && type ? widthFor(op, type.getShape().back()) : 0;
    std::optional<View> view = width ? views.of(weight->get()) : std::nullopt;
    if (!view || type.getNumElements() > cast<RankedTensorType>(view->constant.getType()).getNumElements())
      return false;
    Value packed = panels(*view, type, width);
    if (!packed)
      return false;
    rewriter.setInsertionPoint(op);
    Value old = weight->get();
    emit(op, last.getPosition(), packed, splitFill(fill, width));
    eraseViews(old);
    return true;
  }

  /// [.., count] as [panels, .., width], the last panel filled up with zeros.
  Value panels(const View &view, RankedTensorType type, int64_t width) {
    int64_t count = type.getShape().back(), whole = count / width;
    SmallVector<int64_t> shape{static_cast<int64_t>(llvm::divideCeil(count, width))};
    llvm::append_range(shape, type.getShape().drop_back());
    shape.push_back(width);
    ConstantPart part{view, shape, 0, denseSteps(shape)}, rest{view, llvm::to_vector(type.getShape()), 0, {}};
    part.shape[0] = whole;
    part.view.steps.insert(part.view.steps.begin(), view.steps.back() * width);
    rest.shape.back() = count % width;
    rest.view.offset += whole * width * view.steps.back();
    rest.offset = whole * part.steps[0];
    rest.steps = llvm::to_vector(ArrayRef(part.steps).drop_front());
    return views.assemble({part, rest}, RankedTensorType::get(shape, type.getElementType()));
  }

  Value splitFill(linalg::FillOp fill, int64_t width) {
    Location loc = fill.getLoc();
    Value old = fill.getDpsInits()[0];
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, old);
    int64_t count = *getConstantIntValue(sizes.back());
    sizes.back() = rewriter.getIndexAttr(llvm::divideCeil(count, width));
    sizes.push_back(rewriter.getIndexAttr(width));
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, getElementTypeOrSelf(old.getType()));
    return linalg::FillOp::create(rewriter, loc, fill.getInputs(), ValueRange{empty}).getResult(0);
  }

  /// Loop 0 is that of panels, all others come after it; `split` becomes the loop in a panel.
  void emit(linalg::LinalgOp op, unsigned split, Value packed, Value start) {
    MLIRContext *context = op.getContext();
    unsigned loops = op.getNumLoops() + 1;
    AffineExpr panel = getAffineDimExpr(0, context), inside = getAffineDimExpr(split + 1, context);
    SmallVector<SmallVector<AffineExpr>> exprs;
    for (AffineMap map : op.getIndexingMapsArray())
      exprs.emplace_back(map.shiftDims(1).getResults());
    exprs[1].insert(exprs[1].begin(), panel);
    exprs[2].back() = panel;
    exprs[2].push_back(inside);
    SmallVector<AffineMap> maps;
    for (ArrayRef<AffineExpr> each : exprs)
      maps.push_back(AffineMap::get(loops, 0, each, context));
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    kinds.insert(kinds.begin(), utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(rewriter, op.getLoc(), start.getType(),
                                             ValueRange{op.getDpsInputs()[0], packed}, ValueRange{start}, maps, kinds);
    generic.getRegion().takeBody(op->getRegion(0));
    generic->setAttr(kContractionAttr, rewriter.getUnitAttr());
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value whole =
        tensor::CollapseShapeOp::create(rewriter, op.getLoc(), generic.getResult(0), splitLast(type.getRank()));
    rewriter.replaceOp(op, cutTo(type, whole));
  }

  /// The first of what has a last dimension at least as large.
  Value cutTo(RankedTensorType type, Value whole) {
    if (whole.getType() == type)
      return whole;
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, whole.getLoc(), whole);
    sizes.back() = rewriter.getIndexAttr(type.getShape().back());
    SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0)),
        steps(sizes.size(), rewriter.getIndexAttr(1));
    return tensor::ExtractSliceOp::create(rewriter, whole.getLoc(), type, whole, offsets, sizes, steps);
  }

  /// A last panel of zeros alone is no more than an eighth of the work.
  static constexpr int64_t kPanelsToPad = 8;
  /// Where the work is more than reading the weight, no more than a thirtieth of it may be added.
  static constexpr int64_t kPartToPad = 30;
  static constexpr int64_t kLongSum = 128;
  static constexpr int64_t kMuch = 1 << 17;

  func::FuncOp main;
  ConstantViews views;
  int64_t vectorBytes;
  IRRewriter rewriter;
};

} // namespace

void packWeights(func::FuncOp main, std::vector<ConstantArgument> &constants, int64_t vectorBytes) {
  Packer(main, constants, vectorBytes).run();
  // Element-wise work on sums whose dimensions are joined is done on them as they are, as the end of their tiles.
  auto joinsSums = [](OpOperand *operand) {
    auto joined = operand->get().getDefiningOp<tensor::CollapseShapeOp>();
    auto sums = joined && joined->hasOneUse() ? joined.getSrc().getDefiningOp<linalg::LinalgOp>() : linalg::LinalgOp();
    return sums && isContraction(sums);
  };
  OpBuilder builder(main.getContext());
  main.walk([&](linalg::GenericOp op) {
    if (op.getNumReductionLoops() == 0 && llvm::any_of(op.getDpsInputOperands(), joinsSums))
      readByLoops(builder, op);
  });
  RewritePatternSet patterns(main.getContext());
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, joinsSums);
  (void)applyPatternsGreedily(main, std::move(patterns));
}

} // namespace clika
