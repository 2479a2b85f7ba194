#include "Conversion/ClikaToLinalg/Contraction.h"

#include "Pipelines/OpGroups.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace clika {

static Value multiplyAdd(ImplicitLocOpBuilder &b, Value x, Value y, Value sum) {
  if (!isa<FloatType>(sum.getType()))
    return arith::AddIOp::create(b, sum, arith::MulIOp::create(b, x, y));
  auto wide = [&](Value value) -> Value {
    return value.getType() == sum.getType() ? value : arith::ExtFOp::create(b, sum.getType(), value).getResult();
  };
  return math::FmaOp::create(b, wide(x), wide(y), sum);
}

Value contract(TensorBuilder &t, ValueRange inputs, Value start, ArrayRef<SmallVector<AffineExpr>> exprs,
               unsigned loopCount) {
  SmallVector<AffineMap> maps;
  for (ArrayRef<AffineExpr> results : exprs)
    maps.push_back(AffineMap::get(loopCount, 0, results, t.b.getContext()));
  SmallVector<utils::IteratorType> loops;
  for (unsigned loop = 0; loop != loopCount; ++loop)
    loops.push_back(maps.back().isFunctionOfDim(loop) ? utils::IteratorType::parallel : utils::IteratorType::reduction);
  Value sums = t.generic(inputs, start, maps, loops,
                         [&](ImplicitLocOpBuilder &b, ValueRange scalars, SmallVectorImpl<Value> &results) {
                           results.push_back(multiplyAdd(b, scalars[0], scalars[1], scalars[2]));
                         })[0];
  sums.getDefiningOp()->setAttr(kContractionAttr, t.b.getUnitAttr());
  return sums;
}

Sizes spatialSizes(TensorBuilder &t, Value tensor) {
  Sizes sizes = t.sizesOf(tensor);
  return Sizes(sizes.begin() + 2, sizes.end());
}

void checkBias(TensorBuilder &t, Value value, Value bias, Dim outputs, Size count) {
  if (bias)
    t.requireSame(dimsOf(value.getType())[0], outputs, t.sizeOf(bias, 0), count,
                  "bias and weight's out channels differ in number");
}

} // namespace clika
