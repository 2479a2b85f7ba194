#include "Dialect/ConstantData.h"

#include "Dialect/ConstantStore.h"
#include "Runtime/FilePages.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/xxhash.h"

#include <cstring>
#include <new>

using namespace mlir;

namespace clika {
namespace {

size_t itemBytes(Type element) { return (element.getIntOrFloatBitWidth() + 7) / 8; }

ConstantData resourceData(DenseResourceElementsAttr resource, size_t bytes) {
  ConstantData data;
  ConstantStore::of(resource.getContext()).read(resource);
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob || blob->getData().size() != bytes)
    return data;
  data.bytes = blob->getData();
  data.valid = true;
  return data;
}

ContentDigest hashOf(llvm::ArrayRef<char> bytes) {
  auto hash = llvm::xxh3_128bits({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  return {hash.low64, hash.high64};
}

/// Of a part at a time, so that little of a large one of a file is in memory.
ContentDigest digestOf(llvm::ArrayRef<char> bytes) {
  constexpr size_t part = size_t{1} << 22;
  if (bytes.size() <= part)
    return hashOf(bytes);
  std::vector<ContentDigest> digests;
  for (; !bytes.empty(); bytes = bytes.drop_front(std::min(part, bytes.size()))) {
    llvm::ArrayRef<char> next = bytes.take_front(part);
    digests.push_back(hashOf(next));
    releaseFilePages(next.data(), next.size());
  }
  return hashOf({reinterpret_cast<const char *>(digests.data()), digests.size() * sizeof(ContentDigest)});
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
  bool isBool = type.getElementType().isInteger(1);
  data.valid = true;
  if (!isBool && !dense.isSplat()) {
    data.bytes = dense.getRawData();
    return data;
  }
  try {
    data.owned.resize(count * item);
  } catch (const std::bad_alloc &) {
    return ConstantData();
  }
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

ConstantData splatData(ElementsAttr attribute) {
  ConstantData data;
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute)) {
    auto type = dyn_cast<RankedTensorType>(dense.getType());
    // One element of a splat stands for all: the attribute is not spread out.
    if (type && dense.isSplat() && type.getNumElements() > 0 && type.getElementType().isIntOrFloat())
      return constantData(dense.resizeSplat(RankedTensorType::get({}, type.getElementType())));
    return data;
  }
  ConstantData all = constantData(attribute);
  auto type = dyn_cast<RankedTensorType>(attribute.getType());
  if (!all.valid || all.bytes.empty())
    return data;
  size_t item = itemBytes(type.getElementType());
  // Equal to itself shifted by one element: every element is the first.
  if (std::memcmp(all.bytes.data(), all.bytes.data() + item, all.bytes.size() - item) != 0)
    return data;
  all.bytes = all.bytes.take_front(item);
  return all;
}

ElementsAttr inlineConstant(RankedTensorType type, llvm::ArrayRef<char> bytes) {
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  llvm::SmallVector<bool> values(bytes.begin(), bytes.end());
  return DenseElementsAttr::get(type, values);
}

ElementsAttr sharedConstant(RankedTensorType type, llvm::ArrayRef<char> bytes, std::shared_ptr<const void> owner,
                            llvm::StringRef name) {
  if (bytes.size() <= kInlineConstantBytes)
    return inlineConstant(type, bytes);
  return ConstantStore::of(type.getContext()).add(type, bytes, std::move(owner), name);
}

ElementsAttr copiedConstant(RankedTensorType type, llvm::ArrayRef<char> bytes) {
  if (bytes.size() <= kInlineConstantBytes)
    return inlineConstant(type, bytes);
  constexpr std::align_val_t kAlignment{64};
  std::shared_ptr<char> copy(static_cast<char *>(::operator new(bytes.size(), kAlignment)),
                             [](char *data) { ::operator delete(data, kAlignment); });
  std::memcpy(copy.get(), bytes.data(), bytes.size());
  return sharedConstant(type, {copy.get(), bytes.size()}, copy, /*name=*/"");
}

ContentDigest contentDigest(ElementsAttr attribute) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute))
    return ConstantStore::of(attribute.getContext()).digestOf(resource, digestOf);
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  ConstantData data;
  if (!dense || !dense.isSplat() || dense.getNumElements() <= static_cast<int64_t>(kInlineConstantBytes))
    data = constantData(attribute);
  return data.valid ? digestOf(data.bytes)
                    : ContentDigest(reinterpret_cast<uintptr_t>(attribute.getAsOpaquePointer()), 0);
}

std::optional<double> exactDouble(const llvm::APInt &value, bool isUnsigned) {
  if (value.getBitWidth() > 53 && (isUnsigned ? value.getActiveBits() : value.getSignificantBits()) > 53)
    return std::nullopt;
  return isUnsigned ? static_cast<double>(value.getZExtValue()) : static_cast<double>(value.getSExtValue());
}

bool areWithin(double a, double b, double distance) {
  if (!std::isfinite(a) || !std::isfinite(b))
    return a == b || (std::isnan(a) && std::isnan(b));
  return std::abs(a - b) <= distance;
}

std::optional<double> numberAt(llvm::ArrayRef<char> bytes, Type element, size_t index) {
  if (element.isF32()) {
    float value;
    std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
    return value;
  }
  if (!element.isIntOrFloat())
    return std::nullopt;
  size_t item = itemBytes(element);
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * item, item);
  llvm::APInt raw(static_cast<unsigned>(item) * 8, bits);
  auto number = dyn_cast<FloatType>(element);
  if (!number)
    return exactDouble(raw, element.isUnsignedInteger() || element.isInteger(1));
  llvm::APFloat value(number.getFloatSemantics(), raw);
  bool lost = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
  return value.convertToDouble();
}

std::vector<double> floatNumbers(llvm::ArrayRef<char> bytes, FloatType element) {
  std::vector<double> numbers(bytes.size() / itemBytes(element));
  if (element.isF64()) {
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
  } else if (element.isF32()) {
    for (size_t i = 0; i < numbers.size(); ++i) {
      float number;
      std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
      numbers[i] = number;
    }
  } else {
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = *numberAt(bytes, element, i);
  }
  return numbers;
}

std::vector<char> floatBytes(llvm::ArrayRef<double> numbers, FloatType element) {
  const size_t item = itemBytes(element);
  std::vector<char> bytes(numbers.size() * item);
  if (element.isF64()) {
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
  } else if (element.isF32()) {
    for (size_t i = 0; i < numbers.size(); ++i) {
      const auto number = static_cast<float>(numbers[i]);
      std::memcpy(bytes.data() + i * sizeof number, &number, sizeof number);
    }
  } else {
    for (size_t i = 0; i < numbers.size(); ++i) {
      llvm::APFloat value(numbers[i]);
      bool lost = false;
      value.convert(element.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &lost);
      const uint64_t bits = value.bitcastToAPInt().getZExtValue();
      std::memcpy(bytes.data() + i * item, &bits, item);
    }
  }
  return bytes;
}

} // namespace clika
