// The op table as JSON: what the coverage test and the example test walk.
#include "OpRecord.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace clika::tblgen {
namespace {

json::Array array(const std::vector<std::string> &texts) {
  json::Array result;
  for (const std::string &text : texts)
    result.push_back(text);
  return result;
}

json::Object operandJson(const Operand &operand) {
  return json::Object{{"name", operand.name},
                      {"summary", operand.summary},
                      {"dtypes", array(operand.dtypeGroups)},
                      {"optional", operand.optional},
                      {"variadic", operand.variadic}};
}

json::Object settingJson(const Setting &setting, const std::vector<EnumRecord> &enums) {
  json::Object result{
      {"name", setting.name},         {"summary", setting.summary},        {"kind", setting.kind},
      {"optional", setting.optional}, {"has_default", setting.hasDefault}, {"default", setting.defaultText}};
  for (const EnumRecord &e : enums)
    if (e.name == setting.enumName)
      result["enumerators"] = array(e.enumerators);
  if (setting.boundOperand)
    result["bound_operand"] = int(*setting.boundOperand);
  return result;
}

json::Object opJson(const OpRecord &op, const std::vector<EnumRecord> &enums) {
  json::Array operands, settings, results, parameters;
  for (const Operand &operand : op.operands)
    operands.push_back(operandJson(operand));
  for (const Setting &setting : op.settings)
    settings.push_back(settingJson(setting, enums));
  for (const ResultRecord &result : op.results)
    results.push_back(json::Object{{"name", result.name}, {"variadic", result.variadic}});
  for (const Parameter &parameter : op.parameters)
    parameters.push_back(parameter.name);
  return json::Object{{"code", int(op.code)},
                      {"code_name", op.codeName},
                      {"mnemonic", op.mnemonic},
                      {"group", op.group},
                      {"summary", op.summary},
                      {"formula", op.formula},
                      {"exactness", op.exactness},
                      {"example", op.example},
                      {"reference", op.reference},
                      {"public", op.isPublic},
                      {"hand_written", op.isHandWritten},
                      {"public_name", op.publicName.empty() ? op.mnemonic : op.publicName},
                      {"needs_insert", op.needsInsert},
                      {"pointwise", op.pointwise},
                      {"data_input", op.dataInput},
                      {"operands", std::move(operands)},
                      {"settings", std::move(settings)},
                      {"results", std::move(results)},
                      {"parameters", std::move(parameters)}};
}

bool emitJson(const RecordKeeper &records, raw_ostream &os) {
  std::vector<EnumRecord> enums = readEnums(records);
  json::Array ops;
  for (const OpRecord &op : readOps(records))
    ops.push_back(opJson(op, enums));
  os << formatv("{0:2}\n", json::Value(std::move(ops)));
  return false;
}

mlir::GenRegistration json_("gen-op-json", "The op table as JSON, for tests", emitJson);

} // namespace
} // namespace clika::tblgen
