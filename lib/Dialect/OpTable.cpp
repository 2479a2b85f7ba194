#include "Dialect/OpTable.h"

#include <ClikaRT/op_code.h>
#include <algorithm>
#include <unordered_map>

namespace clika {
namespace {

#include "Dialect/OpTable.cpp.inc"

using ByName = std::unordered_map<std::string_view, const OpInfo *>;

ByName index(std::string_view OpInfo::*key) {
  ByName result;
  for (const OpInfo &op : kOps)
    result.emplace(op.*key, &op);
  return result;
}

const OpInfo *lookUp(const ByName &ops, std::string_view name) {
  auto found = ops.find(name);
  return found == ops.end() ? nullptr : found->second;
}

} // namespace

std::span<const OpInfo> allOps() { return kOps; }

const OpInfo *findOp(uint32_t code) {
  const OpInfo *found = std::ranges::lower_bound(kOps, code, {}, &OpInfo::code);
  return found != std::end(kOps) && found->code == code ? found : nullptr;
}

const OpInfo *findOpByMnemonic(std::string_view mnemonic) {
  static const ByName ops = index(&OpInfo::mnemonic);
  return lookUp(ops, mnemonic);
}

const OpInfo *findOpByCodeName(std::string_view name) {
  static const ByName ops = index(&OpInfo::codeName);
  return lookUp(ops, name);
}

} // namespace clika

namespace ClikaRT::graph {

std::string_view op_code_name(OpCode code) noexcept {
  if (code == OpCode::Input)
    return "Input";
  const clika::OpInfo *op = clika::findOp(static_cast<uint32_t>(code));
  return op ? op->codeName : std::string_view("Unknown");
}

} // namespace ClikaRT::graph
