// The entry behind every generated function of clika_runtime.ops: Python values become operands and settings.
#include "API/CallOp.h"
#include "Bindings.h"
#include "Dialect/OpTable.h"

#include <ClikaRT/detail/call_op.h>

#include <algorithm>

namespace clika::python {
namespace {

using ClikaRT::DataType;
using ClikaRT::Scalar;
using ClikaRT::Tensor;
using ClikaRT::detail::Operand;
using ClikaRT::graph::Attr;
using ClikaRT::graph::AttrValue;

/// Tensors are taken as they are, NumPy arrays as constants.
std::optional<Tensor> asTensor(py::handle value) {
  if (py::isinstance<Tensor>(value))
    return py::cast<Tensor>(value);
  if (!isArray(value))
    return std::nullopt;
  return py::cast<Tensor>(py::module_::import("clika_runtime").attr("tensor")(value));
}

/// Whether `value` is a Python or NumPy integer that a Scalar cannot hold.
bool isLargeInteger(py::handle value) {
  if (py::isinstance<Tensor>(value) || !isNumber(value) || PyBool_Check(value.ptr()) || !PyIndex_Check(value.ptr()))
    return false;
  int overflow = 0;
  const py::int_ number(py::reinterpret_borrow<py::object>(value));
  PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  return overflow != 0;
}

/// The operand's name in the record.
std::string operandName(const OpInfo &op, std::size_t port) {
  return op.operands.empty() ? "the operand" : std::string(op.operands[std::min(port, op.operands.size() - 1)].name);
}

/// A large integer and a list, whose dtype all operands decide, give none.
Operand toOperand(const OpInfo &op, std::size_t port, py::handle value) {
  if (py::isinstance<Tensor>(value))
    return Operand(py::cast<Tensor>(value));
  if (value.is_none() || isLargeInteger(value) || isList(value))
    return Operand();
  if (isNumber(value))
    return Operand(toScalar(value, op.mnemonic));
  if (std::optional<Tensor> tensor = asTensor(value))
    return Operand(std::move(*tensor));
  refuseType(op.mnemonic, operandName(op, port) + " is a tensor or a number, not " + typeName(value) +
                              "; make one with clika_runtime.tensor");
}

/// Whether `value` holds tensors of a trace: the function that is traced computes with the list of its inputs.
bool holdsTraced(py::handle value) {
  for (py::handle entry : value)
    if (py::isinstance<Tensor>(entry) && py::cast<const Tensor &>(entry).is_traced())
      return true;
  return false;
}

/// A list of numbers takes the dtype that a number in its place does.
Operand listOperand(const OpInfo &op, std::optional<DataType> dtype, std::size_t port, py::handle value) {
  if (holdsTraced(value))
    refuse(op.mnemonic, operandName(op, port) +
                            " is a list of tensors of the trace, not one of them; a traced function "
                            "takes the list of its inputs: compute with an entry, such as inputs[0]");
  if (!dtype)
    refuse(op.mnemonic, "no operand is a tensor, so the list given as " + operandName(op, port) +
                            " has no dtype to take; make a tensor of one of them");
  return Operand(toConstant(value, dtype, op.mnemonic, operandName(op, port)));
}

/// A large integer as `dtype` holds it: exactly, or as the nearest float. Without one the error names the next step.
Operand largeInteger(const OpInfo &op, std::optional<DataType> dtype, py::handle value, const char *step) {
  const py::int_ number(py::reinterpret_borrow<py::object>(value));
  const std::string text = py::cast<std::string>(py::repr(number));
  if (!dtype)
    refuse(op.mnemonic, "no operand is a tensor, so the number " + text + " has no dtype to take; " + step);
  if (*dtype == DataType::UInt64) {
    const std::uint64_t exact = PyLong_AsUnsignedLongLong(number.ptr());
    if (!PyErr_Occurred())
      return Operand(Tensor::from_data(&exact, {}, *dtype));
  } else if (ClikaRT::is_floating_point(*dtype)) {
    const double nearest = PyLong_AsDouble(number.ptr());
    if (!PyErr_Occurred())
      return Operand(Scalar(nearest));
  }
  PyErr_Clear();
  refuse(op.mnemonic, text + " does not fit a tensor of " + std::string(ClikaRT::data_type_name(*dtype)) +
                          ", whose range it leaves; give a value of the type's range");
}

/// A bound given as a tensor goes to the operand that stands for it.
void placeBound(const OpInfo &op, const SettingInfo &setting, Tensor tensor, std::vector<Operand> &operands) {
  auto port = static_cast<std::size_t>(setting.boundOperand);
  for (std::size_t i = 0; i < port; ++i)
    if (op.operands[i].variadic)
      port += operands.size() - op.operands.size();
  operands.at(port) = Operand(std::move(tensor));
}

AttrValue toInts(std::string_view call, const SettingInfo &setting, py::handle value) {
  if (py::isinstance<py::str>(value) || (!py::isinstance<py::sequence>(value) && !PyIndex_Check(value.ptr())))
    refuseType(call, std::string(setting.name) + " is a sequence of ints, not " + typeName(value));
  return toShape(value, call, std::string(setting.name));
}

} // namespace

AttrValue toSettingValue(std::string_view call, const SettingInfo &setting, py::handle value) {
  const std::string name(setting.name);
  switch (setting.kind) {
  case SettingKind::Bool:
    return toFlag(value, call, name);
  case SettingKind::Int:
    return toInteger(value, call, name);
  case SettingKind::Float:
    if (!isNumber(value))
      refuseType(call, name + " is a number, not " + typeName(value));
    return toScalar(value, call);
  case SettingKind::Scalar:
    if (!isNumber(value))
      refuseType(call, name + " is a number, not " + typeName(value));
    return toScalar(value, call);
  case SettingKind::Ints:
    return toInts(call, setting, value);
  case SettingKind::DType:
    return toDataType(value, call);
  case SettingKind::Enum:
  case SettingKind::String:
    break;
  }
  return toText(value, call, name);
}

namespace {

/// What the setting that is a dtype was given.
std::optional<DataType> givenDtype(const OpInfo &op, const py::tuple &values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const py::object value = values[i]; op.settings[i].kind == SettingKind::DType && !value.is_none())
      return toDataType(value, op.mnemonic);
  return std::nullopt;
}

/// The dtype of a NumPy scalar; none of those wider than any tensor's, which count as numbers.
std::optional<DataType> dtypeOfScalar(py::handle value, std::string_view call) {
  const py::object dtype = value.attr("dtype");
  if (py::cast<int>(dtype.attr("itemsize")) > 8)
    return std::nullopt;
  return toDataType(dtype, call);
}

/// The one dtype of NumPy's scalars among the settings of an op that was given no tensor.
std::optional<DataType> scalarsDtype(const OpInfo &op, const py::tuple &values, const std::vector<Operand> &operands) {
  std::optional<DataType> dtype;
  for (const Operand &operand : operands)
    if (operand.tensor())
      return std::nullopt;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const py::object value = values[i];
    if (op.settings[i].boundOperand < 0 || op.settings[i].kind != SettingKind::Scalar || !isNumpyScalar(value))
      continue;
    const std::optional<DataType> own = dtypeOfScalar(value, op.mnemonic);
    if (!own || (dtype && *dtype != *own))
      return std::nullopt;
    dtype = own;
  }
  return dtype;
}

/// `values` holds one value per setting in the record's order; None leaves a setting at its default.
std::vector<Attr> toSettings(const OpInfo &op, const py::tuple &values, std::vector<Operand> &operands) {
  if (values.size() != op.settings.size())
    refuse(op.mnemonic,
           std::to_string(values.size()) + " settings were given for the record's " +
               std::to_string(op.settings.size()),
           ClikaRT::Status::Internal);
  std::vector<Attr> settings;
  const std::optional<DataType> given = givenDtype(op, values),
                                shared = given ? given : scalarsDtype(op, values, operands);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const py::object value = values[i];
    const SettingInfo &setting = op.settings[i];
    if (value.is_none())
      continue;
    if (setting.boundOperand >= 0 && setting.kind == SettingKind::Scalar) {
      const auto port = static_cast<std::size_t>(setting.boundOperand);
      const std::optional<DataType> beside = numberDtype(op, operands, port), dtype = beside ? beside : shared;
      if (isLargeInteger(value)) {
        const Operand bound = largeInteger(op, dtype, value, "give dtype");
        if (bound.tensor())
          placeBound(op, setting, *bound.tensor(), operands);
        else
          settings.push_back({std::string(setting.name), *bound.number()});
        continue;
      }
      if (isList(value)) {
        placeBound(op, setting, *listOperand(op, dtype, port, value).tensor(), operands);
        continue;
      }
      if (isNumpyScalar(value) && !given && !beside && shared) {
        placeBound(op, setting, toConstant(value, shared, op.mnemonic, operandName(op, port)), operands);
        continue;
      }
    }
    if (setting.boundOperand >= 0 && !isNumber(value)) {
      if (std::optional<Tensor> tensor = asTensor(value)) {
        placeBound(op, setting, std::move(*tensor), operands);
        continue;
      }
    }
    settings.push_back({std::string(setting.name), toSettingValue(op.mnemonic, setting, value)});
  }
  return settings;
}

/// NumPy's scalars count as numbers beside a tensor that decides their dtype; elsewhere they are tensors of their own,
/// if the operand takes it.
void takeScalarsAsTensors(const OpInfo &op, const py::tuple &values, std::vector<Operand> &operands) {
  const bool alone =
      std::none_of(operands.begin(), operands.end(), [](const Operand &operand) { return operand.tensor(); });
  std::vector<Operand> taken = operands;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const py::object value = values[i];
    if (!isNumpyScalar(value))
      continue;
    const std::optional<DataType> own = dtypeOfScalar(value, op.mnemonic);
    if (alone || (own && mayHaveDtype(op, operands, i, *own)))
      taken[i] = Operand(toConstant(value, std::nullopt, op.mnemonic, operandName(op, i)));
  }
  operands = std::move(taken);
}

py::list callOp(std::uint32_t code, const py::tuple &operandValues, const py::tuple &settingValues) {
  const OpInfo *op = findOp(code);
  if (!op)
    refuse("call_op", std::to_string(code) + " is no op's code", ClikaRT::Status::Internal);
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < operandValues.size(); ++i)
    operands.push_back(toOperand(*op, i, py::object(operandValues[i])));
  takeScalarsAsTensors(*op, operandValues, operands);
  for (std::size_t i = 0; i < operandValues.size(); ++i)
    if (const py::object value = operandValues[i]; isList(value))
      operands[i] = listOperand(*op, numberDtype(*op, operands, i), i, value);
  for (std::size_t i = 0; i < operandValues.size(); ++i)
    if (const py::object value = operandValues[i]; isLargeInteger(value))
      operands[i] = largeInteger(*op, numberDtype(*op, operands, i), value, "make a tensor of one of them");
  const std::vector<Attr> settings = toSettings(*op, settingValues, operands);
  std::vector<Tensor> results;
  {
    py::gil_scoped_release released;
    results = ClikaRT::detail::callOp(static_cast<ClikaRT::graph::OpCode>(code), operands, settings);
  }
  py::list out(results.size());
  for (std::size_t i = 0; i < results.size(); ++i)
    out[i] = py::cast(std::move(results[i]));
  return out;
}

} // namespace

void bindOps(py::module_ &module) {
  module.def("call_op", &callOp, py::arg("code"), py::arg("operands"), py::arg("settings"));
  module.def("to_tuple", [](py::handle value, const Text &call, const Text &what) {
    return toSequence(value, call, what.c_str());
  });
  module.def("is_operand", [](py::handle value) { return isNumber(value) || py::isinstance<Tensor>(value); });
}

} // namespace clika::python
