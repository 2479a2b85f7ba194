#include "Dialect/ConstantData.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

namespace clika {
namespace {

size_t itemBytes(Type element) { return (element.getIntOrFloatBitWidth() + 7) / 8; }

ConstantData resourceData(DenseResourceElementsAttr resource, size_t bytes) {
  ConstantData data;
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob || blob->getData().size() != bytes)
    return data;
  data.bytes = blob->getData();
  data.valid = true;
  return data;
}

} // namespace

ConstantData constantData(ElementsAttr attribute) {
  ConstantData data;
  auto type = dyn_cast<RankedTensorType>(attribute.getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return data;
  size_t count = static_cast<size_t>(type.getNumElements()), item = itemBytes(type.getElementType());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute))
    return resourceData(resource, count * item);
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  if (!dense)
    return data;
  data.valid = true;
  bool isBool = type.getElementType().isInteger(1);
  if (!isBool && !dense.isSplat()) {
    data.bytes = dense.getRawData();
    return data;
  }
  data.owned.resize(count * item);
  if (isBool) {
    size_t i = 0;
    for (bool value : dense.getValues<bool>())
      data.owned[i++] = value;
  } else {
    for (size_t i = 0; i < count; ++i)
      std::memcpy(&data.owned[i * item], dense.getRawData().data(), item);
  }
  data.bytes = data.owned;
  return data;
}

ElementsAttr inlineConstant(RankedTensorType type, llvm::ArrayRef<char> bytes) {
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  llvm::SmallVector<bool> values(bytes.begin(), bytes.end());
  return DenseElementsAttr::get(type, values);
}

} // namespace clika
