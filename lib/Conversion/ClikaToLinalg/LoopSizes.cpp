// What loops say of sizes while types still name them.
#include "Conversion/ClikaToLinalg/Control.h"
#include "Dialect/ControlOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace clika {
namespace {

/// A value that the loop reads from outside, and the dimension of it that has the size `dim`.
std::optional<std::pair<Value, int64_t>> holderOf(Dim dim, ArrayRef<Value> outside) {
  for (Value value : outside)
    for (auto [d, size] : llvm::enumerate(dimsOf(value.getType())))
      if (size && size == dim)
        return std::pair(value, static_cast<int64_t>(d));
  return std::nullopt;
}

/// Lets the loop carry, unchanged, the sizes that its kept values have as its types say.
void carryKeptSizes(LoopOp loop) {
  SmallVector<Value> outside(loop.getCarried());
  outside.append(capturesOf(loop));
  for (Value kept : loop.getScans())
    if (kept.getParentRegion() != &loop.getBody())
      outside.push_back(kept);
  OpBuilder b(loop);
  SmallVector<Value> sizes;
  SmallVector<int64_t> triples;
  size_t carried = loop.getCarried().size();
  for (auto [k, kept] : llvm::enumerate(loop.getScans()))
    for (auto [d, dim] : llvm::enumerate(dimsOf(kept.getType()))) {
      auto holder = dim && !constantOf(dim) ? holderOf(dim, outside) : std::nullopt;
      if (!holder)
        continue;
      OperationState state(loop.getLoc(), "clika.shape");
      state.addOperands(holder->first);
      state.addTypes(RankedTensorType::get({1}, b.getI64Type()));
      state.addAttribute("start", b.getI64IntegerAttr(holder->second));
      state.addAttribute("end", b.getI64IntegerAttr(holder->second + 1));
      triples.append({static_cast<int64_t>(k), static_cast<int64_t>(d), static_cast<int64_t>(carried + sizes.size())});
      sizes.push_back(b.create(state)->getResult(0));
    }
  if (sizes.empty())
    return;
  SmallVector<Value> inits(loop.getCarried());
  inits.append(sizes);
  SmallVector<Type> types(loop.getResultTypes());
  types.insert(types.begin() + static_cast<std::ptrdiff_t>(carried), sizes.size(), sizes.front().getType());
  auto next = LoopOp::create(b, loop.getLoc(), types, loop.getTripCount(), loop.getCondition(), inits,
                             loop.getProperties().node);
  next->setAttr(kKeptSizesAttr, b.getDenseI64ArrayAttr(triples));
  next.getBody().takeBody(loop.getBody());
  SmallVector<Value> yielded(next.getYield().getValues());
  for (size_t i = 0; i < sizes.size(); ++i)
    yielded.insert(yielded.begin() + static_cast<std::ptrdiff_t>(carried + i),
                   next.getBody().addArgument(sizes[i].getType(), loop.getLoc()));
  next.getYield().getValuesMutable().assign(yielded);
  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    result.replaceAllUsesWith(next.getResult(static_cast<unsigned>(i < carried ? i : i + sizes.size())));
  loop.erase();
}

} // namespace

void noteLoopSizes(ModuleOp module) {
  SmallVector<LoopOp> loops;
  module->walk([&](LoopOp loop) { loops.push_back(loop); });
  llvm::for_each(loops, carryKeptSizes);
  module->walk([](LoopOp loop) {
    SmallVector<int64_t> pairs;
    for (auto [j, init] : llvm::enumerate(loop.getCarried())) {
      Dims first = dimsOf(init.getType()), inside = dimsOf(loop.getBody().getArgument(j + 1).getType());
      Dims next = dimsOf(loop.getYield().getValues()[j].getType());
      for (size_t d = 0; d < inside.size(); ++d)
        if (inside[d] && !constantOf(inside[d]) && sameDim(first[d], inside[d]) && !sameDim(next[d], inside[d]))
          pairs.append({static_cast<int64_t>(j), static_cast<int64_t>(d)});
    }
    if (!pairs.empty())
      loop->setAttr(kFixedSizesAttr, DenseI64ArrayAttr::get(loop.getContext(), pairs));
  });
}

} // namespace clika
