#include "Transforms/ConstantData.h"

#include "Dialect/CoreOps.h"
#include "Transforms/Literals.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;

namespace clika {
namespace {

// Above this many bytes data is kept in a resource, which can be freed; below it in the attribute, which is uniqued.
constexpr size_t kInlineBytes = 512;

double decode(const llvm::fltSemantics &semantics, unsigned width, const char *data) {
  if (width == 32) {
    float value;
    std::memcpy(&value, data, sizeof value);
    return value;
  }
  uint64_t bits = 0;
  std::memcpy(&bits, data, width / 8);
  llvm::APFloat value(semantics, llvm::APInt(width, bits));
  bool lost = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
  return value.convertToDouble();
}

void encode(const llvm::fltSemantics &semantics, unsigned width, double number, char *data) {
  llvm::APFloat value(number);
  bool lost = false;
  value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &lost);
  uint64_t bits = value.bitcastToAPInt().getZExtValue();
  std::memcpy(data, &bits, width / 8);
}

} // namespace

std::optional<std::vector<double>> readNumbers(Value value) {
  auto constant = value ? value.getDefiningOp<ConstantOp>() : ConstantOp();
  auto type = constant ? cast<RankedTensorType>(constant.getType()) : RankedTensorType();
  auto element = type ? dyn_cast<FloatType>(type.getElementType()) : FloatType();
  if (!element)
    return std::nullopt;
  int64_t count = type.getNumElements();
  if (std::optional<double> splat = splatOf(value))
    return std::vector<double>(count, *splat);
  llvm::ArrayRef<char> data = bytesOf(constant.getValue());
  unsigned width = element.getWidth();
  if (data.size() != size_t(count) * (width / 8))
    return std::nullopt;
  std::vector<double> numbers(count);
  for (int64_t i = 0; i < count; ++i)
    numbers[i] = decode(element.getFloatSemantics(), width, data.data() + i * (width / 8));
  return numbers;
}

Value makeConstant(RewriterBase &rewriter, Location location, RankedTensorType type, llvm::ArrayRef<double> numbers) {
  auto element = cast<FloatType>(type.getElementType());
  unsigned width = element.getWidth();
  std::vector<char> data(numbers.size() * (width / 8));
  for (auto [i, number] : llvm::enumerate(numbers))
    encode(element.getFloatSemantics(), width, number, data.data() + i * (width / 8));
  ElementsAttr value;
  if (data.size() <= kInlineBytes)
    value = DenseElementsAttr::getFromRawBuffer(type, data);
  else
    value = DenseResourceElementsAttr::get(type, "folded", HeapAsmResourceBlob::allocateAndCopyWithAlign(data, 64));
  return ConstantOp::create(rewriter, location, value);
}

} // namespace clika
