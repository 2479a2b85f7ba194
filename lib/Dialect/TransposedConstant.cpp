// Constants that are others, transposed.
#include "Dialect/ConstantData.h"
#include "Dialect/ConstantStore.h"
#include "Runtime/FilePages.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

using namespace mlir;

namespace clika {
namespace {

/// In blocks that stay in the cache; addresses need not be multiples of an item's size.
template <class Item>
void transpose(const char *from, char *to, int64_t rows, int64_t columns) {
  constexpr int64_t block = 32;
  for (int64_t top = 0; top < rows; top += block)
    for (int64_t left = 0; left < columns; left += block)
      for (int64_t i = top; i < std::min(top + block, rows); ++i)
        for (int64_t j = left; j < std::min(left + block, columns); ++j)
          std::memcpy(to + (j * rows + i) * sizeof(Item), from + (i * columns + j) * sizeof(Item), sizeof(Item));
}

} // namespace

void transposeMatrix(llvm::ArrayRef<char> bytes, char *to, RankedTensorType type) {
  const int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  switch (type.getElementTypeBitWidth()) {
  case 1:
  case 8:
    return transpose<uint8_t>(bytes.data(), to, rows, columns);
  case 16:
    return transpose<uint16_t>(bytes.data(), to, rows, columns);
  case 32:
    return transpose<uint32_t>(bytes.data(), to, rows, columns);
  default:
    return transpose<uint64_t>(bytes.data(), to, rows, columns);
  }
}

ElementsAttr transposedConstant(ElementsAttr matrix) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(matrix))
    if (DenseResourceElementsAttr later = ConstantStore::of(matrix.getContext()).addTransposed(resource))
      return later;
  ConstantData data = constantData(matrix);
  if (!data.valid)
    return {};
  auto type = cast<RankedTensorType>(matrix.getType());
  std::vector<char> bytes(data.bytes.size());
  transposeMatrix(data.bytes, bytes.data(), type);
  releaseFilePages(data.bytes.data(), data.bytes.size());
  return copiedConstant(RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType()), bytes);
}

} // namespace clika
