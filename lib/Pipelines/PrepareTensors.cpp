#include "Pipelines/ByteProducts.h"
#include "Pipelines/Passes.h"
#include "Pipelines/Slots.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace clika {
#define GEN_PASS_DEF_PREPARETENSORS
#include "Pipelines/Passes.h.inc"

namespace {

/// A body that costs no more to run again than to load its result.
bool isCheap(linalg::GenericOp op) {
  Block &body = op.getRegion().front();
  unsigned work = 0;
  for (Operation &inner : body.without_terminator())
    work += !isa<arith::ConstantOp, arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(inner);
  return work <= 1;
}

/// How many ops a fused body holds at most: passing a result through memory once in so many costs nothing, while the
/// time to compile a body grows with the square of its length.
constexpr unsigned kLongestBody = 256;

bool isLongTogether(linalg::GenericOp producer, linalg::GenericOp consumer) {
  return producer.getBody()->getOperations().size() + consumer.getBody()->getOperations().size() > kLongestBody;
}

/// An element-wise producer goes into its only reader, if the reader reads each of its elements once.
bool shouldFuse(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer || !producer->hasOneUse() || producer->getBlock() != consumer->getBlock() ||
      consumer->hasAttr(kByteProductAttr))
    return false;
  if (!consumer.getMatchingIndexingMap(operand).isPermutation() && !isCheap(producer))
    return false;
  return !isLongTogether(producer, consumer);
}

/// A large constant of one value would be stored element by element in the object file.
void splatToFill(arith::ConstantOp constant) {
  auto type = dyn_cast<RankedTensorType>(constant.getType());
  auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
  if (!type || !splat || type.getNumElements() < 64)
    return;
  OpBuilder builder(constant);
  Value scalar = arith::ConstantOp::create(builder, constant.getLoc(), splat.getSplatValue<TypedAttr>());
  Value empty = tensor::EmptyOp::create(builder, constant.getLoc(), type.getShape(), type.getElementType());
  auto fill = linalg::FillOp::create(builder, constant.getLoc(), scalar, empty);
  constant.replaceAllUsesWith(fill.getResult(0));
  constant.erase();
}

/// Gives an op a destination that it shares with no other op: a shared fill would have to be copied for each of them.
void ownDestinations(linalg::LinalgOp op) {
  OpBuilder builder(op);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    auto fill = init.get().getDefiningOp<linalg::FillOp>();
    auto empty = (fill ? fill.getDpsInits()[0] : init.get()).getDefiningOp<tensor::EmptyOp>();
    if (!empty || (init.get().hasOneUse() && (!fill || empty->hasOneUse())))
      continue;
    Operation *own = builder.clone(*empty);
    if (fill) {
      IRMapping map;
      map.map(empty->getResult(0), own->getResult(0));
      own = builder.clone(*fill, map);
    }
    init.set(own->getResult(0));
  }
}

/// The element-wise op or transposition that makes what `pad` reads, if it can as well write to a part of other memory.
linalg::LinalgOp producerOf(tensor::PadOp pad) {
  auto producer = pad.getSource().getDefiningOp<linalg::LinalgOp>();
  if (!producer || !isa<linalg::GenericOp, linalg::TransposeOp>(producer) || producer->getBlock() != pad->getBlock() ||
      producer->getNumResults() != 1 || producer.getNumParallelLoops() != producer.getNumLoops() ||
      producer.payloadUsesValueFromOperand(producer.getDpsInitOperand(0)) ||
      !producer.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>())
    return {};
  return producer;
}

/// The parts of a padded tensor of static shape.
class Border {
public:
  Border(RewriterBase &rewriter, tensor::PadOp pad, Value with)
      : rewriter(rewriter), loc(pad.getLoc()), with(with), type(pad.getResultType()), low(pad.getStaticLow()),
        size(pad.getSourceType().getShape()) {}

  /// A padded tensor of which all but the inside is filled, each element once.
  Value filled() {
    Value whole = tensor::EmptyOp::create(rewriter, loc, type.getShape(), type.getElementType());
    SmallVector<int64_t> offsets(type.getRank(), 0), sizes(type.getShape());
    for (int64_t dim = 0; dim != type.getRank(); ++dim) {
      int64_t end = low[dim] + size[dim];
      for (auto [from, to] : {std::pair(int64_t(0), low[dim]), std::pair(end, type.getDimSize(dim))}) {
        if (from == to)
          continue;
        offsets[dim] = from;
        sizes[dim] = to - from;
        Value part = slice(whole, offsets, sizes);
        part = linalg::FillOp::create(rewriter, loc, with, part).getResult(0);
        whole = insert(part, whole, offsets, sizes);
      }
      offsets[dim] = low[dim];
      sizes[dim] = size[dim];
    }
    return whole;
  }

  Value inside(Value whole) { return slice(whole, low, size); }
  Value insert(Value part, Value whole) { return insert(part, whole, low, size); }

private:
  SmallVector<OpFoldResult> numbers(ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(rewriter.getContext(), values);
  }
  SmallVector<OpFoldResult> ones() { return numbers(SmallVector<int64_t>(type.getRank(), 1)); }

  Value slice(Value whole, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
    return tensor::ExtractSliceOp::create(rewriter, loc, whole, numbers(offsets), numbers(sizes), ones());
  }
  Value insert(Value part, Value whole, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
    return tensor::InsertSliceOp::create(rewriter, loc, part, whole, numbers(offsets), numbers(sizes), ones());
  }

  RewriterBase &rewriter;
  Location loc;
  Value with;
  RankedTensorType type;
  SmallVector<int64_t> low, size;
};

/// What goes into a pad is written to its place in the padded tensor at once, or copied to there.
void writePadded(tensor::PadOp pad) {
  linalg::LinalgOp producer = producerOf(pad);
  Value with = pad.getConstantPaddingValue();
  if (!with || !with.getDefiningOp<arith::ConstantOp>() || !pad.getResultType().hasStaticShape() ||
      !pad.getSourceType().hasStaticShape() || ShapedType::isDynamicShape(pad.getStaticLow()) ||
      llvm::any_of(pad.getStaticLow(), [](int64_t low) { return low < 0; }) ||
      llvm::any_of(pad.getStaticHigh(), [](int64_t high) { return high < 0; }))
    return;
  IRRewriter rewriter(pad);
  rewriter.setInsertionPoint(producer ? producer.getOperation() : pad.getOperation());
  Border border(rewriter, pad, rewriter.clone(*with.getDefiningOp())->getResult(0));
  Value whole = border.filled();
  if (producer)
    producer.getDpsInitsMutable()[0].set(border.inside(whole));
  rewriter.setInsertionPoint(pad);
  rewriter.replaceOp(pad, border.insert(pad.getSource(), whole));
}

/// Takes each size that a test asks for from where it comes from. MLIR's patterns narrow the type of what a computation
/// makes to what its readers take (a product by 8 rows: 8 columns), since other sizes are none it need serve; whoever
/// asks that value for its size is then told 8, too, and so would be the test that refuses other inputs.
class SizesAtTheirSource : public RewriterBase::Listener {
public:
  explicit SizesAtTheirSource(ModuleOp module) : rewriter(module.getContext(), this) {
    module.walk([&](cf::AssertOp test) { need(test.getArg()); });
  }

  void run() {
    while (!dims.empty()) {
      tensor::DimOp dim = dims.back();
      dims.pop_back();
      if (std::optional<int64_t> axis = dim.getConstantIndex())
        take(dim, *axis);
    }
  }

  void notifyOperationErased(Operation *op) override { seen.erase(op); }

private:
  /// Notes the sizes that a number is computed from.
  void need(Value number) {
    llvm::SmallVector<Value> open = {number};
    while (!open.empty()) {
      Operation *op = open.pop_back_val().getDefiningOp();
      if (!op || !seen.insert(op).second)
        continue;
      if (auto dim = dyn_cast<tensor::DimOp>(op))
        dims.push_back(dim);
      else if (llvm::all_of(op->getOperandTypes(), [](Type type) { return type.isIntOrIndexOrFloat(); }))
        open.append(op->operand_begin(), op->operand_end());
    }
  }

  void replace(tensor::DimOp dim, Value size) {
    rewriter.replaceOp(dim, size);
    need(size);
  }

  static Value tensorOperand(Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        return operand;
    return {};
  }

  /// A value with the same sizes that is made before; null where none is known.
  static Value sameSizes(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return {};
    if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
      return destination.getTiedOpOperand(cast<OpResult>(value))->get();
    if (auto cast = dyn_cast<tensor::CastOp>(op))
      return cast.getSource();
    return OpTrait::hasElementwiseMappableTraits(op) ? tensorOperand(op) : Value();
  }

  void take(tensor::DimOp dim, int64_t axis) {
    Value value = dim.getSource();
    while (Value before = sameSizes(value))
      value = before;
    rewriter.setInsertionPoint(dim);
    if (auto type = cast<RankedTensorType>(value.getType()); axis < type.getRank() && !type.isDynamicDim(axis)) {
      rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(dim, type.getDimSize(axis));
    } else if (auto empty = value.getDefiningOp<tensor::EmptyOp>()) {
      replace(dim, empty.getDynamicSize(static_cast<unsigned>(axis)));
    } else if (auto reify = value.getDefiningOp<ReifyRankedShapedTypeOpInterface>()) {
      ReifiedRankedShapedTypeDims sizes;
      if (succeeded(reify.reifyResultShapes(rewriter, sizes)))
        replace(dim, getValueOrCreateConstantIndexOp(rewriter, dim.getLoc(),
                                                     sizes[cast<OpResult>(value).getResultNumber()][axis]));
    } else if (value != dim.getSource()) {
      rewriter.modifyOpInPlace(dim, [&] { dim.getSourceMutable().set(value); });
    }
  }

  IRRewriter rewriter;
  std::vector<tensor::DimOp> dims;
  llvm::DenseSet<Operation *> seen;
};

/// Moves each test of a block to where what it asks for is known: what is computed for sizes that it refuses may read
/// or write beyond its memory.
class TestsFirst {
public:
  explicit TestsFirst(Block &block) : block(block) {
    for (auto [place, op] : llvm::enumerate(block))
      places[&op] = place + 1;
  }

  void run() {
    for (cf::AssertOp test : llvm::to_vector(block.getOps<cf::AssertOp>()))
      move(test);
  }

private:
  /// Whether it is as well computed earlier: with numbers, or with the sizes of a tensor.
  static bool isMovable(Operation *op) {
    auto isNumber = [](Type type) { return type.isIntOrIndexOrFloat(); };
    return op->getNumRegions() == 0 && isMemoryEffectFree(op) && llvm::all_of(op->getResultTypes(), isNumber) &&
           (isa<tensor::DimOp>(op) || llvm::all_of(op->getOperandTypes(), isNumber));
  }

  /// Adds what `op` is computed from in this block: what can move to `numbers`; the last of the others to `anchor`.
  void collect(Operation *op, SetVector<Operation *> &numbers, Operation *&anchor) {
    for (Value operand : op->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (!maker || maker->getBlock() != &block || numbers.contains(maker))
        continue;
      if (!isMovable(maker)) {
        if (!anchor || places[maker] > places[anchor])
          anchor = maker;
        continue;
      }
      collect(maker, numbers, anchor);
      numbers.insert(maker);
    }
  }

  void move(cf::AssertOp test) {
    SetVector<Operation *> numbers;
    Operation *anchor = nullptr;
    collect(test, numbers, anchor);
    numbers.insert(test);
    size_t place = anchor ? places[anchor] : 0;
    // Tests of one place keep their order.
    Operation *&last = ends[place];
    for (Operation *op : numbers) {
      if (places[op] <= place)
        continue;
      if (Operation *before = last ? last : anchor)
        op->moveAfter(before);
      else
        op->moveBefore(&block, block.begin());
      places[op] = place;
      last = op;
    }
  }

  Block &block;
  /// Where an op stands, or behind which it was moved to.
  llvm::DenseMap<Operation *, size_t> places;
  llvm::DenseMap<size_t, Operation *> ends;
};

struct PrepareTensorsPass : impl::PrepareTensorsBase<PrepareTensorsPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<linalg::LinalgDialect, tensor::TensorDialect>();
  }

  LogicalResult inlineCalls() {
    ModuleOp module = getOperation();
    if (llvm::hasSingleElement(module.getOps<func::FuncOp>()))
      return success();
    OpPassManager manager(ModuleOp::getOperationName());
    manager.addPass(createInlinerPass({}, [](OpPassManager &) {}));
    if (failed(runPipeline(manager, module)))
      return failure();
    SymbolTable symbols(module);
    WalkResult calls = module.walk([&](func::CallOp call) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (callee && isSlotFunction(callee))
        return WalkResult::advance();
      call.emitError("a call that cannot be inlined");
      return WalkResult::interrupt();
    });
    if (calls.wasInterrupted())
      return failure();
    for (func::FuncOp function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function.getSymName() != kMain && !isSlotFunction(function))
        function.erase();
    return success();
  }

protected:
  void runOnOperation() override {
    if (failed(inlineCalls()))
      return signalPassFailure();
    SizesAtTheirSource(getOperation()).run();
    getOperation().walk([](Block *block) { TestsFirst(*block).run(); });
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(patterns);
    for (RegisteredOperationName name : context->getRegisteredOperations())
      if (context->getLoadedDialect(name.getDialectNamespace()))
        name.getCanonicalizationPatterns(patterns, context);
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    linalg::populateElementwiseOpsFusionPatterns(patterns, shouldFuse);
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    FrozenRewritePatternSet frozen(std::move(patterns));

    IRRewriter rewriter(context);
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    // Not converging is a matter of speed: the IR is valid at every step.
    (void)applyPatternsGreedily(getOperation(), frozen);
    getOperation().walk([](arith::ConstantOp constant) { splatToFill(constant); });
    getOperation().walk([](linalg::LinalgOp op) { ownDestinations(op); });
    SmallVector<tensor::PadOp> pads;
    getOperation().walk([&](tensor::PadOp pad) { pads.push_back(pad); });
    for (tensor::PadOp pad : pads)
      writePadded(pad);
  }
};

} // namespace
} // namespace clika
