// The one function behind every public op.
#include "API/CallOp.h"

#include "API/BuildOp.h"
#include "API/Fail.h"
#include "API/Trace.h"

#include <ClikaRT/op_code.h>

#include <algorithm>

using namespace clika;

namespace ClikaRT::detail {
namespace {

bool samePorts(const OperandInfo *a, const OperandInfo *b) {
  return a && b && std::ranges::equal(a->dtypeGroups, b->dtypeGroups);
}

/// The tensor whose dtype a number at `port` takes: one of a port that takes the same dtypes, else one that it takes.
const Tensor *neighbour(const OpInfo &info, const std::vector<Operand> &operands, std::size_t port) {
  const OperandInfo *own = operandInfoAt(info, port, operands.size());
  const Tensor *any = nullptr;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Tensor *tensor = operands[i].tensor();
    if (!tensor)
      continue;
    if (samePorts(own, operandInfoAt(info, i, operands.size())))
      return tensor;
    if (!any && (!own || takesDtype(*own, tensor->dtype())))
      any = tensor;
  }
  return any;
}

/// Where no tensor beside it says, as of a scale beside quantized numbers: float32, an index int64, a zero point uint8.
std::optional<DataType> usualDtype(const OperandInfo *operand) {
  for (DataType dtype : {DataType::Float32, DataType::Int64, DataType::UInt8, DataType::Bool})
    if (operand && takesDtype(*operand, dtype))
      return dtype;
  return std::nullopt;
}

Tensor numberAsTensor(const Scalar &number, DataType dtype, std::string_view call) {
  Tensor tensor = Tensor::empty({}, dtype);
  storeScalar(number, dtype, writableData(tensor, call), call);
  return tensor;
}

std::vector<Operand> withoutNumbers(const OpInfo &info, const std::vector<Operand> &operands) {
  std::vector<Operand> tensors = operands;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].number())
      continue;
    std::optional<DataType> dtype = numberDtype(info, operands, i);
    if (!dtype)
      invalid(info.mnemonic, "no operand is a tensor, so the number " + operands[i].number()->to_string() +
                                 " has no dtype to take; make a tensor of one of them");
    tensors[i] = numberAsTensor(*operands[i].number(), *dtype, info.mnemonic);
  }
  return tensors;
}

Tensor reshapeTraced(const Tensor &tensor, const Shape &shape) {
  return callOp1(graph::OpCode::Reshape, {tensor}, {{"shape", shape}});
}

// Tensor::reshape records as the op does.
[[maybe_unused]] const bool reshapeInstalled = (setTracedReshape(reshapeTraced), true);

} // namespace

std::vector<Tensor> callOp(graph::OpCode code, const std::vector<Operand> &operands,
                           const std::vector<graph::Attr> &settings) {
  const OpInfo *info = findOp(static_cast<std::uint32_t>(code));
  if (!info)
    invalid("callOp", std::to_string(static_cast<std::uint32_t>(code)) + " is no op code");
  const bool anyNumber = std::ranges::any_of(operands, [](const Operand &operand) { return operand.number(); });
  const std::vector<Operand> made = anyNumber ? withoutNumbers(*info, operands) : std::vector<Operand>();
  const std::vector<Operand> &tensors = anyNumber ? made : operands;
  bool anyTensor = false, anyTraced = false;
  for (const Operand &operand : tensors) {
    if (!operand.tensor())
      continue;
    anyTensor = true;
    anyTraced |= traced(*operand.tensor(), info->mnemonic) != nullptr;
  }
  if (anyTraced || (!anyTensor && isTracing()))
    return recordOp(*info, tensors, settings);
  return computeNow(*info, tensors, settings);
}

Tensor callOp1(graph::OpCode code, const std::vector<Operand> &operands, const std::vector<graph::Attr> &settings) {
  return callOp(code, operands, settings).at(0);
}

} // namespace ClikaRT::detail

std::optional<ClikaRT::DataType>
clika::numberDtype(const OpInfo &info, const std::vector<ClikaRT::detail::Operand> &operands, std::size_t port) {
  if (const ClikaRT::Tensor *beside = ClikaRT::detail::neighbour(info, operands, port))
    return beside->dtype();
  const bool anyTensor = std::ranges::any_of(operands, [](const auto &operand) { return operand.tensor(); });
  return anyTensor ? ClikaRT::detail::usualDtype(operandInfoAt(info, port, operands.size())) : std::nullopt;
}

bool clika::mayHaveDtype(const OpInfo &info, const std::vector<ClikaRT::detail::Operand> &operands, std::size_t port,
                         ClikaRT::DataType dtype) {
  const OperandInfo *operand = operandInfoAt(info, port, operands.size());
  return operand && takesDtype(*operand, dtype) && !ClikaRT::detail::neighbour(info, operands, port);
}
