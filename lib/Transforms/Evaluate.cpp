#include "Transforms/Evaluate.h"

#include "Dialect/ControlOps.h"
#include "Dialect/CoreOps.h"
#include "Dialect/ShapeValues.h"
#include "Pipelines/ConstantTensors.h"
#include "Pipelines/Evaluator.h"
#include "Runtime/FilePages.h"

using namespace mlir;
using ClikaRT::Tensor;

namespace clika {
namespace {

/// Computes values from the constants up, each operator once.
class Folding {
public:
  explicit Folding(int64_t limit) : limit(limit) {}

  /// Computes each value that `value` needs, and it; whether all were found.
  bool compute(Value value) {
    SmallVector<Value> open = {value};
    while (!open.empty()) {
      Value next = open.back();
      if (known.contains(next) || begin(next)) {
        open.pop_back();
        continue;
      }
      Operation *op = next.getDefiningOp();
      if (!op || !isComputable(op))
        return false;
      size_t before = open.size();
      for (Value operand : op->getOperands())
        if (!known.contains(operand))
          open.push_back(operand);
      if (open.size() == before && !run(op))
        return false;
    }
    return true;
  }

  Tensor at(Value value) const { return known.at(value); }

private:
  /// Takes what needs no other value: a constant, or sizes that are known.
  bool begin(Value value) {
    Operation *op = value.getDefiningOp();
    if (auto constant = dyn_cast_if_present<ConstantOp>(op)) {
      // The context outlives the evaluation.
      std::optional<Tensor> tensor = tensorOf(constant.getValue(), nullptr);
      return tensor && known.try_emplace(value, *tensor).second;
    }
    std::optional<llvm::SmallVector<int64_t>> sizes = op ? knownSizes(op) : std::nullopt;
    if (!sizes)
      return false;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
    known.try_emplace(value, Tensor::from_data(sizes->data(), {shape.begin(), shape.end()}, ClikaRT::DataType::Int64));
    return true;
  }

  bool isComputable(Operation *op) const {
    auto fits = [&](Type type) { return bytesOfType(type).value_or(limit + 1) <= limit; };
    return isa<NodeOp>(op) && !isa<ConstantOp, OpaqueOp, CallOp>(op) && op->getNumRegions() == 0 &&
           llvm::all_of(op->getResultTypes(), fits);
  }

  bool run(Operation *op) {
    std::vector<Tensor> inputs;
    for (Value operand : op->getOperands())
      inputs.push_back(known.at(operand));
    try {
      for (auto [result, tensor] : llvm::zip_equal(op->getResults(), Evaluator::shared().evaluate(op, inputs)))
        known.try_emplace(result, tensor);
    } catch (const std::exception &) { // refused, as it would be when the graph runs
      return false;
    }
    return true;
  }

  int64_t limit;
  llvm::DenseMap<Value, Tensor> known;
};

} // namespace

std::optional<int64_t> bytesOfType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return std::nullopt;
  int64_t bytes = (tensor.getElementTypeBitWidth() + 7) / 8;
  for (int64_t size : tensor.getShape())
    if (llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  return bytes;
}

std::optional<llvm::SmallVector<int64_t>> knownSizes(Operation *op) {
  if (op->getNumResults() != 1)
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isSignlessInteger(64))
    return std::nullopt;
  std::optional<Dims> values = shapeValues(op->getResult(0));
  if (!values || int64_t(values->size()) != type.getNumElements())
    return std::nullopt;
  llvm::SmallVector<int64_t> numbers;
  for (Dim value : *values) {
    std::optional<int64_t> number = constantOf(value);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<Tensor> foldedValue(Value value, int64_t limit) {
  Folding folding(limit);
  if (!folding.compute(value))
    return std::nullopt;
  return folding.at(value);
}

llvm::FailureOr<llvm::SmallVector<ElementsAttr>> evaluateOnConstants(Operation *op, std::string &error) {
  std::vector<Tensor> inputs, outputs;
  try {
    for (Value operand : op->getOperands()) {
      auto constant = operand.getDefiningOp<ConstantOp>();
      // The context outlives the evaluation.
      std::optional<Tensor> tensor = constant ? tensorOf(constant.getValue(), nullptr) : std::nullopt;
      if (!tensor) {
        error = "an operand's data cannot be read";
        return failure();
      }
      inputs.push_back(*tensor);
    }
    outputs = Evaluator::shared().evaluate(op, inputs);
  } catch (const std::exception &thrown) {
    error = thrown.what();
    return failure();
  }
  // The result stands for them from here on.
  for (const Tensor &input : inputs)
    releaseFilePages(input.raw_data(), input.size() * ClikaRT::item_size(input.dtype()));
  llvm::SmallVector<ElementsAttr> values;
  for (auto [tensor, type] : llvm::zip(outputs, op->getResultTypes()))
    values.push_back(constantOf(tensor, cast<RankedTensorType>(type).getElementType()));
  return values;
}

} // namespace clika
