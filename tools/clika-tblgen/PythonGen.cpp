// python/clika_runtime/ops.py: a typed function per public op.
#include "OpRecord.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace clika::tblgen {
namespace {

std::string settingType(const Setting &setting) {
  if (setting.boundOperand)
    return setting.kind == "Ints" ? "Sequence[int] | Tensor | None" : "Operand | None";
  std::string type = StringSwitch<std::string>(setting.kind)
                         .Case("Bool", "bool")
                         .Case("Int", "int")
                         .Case("Float", "float")
                         .Case("Scalar", "float")
                         .Case("Enum", setting.enumName)
                         .Case("Ints", "Sequence[int]")
                         .Case("DType", "DataType")
                         .Default("str");
  return setting.optional ? type + " | None" : type;
}

std::string settingDefault(const Setting &setting) {
  if (setting.boundOperand || setting.optional)
    return "None";
  if (setting.kind == "Bool")
    return setting.defaultText == "true" ? "True" : "False";
  if (setting.kind == "Enum" || setting.kind == "String")
    return quoted(setting.defaultText);
  if (setting.kind == "Ints") {
    std::string elements = listElements(setting.defaultText);
    return elements.empty() ? "()" : "(" + elements + ",)";
  }
  return setting.defaultText;
}

std::string operandType(const Operand &operand) {
  if (operand.variadic)
    return "Sequence[Operand]";
  return operand.optional ? "Operand | None" : "Operand";
}

std::string parameterText(const OpRecord &op, const Parameter &parameter) {
  if (parameter.setting) {
    const Setting &setting = op.settings[*parameter.setting];
    std::string text = parameter.name + ": " + settingType(setting);
    return op.hasDefault(parameter) ? text + " = " + settingDefault(setting) : text;
  }
  const Operand &operand = op.operands[*parameter.operand];
  return parameter.name + ": " + operandType(operand) + (operand.optional ? " = None" : "");
}

void emitDocLine(raw_ostream &os, StringRef text) {
  if (text.empty())
    os << "\n";
  else
    os << "    " << text << "\n";
}

StringRef summaryOf(const OpRecord &op, const Parameter &parameter) {
  return parameter.setting ? StringRef(op.settings[*parameter.setting].summary)
                           : StringRef(op.operands[*parameter.operand].summary);
}

void emitDocstring(raw_ostream &os, const OpRecord &op) {
  os << "    r\"\"\"" << op.summary << ".\n\n";
  if (!op.formula.empty())
    os << "    Formula: ``" << op.formula << "``\n\n";
  if (!op.parameters.empty())
    emitDocLine(os, "Args:");
  for (const Parameter &parameter : op.parameters)
    emitDocLine(os, "    " + parameter.name + ": " + summaryOf(op, parameter).str());
  emitDocLine(os, "Returns:");
  for (const ResultRecord &result : op.results)
    emitDocLine(os, "    " + (op.hasOneResult() ? "" : result.name + ": ") + result.summary);
  emitDocLine(os, "Raises:");
  emitDocLine(os,
              "    InvalidArgumentError: an operand or a setting does not fit; the message starts with the op's name.");
  if (!op.exactness.empty())
    os << "\n    Exactness: " << op.exactness << "\n";
  os << "    \"\"\"\n";
}

// The operands as one tuple, in the record's order; a bound stands among the settings, and `call_op` moves it.
std::string operandTuple(const OpRecord &op) {
  std::string text = "(";
  for (auto [i, operand] : enumerate(op.operands)) {
    bool bound = any_of(op.settings, [&, i = i](const Setting &s) { return s.boundOperand == i; });
    if (bound)
      text += "None, ";
    else if (operand.variadic)
      text += "*_tuple(" + operand.name + ", " + quoted(op.mnemonic) + ", " + quoted(operand.name) + "), ";
    else
      text += operand.name + ", ";
  }
  return text == "(" ? "()" : StringRef(text).drop_back().str() + ")";
}

std::string settingTuple(const OpRecord &op) {
  std::string text = "(";
  for (const Setting &setting : op.settings)
    text += setting.name + ", ";
  return text == "(" ? "()" : StringRef(text).drop_back().str() + ")";
}

std::string returnType(const OpRecord &op) {
  if (op.hasOneResult())
    return "Tensor";
  if (op.results.size() == 1)
    return "list[Tensor]";
  std::string text = "tuple[";
  for (size_t i = 0; i < op.results.size(); ++i)
    text += i ? ", Tensor" : "Tensor";
  return text + "]";
}

void emitFunction(raw_ostream &os, const OpRecord &op) {
  os << "\n\ndef " << op.mnemonic << "(";
  interleaveComma(op.parameters, os, [&](const Parameter &parameter) { os << parameterText(op, parameter); });
  os << ") -> " << returnType(op) << ":\n";
  emitDocstring(os, op);
  std::string call = "_call(" + std::to_string(op.code) + ", " + operandTuple(op) + ", " + settingTuple(op) + ")";
  if (op.hasOneResult())
    os << "    return " << call << "[0]\n";
  else if (op.results.size() == 1)
    os << "    return " << call << "\n";
  else
    os << "    return tuple(" << call << ")  # type: ignore[return-value]\n";
}

bool emitPython(const RecordKeeper &records, raw_ostream &os) {
  std::vector<OpRecord> ops = readOps(records);
  os << R"(# Generated by clika-tblgen from the op records; do not edit.
"""The public ops: each computes at once on concrete tensors, and records inside a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ._core import call_op as _call
from ._core import to_tuple as _tuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from . import DataType, Tensor

    #: What an operand may be: beside a tensor, arrays, numbers and lists of numbers are constants.
    Operand: TypeAlias = Tensor | NDArray[Any] | float | list[Any] | tuple[Any, ...]

)";
  for (const EnumRecord &e : readEnums(records)) {
    os << "#: " << e.summary << ".\n" << e.name << " = Literal[";
    interleaveComma(e.enumerators, os, [&](const std::string &name) { os << quoted(name); });
    os << "]\n";
  }
  os << "\n__all__ = [\n";
  for (const OpRecord &op : ops)
    if (op.isPublic && !op.isHandWritten)
      os << "    " << quoted(op.mnemonic) << ",\n";
  os << "]\n";
  for (const OpRecord &op : ops)
    if (op.isPublic && !op.isHandWritten)
      emitFunction(os, op);
  return false;
}

bool emitOpCodes(const RecordKeeper &records, raw_ostream &os) {
  os << "# Generated by clika-tblgen from the op records; do not edit.\n"
        "from enum import IntEnum\n\n\nclass OpCode(IntEnum):\n"
        "    \"\"\"The code of an operator; a code keeps its number for ever.\"\"\"\n\n    Input = 0\n";
  for (const OpRecord &op : readOps(records))
    os << "    " << op.codeName << " = " << op.code << "\n";
  return false;
}

mlir::GenRegistration python("gen-python-ops", "The Python module ops.py", emitPython);
mlir::GenRegistration codes("gen-python-op-codes", "The Python enumeration OpCode", emitOpCodes);

} // namespace
} // namespace clika::tblgen
