// An op record, read and checked once for every generator. A record that is not complete stops the generator there.
#ifndef CLIKA_TBLGEN_OPRECORD_H
#define CLIKA_TBLGEN_OPRECORD_H

#include "llvm/ADT/StringRef.h"
#include "llvm/TableGen/Record.h"

#include <optional>
#include <string>
#include <vector>

namespace clika::tblgen {

struct Operand {
  std::string name, summary;
  std::vector<std::string> dtypeGroups;
  bool optional = false;
  bool variadic = false;
};

struct Setting {
  std::string name, summary;
  /// An enumerator of clika::SettingKind: "Bool", "Int", "Float", "Scalar", "Enum", "Ints", "DType", "String".
  std::string kind;
  bool optional = false;
  bool hasDefault = false;
  std::string defaultText;
  std::string enumName;
  /// The operand `NAME_tensor` that may stand for it.
  std::optional<unsigned> boundOperand;
};

struct ResultRecord {
  std::string name, summary;
  bool variadic = false;
};

/// One parameter of the public function: an operand, a setting, or both in one (a bound).
struct Parameter {
  std::string name;
  std::optional<unsigned> operand;
  std::optional<unsigned> setting;
};

struct EnumRecord {
  std::string name, summary;
  std::vector<std::string> enumerators;
};

struct OpRecord {
  unsigned code = 0;
  std::string codeName, mnemonic, group, summary, description, formula, exactness, example, reference;
  std::vector<Operand> operands;
  std::vector<Setting> settings;
  std::vector<ResultRecord> results;
  std::vector<Parameter> parameters;
  int dataInput = -1;
  /// What a hand-written public function is called where it is not the mnemonic, and its parameters.
  std::string publicName, parameterText;
  bool isPublic = true, isHandWritten = false, needsInsert = false, pointwise = false, hasOperandSegments = false;

  bool hasOneResult() const { return results.size() == 1 && !results.front().variadic; }
  bool hasDefault(const Parameter &parameter) const;
};

/// Every op of the records, by code.
std::vector<OpRecord> readOps(const llvm::RecordKeeper &records);
/// Every enum that a setting uses, by name.
std::vector<EnumRecord> readEnums(const llvm::RecordKeeper &records);

/// `text` as a C++ or Python string literal.
std::string quoted(llvm::StringRef text);
/// The groups in the order of their first op's code.
std::vector<std::string> groupsOf(const std::vector<OpRecord> &ops);
/// "{0, 1}" as the elements "0, 1".
std::string listElements(llvm::StringRef defaultText);

} // namespace clika::tblgen

#endif
