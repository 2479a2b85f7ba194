#include "Conversion/ClikaToLinalg/Loops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace clika {

namespace {

struct Slice {
  Slice(IndexMath &m, ArrayRef<Index> at, ArrayRef<Index> row) : offsets(at), sizes(at.size(), m.constant(1)) {
    offsets.append(row.size(), m.constant(0));
    sizes.append(row.begin(), row.end());
    steps.assign(offsets.size(), m.constant(1));
  }
  Indices offsets, sizes, steps;
};

} // namespace

Value rowAt(Lowering &l, Value tensor, ArrayRef<Index> at, ArrayRef<Index> row) {
  Slice slice(l.math, at, row);
  RankedTensorType type = typeOfSizes(row, cast<RankedTensorType>(tensor.getType()).getElementType());
  return tensor::ExtractSliceOp::create(l.b, type, tensor, slice.offsets, slice.sizes, slice.steps);
}

Value withRow(Lowering &l, Value part, Value tensor, ArrayRef<Index> at, ArrayRef<Index> row) {
  Slice slice(l.math, at, row);
  return tensor::InsertSliceOp::create(l.b, part, tensor, slice.offsets, slice.sizes, slice.steps);
}

SmallVector<Value> loopNest(Lowering &l, ArrayRef<Index> sizes, ValueRange state, LoopBody body) {
  scf::LoopNest nest;
  SmallVector<Value> lows(sizes.size(), l.math.value(l.math.constant(0)));
  SmallVector<Value> steps(sizes.size(), l.math.value(l.math.constant(1)));
  if (sizes.empty())
    return body(l, {}, state);
  nest = scf::buildLoopNest(l.b, l.b.getLoc(), lows, l.math.values(sizes), steps, state,
                            [&](OpBuilder &builder, Location, ValueRange at, ValueRange inner) {
                              Lowering lowering(builder, l.op);
                              Indices position;
                              for (Value i : at)
                                position.push_back(i);
                              return SmallVector<Value>(body(lowering, position, inner));
                            });
  return SmallVector<Value>(nest.results);
}

} // namespace clika
