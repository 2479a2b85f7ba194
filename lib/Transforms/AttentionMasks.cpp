// What is known of the masks of attention.
#include "Transforms/AttentionMasks.h"

#include "Dialect/CoreOps.h"
#include "Dialect/PointwiseOps.h"
#include "Dialect/ShapeValues.h"
#include "Transforms/Literals.h"
#include "Transforms/Moved.h"
#include "Transforms/NewNode.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;

namespace clika {
namespace {

//===----------------------------------------------------------------------===//
// Keys that are left
//===----------------------------------------------------------------------===//

/// The numbers that a float value's elements lie between. NaN is no -inf, and so may be among them.
struct Range {
  double low, high;
};

Range hull(std::initializer_list<double> numbers) { return {std::min(numbers), std::max(numbers)}; }

std::optional<Range> rangeOf(Value value, unsigned depth = 0);

std::optional<Range> rangeOfOperation(Operation *op, unsigned depth) {
  auto operand = [&](unsigned i) { return rangeOf(op->getOperand(i), depth + 1); };
  if (auto cast = dyn_cast<CastOp>(op))
    return getElementTypeOrSelf(cast.getX()).isInteger(1) ? std::optional(Range{0.0, 1.0}) : std::nullopt;
  if (isa<ReshapeOp, TransposeOp, SqueezeOp, UnsqueezeOp, ExpandOp, SliceOp, IdentityOp>(op))
    return operand(0);
  if (auto where = dyn_cast<WhereOp>(op)) {
    std::optional<Range> a = operand(1), b = operand(2);
    return a && b ? std::optional(Range{std::min(a->low, b->low), std::max(a->high, b->high)}) : std::nullopt;
  }
  if (!isa<AddOp, SubOp, MulOp>(op) || !hasNoActivation(op))
    return std::nullopt;
  std::optional<Range> a = operand(0), b = operand(1);
  if (!a || !b)
    return std::nullopt;
  if (isa<MulOp>(op))
    return hull({a->low * b->low, a->low * b->high, a->high * b->low, a->high * b->high});
  double alpha =
      isa<AddOp>(op) ? cast<AddOp>(op).getAlpha().convertToDouble() : -cast<SubOp>(op).getAlpha().convertToDouble();
  return Range{a->low + std::min(alpha * b->low, alpha * b->high), a->high + std::max(alpha * b->low, alpha * b->high)};
}

std::optional<Range> rangeOf(Value value, unsigned depth) {
  constexpr unsigned kDeepest = 12;
  if (std::optional<std::vector<double>> numbers = readNumbers(value)) {
    Range range{0.0, 0.0};
    for (double number : *numbers)
      range = {std::min(range.low, number), std::max(range.high, number)};
    return range;
  }
  Operation *op = value.getDefiningOp();
  std::optional<Range> range = op && depth < kDeepest ? rangeOfOperation(op, depth) : std::nullopt;
  // What is infinite in the dtype on the way tells nothing of what comes of it.
  double largest = isa<FloatType>(getElementTypeOrSelf(value))
                       ? llvm::APFloat::getLargest(cast<FloatType>(getElementTypeOrSelf(value)).getFloatSemantics())
                             .convertToDouble()
                       : 0.0;
  return range && range->low >= -largest && range->high <= largest ? range : std::nullopt;
}

/// Whether each row of a constant has an element that is not `gone`.
template <typename Number>
bool everyRowHas(Value value, llvm::ArrayRef<Number> numbers, llvm::function_ref<bool(Number)> gone) {
  size_t size = rankOf(value) > 0 ? typeOf(value).getShape().back() : 1;
  for (size_t row = 0; row + size <= numbers.size() && size > 0; row += size)
    if (llvm::all_of(numbers.slice(row, size), gone))
      return false;
  return true;
}

/// The elements of a constant of bools; none for another value or a large one.
std::optional<llvm::SmallVector<int64_t>> boolsOf(Value value) {
  constexpr int64_t kMost = int64_t(1) << 24;
  auto constant = value.getDefiningOp<ConstantOp>();
  bool isBool = constant && getElementTypeOrSelf(value).isInteger(1);
  return isBool ? integersOf(constant.getValue(), kMost) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Causality
//===----------------------------------------------------------------------===//

/// For a constant mask of static sizes, all of them 1 but the last two.
StringRef causalOfConstant(Value mask) {
  llvm::ArrayRef<int64_t> shape = typeOf(mask).getShape();
  int64_t queries = shape[shape.size() - 2], keys = shape.back();
  std::optional<llvm::SmallVector<int64_t>> bits = boolsOf(mask);
  std::optional<std::vector<double>> numbers = readNumbers(mask);
  if (!bits && !numbers)
    return "Off";
  auto is = [&](int64_t at, bool kept) {
    if (bits)
      return (*bits)[at] == (kept ? 1 : 0);
    return (*numbers)[at] == (kept ? 0.0 : -std::numeric_limits<double>::infinity());
  };
  auto isCut = [&](int64_t ahead) {
    return llvm::all_of(llvm::seq<int64_t>(0, queries * keys),
                        [&](int64_t at) { return is(at, at % keys <= at / keys + ahead); });
  };
  return isCut(0) ? "UpperLeft" : isCut(keys - queries) ? "LowerRight" : "Off";
}

/// Whether an operand that may be left out is, or holds this number; the setting that stands for it is left out or
/// holds it.
bool isNumber(Value operand, Attribute setting, double number) {
  return operand ? splatOf(operand) == number : !setting || numberOf(setting) == number;
}

/// Whether the elements of integers are 0, 1, 2 … in order.
bool counts(Value value, unsigned depth = 0) {
  constexpr unsigned kDeepest = 8;
  Operation *op = value.getDefiningOp();
  if (!op || depth > kDeepest || !isa<IntegerType>(getElementTypeOrSelf(value)))
    return false;
  if (auto range = dyn_cast<RangeOp>(op))
    return isNumber(range.getStartTensor(), range.getStartAttr(), 0.0) &&
           isNumber(range.getDeltaTensor(), range.getDeltaAttr(), 1.0);
  if (isa<UnsqueezeOp, SqueezeOp, ReshapeOp>(op))
    return counts(op->getOperand(0), depth + 1);
  std::optional<llvm::SmallVector<int64_t>> numbers = constantIntegers(value);
  return numbers && llvm::all_of(llvm::enumerate(*numbers),
                                 [](const auto &each) { return each.value() == static_cast<int64_t>(each.index()); });
}

/// Whether integers are 0, 1, 2 … along one of the last two dimensions, of that size, and have one along every other.
bool countsAlong(Value value, unsigned fromEnd, Dim size) {
  Dims dims = dimsOf(value.getType());
  if (dims.size() <= fromEnd || !sameDim(dims[dims.size() - 1 - fromEnd], size) || !counts(value))
    return false;
  for (unsigned i = 0; i < dims.size(); ++i)
    if (i != dims.size() - 1 - fromEnd && constantOf(dims[i]) != 1)
      return false;
  return true;
}

} // namespace

bool leavesKeys(Value mask) {
  if (getElementTypeOrSelf(mask).isInteger(1)) {
    std::optional<llvm::SmallVector<int64_t>> bits = boolsOf(mask);
    return bits && everyRowHas<int64_t>(mask, *bits, [](int64_t bit) { return bit == 0; });
  }
  if (std::optional<std::vector<double>> numbers = readNumbers(mask))
    return everyRowHas<double>(mask, *numbers, [](double number) { return std::isinf(number) && number < 0.0; });
  return rangeOf(mask).has_value();
}

StringRef causalOf(Value mask, RankedTensorType scores) {
  Dims own = dimsOf(mask.getType()), all = dimsOf(scores);
  if (own.size() < 2 || own.size() > all.size() || !sameDim(own.back(), all.back()) ||
      !sameDim(own[own.size() - 2], all[all.size() - 2]))
    return "Off";
  for (Dim dim : llvm::ArrayRef(own).drop_back(2))
    if (constantOf(dim) != 1)
      return "Off";
  if (mask.getDefiningOp<ConstantOp>())
    return typeOf(mask).hasStaticShape() ? causalOfConstant(mask) : "Off";
  // 0 where a condition holds, else -inf, is what the condition is.
  if (auto where = mask.getDefiningOp<WhereOp>();
      where && splatOf(where.getA()) == 0.0 && splatOf(where.getB()) == -std::numeric_limits<double>::infinity())
    return causalOf(where.getCondition(), scores);
  if (auto unsqueeze = mask.getDefiningOp<UnsqueezeOp>(); unsqueeze && rankOf(unsqueeze.getX()) >= 2)
    return causalOf(unsqueeze.getX(), scores);
  Value earlier, later;
  if (auto compare = mask.getDefiningOp<LessEqualOp>()) {
    earlier = compare.getA();
    later = compare.getB();
  } else if (auto compare = mask.getDefiningOp<GreaterEqualOp>()) {
    earlier = compare.getB();
    later = compare.getA();
  }
  bool isCausal = earlier && countsAlong(earlier, 0, all.back()) && countsAlong(later, 1, all[all.size() - 2]);
  return isCausal ? "UpperLeft" : "Off";
}

} // namespace clika
