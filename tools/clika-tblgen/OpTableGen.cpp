// lib/Dialect/OpTable: the records as data.
#include "OpRecord.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace clika::tblgen {
namespace {

// `constexpr std::string_view NAME[] = {…};`, where the list is not empty.
void emitStrings(raw_ostream &os, const Twine &name, const std::vector<std::string> &values) {
  if (values.empty())
    return;
  os << "constexpr std::string_view " << name << "[] = {";
  interleaveComma(values, os, [&](const std::string &value) { os << quoted(value); });
  os << "};\n";
}

std::string span(bool empty, const Twine &name) { return empty ? "{}" : name.str(); }
const char *boolean(bool value) { return value ? "true" : "false"; }

void emitOperands(raw_ostream &os, const OpRecord &op) {
  for (auto [i, operand] : enumerate(op.operands))
    emitStrings(os, op.codeName + "Groups" + Twine(i), operand.dtypeGroups);
  if (op.operands.empty())
    return;
  os << "constexpr OperandInfo " << op.codeName << "Operands[] = {\n";
  for (auto [i, operand] : enumerate(op.operands))
    os << "    {" << quoted(operand.name) << ", " << quoted(operand.summary) << ", "
       << span(operand.dtypeGroups.empty(), op.codeName + "Groups" + Twine(i)) << ", " << boolean(operand.optional)
       << ", " << boolean(operand.variadic) << "},\n";
  os << "};\n";
}

void emitSettings(raw_ostream &os, const OpRecord &op) {
  if (op.settings.empty())
    return;
  os << "constexpr SettingInfo " << op.codeName << "Settings[] = {\n";
  for (const Setting &setting : op.settings)
    os << "    {" << quoted(setting.name) << ", " << quoted(setting.summary) << ", SettingKind::" << setting.kind
       << ", " << boolean(setting.optional) << ", " << boolean(setting.hasDefault) << ", "
       << quoted(setting.defaultText) << ", " << quoted(setting.enumName) << ", "
       << span(setting.enumName.empty(), setting.enumName + "Enumerators") << ", "
       << (setting.boundOperand ? int(*setting.boundOperand) : -1) << "},\n";
  os << "};\n";
}

void emitResults(raw_ostream &os, const OpRecord &op) {
  if (op.results.empty())
    return;
  os << "constexpr ResultInfo " << op.codeName << "Results[] = {\n";
  for (const ResultRecord &result : op.results)
    os << "    {" << quoted(result.name) << ", " << quoted(result.summary) << ", " << boolean(result.variadic)
       << "},\n";
  os << "};\n";
}

bool emitOpTable(const RecordKeeper &records, raw_ostream &os) {
  std::vector<OpRecord> ops = readOps(records);
  for (const EnumRecord &e : readEnums(records))
    emitStrings(os, e.name + "Enumerators", e.enumerators);
  for (const OpRecord &op : ops) {
    emitOperands(os, op);
    emitSettings(os, op);
    emitResults(os, op);
  }
  os << "constexpr OpInfo kOps[] = {\n";
  for (const OpRecord &op : ops)
    os << "    {" << op.code << ", " << quoted(op.codeName) << ", " << quoted(op.mnemonic) << ", "
       << quoted("clika." + op.mnemonic) << ", " << quoted(op.group) << ", " << quoted(op.summary) << ", "
       << span(op.operands.empty(), op.codeName + "Operands") << ", "
       << span(op.settings.empty(), op.codeName + "Settings") << ", "
       << span(op.results.empty(), op.codeName + "Results") << ", " << op.dataInput << ", " << boolean(op.isPublic)
       << ", " << boolean(op.needsInsert) << ", " << boolean(op.pointwise) << ", " << boolean(op.hasOperandSegments)
       << "},\n";
  os << "};\n";
  return false;
}

mlir::GenRegistration table("gen-op-table", "The op records as data (lib/Dialect/OpTable)", emitOpTable);

} // namespace
} // namespace clika::tblgen
