#include "Transforms/Evaluate.h"

#include "Dialect/CoreOps.h"
#include "Pipelines/ConstantTensors.h"
#include "Pipelines/Evaluator.h"

using namespace mlir;
using ClikaRT::Tensor;

namespace clika {
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
  llvm::SmallVector<ElementsAttr> values;
  for (auto [tensor, type] : llvm::zip(outputs, op->getResultTypes()))
    values.push_back(constantOf(tensor, cast<RankedTensorType>(type).getElementType()));
  return values;
}

} // namespace clika
