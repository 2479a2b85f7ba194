#include "Pipelines/HoistConstants.h"
#include "Runtime/Arena.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <cstdlib>
#include <cstring>

using namespace mlir;

namespace clika {
namespace {

/// Smaller ones may be shapes or scalars that folding wants to see.
constexpr size_t kSmallBytes = 512;

/// The row-major bytes of a constant; none where it is small, of one value, or stored in another way.
std::optional<ArrayRef<char>> dataOf(arith::ConstantOp constant) {
  auto type = dyn_cast<RankedTensorType>(constant.getType());
  if (!type || type.getElementType().isInteger(1))
    return std::nullopt;
  ArrayRef<char> bytes;
  if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()); dense && !dense.isSplat())
    bytes = dense.getRawData();
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      bytes = blob->getData();
  if (bytes.size() < kSmallBytes)
    return std::nullopt;
  return bytes;
}

} // namespace

HoistedConstants hoistConstants(func::FuncOp main, bool dataOutlivesProgram) {
  SmallVector<std::pair<arith::ConstantOp, ArrayRef<char>>> found;
  main.walk([&](arith::ConstantOp constant) {
    if (std::optional<ArrayRef<char>> data = dataOf(constant))
      found.push_back({constant, *data});
  });

  auto copies = std::make_shared<std::vector<std::unique_ptr<void, decltype(&std::free)>>>();
  HoistedConstants hoisted;
  llvm::DenseMap<Attribute, BlockArgument> argumentOf;
  Block &body = main.getBody().front();
  for (auto &[constant, data] : found) {
    BlockArgument &argument = argumentOf[constant.getValue()];
    if (!argument) {
      const void *bytes = data.data();
      if (!dataOutlivesProgram) {
        size_t rounded = (data.size() + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
        void *copy = std::aligned_alloc(kBufferAlignment, rounded);
        if (!copy)
          continue;
        std::memcpy(copy, data.data(), data.size());
        copies->emplace_back(copy, &std::free);
        bytes = copy;
      }
      hoisted.data.push_back(bytes);
      argument = body.addArgument(constant.getType(), constant.getLoc());
    }
    constant.replaceAllUsesWith(Value(argument));
    constant.erase();
  }
  main.setFunctionType(FunctionType::get(main.getContext(), body.getArgumentTypes(), main.getResultTypes()));
  if (auto attrs = main.getArgAttrsAttr()) {
    SmallVector<Attribute> padded(attrs.getValue());
    padded.resize(body.getNumArguments(), DictionaryAttr::get(main.getContext()));
    main.setArgAttrsAttr(ArrayAttr::get(main.getContext(), padded));
  }
  if (!copies->empty())
    hoisted.owner = std::move(copies);
  return hoisted;
}

} // namespace clika
