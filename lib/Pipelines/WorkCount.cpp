#include "Pipelines/WorkCount.h"
#include "Pipelines/BufferLifetimes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace clika {
namespace {

/// Places that are counted one by one.
constexpr int64_t kMostPlaces = 1 << 14;

int64_t flopsOf(Operation &op) {
  if (op.getNumResults() != 1 || isa<IndexType>(getElementTypeOrSelf(op.getResult(0).getType())))
    return 0;
  if (isa<math::FmaOp>(op))
    return 2;
  if (isa<arith::CmpFOp, arith::CmpIOp>(op))
    return !isa<IndexType>(op.getOperand(0).getType());
  if (isa<arith::ConstantOp, arith::SelectOp>(op) || isa<CastOpInterface>(op))
    return 0;
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op.getDialect());
}

/// The terms factor · loop of an expression that is their sum; none where it is no sum of such.
using Terms = llvm::SmallMapVector<unsigned, int64_t, 2>;
bool addTerms(AffineExpr expr, int64_t factor, Terms &terms) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    terms[dim.getPosition()] += factor;
    return true;
  }
  if (isa<AffineConstantExpr>(expr))
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return addTerms(binary.getLHS(), factor, terms) && addTerms(binary.getRHS(), factor, terms);
  auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && scale && addTerms(binary.getLHS(), factor * scale.getValue(), terms);
}

class Counter {
public:
  Counter(OpBuilder &builder, const OpGroup &group)
      : builder(builder), loc(builder.getUnknownLoc()), index(builder, loc), group(group),
        between(group.epilogue ? group.epilogue->getOperand(group.epilogueOperand) : Value()) {}

  WorkCount run() {
    count(group.op);
    if (group.epilogue)
      count(group.epilogue);
    WorkCount work{flops, index.constant(0)};
    for (auto &[touched, elements] : touched) {
      int64_t each = elementBytes(cast<MemRefType>(touched.getPointer().getType()));
      work.bytes = index.add(work.bytes, index.multiply(elements, index.constant(each)));
    }
    return work;
  }

private:
  void count(linalg::LinalgOp op) {
    SmallVector<OpFoldResult> sizes;
    OpFoldResult steps = index.constant(1);
    for (unsigned d = 0; d != op.getNumLoops(); ++d) {
      sizes.push_back(sizeOf(op, d));
      steps = index.multiply(steps, sizes.back());
    }
    int64_t each = 0;
    op->getRegion(0).walk([&](Operation *inner) { each += flopsOf(*inner); });
    flops = index.add(flops, index.multiply(steps, index.constant(each)));
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()) || operand.get() == between)
        continue;
      bool isInit = op.isDpsInit(&operand);
      bool isFilled = isInit && op.getOperation() == group.op.getOperation() &&
                      group.fills[operand.getOperandNumber() - op.getNumDpsInputs()];
      OpFoldResult elements = distinct(op.getMatchingIndexingMap(&operand), sizes, operand.get());
      if (op.payloadUsesValueFromOperand(&operand) && !isFilled)
        touch(operand.get(), /*write=*/false, elements);
      if (isInit)
        touch(operand.get(), /*write=*/true, elements);
    }
    op->getRegion(0).walk([&](memref::LoadOp load) {
      if (!op->isAncestor(load.getMemref().getParentBlock()->getParentOp()))
        touch(load.getMemref(), /*write=*/false, least(steps, elementsOf(load.getMemref())));
    });
  }

  OpFoldResult dimOf(Value buffer, int64_t dim) {
    auto type = cast<MemRefType>(buffer.getType());
    if (!type.isDynamicDim(dim))
      return index.constant(type.getDimSize(dim));
    return memref::DimOp::create(builder, loc, buffer, dim).getResult();
  }

  OpFoldResult elementsOf(Value buffer) {
    OpFoldResult elements = index.constant(1);
    for (int64_t dim = 0; dim != cast<MemRefType>(buffer.getType()).getRank(); ++dim)
      elements = index.multiply(elements, dimOf(buffer, dim));
    return elements;
  }

  /// How often loop `d` runs. What lies between the group's ops has no memory, so that its sizes are those of what the
  /// epilogue writes.
  OpFoldResult sizeOf(linalg::LinalgOp op, unsigned d) {
    AffineExpr dim = getAffineDimExpr(d, op.getContext());
    OpOperand *last = nullptr;
    for (OpOperand &operand : op->getOpOperands()) {
      std::optional<unsigned> result = op.getMatchingIndexingMap(&operand).getResultPosition(dim);
      if (!result || !isa<MemRefType>(operand.get().getType()))
        continue;
      if (operand.get() != between)
        return dimOf(operand.get(), *result);
      last = &operand;
    }
    if (!last)
      return index.constant(0);
    unsigned at = *op.getMatchingIndexingMap(last).getResultPosition(dim);
    linalg::GenericOp epilogue = group.epilogue;
    auto read = dyn_cast<AffineDimExpr>(epilogue.getIndexingMapsArray()[group.epilogueOperand].getResult(at));
    return read && op.getOperation() == group.op.getOperation() ? sizeOf(epilogue, read.getPosition())
                                                                : dimOf(between, at);
  }

  OpFoldResult least(OpFoldResult a, OpFoldResult b) {
    std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
    if (x && y)
      return index.constant(std::min(*x, *y));
    return arith::MinSIOp::create(builder, loc, index.value(a), index.value(b)).getResult();
  }
  OpFoldResult most(OpFoldResult a, OpFoldResult b) {
    std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
    if (x && y)
      return index.constant(std::max(*x, *y));
    return a == b ? a : arith::MaxSIOp::create(builder, loc, index.value(a), index.value(b)).getResult();
  }

  /// How many elements of `buffer` the loops come to.
  OpFoldResult distinct(AffineMap map, ArrayRef<OpFoldResult> sizes, Value buffer) {
    OpFoldResult elements = index.constant(1), steps = index.constant(1);
    llvm::SmallBitVector loops(sizes.size());
    bool shared = false;
    for (auto [r, expr] : llvm::enumerate(map.getResults())) {
      for (unsigned d = 0; d != sizes.size(); ++d) {
        if (!expr.isFunctionOfDim(d))
          continue;
        shared |= loops.test(d);
        if (!loops.test(d))
          steps = index.multiply(steps, sizes[d]);
        loops.set(d);
      }
      Terms terms;
      elements = index.multiply(elements, addTerms(expr, 1, terms) ? distinct(terms, sizes) : dimOf(buffer, r));
    }
    return shared ? least(elements, steps) : elements;
  }

  /// How many values a sum of terms takes.
  OpFoldResult distinct(Terms &terms, ArrayRef<OpFoldResult> sizes) {
    SmallVector<std::pair<int64_t, OpFoldResult>> factors;
    for (auto [loop, factor] : terms)
      if (factor != 0 && getConstantIntValue(sizes[loop]) != 1)
        factors.emplace_back(std::abs(factor), sizes[loop]);
    if (factors.empty())
      return index.constant(1);
    if (factors.size() == 1)
      return factors.front().second;
    llvm::stable_sort(factors, [](auto &a, auto &b) { return a.first < b.first; });
    if (std::optional<int64_t> exact = placesOf(factors))
      return index.constant(*exact);
    // Each factor is taken as a multiple of the first: steps that meet, or else all of them differ.
    auto [first, values] = factors.front();
    for (auto [factor, size] : llvm::drop_begin(factors)) {
      OpFoldResult longer = index.add(size, index.constant(-1));
      OpFoldResult met = index.add(values, index.multiply(longer, index.constant(factor / first)));
      values = most(index.constant(0), least(met, index.multiply(values, size)));
    }
    return values;
  }

  static std::optional<int64_t> placesOf(ArrayRef<std::pair<int64_t, OpFoldResult>> factors) {
    int64_t span = 1;
    for (auto [factor, size] : factors) {
      std::optional<int64_t> fixed = getConstantIntValue(size);
      if (!fixed || *fixed > kMostPlaces || factor > kMostPlaces)
        return std::nullopt;
      if (*fixed == 0)
        return 0;
      span += factor * (*fixed - 1);
      if (span > kMostPlaces)
        return std::nullopt;
    }
    llvm::BitVector places(span);
    places.set(0);
    for (auto [factor, size] : factors) {
      llvm::BitVector moved = places;
      for (int64_t i = 1; i < *getConstantIntValue(size); ++i)
        places |= (moved <<= factor);
    }
    return places.count();
  }

  /// Of what two operands are, the larger part counts.
  void touch(Value buffer, bool write, OpFoldResult elements) {
    auto [entry, isNew] = touched.insert({Touched(buffer, write), elements});
    if (!isNew)
      entry->second = most(entry->second, elements);
  }

  using Touched = llvm::PointerIntPair<Value, 1, bool>;

  OpBuilder &builder;
  Location loc;
  IndexBuilder index;
  OpGroup group;
  Value between;
  OpFoldResult flops = builder.getIndexAttr(0);
  llvm::MapVector<Touched, OpFoldResult> touched;
};

} // namespace

WorkCount countWork(OpBuilder &builder, const OpGroup &group) { return Counter(builder, group).run(); }

} // namespace clika
