// What the op table says about an operation of a graph.
#include "API/Core.h"

#include "Dialect/Dialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace clika {
namespace {

void appendBlocks(Region &region, SmallVector<Block *> &blocks) {
  for (Block &block : region) {
    for (Operation &op : block)
      for (Region &inner : op.getRegions())
        appendBlocks(inner, blocks);
    blocks.push_back(&block);
  }
}

} // namespace

SmallVector<Block *> blocksOf(GraphCore &core) {
  SmallVector<Block *> blocks;
  for (func::FuncOp function : core.module().getOps<func::FuncOp>())
    appendBlocks(function.getBody(), blocks);
  return blocks;
}

bool isOutput(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isa<func::ReturnOp>(user) && cast<func::FuncOp>(user->getParentOp()).isPublic();
  });
}

std::string placeText(GraphCore &core, Block &block) {
  auto function = dyn_cast<func::FuncOp>(block.getParentOp());
  if (!function)
    return "a region of '" + core.nameOf(block.getParentOp()) + "'";
  return function == core.main() ? "the graph itself" : "the function '" + function.getName().str() + "'";
}

namespace {

/// How many tensors each operand of the record has.
SmallVector<int64_t> segmentsOf(Operation *op, const OpInfo &info) {
  if (info.hasOperandSegments)
    if (auto sizes = dyn_cast_or_null<DenseI32ArrayAttr>(op->getAttr("operandSegmentSizes")))
      return SmallVector<int64_t>(sizes.asArrayRef().begin(), sizes.asArrayRef().end());
  int64_t total = op->getNumOperands(), others = 0;
  for (const OperandInfo &operand : info.operands)
    others += !operand.variadic && !operand.optional;
  SmallVector<int64_t> segments;
  for (const OperandInfo &operand : info.operands)
    segments.push_back(operand.variadic || operand.optional ? total - others : 1);
  return segments;
}

} // namespace

size_t countPorts(Operation *op, const OpInfo &info) {
  SmallVector<int64_t> segments = segmentsOf(op, info);
  size_t count = 0;
  for (size_t i = 0; i < info.operands.size(); ++i)
    count += info.operands[i].variadic ? static_cast<size_t>(segments[i]) : 1;
  return count;
}

Value operandAmong(Operation *op, const OpInfo &info, size_t port) {
  SmallVector<int64_t> segments = segmentsOf(op, info);
  size_t at = 0, index = 0;
  for (size_t i = 0; i < info.operands.size(); ++i) {
    size_t ports = info.operands[i].variadic ? static_cast<size_t>(segments[i]) : 1;
    if (port < at + ports) {
      size_t within = port - at;
      return within < static_cast<size_t>(segments[i]) ? op->getOperand(index + within) : Value();
    }
    at += ports;
    index += static_cast<size_t>(segments[i]);
  }
  return {};
}

} // namespace clika
