#include "API/EvaluateGraph.h"

#include "API/Fail.h"
#include "Dialect/ControlOps.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Functions.h"
#include "Dialect/Shape.h"
#include "Dialect/ShapeOps.h"
#include "Pipelines/Evaluator.h"
#include "Runtime/Aside.h"

#include <ClikaRT/control.h>

using namespace mlir;
using ClikaRT::Tensor;

namespace clika {

namespace {

/// Computes a graph operator by operator; an operator with regions by computing them.
class GraphEvaluator {
public:
  explicit GraphEvaluator(GraphCore &core) : core(core) {}

  std::vector<Tensor> run(const std::vector<Tensor> &inputs) {
    if (std::string problem = problemOfCalls(core.module()); !problem.empty())
      invalid("optimize", "check: " + problem + "; call fewer functions, or loop");
    give(core.block(), inputs);
    return runBlock(core.block());
  }

private:
  void give(Block &block, const std::vector<Tensor> &inputs) {
    for (auto [argument, tensor] : llvm::zip_equal(block.getArguments(), inputs))
      keep(argument, tensor);
  }

  void keep(Value value, const Tensor &tensor) {
    auto uses = static_cast<unsigned>(std::distance(value.use_begin(), value.use_end()));
    if (uses == 0)
      return;
    reads[value] = uses;
    values[value] = tensor;
  }

  /// A value is let go of after its last read, but for one that a region reads, maybe many times.
  Tensor read(Value value, Block &reader) {
    auto at = values.find(value);
    Tensor tensor = at->second;
    if (value.getParentBlock() == &reader && --reads[value] == 0)
      values.erase(at);
    return tensor;
  }

  /// What the block's terminator hands out.
  std::vector<Tensor> runBlock(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (auto constant = dyn_cast<ConstantOp>(&op)) {
        keep(constant.getResult(), core.context->tensorOf(constant.getValue(), "evaluate"));
        continue;
      }
      std::vector<Tensor> operands;
      for (Value operand : op.getOperands())
        operands.push_back(read(operand, block));
      if (op.use_empty())
        continue;
      if (stopRequested())
        interrupted("optimize", "the check was interrupted, and every change of the run undone");
      for (auto [value, tensor] : llvm::zip_equal(op.getResults(), compute(&op, operands)))
        keep(value, tensor);
    }
    std::vector<Tensor> outputs;
    for (Value operand : block.getTerminator()->getOperands())
      outputs.push_back(read(operand, block));
    return outputs;
  }

  std::vector<Tensor> compute(Operation *op, const std::vector<Tensor> &operands) {
    if (auto branch = dyn_cast<IfOp>(op))
      return compute(branch, operands);
    if (auto loop = dyn_cast<LoopOp>(op))
      return compute(loop, operands);
    if (auto call = dyn_cast<CallOp>(op)) {
      Block &body = calleeOf(call).getBody().front();
      give(body, operands);
      return runBlock(body);
    }
    if (auto squeeze = dyn_cast<SqueezeOp>(op); squeeze && squeeze.getAxes().empty())
      return {withoutKnownOnes(squeeze.getX().getType(), operands[0])};
    try {
      return Evaluator::shared().evaluate(op, operands);
    } catch (const Error &error) {
      throw Error(error.status(), "the node " + quote(core.nameOf(op)) + ": " + error.what(), error.code_name());
    }
  }

  /// What a squeeze without axes makes: it removes what the graph knows to be 1. That a size of the run happens to be 1
  /// as well, the operator on its own could not tell from it.
  static Tensor withoutKnownOnes(Type type, const Tensor &tensor) {
    ClikaRT::Shape shape;
    for (auto [known, size] : llvm::zip_equal(dimsOf(type), tensor.shape()))
      if (constantOf(known) != 1)
        shape.push_back(size);
    return tensor.reshape(shape);
  }

  std::vector<Tensor> compute(IfOp op, const std::vector<Tensor> &operands) {
    return ClikaRT::ops::if_(
        operands[0], [&] { return runBlock(op.getThenRegion().front()); },
        [&] { return runBlock(op.getElseRegion().front()); });
  }

  std::vector<Tensor> compute(LoopOp op, const std::vector<Tensor> &operands) {
    size_t next = 0;
    auto takeIf = [&](Value present) { return present ? operands[next++] : Tensor(); };
    Tensor trips = takeIf(op.getTripCount()), condition = takeIf(op.getCondition());
    std::vector<Tensor> carried(operands.begin() + static_cast<std::ptrdiff_t>(next), operands.end());
    size_t count = carried.size();
    ClikaRT::ops::LoopResult result =
        ClikaRT::ops::loop(trips, condition, carried, [&](const Tensor &i, const std::vector<Tensor> &state) {
          if (i.is_traced())
            return ClikaRT::ops::LoopStep{{}, state, {}};
          std::vector<Tensor> all = {i};
          all.insert(all.end(), state.begin(), state.end());
          give(op.getBody().front(), all);
          all = runBlock(op.getBody().front());
          ClikaRT::ops::LoopStep step;
          auto at = all.begin();
          if (op.getYield().getCondition())
            step.condition = *at++;
          step.carried.assign(at, at + static_cast<std::ptrdiff_t>(count));
          step.scans.assign(at + static_cast<std::ptrdiff_t>(count), all.end());
          return step;
        });
    std::vector<Tensor> results = result.carried;
    results.insert(results.end(), result.scans.begin(), result.scans.end());
    // Without iterations nothing was kept: sizes that no type tells are 0.
    for (size_t k = results.size(); k < op.getNumResults(); ++k) {
      auto type = cast<RankedTensorType>(op.getResult(k).getType());
      ClikaRT::Shape shape = {0};
      for (int64_t size : type.getShape().drop_front())
        shape.push_back(ShapedType::isDynamic(size) ? 0 : size);
      results.push_back(Tensor::empty(shape, dtypeOf(type.getElementType(), "evaluate")));
    }
    return results;
  }

  GraphCore &core;
  llvm::DenseMap<Value, Tensor> values;
  llvm::DenseMap<Value, unsigned> reads;
};

} // namespace

std::vector<Tensor> evaluateGraph(GraphCore &core, const std::vector<Tensor> &inputs) {
  return GraphEvaluator(core).run(inputs);
}

} // namespace clika
