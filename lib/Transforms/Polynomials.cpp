#include "Transforms/Polynomials.h"

#include "Dialect/PointwiseOps.h"
#include "Transforms/Literals.h"
#include "Transforms/NewNode.h"

using namespace mlir;

namespace clika {
namespace {

constexpr unsigned kDeepest = 12;

bool isZero(const Polynomial &p) {
  return llvm::all_of(p, [](double c) { return c == 0.0; });
}

Polynomial sum(const Polynomial &a, double factor, const Polynomial &b) {
  Polynomial result;
  for (unsigned i = 0; i < result.size(); ++i)
    result[i] = a[i] + factor * b[i];
  return result;
}

std::optional<Polynomial> product(const Polynomial &a, const Polynomial &b) {
  Polynomial result{};
  for (unsigned i = 0; i < a.size(); ++i)
    for (unsigned j = 0; j < b.size(); ++j) {
      if (i + j < result.size())
        result[i + j] += a[i] * b[j];
      else if (a[i] * b[j] != 0.0)
        return std::nullopt;
    }
  return result;
}

std::optional<Gated> product(const Gated &a, const Gated &b) {
  if (!isZero(a.times) && !isZero(b.times))
    return std::nullopt;
  std::optional<Polynomial> plain = product(a.plain, b.plain), left = product(a.times, b.plain),
                            right = product(a.plain, b.times);
  return plain && left && right ? std::optional(Gated{*plain, sum(*left, 1.0, *right)}) : std::nullopt;
}

/// The operator that a formula may be read through.
Operation *readThrough(Value value, bool inner) {
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<AddOp, SubOp, MulOp, DivOp, NegOp, PowOp>(op) && hasNoActivation(op) &&
                 (!inner || isReadOnce(value))
             ? op
             : nullptr;
}

class Reader {
public:
  Reader(Value x, Value function) : x(x), function(function) {}

  std::optional<Gated> read(Value value, unsigned depth = 0) {
    if (value == x)
      return Gated{{0.0, 1.0}, {}};
    if (value == function)
      return Gated{{}, {1.0}};
    if (std::optional<double> number = splatOf(value))
      return Gated{{*number}, {}};
    Operation *op = depth < kDeepest ? readThrough(value, depth > 0) : nullptr;
    std::optional<Gated> first = op ? read(op->getOperand(0), depth + 1) : std::nullopt;
    if (!first)
      return std::nullopt;
    if (isa<NegOp>(op))
      return product(*first, Gated{{-1.0}, {}});
    return readBinary(op, *first, depth);
  }

private:
  std::optional<Gated> readBinary(Operation *op, const Gated &first, unsigned depth) {
    if (isa<DivOp, PowOp>(op)) {
      std::optional<double> number = splatOf(op->getOperand(1));
      if (isa<DivOp>(op))
        return number && *number != 0.0 ? product(first, Gated{{1.0 / *number}, {}}) : std::nullopt;
      std::optional<Gated> square = number == 2.0 || number == 3.0 ? product(first, first) : std::nullopt;
      return square && number == 3.0 ? product(*square, first) : square;
    }
    std::optional<Gated> second = read(op->getOperand(1), depth + 1);
    if (!second || isa<MulOp>(op))
      return second ? product(first, *second) : std::nullopt;
    double factor =
        isa<AddOp>(op) ? cast<AddOp>(op).getAlpha().convertToDouble() : -cast<SubOp>(op).getAlpha().convertToDouble();
    return Gated{sum(first.plain, factor, second->plain), sum(first.times, factor, second->times)};
  }

  Value x, function;
};

Value leafOf(Value value, llvm::function_ref<bool(Value)> wanted, unsigned depth) {
  Operation *op = depth < kDeepest ? readThrough(value, depth > 0) : nullptr;
  if (!op)
    return wanted(value) ? value : Value();
  for (Value operand : op->getOperands())
    if (!splatOf(operand))
      if (Value leaf = leafOf(operand, wanted, depth + 1))
        return leaf;
  return Value();
}

} // namespace

std::optional<Gated> gatedOf(Value value, Value x, Value function) { return Reader(x, function).read(value); }

std::optional<Polynomial> polynomialOf(Value value, Value x) {
  std::optional<Gated> gated = gatedOf(value, x, Value());
  return gated ? std::optional(gated->plain) : std::nullopt;
}

Value leafOf(Value value, llvm::function_ref<bool(Value)> wanted) { return leafOf(value, wanted, 0); }

} // namespace clika
