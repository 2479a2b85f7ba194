#include "Pipelines/ConstantTensors.h"

#include "Dialect/ConstantData.h"
#include "Dialect/ConstantStore.h"
#include "Pipelines/Evaluator.h"
#include "Runtime/TensorImpl.h"

using namespace mlir;
using ClikaRT::Tensor;

namespace clika {

std::optional<Tensor> tensorOf(ElementsAttr attribute, std::shared_ptr<const void> context) {
  auto type = cast<RankedTensorType>(attribute.getType());
  std::optional<ClikaRT::DataType> dtype = dtypeOfElement(type.getElementType());
  ConstantData data = constantData(attribute);
  if (!dtype || !data.valid)
    return std::nullopt;
  ClikaRT::Shape shape(type.getShape().begin(), type.getShape().end());
  if (!data.owned.empty() || data.bytes.empty())
    return Tensor::from_data(data.bytes.data(), shape, *dtype);
  std::shared_ptr<const void> owner = std::move(context);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute))
    owner = ConstantStore::of(attribute.getContext()).ownerOf(resource);
  return Tensor::from_external(data.bytes.data(), shape, *dtype, [owner = std::move(owner)](void *) {});
}

ElementsAttr constantOf(const Tensor &tensor, Type element) {
  auto type = RankedTensorType::get(tensor.shape(), element);
  size_t bytes = static_cast<size_t>(tensor.size()) * ClikaRT::item_size(tensor.dtype());
  if (bytes > kInlineConstantBytes)
    ClikaRT::detail::makeReadOnly(tensor);
  return sharedConstant(type, {static_cast<const char *>(tensor.raw_data()), bytes}, tensor.impl(), /*name=*/"");
}

} // namespace clika
