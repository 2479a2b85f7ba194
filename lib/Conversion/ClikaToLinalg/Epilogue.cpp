#include "Conversion/ClikaToLinalg/Epilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace clika {

Value finish(TensorBuilder &t, Value sums, Value bias, unsigned along, StringRef activation, Type element) {
  if (!bias && activation == "Identity" && getElementTypeOrSelf(sums.getType()) == storedElement(element))
    return sums;
  Sizes sizes = t.sizesOf(sums);
  unsigned rank = sizes.size();
  SmallVector<Value> inputs{sums};
  SmallVector<AffineMap> maps{t.identity(rank)};
  if (bias) {
    inputs.push_back(bias);
    maps.push_back(t.mapTo(rank, {along}));
  }
  return t.map(sizes, storedElement(element), inputs, maps, [&](ImplicitLocOpBuilder &b, ValueRange scalars) {
    Value result = scalars[0];
    if (bias) {
      Value added = toComputed(b, scalars[1], element);
      result = isa<FloatType>(added.getType()) ? arith::AddFOp::create(b, result, added).getResult()
                                               : arith::AddIOp::create(b, result, added).getResult();
    }
    return activateAndStore(b, activation, result, element);
  });
}

} // namespace clika
