#include "Conversion/ClikaToLinalg/Loops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace clika {

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
