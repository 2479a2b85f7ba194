#include "Conversion/ClikaToLinalg/Control.h"

#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/ControlOps.h"
#include "Pipelines/Slots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace clika {
namespace {

/// Puts lowered types in the place of the operands', results' and region arguments'.
class KeepControl : public ConversionPattern {
public:
  KeepControl(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa<IfOp, LoopOp, YieldOp>(op))
      return failure();
    SmallVector<Type> results;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), results)))
      return failure();
    Operation *kept =
        Operation::create(op->getLoc(), op->getName(), results, operands, op->getDiscardableAttrDictionary(),
                          op->getPropertiesStorage(), BlockRange(), op->getNumRegions());
    rewriter.insert(kept);
    for (auto [from, to] : llvm::zip_equal(op->getRegions(), kept->getRegions())) {
      rewriter.inlineRegionBefore(from, to, to.end());
      if (failed(rewriter.convertRegionTypes(&to, *getTypeConverter())))
        return failure();
    }
    rewriter.replaceOp(op, kept->getResults());
    return success();
  }
};

/// How values of one type leave a region: in memory of the reader's where their size is known before, else through a
/// slot, with their sizes.
struct Way {
  RankedTensorType type;
  int64_t slot = -1;

  bool isFixed() const { return slot < 0; }
};

class Lowerer {
public:
  Lowerer(ModuleOp module) : module(module), b(module.getLoc(), module.getContext()) {}

  void run() {
    SmallVector<Operation *> ops;
    module->walk([&](Operation *op) {
      if (isa<IfOp, LoopOp>(op))
        ops.push_back(op);
    });
    for (Operation *each : ops) {
      op = each;
      b.setInsertionPoint(op);
      b.setLoc(op->getLoc());
      if (auto branch = dyn_cast<IfOp>(op))
        lower(branch);
      else
        lower(cast<LoopOp>(op));
      op->erase();
    }
  }

private:
  // Scalars and sizes.

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

  Value onlyElement(Value tensor) {
    SmallVector<Value> at(cast<RankedTensorType>(tensor.getType()).getRank(), Value());
    for (Value &position : at)
      position = index(0);
    requireOne(tensor);
    return tensor::ExtractOp::create(b, tensor, at);
  }

  void requireOne(Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    for (int64_t d = 0; d != type.getRank(); ++d)
      if (type.isDynamicDim(static_cast<unsigned>(d)))
        require(same(tensor::DimOp::create(b, tensor, d), index(1)), "a condition or trip count has one element");
  }

  Value truthOf(Value tensor) {
    Value byte = onlyElement(tensor);
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, byte,
                                 arith::ConstantOp::create(b, b.getZeroAttr(byte.getType())));
  }

  Value same(Value x, Value y) { return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y); }
  void require(Value condition, const Twine &message) { checkAtRunTime(b, op, condition, message); }

  SmallVector<Value> dynamicSizes(Value tensor, RankedTensorType type) {
    SmallVector<Value> sizes;
    for (int64_t d = 0; d != type.getRank(); ++d)
      if (type.isDynamicDim(static_cast<unsigned>(d)))
        sizes.push_back(tensor::DimOp::create(b, tensor, d));
    return sizes;
  }

  /// `value` as a tensor of `type`; sizes that this knows and `value` does not are checked.
  Value asType(Value value, RankedTensorType type, const Twine &what) {
    auto from = cast<RankedTensorType>(value.getType());
    if (from == type)
      return value;
    for (int64_t d = 0; d != type.getRank(); ++d)
      if (from.isDynamicDim(static_cast<unsigned>(d)) && !type.isDynamicDim(static_cast<unsigned>(d)))
        require(same(tensor::DimOp::create(b, value, d), index(type.getDimSize(d))),
                what + " does not have the size " + Twine(type.getDimSize(d)) + " of its type in dimension " +
                    Twine(d));
    return tensor::CastOp::create(b, type, value);
  }

  // Slots.

  func::FuncOp slotFunction(StringRef what, int64_t slot, TypeRange arguments, TypeRange results) {
    std::string name = ("clika_slot_" + what + "_" + Twine(slot)).str();
    if (auto known = module.lookupSymbol<func::FuncOp>(name))
      return known;
    OpBuilder top(module.getBodyRegion());
    auto function = func::FuncOp::create(top, module.getLoc(), name, top.getFunctionType(arguments, results));
    function.setPrivate();
    function->setAttr(kSlotAttr, top.getStringAttr(what));
    function->setAttr(kSlotNumberAttr, top.getI64IntegerAttr(slot));
    for (auto [i, type] : llvm::enumerate(arguments))
      if (isa<TensorType>(type))
        function.setArgAttr(static_cast<unsigned>(i), "bufferization.access", top.getStringAttr("read"));
    return function;
  }

  void toSlot(StringRef what, int64_t slot, Value tensor) {
    func::CallOp::create(b, slotFunction(what, slot, tensor.getType(), {}), tensor);
  }

  Value fromSlot(int64_t slot, RankedTensorType type, ValueRange sizes) {
    auto memory = MemRefType::get(type.getShape(), type.getElementType());
    SmallVector<Type> types(sizes.getTypes());
    auto load = func::CallOp::create(b, slotFunction("load", slot, types, memory), sizes);
    return bufferization::ToTensorOp::create(b, type, load.getResult(0), /*restrict=*/true, /*writable=*/true);
  }

  Way wayOf(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return {tensor, tensor.hasStaticShape() ? -1 : slots++};
  }

  void appendTypes(const Way &way, SmallVectorImpl<Type> &types) {
    if (way.isFixed())
      types.push_back(way.type);
    else
      types.append(static_cast<size_t>(way.type.getNumDynamicDims()), b.getIndexType());
  }

  /// What stands for `value` outside: it in the memory of `into`, or its sizes.
  void give(const Way &way, Value value, Value into, const Twine &what, SmallVectorImpl<Value> &given) {
    value = asType(value, way.type, what);
    if (way.isFixed()) {
      given.push_back(
          bufferization::MaterializeInDestinationOp::create(b, way.type, value, into, false, false).getResult());
      return;
    }
    toSlot("store", way.slot, value);
    given.append(dynamicSizes(value, way.type));
  }

  /// The tensor that the first of `given` stand for; takes them off.
  Value take(const Way &way, ValueRange &given) {
    size_t count = way.isFixed() ? 1 : static_cast<size_t>(way.type.getNumDynamicDims());
    ValueRange own = given.take_front(count);
    given = given.drop_front(count);
    return way.isFixed() ? own.front() : fromSlot(way.slot, way.type, own);
  }

  // if.

  void lower(IfOp branch) {
    Value condition = truthOf(branch.getCondition());
    SmallVector<Way> ways;
    SmallVector<Value> memory;
    SmallVector<Type> types;
    for (Type type : branch.getResultTypes()) {
      Way &way = ways.emplace_back(wayOf(type));
      memory.push_back(way.isFixed() ? bufferization::AllocTensorOp::create(b, way.type, ValueRange()).getResult()
                                     : Value());
      appendTypes(way, types);
    }
    auto chosen = scf::IfOp::create(b, types, condition, /*addThenBlock=*/false, /*addElseBlock=*/false);
    for (auto [from, to] : {std::pair(&branch.getThenRegion(), &chosen.getThenRegion()),
                            {&branch.getElseRegion(), &chosen.getElseRegion()}}) {
      to->takeBody(*from);
      auto yield = cast<YieldOp>(to->front().back());
      b.setInsertionPoint(yield);
      SmallVector<Value> given;
      for (auto [i, value] : llvm::enumerate(yield.getValues()))
        give(ways[i], value, memory[i], "result " + Twine(i), given);
      scf::YieldOp::create(b, given);
      yield.erase();
    }
    b.setInsertionPoint(op);
    ValueRange given = chosen.getResults();
    for (auto [way, result] : llvm::zip_equal(ways, branch.getResults()))
      result.replaceAllUsesWith(take(way, given));
  }

  // loop.

  struct Loop {
    LoopOp op;
    /// Null where there is none.
    Value limit;
    SmallVector<Way> carried;
    /// Of each stacked value: its type in one iteration, and its slot or, where memory for all of it is there before
    /// the first iteration, none.
    SmallVector<Way> scans;
    /// Whether the last value of an iteration says whether there is a next one.
    bool asks = false;
    SmallVector<Value> before;
  };

  void lower(LoopOp loopOp) {
    Loop loop{loopOp, {}, {}, {}, static_cast<bool>(loopOp.getYield().getCondition()), {}};
    Value zero = index(0), one = index(1);
    if (loopOp.getTripCount()) {
      Value trips = arith::IndexCastOp::create(b, b.getIndexType(), onlyElement(loopOp.getTripCount()));
      loop.limit = arith::MaxSIOp::create(b, trips, zero);
    }
    Value begins = loopOp.getCondition() ? truthOf(loopOp.getCondition()) : Value();
    // A condition that only tells whether to begin is one on the trip count.
    if (begins && loop.limit && !loop.asks)
      loop.limit = arith::SelectOp::create(b, begins, loop.limit, zero);
    begin(loop);
    SmallVector<Value> after;
    Value count;
    if (loop.asks) {
      count = whileLoop(loop, begins, after);
    } else {
      auto repeat = scf::ForOp::create(b, zero, loop.limit, one, loop.before);
      if (!repeat.getBody()->empty())
        repeat.getBody()->back().erase();
      b.setInsertionPointToEnd(repeat.getBody());
      SmallVector<Value> next;
      iterate(loop, repeat.getInductionVar(), repeat.getRegionIterArgs(), next);
      scf::YieldOp::create(b, next);
      after.assign(repeat.result_begin(), repeat.result_end());
      count = loop.limit;
    }
    b.setInsertionPoint(op);
    end(loop, count, after);
  }

  void begin(Loop &loop) {
    for (auto [init, argument] : llvm::zip_equal(loop.op.getCarried(), loop.op.getBody().getArguments().drop_front())) {
      Way &way = loop.carried.emplace_back(wayOf(argument.getType()));
      Value first = asType(init, way.type, "a carried value");
      if (way.isFixed()) {
        loop.before.push_back(first);
        continue;
      }
      toSlot("store", way.slot, first);
      loop.before.append(dynamicSizes(first, way.type));
    }
    for (Value each : loop.op.getScans()) {
      Way &way = loop.scans.emplace_back(wayOf(each.getType()));
      if (way.isFixed() && !loop.asks) {
        loop.before.push_back(
            bufferization::AllocTensorOp::create(b, stacked(way.type), ValueRange{loop.limit}).getResult());
        continue;
      }
      if (way.isFixed())
        way.slot = slots++;
      func::CallOp::create(b, slotFunction("begin", way.slot, {}, {}), ValueRange());
      auto number = static_cast<int64_t>(loop.scans.size()) - 1;
      for (int64_t d = 0; d != way.type.getRank(); ++d)
        if (way.type.isDynamicDim(static_cast<unsigned>(d)))
          loop.before.push_back(keptSize(loop, number, d));
    }
  }

  /// What dimension `d` of a kept value is before the first iteration.
  Value keptSize(Loop &loop, int64_t number, int64_t d) {
    auto triples = loop.op->getAttrOfType<DenseI64ArrayAttr>(kKeptSizesAttr);
    ArrayRef<int64_t> list = triples ? triples.asArrayRef() : ArrayRef<int64_t>();
    for (; !list.empty(); list = list.drop_front(3))
      if (list[0] == number && list[1] == d)
        return arith::IndexCastOp::create(b, b.getIndexType(), onlyElement(loop.op.getCarried()[list[2]]));
    return index(0);
  }

  static RankedTensorType stacked(RankedTensorType each) {
    SmallVector<int64_t> shape = {ShapedType::kDynamic};
    shape.append(each.getShape().begin(), each.getShape().end());
    return RankedTensorType::get(shape, each.getElementType());
  }

  Value whileLoop(Loop &loop, Value begins, SmallVectorImpl<Value> &after) {
    SmallVector<Value> inits = {index(0), begins ? begins : arith::ConstantIntOp::create(b, 1, 1)};
    inits.append(loop.before);
    SmallVector<Type> types(ValueRange(inits).getTypes());
    SmallVector<Type> forwarded = {types[0]};
    forwarded.append(types.begin() + 2, types.end());
    auto repeat = scf::WhileOp::create(b, forwarded, inits);
    SmallVector<Location> locations(types.size(), b.getLoc());
    Block *before = b.createBlock(&repeat.getBefore(), {}, types, locations);
    Value more = before->getArgument(1);
    if (loop.limit)
      more = arith::AndIOp::create(
          b, more, arith::CmpIOp::create(b, arith::CmpIPredicate::slt, before->getArgument(0), loop.limit));
    SmallVector<Value> handed = {before->getArgument(0)};
    handed.append(before->args_begin() + 2, before->args_end());
    scf::ConditionOp::create(b, more, handed);
    locations.pop_back();
    Block *body = b.createBlock(&repeat.getAfter(), {}, forwarded, locations);
    SmallVector<Value> next(2);
    Value goOn = iterate(loop, body->getArgument(0), body->getArguments().drop_front(), next);
    next[0] = arith::AddIOp::create(b, body->getArgument(0), index(1));
    next[1] = goOn;
    scf::YieldOp::create(b, next);
    after.assign(repeat.result_begin() + 1, repeat.result_end());
    return repeat.getResult(0);
  }

  /// Puts the body at the builder's place, the end of a block; returns whether to go on, where the body says so.
  Value iterate(Loop &loop, Value i, ValueRange state, SmallVectorImpl<Value> &next) {
    Block &body = loop.op.getBody().front();
    Block *block = b.getInsertionBlock();
    Value number = arith::IndexCastOp::create(b, b.getI64Type(), i);
    body.getArgument(0).replaceAllUsesWith(
        tensor::FromElementsOp::create(b, RankedTensorType::get({}, b.getI64Type()), number));
    SmallVector<Value> fixed, carried;
    for (auto [way, argument] : llvm::zip_equal(loop.carried, body.getArguments().drop_front())) {
      fixed.push_back(way.isFixed() ? state.front() : Value());
      carried.push_back(take(way, state));
      argument.replaceAllUsesWith(carried.back());
    }
    auto yield = cast<YieldOp>(body.back());
    block->getOperations().splice(block->end(), body.getOperations());
    b.setInsertionPoint(yield);
    checkFixedSizes(loop, carried, yield.getValues());
    Value goOn = yield.getCondition() ? truthOf(yield.getCondition()) : Value();
    // Copies out of what the iteration read go first, so that it need not be kept beside what is written to its place.
    SmallVector<Value> kept;
    ValueRange values = yield.getValues();
    for (auto [k, way] : llvm::enumerate(loop.scans))
      keep(way, values[loop.carried.size() + k], i, state, kept);
    // All of them are made before the first is written to its place.
    SmallVector<Value> typed;
    for (auto [j, way] : llvm::enumerate(loop.carried))
      typed.push_back(asType(values[j], way.type, "carried value " + Twine(j)));
    SmallVector<SmallVector<Value, 2>> given(loop.carried.size());
    for (bool isFixed : {false, true})
      for (auto [j, way] : llvm::enumerate(loop.carried))
        if (way.isFixed() == isFixed)
          give(way, typed[j], fixed[j], "carried value " + Twine(j), given[j]);
    for (ArrayRef<Value> each : given)
      next.append(each.begin(), each.end());
    next.append(kept);
    yield.erase();
    b.setInsertionPointToEnd(block);
    return goOn;
  }

  /// Keeps the value of iteration `i` behind those before.
  void keep(const Way &way, Value value, Value i, ValueRange &state, SmallVectorImpl<Value> &next) {
    if (way.isFixed()) {
      SmallVector<OpFoldResult> offsets = {i}, sizes = {b.getIndexAttr(1)};
      offsets.append(static_cast<size_t>(way.type.getRank()), b.getIndexAttr(0));
      for (int64_t size : way.type.getShape())
        sizes.push_back(b.getIndexAttr(size));
      SmallVector<OpFoldResult> steps(offsets.size(), b.getIndexAttr(1));
      next.push_back(tensor::InsertSliceOp::create(b, value, state.front(), offsets, sizes, steps));
      state = state.drop_front();
      return;
    }
    SmallVector<Value> sizes = dynamicSizes(value, way.type);
    Value isFirst = same(i, index(0));
    for (Value size : sizes) {
      require(arith::OrIOp::create(b, isFirst, same(size, state.front())),
              "a value that is kept of every iteration has another shape than in the first");
      state = state.drop_front();
    }
    toSlot("append", way.slot, value);
    next.append(sizes);
  }

  void checkFixedSizes(Loop &loop, ValueRange carried, ValueRange next) {
    auto pairs = loop.op->getAttrOfType<DenseI64ArrayAttr>(kFixedSizesAttr);
    ArrayRef<int64_t> list = pairs ? pairs.asArrayRef() : ArrayRef<int64_t>();
    for (; !list.empty(); list = list.drop_front(2))
      require(
          same(tensor::DimOp::create(b, carried[list[0]], list[1]), tensor::DimOp::create(b, next[list[0]], list[1])),
          "the body changes dimension " + Twine(list[1]) + " of carried value " + Twine(list[0]) +
              ", whose type says that it stays");
  }

  void end(Loop &loop, Value count, ValueRange after) {
    auto result = loop.op.getResults().begin();
    auto replace = [&](Value value) {
      (*result).replaceAllUsesWith(asType(value, cast<RankedTensorType>((*result).getType()), "a result"));
      ++result;
    };
    for (const Way &way : loop.carried)
      replace(take(way, after));
    for (const Way &way : loop.scans) {
      if (way.isFixed()) {
        replace(after.front());
        after = after.drop_front();
        continue;
      }
      auto dims = static_cast<size_t>(way.type.getNumDynamicDims());
      SmallVector<Value> sizes = {count};
      sizes.append(after.begin(), after.begin() + dims);
      after = after.drop_front(dims);
      replace(fromSlot(way.slot, stacked(way.type), sizes));
    }
  }

  ModuleOp module;
  ImplicitLocOpBuilder b;
  Operation *op = nullptr;
  int64_t slots = 0;
};

} // namespace

void keepControl(const TypeConverter &types, RewritePatternSet &patterns, ConversionTarget &target) {
  patterns.add<KeepControl>(types, patterns.getContext());
  target.addDynamicallyLegalOp<IfOp, LoopOp, YieldOp>([&types](Operation *op) {
    return types.isLegal(op) && llvm::all_of(op->getRegions(), [&](Region &region) { return types.isLegal(&region); });
  });
}

void lowerControl(ModuleOp module) { Lowerer(module).run(); }

} // namespace clika
