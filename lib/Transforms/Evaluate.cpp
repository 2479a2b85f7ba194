#include "Transforms/Evaluate.h"

#include "Dialect/ConstantData.h"
#include "Dialect/CoreOps.h"
#include "Pipelines/Evaluator.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using ClikaRT::Tensor;

namespace clika {
namespace {

// Above this many bytes data is kept in a resource, which can be freed; below it in the attribute, which is uniqued.
constexpr size_t kInlineBytes = 1024;

std::optional<Tensor> tensorOf(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant)
    return std::nullopt;
  auto type = cast<RankedTensorType>(constant.getType());
  std::optional<ClikaRT::DataType> dtype = dtypeOfElement(type.getElementType());
  ConstantData data = constantData(constant.getValue());
  if (!dtype || !data.valid)
    return std::nullopt;
  ClikaRT::Shape shape(type.getShape().begin(), type.getShape().end());
  // The attribute outlives the evaluation, so its own memory can be read in place.
  if (data.owned.empty() && !data.bytes.empty())
    return Tensor::from_external(data.bytes.data(), shape, *dtype, [](void *) {});
  return Tensor::from_data(data.bytes.data(), shape, *dtype);
}

ElementsAttr attributeOf(const Tensor &tensor, RankedTensorType type) {
  type = RankedTensorType::get(tensor.shape(), type.getElementType());
  const auto *bytes = static_cast<const char *>(tensor.raw_data());
  llvm::ArrayRef<char> data(bytes, static_cast<size_t>(type.getNumElements()) * ClikaRT::item_size(tensor.dtype()));
  if (data.size() <= kInlineBytes)
    return inlineConstant(type, data);
  Tensor owner = tensor;
  AsmResourceBlob blob(
      data, ClikaRT::item_size(tensor.dtype()), [owner](void *, size_t, size_t) mutable { owner = Tensor(); },
      /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(type, "folded", std::move(blob));
}

} // namespace

llvm::FailureOr<llvm::SmallVector<ElementsAttr>> evaluateOnConstants(Operation *op) {
  std::vector<Tensor> inputs, outputs;
  for (Value operand : op->getOperands()) {
    std::optional<Tensor> tensor = tensorOf(operand);
    if (!tensor)
      return failure();
    inputs.push_back(*tensor);
  }
  try {
    outputs = Evaluator::shared().evaluate(op, inputs);
  } catch (const std::exception &) {
    return failure();
  }
  llvm::SmallVector<ElementsAttr> values;
  for (auto [tensor, type] : llvm::zip(outputs, op->getResultTypes()))
    values.push_back(attributeOf(tensor, cast<RankedTensorType>(type)));
  return values;
}

} // namespace clika
