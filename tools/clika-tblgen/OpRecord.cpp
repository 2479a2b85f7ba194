#include "OpRecord.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"

#include <algorithm>
#include <map>

using namespace llvm;

namespace clika::tblgen {
namespace {

[[noreturn]] void fail(const Record &record, const Twine &what) { PrintFatalError(record.getLoc(), what); }

std::vector<std::string> strings(const Record &record, StringRef field) {
  std::vector<std::string> result;
  for (StringRef text : record.getValueAsListOfStrings(field))
    result.push_back(text.str());
  return result;
}

std::string text(const Record &record, StringRef field) {
  const RecordVal *value = record.getValue(field);
  if (!value || isa<UnsetInit>(value->getValue()))
    return "";
  return record.getValueAsString(field).trim().str();
}

/// A block of lines whose first is already at the margin, with the others moved there too.
std::string dedented(StringRef block) {
  SmallVector<StringRef> lines;
  block.split(lines, '\n');
  size_t margin = StringRef::npos;
  for (StringRef line : ArrayRef(lines).drop_front())
    if (!line.trim().empty())
      margin = std::min(margin, line.size() - line.ltrim().size());
  std::string text = lines.front().rtrim().str();
  for (StringRef line : ArrayRef(lines).drop_front())
    text += "\n" + line.substr(std::min(margin, line.size())).rtrim().str();
  return text;
}

// The constraint an argument names, and its description where it is `Arg<constraint, "description">`.
struct Argument {
  const Record *constraint;
  std::string summary;
};

Argument argumentOf(const Record &op, const DagInit &dag, unsigned index) {
  auto *init = dyn_cast<DefInit>(dag.getArg(index));
  if (!init)
    fail(op, "argument " + Twine(index) + " is not a record");
  const Record *record = init->getDef();
  if (!record->isSubClassOf("OpVariable"))
    return {record, ""};
  return {record->getValueAsDef("constraint"), text(*record, "summary")};
}

std::string settingKind(const Record &attr) {
  static const std::pair<const char *, const char *> kinds[] = {{"Clika_Bool", "Bool"},
                                                                {"Clika_Int", "Int"},
                                                                {"Clika_Float", "Float"},
                                                                {"Clika_Ints", "Ints"},
                                                                {"Clika_Enum", "Enum"}};
  for (auto [className, kind] : kinds)
    if (attr.isSubClassOf(className))
      return kind;
  static const std::pair<const char *, const char *> defs[] = {
      {"Clika_ScalarAttr", "Scalar"}, {"I64Attr", "Int"},       {"F64Attr", "Float"},  {"BoolAttr", "Bool"},
      {"DenseI64ArrayAttr", "Ints"},  {"Clika_DType", "DType"}, {"StrAttr", "String"}, {"FlatSymbolRefAttr", "String"}};
  for (auto [defName, kind] : defs)
    if (attr.getName() == defName)
      return kind;
  return "";
}

Setting readSetting(const Record &op, StringRef name, const Argument &argument) {
  Setting setting;
  setting.name = name.str();
  setting.summary = argument.summary;
  const Record *attr = argument.constraint;
  if (attr->isSubClassOf("OptionalAttr")) {
    setting.optional = true;
    attr = attr->getValueAsDef("baseAttr");
  }
  if (attr->isSubClassOf("DefaultValuedAttr")) {
    setting.hasDefault = true;
    setting.defaultText = StringRef(text(*attr, "defaultValue")).trim('"').str();
  }
  setting.kind = settingKind(*attr);
  if (setting.kind.empty())
    fail(op, "setting '" + name + "' is of no kind that ClikaBase.td lists");
  if (setting.kind == "Enum") {
    const Record *enumAttr = attr->getValueAsDef("enumAttr");
    setting.enumName = text(*enumAttr, "enumName");
    if (!is_contained(strings(*enumAttr, "enumerators"), setting.defaultText))
      fail(op, "setting '" + name + "' has a default that is no enumerator");
  }
  return setting;
}

Operand readOperand(const Record &op, StringRef name, const Argument &argument) {
  Operand operand;
  operand.name = name.str();
  operand.summary = argument.summary;
  const Record *type = argument.constraint;
  operand.optional = type->isSubClassOf("Optional");
  operand.variadic = type->isSubClassOf("Variadic");
  if (operand.optional || operand.variadic)
    type = type->getValueAsDef("baseType");
  if (!type->isSubClassOf("Clika_Tensor"))
    fail(op, "operand '" + name + "' is not of a Clika_Tensor type");
  operand.dtypeGroups = strings(*type, "dtypeGroups");
  return operand;
}

void readArguments(const Record &def, OpRecord &op) {
  const DagInit *dag = def.getValueAsDag("arguments");
  bool node = false;
  for (unsigned i = 0, e = dag->getNumArgs(); i < e; ++i) {
    Argument argument = argumentOf(def, *dag, i);
    StringRef name = dag->getArgNameStr(i);
    if (argument.constraint->isSubClassOf("Property")) {
      node |= argument.constraint->getName() == "Clika_NodeProp";
      continue;
    }
    if (op.isPublic && argument.summary.empty())
      fail(def, "'" + name + "' has no description: write it as Arg<…, \"…\">");
    Parameter parameter;
    parameter.name = name.str();
    // What only the reader and transforms build may hold attributes that are no settings (a constant's data).
    bool isSetting = argument.constraint->isSubClassOf("Attr");
    if (isSetting && !op.isPublic && settingKind(*argument.constraint).empty())
      continue;
    if (isSetting) {
      parameter.setting = op.settings.size();
      op.settings.push_back(readSetting(def, name, argument));
    } else {
      parameter.operand = op.operands.size();
      op.operands.push_back(readOperand(def, name, argument));
    }
    op.parameters.push_back(parameter);
  }
  if (!node)
    fail(def, "the op's arguments lack Clika_NodeProp:$node");
}

void readResults(const Record &def, OpRecord &op) {
  const DagInit *dag = def.getValueAsDag("results");
  for (unsigned i = 0, e = dag->getNumArgs(); i < e; ++i) {
    Argument argument = argumentOf(def, *dag, i);
    op.results.push_back(
        {dag->getArgNameStr(i).str(), argument.summary, argument.constraint->isSubClassOf("Variadic")});
    if (op.isPublic && argument.summary.empty())
      fail(def, "result '" + dag->getArgNameStr(i) + "' has no description: write it as Res<…, \"…\">");
  }
}

// Joins each bound's operand and setting into one parameter, at the setting's place.
void joinBounds(const Record &def, OpRecord &op) {
  for (const std::string &name : strings(def, "bounds")) {
    auto setting = find_if(op.settings, [&](const Setting &s) { return s.name == name; });
    auto operand = find_if(op.operands, [&](const Operand &o) { return o.name == name + "_tensor"; });
    if (setting == op.settings.end() || operand == op.operands.end() || !operand->optional)
      fail(def, "bound '" + name + "' needs a setting '" + name + "' and an optional operand '" + name + "_tensor'");
    if (!setting->optional && !setting->hasDefault)
      fail(def, "bound '" + name + "' needs a setting that may be left out");
    unsigned index = operand - op.operands.begin();
    setting->boundOperand = index;
    erase_if(op.parameters, [&](const Parameter &p) { return p.operand == index && !p.setting; });
    for (Parameter &parameter : op.parameters)
      if (parameter.setting == unsigned(setting - op.settings.begin()))
        parameter.operand = index;
  }
}

void checkParameters(const Record &def, const OpRecord &op) {
  bool optional = false;
  for (const Parameter &parameter : op.parameters) {
    bool hasDefault = op.hasDefault(parameter);
    if (optional && !hasDefault && !op.isHandWritten)
      fail(def, "'" + parameter.name + "' is required but follows parameters that may be left out");
    optional |= hasDefault;
  }
  unsigned variadic = count_if(op.operands, [](const Operand &o) { return o.variadic; });
  if (variadic > 1)
    fail(def, "more than one variadic operand");
}

OpRecord readOp(const Record &def) {
  OpRecord op;
  op.code = def.getValueAsInt("opCode");
  op.mnemonic = text(def, "opName");
  op.codeName = text(def, "codeName");
  if (op.codeName.empty())
    op.codeName = convertToCamelFromSnakeCase(op.mnemonic, true);
  op.group = text(def, "group");
  op.summary = text(def, "summary");
  op.description = dedented(text(def, "description"));
  op.formula = text(def, "formula");
  op.exactness = text(def, "exactness");
  op.example = dedented(text(def, "example"));
  op.reference = text(def, "reference");
  op.isPublic = def.getValueAsBit("isPublic");
  op.isHandWritten = def.getValueAsBit("isHandWritten");
  op.publicName = text(def, "publicName");
  op.parameterText = text(def, "parameterText");
  op.needsInsert = def.getValueAsBit("needsInsert");
  for (const Init *trait : *def.getValueAsListInit("traits")) {
    StringRef name = cast<DefInit>(trait)->getDef()->getName();
    op.hasOperandSegments |= name == "AttrSizedOperandSegments";
    const Record *record = cast<DefInit>(trait)->getDef();
    op.pointwise |= record->getValue("cppInterfaceName") && text(*record, "cppInterfaceName") == "PointwiseOp";
  }
  if (op.group.empty() || op.summary.empty())
    fail(def, "the record lacks a group or a summary");
  readArguments(def, op);
  readResults(def, op);
  joinBounds(def, op);
  checkParameters(def, op);
  if (op.isPublic && op.example.empty())
    fail(def, "the record has no example");
  if (op.isPublic && !StringRef(op.example).contains("# -> "))
    fail(def, "the example does not end in `# -> VALUE`");
  if (op.isPublic && !op.hasOneResult() && !op.needsInsert)
    fail(def, "an op with several results needs `let needsInsert = 1`");
  std::string data = text(def, "dataInput");
  for (auto [i, operand] : enumerate(op.operands))
    if (operand.name == data)
      op.dataInput = i;
  if (!data.empty() && op.dataInput < 0)
    fail(def, "dataInput names no operand");
  return op;
}

} // namespace

bool OpRecord::hasDefault(const Parameter &parameter) const {
  if (parameter.setting)
    return settings[*parameter.setting].optional || settings[*parameter.setting].hasDefault;
  return operands[*parameter.operand].optional;
}

std::vector<OpRecord> readOps(const RecordKeeper &records) {
  std::map<unsigned, const Record *> byCode;
  std::map<std::string, const Record *> byName;
  std::vector<OpRecord> ops;
  for (const Record *def : records.getAllDerivedDefinitions("Clika_Op")) {
    OpRecord op = readOp(*def);
    if (op.code == 0)
      fail(*def, "code 0 is a graph input's");
    if (auto [found, added] = byCode.try_emplace(op.code, def); !added)
      fail(*def, "code " + Twine(op.code) + " is already " + found->second->getName() + "'s");
    if (auto [found, added] = byName.try_emplace(op.codeName, def); !added)
      fail(*def, "the name " + op.codeName + " is already " + found->second->getName() + "'s");
    ops.push_back(std::move(op));
  }
  sort(ops, [](const OpRecord &a, const OpRecord &b) { return a.code < b.code; });
  return ops;
}

std::vector<EnumRecord> readEnums(const RecordKeeper &records) {
  std::vector<EnumRecord> enums;
  for (const Record *def : records.getAllDerivedDefinitions("Clika_EnumAttr"))
    enums.push_back({text(*def, "enumName"), text(*def, "enumSummary"), strings(*def, "enumerators")});
  sort(enums, [](const EnumRecord &a, const EnumRecord &b) { return a.name < b.name; });
  for (size_t i = 1; i < enums.size(); ++i)
    if (enums[i].name == enums[i - 1].name)
      PrintFatalError("two enums are named " + enums[i].name);
  return enums;
}

std::string quoted(StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '\n')
      result += "\\n";
    else if (c == '"' || c == '\\')
      (result += '\\') += c;
    else
      result += c;
  }
  return result + '"';
}

std::vector<std::string> groupsOf(const std::vector<OpRecord> &ops) {
  std::vector<std::string> groups;
  for (const OpRecord &op : ops)
    if (!is_contained(groups, op.group))
      groups.push_back(op.group);
  return groups;
}

std::string listElements(StringRef defaultText) { return defaultText.trim("{} ").str(); }

} // namespace clika::tblgen
