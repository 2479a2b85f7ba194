#include "Pipelines/Passes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace clika {
#define GEN_PASS_DEF_PROPAGATELAYOUT
#include "Pipelines/Passes.h.inc"

namespace {

using Permutation = SmallVector<int64_t>;
using Groups = SmallVector<ReassociationIndices>;

template <typename T>
SmallVector<T> permuted(ArrayRef<T> values, ArrayRef<int64_t> permutation) {
  SmallVector<T> result;
  for (int64_t from : permutation)
    result.push_back(values[from]);
  return result;
}

RankedTensorType permutedType(Type type, ArrayRef<int64_t> permutation) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(permuted(tensor.getShape(), permutation), tensor.getElementType());
}

/// Moves each op that does not mind the order of dimensions from behind a transposition to before it.
class Mover {
public:
  explicit Mover(func::FuncOp function) : function(function), rewriter(function.getContext()) {}

  void run() {
    // The regions of control flow first: they are not entered from outside.
    SmallVector<Block *> blocks;
    function.walk([&](Operation *op) {
      if (isa<scf::IfOp, scf::ForOp, scf::WhileOp, func::FuncOp>(op))
        for (Region &region : op->getRegions())
          for (Block &each : region)
            blocks.push_back(&each);
    });
    for (Block *each : blocks) {
      block = each;
      moveAll();
    }
  }

private:
  void moveAll() {
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      rewriter.setInsertionPoint(&op);
      llvm::TypeSwitch<Operation *>(&op)
          .Case<linalg::TransposeOp, linalg::GenericOp, tensor::PadOp, tensor::InsertSliceOp, tensor::ExtractSliceOp,
                tensor::CastOp, tensor::DimOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
              [&](auto each) { move(each); });
    }
    for (auto op : llvm::make_early_inc_range(block->getOps<linalg::TransposeOp>())) {
      rewriter.setInsertionPoint(op);
      if (!join(op))
        padBehind(op);
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (isOpTriviallyDead(&op))
        rewriter.eraseOp(&op);
  }

  /// What is transposed in the same block: work does not move into a loop.
  linalg::TransposeOp transposition(Value value) const {
    auto op = value.getDefiningOp<linalg::TransposeOp>();
    return op && op->getBlock() == block ? op : linalg::TransposeOp();
  }

  bool isTransposedBy(Value value, ArrayRef<int64_t> permutation) const {
    linalg::TransposeOp op = transposition(value);
    return op && op.getPermutation() == permutation;
  }

  /// What stands for `old` from now on: `value`, of an op moved before the transposition, transposed.
  void replace(Operation *old, Value value, ArrayRef<int64_t> permutation) {
    Location loc = old->getLoc();
    rewriter.replaceOp(old, ofType(loc, transposed(loc, value, permutation), old->getResult(0).getType()));
  }

  Value transposed(Location loc, Value value, ArrayRef<int64_t> permutation) {
    SmallVector<OpFoldResult> sizes = permuted(ArrayRef(tensor::getMixedSizes(rewriter, loc, value)), permutation);
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, getElementTypeOrSelf(value.getType()));
    return linalg::TransposeOp::create(rewriter, loc, value, empty, permutation)->getResult(0);
  }

  Value ofType(Location loc, Value value, Type type) {
    return value.getType() == type ? value : tensor::CastOp::create(rewriter, loc, type, value).getResult();
  }

  void move(linalg::TransposeOp op) {
    linalg::TransposeOp before = transposition(op.getInput());
    if (!before)
      return;
    Permutation both = permuted(before.getPermutation(), op.getPermutation());
    if (!isIdentityPermutation(both))
      return replace(op, before.getInput(), both);
    rewriter.replaceOp(op, ofType(op.getLoc(), before.getInput(), op->getResult(0).getType()));
  }

  /// Whether an element of the result is made of the operand's element at the same place.
  static bool readsElementwise(linalg::GenericOp op, OpOperand *operand) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    ArrayRef<int64_t> shape = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
    if (map.getNumResults() != op.getNumLoops())
      return false;
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (expr != getAffineDimExpr(i, op.getContext()) && !(expr == 0 && shape[i] == 1))
        return false;
    return true;
  }

  /// The permutation by which all operands that the op reads element by element are transposed; empty: there is none.
  Permutation commonPermutation(linalg::GenericOp op) const {
    if (op.getNumResults() != 1 || op.getNumParallelLoops() != op.getNumLoops() ||
        !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
        !op.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>() ||
        op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
      return {};
    Permutation common;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      bool whole = readsElementwise(op, operand);
      if (!whole && !op.getMatchingIndexingMap(operand).isPermutation())
        continue;
      linalg::TransposeOp transposed = transposition(operand->get());
      if (!whole || !transposed || (!common.empty() && transposed.getPermutation() != ArrayRef(common)))
        return {};
      common = Permutation(transposed.getPermutation());
    }
    return common;
  }

  void move(linalg::GenericOp op) {
    Permutation permutation = commonPermutation(op);
    if (permutation.empty())
      return;
    Permutation inverse = invertPermutationVector(permutation);
    unsigned rank = permutation.size();
    // Loop i of the op is loop permutation[i] now.
    SmallVector<AffineExpr> dims;
    for (int64_t to : permutation)
      dims.push_back(rewriter.getAffineDimExpr(to));
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(operand);
      bool whole = readsElementwise(op, operand);
      inputs.push_back(whole ? transposition(operand->get()).getInput() : operand->get());
      maps.push_back(whole ? rewriter.getMultiDimIdentityMap(rank) : map.replaceDimsAndSymbols(dims, {}, rank, 0));
    }
    maps.push_back(rewriter.getMultiDimIdentityMap(rank));
    SmallVector<OpFoldResult> sizes =
        permuted(ArrayRef(op.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>().getMixedSizes()), inverse);
    Value empty =
        tensor::EmptyOp::create(rewriter, op.getLoc(), sizes, getElementTypeOrSelf(op->getResult(0).getType()));
    auto moved = linalg::GenericOp::create(rewriter, op.getLoc(), empty.getType(), inputs, ValueRange{empty}, maps,
                                           op.getIteratorTypesArray());
    moved.getRegion().takeBody(op.getRegion());
    for (auto index : moved.getBody()->getOps<linalg::IndexOp>())
      index.setDim(permutation[index.getDim()]);
    replace(op, moved.getResult(0), permutation);
  }

  void move(tensor::PadOp op) {
    linalg::TransposeOp before = transposition(op.getSource());
    Value with = op.getConstantPaddingValue();
    if (!before || !with)
      return;
    Permutation inverse = invertPermutationVector(before.getPermutation());
    auto moved = tensor::PadOp::create(rewriter, op.getLoc(), permutedType(op.getType(), inverse), before.getInput(),
                                       permuted(ArrayRef(op.getMixedLowPad()), inverse),
                                       permuted(ArrayRef(op.getMixedHighPad()), inverse), with);
    replace(op, moved, before.getPermutation());
  }

  void move(tensor::ExtractSliceOp op) {
    linalg::TransposeOp before = transposition(op.getSource());
    if (!before || op.getType().getRank() != op.getSourceType().getRank())
      return;
    Permutation inverse = invertPermutationVector(before.getPermutation());
    Value moved = tensor::ExtractSliceOp::create(rewriter, op.getLoc(), permutedType(op.getType(), inverse),
                                                 before.getInput(), permuted(ArrayRef(op.getMixedOffsets()), inverse),
                                                 permuted(ArrayRef(op.getMixedSizes()), inverse),
                                                 permuted(ArrayRef(op.getMixedStrides()), inverse));
    replace(op, moved, before.getPermutation());
  }

  /// The insertions, one into another's result, that fill what `first` begins to; empty where a source is not
  /// transposed as the first is.
  SmallVector<tensor::InsertSliceOp> chainFrom(tensor::InsertSliceOp first) const {
    SmallVector<tensor::InsertSliceOp> chain;
    linalg::TransposeOp before = transposition(first.getSource());
    for (tensor::InsertSliceOp op = first; op;) {
      if (!before || !isTransposedBy(op.getSource(), before.getPermutation()) ||
          op.getSourceType().getRank() != op.getType().getRank())
        return {};
      chain.push_back(op);
      auto next = op->hasOneUse() ? dyn_cast<tensor::InsertSliceOp>(*op->user_begin()) : tensor::InsertSliceOp();
      op = next && next.getDest() == op.getResult() ? next : tensor::InsertSliceOp();
    }
    return chain;
  }

  void move(tensor::InsertSliceOp op) {
    auto empty = op.getDest().getDefiningOp<tensor::EmptyOp>();
    SmallVector<tensor::InsertSliceOp> chain = empty ? chainFrom(op) : SmallVector<tensor::InsertSliceOp>();
    if (chain.empty())
      return;
    Permutation permutation(transposition(op.getSource()).getPermutation());
    Permutation inverse = invertPermutationVector(permutation);
    rewriter.setInsertionPoint(chain.back());
    Value filled = tensor::EmptyOp::create(rewriter, op.getLoc(), permuted(ArrayRef(empty.getMixedSizes()), inverse),
                                           op.getType().getElementType());
    for (tensor::InsertSliceOp each : chain)
      filled = tensor::InsertSliceOp::create(rewriter, each.getLoc(), transposition(each.getSource()).getInput(),
                                             filled, permuted(ArrayRef(each.getMixedOffsets()), inverse),
                                             permuted(ArrayRef(each.getMixedSizes()), inverse),
                                             permuted(ArrayRef(each.getMixedStrides()), inverse));
    // The walk has yet to come past the chain, which nothing uses then.
    Location loc = op.getLoc();
    rewriter.replaceAllUsesWith(chain.back(),
                                ofType(loc, transposed(loc, filled, permutation), chain.back().getType()));
  }

  void move(tensor::CastOp op) {
    linalg::TransposeOp before = transposition(op.getSource());
    if (!before || !isa<RankedTensorType>(op.getType()))
      return;
    Permutation inverse = invertPermutationVector(before.getPermutation());
    Value moved = tensor::CastOp::create(rewriter, op.getLoc(), permutedType(op.getType(), inverse), before.getInput());
    replace(op, moved, before.getPermutation());
  }

  void move(tensor::DimOp op) {
    linalg::TransposeOp before = transposition(op.getSource());
    std::optional<int64_t> dim = op.getConstantIndex();
    if (before && dim)
      rewriter.replaceOpWithNewOp<tensor::DimOp>(op, before.getInput(), before.getPermutation()[*dim]);
  }

  /// The dimensions that each dimension is split into, one group after the other.
  void move(tensor::ExpandShapeOp op) {
    linalg::TransposeOp before = transposition(op.getSrc());
    if (!before)
      return;
    Groups parts = op.getReassociationIndices();
    SmallVector<OpFoldResult> sizes = op.getMixedOutputShape(), movedSizes;
    Groups movedParts;
    Permutation permutation(sizes.size());
    for (int64_t from : invertPermutationVector(before.getPermutation())) {
      movedParts.emplace_back();
      for (int64_t part : parts[from]) {
        permutation[part] = movedSizes.size();
        movedParts.back().push_back(movedSizes.size());
        movedSizes.push_back(sizes[part]);
      }
    }
    RankedTensorType type = permutedType(op.getType(), invertPermutationVector(permutation));
    Value moved = tensor::ExpandShapeOp::create(rewriter, op.getLoc(), type, before.getInput(), movedParts, movedSizes);
    replace(op, moved, permutation);
  }

  /// What joins dimensions that lie side by side before the transposition, too. Where their order there is another, a
  /// transposition within the groups stays before the op.
  void move(tensor::CollapseShapeOp op) {
    linalg::TransposeOp before = transposition(op.getSrc());
    if (!before)
      return;
    ArrayRef<int64_t> old = before.getPermutation();
    Groups parts = op.getReassociationIndices();
    SmallVector<std::pair<int64_t, unsigned>> starts;
    for (auto [number, group] : llvm::enumerate(parts)) {
      auto places = llvm::map_range(group, [&](int64_t part) { return old[part]; });
      int64_t first = *std::min_element(places.begin(), places.end());
      if (*std::max_element(places.begin(), places.end()) - first + 1 != static_cast<int64_t>(group.size()))
        return;
      starts.push_back({first, number});
    }
    llvm::sort(starts);
    Permutation within, between(parts.size());
    Groups movedParts;
    for (auto [place, start] : llvm::enumerate(starts)) {
      between[start.second] = place;
      movedParts.emplace_back();
      for (int64_t part : parts[start.second]) {
        movedParts.back().push_back(within.size());
        within.push_back(old[part]);
      }
    }
    if (isIdentityPermutation(between))
      return;
    Value source = before.getInput();
    if (!isIdentityPermutation(within))
      source = transposed(op.getLoc(), source, within);
    replace(op, tensor::CollapseShapeOp::create(rewriter, op.getLoc(), source, movedParts), between);
  }

  /// Of a transposition within and one between the dimensions that the op between them joins makes one again.
  bool join(linalg::TransposeOp op) {
    auto joined = op.getInput().getDefiningOp<tensor::CollapseShapeOp>();
    linalg::TransposeOp before = joined && joined->hasOneUse() ? transposition(joined.getSrc()) : linalg::TransposeOp();
    if (!before || !before->hasOneUse())
      return false;
    Groups parts = joined.getReassociationIndices(), movedParts;
    Permutation both;
    for (int64_t group : op.getPermutation()) {
      movedParts.emplace_back();
      for (int64_t part : parts[group]) {
        movedParts.back().push_back(both.size());
        both.push_back(before.getPermutation()[part]);
      }
    }
    Value whole = transposed(op.getLoc(), before.getInput(), both);
    Value result = tensor::CollapseShapeOp::create(rewriter, op.getLoc(), whole, movedParts);
    rewriter.replaceOp(op, ofType(op.getLoc(), result, op->getResult(0).getType()));
    return true;
  }

  /// A pad before a transposition that stays goes behind it: what is transposed then lies where it belongs at once.
  void padBehind(linalg::TransposeOp op) {
    auto pad = op.getInput().getDefiningOp<tensor::PadOp>();
    Value with = pad && pad->hasOneUse() ? pad.getConstantPaddingValue() : Value();
    if (!with)
      return;
    ArrayRef<int64_t> permutation = op.getPermutation();
    Value inside = transposed(op.getLoc(), pad.getSource(), permutation);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value moved = tensor::PadOp::create(rewriter, op.getLoc(), type, inside,
                                        permuted(ArrayRef(pad.getMixedLowPad()), permutation),
                                        permuted(ArrayRef(pad.getMixedHighPad()), permutation), with);
    rewriter.replaceOp(op, moved);
  }

  func::FuncOp function;
  Block *block = nullptr;
  IRRewriter rewriter;
};

struct PropagateLayoutPass : impl::PropagateLayoutBase<PropagateLayoutPass> {
protected:
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function.getBody().hasOneBlock())
        Mover(function).run();
  }
};

} // namespace
} // namespace clika
