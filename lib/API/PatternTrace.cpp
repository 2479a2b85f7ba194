// Pattern::trace: a pattern from the ops that a function records.
#include "API/Core.h"
#include "API/Fail.h"
#include "API/PatternReasons.h"
#include "API/Settings.h"
#include "Dialect/Commutative.h"
#include "Dialect/ConstantData.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Dialect.h"
#include "Runtime/Counted.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <ClikaRT/pattern.h>

#include <cmath>

using namespace mlir;
using namespace clika;

namespace clika {
namespace {

using ClikaRT::graph::Pattern;

/// A literal of more elements is rather weights, which no pattern names.
constexpr int64_t kLiteralElements = 4096;

Pattern::Leaf literalLeaf(ConstantOp constant, double tolerance) {
  Pattern::Leaf leaf{};
  leaf.tolerance = tolerance;
  auto type = cast<RankedTensorType>(constant.getType());
  if (type.getNumElements() > kLiteralElements)
    invalid("trace", "the function holds a constant of " + std::to_string(type.getNumElements()) + " elements, and " +
                         std::to_string(kLiteralElements) + " are the most; pass it in as an input");
  leaf.literal_shape.assign(type.getShape().begin(), type.getShape().end());
  ConstantData data = constantData(constant.getValue());
  for (int64_t i = 0; data.valid && i < type.getNumElements(); ++i) {
    std::optional<double> number = numberAt(data.bytes, type.getElementType(), static_cast<size_t>(i));
    if (!number)
      invalid("trace", "the function holds an integer that no double equals; pass it in as an input");
    leaf.literal.push_back(*number);
  }
  return leaf;
}

/// The operators that the results are computed from, in order.
llvm::SetVector<Operation *> recordedOps(GraphCore &core) {
  llvm::DenseSet<Operation *> read;
  for (Operation &op : llvm::reverse(core.block()))
    if (&op == core.terminator() || read.contains(&op))
      for (Value operand : op.getOperands())
        if (Operation *producer = operand.getDefiningOp())
          read.insert(producer);
  llvm::SetVector<Operation *> ops;
  for (Operation &op : core.block())
    if (read.contains(&op) && isOperator(&op))
      ops.insert(&op);
  return ops;
}

/// A pattern is searched for node by node, and one has few inputs.
constexpr size_t kMostInputs = 1000;

std::vector<ClikaRT::spec::TensorSpec> signatureOf(size_t inputs, const ClikaRT::graph::PatternTraceOptions &options) {
  if (inputs > kMostInputs)
    invalid("trace",
            "n_inputs is " + std::to_string(inputs) + ", and a pattern has at most " + std::to_string(kMostInputs));
  if (std::isnan(options.tolerance) || options.tolerance < 0 || options.tolerance >= 1)
    invalid("trace", "the tolerance is " + ClikaRT::Scalar(options.tolerance).to_string() +
                         "; give a number from 0 to less than 1, a part of the number recorded");
  if (!options.inputs.empty() && options.inputs.size() != inputs)
    invalid("trace", "the function has " + counted(inputs, "input") + ", and " +
                         counted(options.inputs.size(), "is", "are") + " described; describe each, or none");
  std::vector<ClikaRT::spec::TensorSpec> signature = options.inputs;
  for (size_t i = signature.size(); i < inputs; ++i)
    signature.push_back({"input_" + std::to_string(i), ClikaRT::DataType::Float32, {"n", "n"}});
  return signature;
}

} // namespace
} // namespace clika

namespace ClikaRT::graph {

Pattern Pattern::trace(const TraceFunction &fn, std::size_t n_inputs, const PatternTraceOptions &options) {
  ModelGraph recorded = ClikaRT::graph::trace(fn, signatureOf(n_inputs, options), "pattern");
  GraphCore &core = *recorded.core();
  Pattern pattern;
  pattern.input_count_ = n_inputs;
  std::vector<bool> isRead(n_inputs);
  llvm::DenseMap<Operation *, NodeId> ids;
  for (Operation *op : recordedOps(core)) {
    const OpInfo &info = *infoOf(op);
    if (op->getNumRegions() != 0)
      invalid("trace",
              "the function records " + nodeText(core, op) +
                  ", and a pattern cannot say what its body holds; "
                  "trace the body alone, or name the operator with add_node and look at the rest in a condition");
    PatternNodeOptions nodeOptions;
    nodeOptions.commutative = options.commutative && isCommutative(op);
    NodeId id = ids[op] = pattern.add_node(static_cast<OpCode>(info.code), nodeOptions);
    PatternNode &node = pattern.nodes_[id];
    node.tolerance = options.tolerance;
    node.ports = portCount(op, info);
    for (const SettingInfo &setting : info.settings)
      node.settings.push_back({std::string(setting.name), settingValue(op, setting)});
    for (size_t port = 0; port < *node.ports; ++port) {
      mlir::Value operand = operandAt(op, info, port);
      Operation *producer = operand ? operand.getDefiningOp() : nullptr;
      if (producer && !isConstant(producer)) {
        pattern.edges_.push_back({ids[producer], id, cast<OpResult>(operand).getResultNumber(), port});
        continue;
      }
      Leaf leaf = producer ? literalLeaf(cast<ConstantOp>(producer), options.tolerance) : Leaf{};
      leaf.left_out = !operand;
      if (operand && !producer) {
        leaf.input = cast<BlockArgument>(operand).getArgNumber();
        isRead[*leaf.input] = true;
      }
      leaf.to = id;
      leaf.to_port = port;
      pattern.leaves_.push_back(std::move(leaf));
    }
  }
  if (pattern.nodes_.empty())
    invalid("trace", "the function records no operator; a pattern has one at least");
  for (size_t i = 0; i < n_inputs; ++i)
    if (!isRead[i])
      invalid("trace", "the function does not compute its results from its input " + std::to_string(i) +
                           "; leave the input out");
  return pattern;
}

} // namespace ClikaRT::graph
