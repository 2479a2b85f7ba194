#include "Dialect/ShapeValues.h"

#include "Dialect/ConstantData.h"
#include "Dialect/CoreOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace clika {
namespace {

constexpr int64_t kMostValues = 64;
constexpr unsigned kMostSteps = 64;

// Hands each element of `data` on as its bits; false where there are too many or they are not at hand.
bool eachBits(ElementsAttr data, int64_t limit, llvm::function_ref<void(APInt)> take) {
  auto type = dyn_cast<RankedTensorType>(data.getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() > limit || !type.getElementType().isIntOrFloat())
    return false;
  ConstantData constant = constantData(data);
  size_t width = std::max(1u, type.getElementTypeBitWidth() / 8);
  if (!constant.valid || constant.bytes.size() != type.getNumElements() * width || width > sizeof(uint64_t))
    return false;
  for (size_t i = 0; i < constant.bytes.size(); i += width) {
    uint64_t bits = 0;
    std::memcpy(&bits, constant.bytes.data() + i, width);
    take(APInt(width * 8, bits));
  }
  return true;
}

std::optional<Dims> valuesOf(Value value, unsigned &steps) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() > kMostValues ||
      !isa<IntegerType>(type.getElementType()))
    return std::nullopt;
  Operation *op = value.getDefiningOp();
  if (!op || ++steps > kMostSteps)
    return std::nullopt;
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    std::optional<SmallVector<int64_t>> integers = integersOf(constant.getValue(), kMostValues);
    if (!integers)
      return std::nullopt;
    Dims dims;
    for (int64_t integer : *integers)
      dims.push_back(constantDim(value.getContext(), integer));
    return dims;
  }
  auto knows = dyn_cast<ShapeValueOp>(op);
  if (!knows)
    return std::nullopt;
  SmallVector<std::optional<Dims>> operands;
  for (Value operand : op->getOperands())
    operands.push_back(valuesOf(operand, steps));
  std::optional<Dims> dims = knows.resultValues(operands, cast<OpResult>(value).getResultNumber());
  if (!dims || static_cast<int64_t>(dims->size()) != type.getNumElements())
    return std::nullopt;
  return dims;
}

// False where the product of the constants overflows.
bool addFactors(Dim dim, SmallVectorImpl<Dim> &factors, int64_t &constant) {
  if (std::optional<int64_t> size = constantOf(dim))
    return !llvm::MulOverflow(constant, *size, constant);
  auto product = dyn_cast<AffineBinaryOpExpr>(dim);
  if (product && product.getKind() == AffineExprKind::Mul) {
    bool left = addFactors(product.getLHS(), factors, constant);
    return addFactors(product.getRHS(), factors, constant) && left;
  }
  factors.push_back(dim);
  return true;
}

} // namespace

std::optional<Dims> shapeValues(Value value) {
  unsigned steps = 0;
  return valuesOf(value, steps);
}

std::optional<SmallVector<int64_t>> integersOf(ElementsAttr data, int64_t limit) {
  auto integer = dyn_cast<IntegerType>(data.getElementType());
  if (!integer)
    return std::nullopt;
  bool zeroExtend = integer.isUnsigned() || integer.getWidth() == 1, fits = true;
  SmallVector<int64_t> result;
  auto take = [&](const APInt &bits) {
    fits &= !(integer.isUnsigned() && bits.getBitWidth() == 64 && bits.isNegative());
    result.push_back(zeroExtend ? static_cast<int64_t>(bits.getZExtValue()) : bits.getSExtValue());
  };
  if (!eachBits(data, limit, take) || !fits)
    return std::nullopt;
  return result;
}

std::optional<SmallVector<double>> numbersOf(ElementsAttr data, int64_t limit) {
  SmallVector<double> result;
  if (auto number = dyn_cast<FloatType>(data.getElementType())) {
    auto take = [&](const APInt &bits) {
      APFloat value(number.getFloatSemantics(), bits);
      bool lost;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
      result.push_back(value.convertToDouble());
    };
    if (!eachBits(data, limit, take))
      return std::nullopt;
    return result;
  }
  std::optional<SmallVector<int64_t>> integers = integersOf(data, limit);
  if (!integers)
    return std::nullopt;
  result.assign(integers->begin(), integers->end());
  return result;
}

std::optional<SmallVector<double>> constantNumbers(Value value) {
  auto constant = value ? value.getDefiningOp<ConstantOp>() : ConstantOp();
  if (!constant)
    return std::nullopt;
  return numbersOf(constant.getValue(), kMostValues);
}

std::optional<int64_t> leastOf(Dim dim) {
  if (!dim)
    return std::nullopt;
  if (std::optional<int64_t> size = constantOf(dim))
    return size;
  if (isa<AffineSymbolExpr>(dim))
    return 0;
  auto binary = cast<AffineBinaryOpExpr>(dim);
  std::optional<int64_t> left = leastOf(binary.getLHS()), right = leastOf(binary.getRHS());
  if (binary.getKind() == AffineExprKind::Mod)
    return 0;
  int64_t result;
  if (!left || !right)
    return std::nullopt;
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return llvm::AddOverflow(*left, *right, result) ? std::nullopt : std::optional(result);
  case AffineExprKind::Mul:
    if (*left < 0 || *right < 0 || llvm::MulOverflow(*left, *right, result))
      return std::nullopt;
    return result;
  default: {
    std::optional<int64_t> divisor = constantOf(binary.getRHS());
    if (!divisor || *divisor <= 0)
      return std::nullopt;
    return binary.getKind() == AffineExprKind::FloorDiv ? llvm::divideFloorSigned(*left, *divisor)
                                                        : llvm::divideCeilSigned(*left, *divisor);
  }
  }
}

Dim divideProducts(MLIRContext *context, ArrayRef<Dim> numerator, ArrayRef<Dim> denominator) {
  SmallVector<Dim> above, below;
  int64_t constant = 1, divisor = 1;
  if (llvm::is_contained(numerator, Dim()) || llvm::is_contained(denominator, Dim()))
    return Dim();
  bool fits = true;
  for (Dim dim : numerator)
    fits &= addFactors(dim, above, constant);
  for (Dim dim : denominator)
    fits &= addFactors(dim, below, divisor);
  if (!fits)
    return Dim();
  for (Dim factor : below) {
    auto *found = llvm::find(above, factor);
    if (found == above.end())
      return Dim();
    above.erase(found);
  }
  if (divisor == 0)
    return Dim();
  if (constant % divisor == 0)
    return mulDims(productOf(context, above), constant / divisor);
  return exactDivDims(mulDims(productOf(context, above), constant), constantDim(context, divisor));
}

} // namespace clika
