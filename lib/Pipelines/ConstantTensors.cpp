#include "Pipelines/ConstantTensors.h"

#include "Dialect/ConstantData.h"
#include "Dialect/ConstantStore.h"
#include "Pipelines/Evaluator.h"
#include "Runtime/TensorImpl.h"

using namespace mlir;
using ClikaRT::Tensor;

namespace clika {

namespace {

std::optional<Tensor> viewOf(ElementsAttr attribute, std::shared_ptr<const void> context, bool isForCode) {
  auto type = cast<RankedTensorType>(attribute.getType());
  std::optional<ClikaRT::DataType> dtype = dtypeOfElement(type.getElementType());
  ConstantData data = constantData(attribute);
  if (!dtype || !data.valid)
    return std::nullopt;
  ClikaRT::Shape shape(type.getShape().begin(), type.getShape().end());
  bool isAligned = reinterpret_cast<std::uintptr_t>(data.bytes.data()) % ClikaRT::item_size(*dtype) == 0;
  if (!data.owned.empty() || data.bytes.empty() || (!isAligned && !isForCode))
    return Tensor::from_data(data.bytes.data(), shape, *dtype);
  std::shared_ptr<const void> owner = std::move(context);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute))
    owner = ConstantStore::of(attribute.getContext()).ownerOf(resource);
  if (isAligned)
    return Tensor::from_external(data.bytes.data(), shape, *dtype, [owner = std::move(owner)](void *) {});
  auto *bytes = const_cast<char *>(data.bytes.data());
  std::shared_ptr<void> storage(std::const_pointer_cast<void>(owner), bytes);
  return Tensor(std::make_shared<ClikaRT::detail::ConcreteTensor>(
      *dtype, shape, static_cast<size_t>(type.getNumElements()), std::move(storage), bytes));
}

} // namespace

std::optional<Tensor> tensorOf(ElementsAttr attribute, std::shared_ptr<const void> context) {
  return viewOf(attribute, std::move(context), /*isForCode=*/false);
}

std::optional<Tensor> codeTensorOf(ElementsAttr attribute, std::shared_ptr<const void> context) {
  return viewOf(attribute, std::move(context), /*isForCode=*/true);
}

ElementsAttr constantOf(const Tensor &tensor, Type element) {
  auto type = RankedTensorType::get(tensor.shape(), element);
  size_t bytes = static_cast<size_t>(tensor.size()) * ClikaRT::item_size(tensor.dtype());
  if (bytes > kInlineConstantBytes)
    ClikaRT::detail::makeReadOnly(tensor);
  return sharedConstant(type, {static_cast<const char *>(tensor.raw_data()), bytes}, tensor.impl(), /*name=*/"");
}

} // namespace clika
