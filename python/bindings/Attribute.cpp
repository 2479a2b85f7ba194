// attribute.h and op_code.h: settings as plain values, op codes as members of the generated OpCode.
#include "GraphBindings.h"

#include <ClikaRT/op_code.h>

namespace clika::python {
namespace {

using ClikaRT::DataType;
using ClikaRT::Scalar;
using ClikaRT::graph::Attr;
using ClikaRT::graph::AttrValue;
using ClikaRT::graph::OpCode;

const IntEnumTable *opCodes = nullptr;

/// An attribute of a file may hold any bytes: those that are no text become lone surrogates, as in names of files.
py::object fromBytes(const std::string &bytes) {
  PyObject *text = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape");
  if (!text)
    throw py::error_already_set();
  return py::reinterpret_steal<py::object>(text);
}

} // namespace

OpCode toOpCode(py::handle value, std::string_view call) {
  if (!opCodes->isMember(value))
    refuseType(call, py::cast<std::string>(py::repr(value)) +
                         " is no OpCode; give a member such as clika_runtime.graph.OpCode.Relu");
  return static_cast<OpCode>(py::cast<long>(value));
}

py::object fromOpCode(OpCode code) { return opCodes->member(static_cast<long>(code)); }

py::object fromAttrValue(const AttrValue &value) {
  return std::visit(
      [](const auto &held) -> py::object {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::monostate>)
          return py::none();
        else if constexpr (std::is_same_v<T, Scalar>)
          return fromScalar(held);
        else if constexpr (std::is_same_v<T, DataType>)
          return fromDataType(held);
        else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>)
          return toList(held);
        else if constexpr (std::is_same_v<T, std::string>)
          return fromBytes(held);
        else
          return py::cast(held);
      },
      value);
}

AttrValue toAttrValue(py::handle value, std::string_view call, const std::string &name) {
  if (value.is_none())
    return std::monostate{};
  if (isDataType(value) || isNumpyDataType(value) || PyType_Check(value.ptr()))
    return toDataType(value, call);
  if (py::isinstance<py::str>(value))
    return toText(value, call, name);
  if (isNumber(value)) {
    const Scalar number = toScalar(value, call);
    if (number.is_bool())
      return number.bool_value();
    if (number.is_int())
      return number.int_value();
    return number.float_value();
  }
  if (!py::isinstance<py::sequence>(value) || py::isinstance<ClikaRT::Tensor>(value))
    refuseType(call, "the setting '" + name + "' is given as " + typeName(value) +
                         "; a setting is None, a bool, an int, a float, a str, ints or an element type");
  return toShape(value, call, "the setting '" + name + "'");
}

py::dict fromAttrs(const std::vector<Attr> &attrs) {
  py::dict out;
  for (const Attr &attr : attrs)
    out[py::str(attr.name)] = fromAttrValue(attr.value);
  return out;
}

std::vector<Attr> toAttrs(py::handle value, std::string_view call) {
  std::vector<Attr> attrs;
  if (value.is_none())
    return attrs;
  if (!py::isinstance<py::dict>(value) && !py::hasattr(value, "items"))
    refuseType(call, "the settings are a dict of names and values, not " + typeName(value));
  for (auto &[name, given] : toItems(value, call, "a setting's name")) {
    AttrValue converted = toAttrValue(given, call, name);
    attrs.push_back({std::move(name), std::move(converted)});
  }
  return attrs;
}

void bindAttribute(py::module_ &module) {
  module.def("set_op_codes", [](py::object type) { opCodes = new IntEnumTable(std::move(type)); });
}

} // namespace clika::python
