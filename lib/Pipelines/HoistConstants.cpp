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

std::shared_ptr<void> allocateConstant(size_t bytes) {
  size_t rounded = (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
  return std::shared_ptr<void>(std::aligned_alloc(kBufferAlignment, rounded), &std::free);
}

Value addConstant(func::FuncOp main, Type type, ConstantArgument constant, std::vector<ConstantArgument> &constants) {
  MLIRContext *context = main.getContext();
  Block &body = main.getBody().front();
  Value argument = body.addArgument(type, main.getLoc());
  constants.push_back(std::move(constant));
  main.setFunctionType(FunctionType::get(context, body.getArgumentTypes(), main.getResultTypes()));
  if (auto attrs = main.getArgAttrsAttr()) {
    SmallVector<Attribute> padded(attrs.getValue());
    padded.push_back(DictionaryAttr::get(context));
    main.setArgAttrsAttr(ArrayAttr::get(context, padded));
  }
  return argument;
}

void hoistConstants(func::FuncOp main, bool dataOutlivesProgram, std::vector<ConstantArgument> &constants) {
  SmallVector<std::pair<arith::ConstantOp, ArrayRef<char>>> found;
  main.walk([&](arith::ConstantOp constant) {
    if (std::optional<ArrayRef<char>> data = dataOf(constant))
      found.push_back({constant, *data});
  });
  llvm::DenseMap<Attribute, Value> argumentOf;
  for (auto &[constant, data] : found) {
    Value &argument = argumentOf[constant.getValue()];
    if (!argument) {
      std::shared_ptr<void> copy;
      if (!dataOutlivesProgram) {
        copy = allocateConstant(data.size());
        if (!copy)
          continue;
        std::memcpy(copy.get(), data.data(), data.size());
      }
      const void *bytes = copy ? copy.get() : data.data();
      argument = addConstant(main, constant.getType(), {bytes, std::move(copy)}, constants);
    }
    constant.replaceAllUsesWith(argument);
    constant.erase();
  }
}

} // namespace clika
