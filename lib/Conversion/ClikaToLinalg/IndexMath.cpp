#include "Conversion/ClikaToLinalg/IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace clika {

Value IndexMath::value(Index index) {
  if (std::optional<int64_t> constant = known(index))
    return arith::ConstantIndexOp::create(b, *constant);
  return cast<Value>(index);
}

SmallVector<Value> IndexMath::values(ArrayRef<Index> list) {
  SmallVector<Value> result;
  for (Index index : list)
    result.push_back(value(index));
  return result;
}

Value IndexMath::truth(Index condition) {
  if (std::optional<int64_t> constant = known(condition))
    return arith::ConstantIntOp::create(b, *constant != 0, 1);
  return cast<Value>(condition);
}

Index IndexMath::add(Index x, Index y) {
  std::optional<int64_t> left = known(x), right = known(y);
  if (left && right)
    return constant(*left + *right);
  if (left == 0)
    return y;
  if (right == 0)
    return x;
  return arith::AddIOp::create(b, value(x), value(y)).getResult();
}

Index IndexMath::sub(Index x, Index y) {
  std::optional<int64_t> left = known(x), right = known(y);
  if (left && right)
    return constant(*left - *right);
  if (right == 0)
    return x;
  return arith::SubIOp::create(b, value(x), value(y)).getResult();
}

Index IndexMath::mul(Index x, Index y) {
  std::optional<int64_t> left = known(x), right = known(y);
  if (left && right)
    return constant(*left * *right);
  if (left == 0 || right == 1)
    return x;
  if (right == 0 || left == 1)
    return y;
  return arith::MulIOp::create(b, value(x), value(y)).getResult();
}

Index IndexMath::min(Index x, Index y) {
  std::optional<int64_t> left = known(x), right = known(y);
  if (left && right)
    return constant(std::min(*left, *right));
  if (x == y)
    return x;
  return arith::MinSIOp::create(b, value(x), value(y)).getResult();
}

Index IndexMath::max(Index x, Index y) {
  std::optional<int64_t> left = known(x), right = known(y);
  if (left && right)
    return constant(std::max(*left, *right));
  if (x == y)
    return x;
  return arith::MaxSIOp::create(b, value(x), value(y)).getResult();
}

Index IndexMath::div(Index x, Index y) {
  std::optional<int64_t> left = known(x), right = known(y);
  if (left && right && *right > 0)
    return constant(static_cast<uint64_t>(*left) / static_cast<uint64_t>(*right));
  if (right == 1)
    return x;
  return arith::DivUIOp::create(b, value(x), value(y)).getResult();
}

Index IndexMath::mod(Index x, Index y) {
  std::optional<int64_t> left = known(x), right = known(y);
  if (left && right && *right > 0)
    return constant(static_cast<uint64_t>(*left) % static_cast<uint64_t>(*right));
  if (right == 1)
    return constant(0);
  return arith::RemUIOp::create(b, value(x), value(y)).getResult();
}

Index IndexMath::ceilDiv(Index x, Index y) { return div(add(x, sub(y, constant(1))), y); }

Index IndexMath::floorMod(Index x, Index y) {
  std::optional<int64_t> left = known(x), right = known(y);
  if (left && right && *right > 0)
    return constant(((*left % *right) + *right) % *right);
  Index remainder = arith::RemSIOp::create(b, value(x), value(y)).getResult();
  return select(less(remainder, constant(0)), add(remainder, y), remainder);
}

Index IndexMath::product(ArrayRef<Index> list) {
  Index result = constant(1);
  for (Index index : list)
    result = mul(result, index);
  return result;
}

Index IndexMath::equal(Index x, Index y) {
  std::optional<int64_t> left = known(x), right = known(y);
  if (left && right)
    return constant(*left == *right);
  if (x == y)
    return constant(1);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value(x), value(y)).getResult();
}

Index IndexMath::less(Index x, Index y) {
  std::optional<int64_t> left = known(x), right = known(y);
  if (left && right)
    return constant(*left < *right);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, value(x), value(y)).getResult();
}

Index IndexMath::both(Index x, Index y) {
  std::optional<int64_t> left = known(x), right = known(y);
  if (left)
    return *left ? y : x;
  if (right)
    return *right ? x : y;
  return arith::AndIOp::create(b, truth(x), truth(y)).getResult();
}

Index IndexMath::either(Index x, Index y) {
  std::optional<int64_t> left = known(x), right = known(y);
  if (left)
    return *left ? x : y;
  if (right)
    return *right ? y : x;
  return arith::OrIOp::create(b, truth(x), truth(y)).getResult();
}

Index IndexMath::negated(Index condition) {
  if (std::optional<int64_t> constantCondition = known(condition))
    return constant(*constantCondition == 0);
  return arith::XOrIOp::create(b, truth(condition), truth(constant(1))).getResult();
}

Index IndexMath::select(Index condition, Index x, Index y) {
  if (std::optional<int64_t> constantCondition = known(condition))
    return *constantCondition ? x : y;
  if (x == y)
    return x;
  return arith::SelectOp::create(b, truth(condition), value(x), value(y)).getResult();
}

Indices sizesOf(ImplicitLocOpBuilder &b, Value tensor) { return tensor::getMixedSizes(b, b.getLoc(), tensor); }

} // namespace clika
