#include "Pipelines/FailureReason.h"

#include "Dialect/ConstantData.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Diagnostics.h"
#include "Dialect/IndexOps.h"
#include "Dialect/Shape.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using ClikaRT::DataType;
using ClikaRT::Tensor;

namespace clika {
namespace {

/// What inference reads the elements of: shapes, scales, pads.
constexpr size_t kMostElements = 1024;

/// What inference says where it knows the operands' elements.
std::string refusal(Operation *op, ArrayRef<Tensor> inputs) {
  auto inference = dyn_cast<InferTypeOpInterface>(op);
  if (!inference)
    return {};
  MLIRContext *context = op->getContext();
  Location location = UnknownLoc::get(context);
  DiagnosticCapture capture(context);
  Block block;
  OpBuilder builder(context);
  builder.setInsertionPointToStart(&block);
  SmallVector<Value> operands;
  for (auto [operand, input] : llvm::zip_equal(op->getOperands(), inputs)) {
    auto type = RankedTensorType::get(input.shape(), cast<RankedTensorType>(operand.getType()).getElementType());
    size_t count = static_cast<size_t>(input.size());
    llvm::ArrayRef<char> bytes(static_cast<const char *>(input.raw_data()), count * ClikaRT::item_size(input.dtype()));
    if (count > kMostElements || input.dtype() == DataType::Bool)
      operands.push_back(block.addArgument(type, location));
    else
      operands.push_back(ConstantOp::create(builder, location, copiedConstant(type, bytes)).getResult());
  }
  SmallVector<Type> types;
  if (succeeded(inference.inferReturnTypes(context, location, operands, op->getRawDictionaryAttrs(),
                                           op->getPropertiesStorage(), RegionRange(), types)))
    return {};
  return capture.message("");
}

int64_t indexAt(const Tensor &indices, size_t at) {
  if (indices.dtype() == DataType::Int32)
    return static_cast<const int32_t *>(indices.raw_data())[at];
  return static_cast<const int64_t *>(indices.raw_data())[at];
}

std::string positionText(size_t at, const ClikaRT::Shape &shape) {
  std::string text;
  for (size_t i = shape.size(); i-- > 0; at /= static_cast<size_t>(shape[i]))
    text = std::to_string(at % static_cast<size_t>(shape[i])) + (text.empty() ? "" : ", ") + text;
  return "[" + text + "]";
}

/// The first index that is out of range. Entry k of the last dimension counts along axis `first` + k % `axes`.
std::string badIndex(const Tensor &x, const Tensor &indices, int64_t first, int64_t axes) {
  ClikaRT::Shape sizes = x.shape();
  for (size_t i = 0, count = static_cast<size_t>(indices.size()); i < count; ++i) {
    int64_t axis = first + static_cast<int64_t>(i) % axes, index = indexAt(indices, i);
    int64_t size = sizes[static_cast<size_t>(axis)];
    if (index >= size || index < -size)
      return "the index " + std::to_string(index) + " at " + positionText(i, indices.shape()) +
             " of indices is out of range for axis " + std::to_string(axis) + " of x, whose size is " +
             std::to_string(size);
  }
  return {};
}

} // namespace

std::string failureReason(Operation *op, ArrayRef<Tensor> inputs) {
  if (std::string text = refusal(op, inputs); !text.empty())
    return text;
  if (isa<GatherOp, GatherElementsOp, ScatterElementsOp>(op)) {
    int64_t axis = op->getAttrOfType<IntegerAttr>("axis") ? op->getAttrOfType<IntegerAttr>("axis").getInt() : 0;
    return badIndex(inputs[0], inputs[1], axis < 0 ? axis + static_cast<int64_t>(inputs[0].shape().size()) : axis, 1);
  }
  if (isa<GatherNdOp, ScatterNdOp>(op) && !inputs[1].shape().empty()) {
    auto gather = dyn_cast<GatherNdOp>(op);
    return badIndex(inputs[0], inputs[1], gather ? gather.getBatchDims() : 0,
                    std::max<int64_t>(inputs[1].shape().back(), 1));
  }
  return {};
}

} // namespace clika
