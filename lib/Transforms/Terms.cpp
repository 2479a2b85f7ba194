#include "Transforms/Terms.h"

#include "Dialect/ConstantData.h"
#include "Dialect/PointwiseOps.h"
#include "Transforms/Literals.h"
#include "Transforms/NewNode.h"
#include <cmath>

using namespace mlir;

namespace clika {
namespace {

void collect(Value value, Type type, bool inner, Product &product) {
  if (std::optional<double> number = splatOf(value)) {
    product.coefficient *= *number;
    return;
  }
  Operation *op = value.getDefiningOp();
  bool readThrough = op && value.getType() == type && hasNoActivation(op) && (!inner || isReadOnce(value));
  if (auto mul = readThrough ? dyn_cast<MulOp>(op) : MulOp()) {
    collect(mul.getA(), type, true, product);
    collect(mul.getB(), type, true, product);
    return;
  }
  auto div = readThrough ? dyn_cast<DivOp>(op) : DivOp();
  std::optional<double> divisor = div ? splatOf(div.getB()) : std::nullopt;
  if (divisor && *divisor != 0.0) {
    product.coefficient /= *divisor;
    collect(div.getA(), type, true, product);
    return;
  }
  product.factors.push_back(value);
}

} // namespace

Product productOf(Value value) {
  Product product;
  collect(value, value.getType(), false, product);
  return product;
}

std::optional<Shifted> shiftedOf(Value value) {
  auto add = value.getDefiningOp<AddOp>();
  if (!add || add.getAlpha().convertToDouble() != 1.0 || !hasNoActivation(add))
    return std::nullopt;
  for (auto [operand, other] : {std::pair(add.getA(), add.getB()), std::pair(add.getB(), add.getA())})
    if (std::optional<double> number = splatOf(operand); number && other.getType() == add.getType())
      return Shifted{other, *number};
  return std::nullopt;
}

bool isNear(double value, double number, Type element) {
  double tolerance = isa<BFloat16Type>(element) ? 4e-3 : isa<Float16Type>(element) ? 1e-3 : 2e-5;
  return areWithin(value, number, tolerance * std::abs(number));
}

} // namespace clika
