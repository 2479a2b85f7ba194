// An op over concrete tensors, computed at once.
#include "API/BuildOp.h"
#include "API/CallOp.h"
#include "API/Fail.h"
#include "Pipelines/Evaluator.h"
#include "Runtime/TensorImpl.h"

#include "mlir/IR/Block.h"

using namespace mlir;
using ClikaRT::Tensor;

namespace clika {
namespace {

/// Where eager ops are checked. Never destroyed: tensors of static lifetime may be computed with until the process
/// ends.
GraphContext &eagerContext() {
  static auto *context = new std::shared_ptr<GraphContext>(GraphContext::create());
  return **context;
}

} // namespace

std::vector<Tensor> computeNow(const OpInfo &info, const std::vector<ClikaRT::detail::Operand> &operands,
                               const std::vector<ClikaRT::graph::Attr> &settings) {
  GraphContext &context = eagerContext();
  Block block;
  SmallVector<Value> values;
  std::vector<Tensor> inputs;
  for (const ClikaRT::detail::Operand &operand : operands) {
    if (!operand.tensor()) {
      values.push_back(Value());
      continue;
    }
    const auto &data = ClikaRT::detail::concrete(*operand.tensor(), info.mnemonic);
    auto type = RankedTensorType::get(data.sizes, typeOf(data.type, context.mlir()));
    values.push_back(block.addArgument(type, UnknownLoc::get(context.mlir())));
    inputs.push_back(*operand.tensor());
  }
  DetachedOp op = buildOp(context.mlir(), info, values, settings, {}, info.mnemonic);
  return Evaluator::shared().evaluate(op.get(), inputs);
}

} // namespace clika
