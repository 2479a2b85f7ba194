// types.h: element types, literals and shapes as Python values.
#include "Bindings.h"

#include <pybind11/gil_safe_call_once.h>

#include <algorithm>

namespace clika::python {
namespace {

using ClikaRT::DataType;
using ClikaRT::Device;
using ClikaRT::Scalar;
using ClikaRT::Shape;

const IntEnumTable *dataTypes = nullptr;

constexpr const char *kDataTypeNames[] = {"Bool",   "Int8",   "Int16",   "Int32",    "Int64",   "UInt8",  "UInt16",
                                          "UInt32", "UInt64", "Float16", "BFloat16", "Float32", "Float64"};
static_assert(std::size(kDataTypeNames) == ClikaRT::data_type_count);

DataType memberType(py::handle self) { return static_cast<DataType>(py::cast<long>(self)); }

void addDataTypeMembers(py::module_ &module) {
  std::vector<IntEnumTable::Member> members;
  for (std::size_t i = 0; i < ClikaRT::data_type_count; ++i)
    members.emplace_back(kDataTypeNames[i], static_cast<long>(i));
  dataTypes = new IntEnumTable(module, "DataType", members);
  const py::object type = py::reinterpret_borrow<py::object>(dataTypes->type());
  const py::object property = py::module_::import("builtins").attr("property");
  const auto name = [](py::handle self) { return std::string(ClikaRT::data_type_name(memberType(self))); };
  const auto method = [&](auto function, const char *called) {
    return py::cpp_function(function, py::name(called), py::is_method(type));
  };
  type.attr("__str__") = method(name, "__str__");
  type.attr("itemsize") =
      property(method([](py::handle self) { return ClikaRT::item_size(memberType(self)); }, "itemsize"));
  type.attr("numpy") =
      method([](py::handle self) { return numpyDataType(memberType(self), "DataType.numpy"); }, "numpy");
}

void addDevice(py::module_ &module) {
  py::class_<Device> cls(module, "Device");
  cls.def(py::init([](const Text &kind, int index) { return Device{kind, index}; }), py::arg("kind") = "cpu",
          py::arg("index") = 0)
      .def_readonly("kind", &Device::kind)
      .def_readonly("index", &Device::index)
      .def("__str__", &Device::to_string)
      .def("__repr__",
           [](const Device &self) { return "Device('" + self.kind + "', " + std::to_string(self.index) + ")"; })
      .def("__eq__",
           [](const Device &self, py::handle other) {
             if (py::isinstance<py::str>(other))
               return self.to_string() == py::cast<std::string>(other);
             return py::isinstance<Device>(other) && self == py::cast<const Device &>(other);
           })
      .def("__reduce__",
           [](const py::object &self) {
             return py::make_tuple(py::type::of(self), py::make_tuple(self.attr("kind"), self.attr("index")));
           })
      .def("__hash__", [](const Device &self) { return py::hash(py::str(self.to_string())); });
  cls.attr("any") = py::cast(Device::any);
}

} // namespace

IntEnumTable::IntEnumTable(py::module_ &module, const char *name, const std::vector<Member> &members) {
  py::list pairs;
  for (const Member &member : members)
    pairs.append(py::make_tuple(member.first, member.second));
  py::object type = py::module_::import("enum").attr("IntEnum")(name, pairs, py::arg("module") = "clika_runtime._core");
  module.attr(name) = type;
  add(std::move(type));
}

IntEnumTable::IntEnumTable(py::object type) { add(std::move(type)); }

void IntEnumTable::add(py::object type) {
  for (py::handle member : type)
    members_.emplace_back(py::cast<long>(member), py::reinterpret_borrow<py::object>(member).release());
  std::ranges::sort(members_, {}, [](const auto &entry) { return entry.first; });
  type_ = type.release();
}

py::object IntEnumTable::member(long value) const {
  const auto at = std::ranges::lower_bound(members_, value, {}, [](const auto &entry) { return entry.first; });
  if (at == members_.end() || at->first != value)
    refuse(py::cast<std::string>(type_.attr("__name__")), std::to_string(value) + " is no enumerator",
           ClikaRT::Status::Internal);
  return py::reinterpret_borrow<py::object>(at->second);
}

bool IntEnumTable::isMember(py::handle value) const {
  return Py_TYPE(value.ptr()) == reinterpret_cast<PyTypeObject *>(type_.ptr());
}

DataType toDataType(py::handle value, std::string_view call) {
  if (dataTypes->isMember(value))
    return memberType(value);
  std::string name;
  if (py::isinstance<py::str>(value)) {
    name = toText(value, call, "the element type's name");
  } else if (!value.is_none() && !py::isinstance<py::int_>(value)) {
    try {
      name = py::cast<std::string>(py::module_::import("numpy").attr("dtype")(value).attr("name"));
    } catch (py::error_already_set &) {
      name = "";
    }
  }
  if (const auto found = ClikaRT::data_type_from_name(name))
    return *found;
  const std::string message =
      py::cast<std::string>(py::repr(value)) + " names no element type; give one such as clika_runtime.float32";
  py::isinstance<py::str>(value) ? refuse(call, message) : refuseType(call, message);
}

py::object fromDataType(DataType dtype) { return dataTypes->member(static_cast<long>(dtype)); }

py::object numpyDataType(DataType dtype, std::string_view call) {
  py::object name = py::str(std::string(ClikaRT::data_type_name(dtype)));
  if (dtype == DataType::BFloat16) {
    try {
      name = py::module_::import("ml_dtypes").attr("bfloat16");
    } catch (py::error_already_set &failed) {
      if (!failed.matches(PyExc_ImportError))
        throw;
      refuse(call,
             "NumPy has no bfloat16 of its own; install the package ml_dtypes (pip install 'clika_runtime[bf16]'), or "
             "cast the tensor to float32 first",
             ClikaRT::Status::Unsupported);
    }
  }
  return py::module_::import("numpy").attr("dtype")(name);
}

namespace {

/// A class of NumPy's. Its first use may give up the GIL, which a static of ours must not wait for.
template <class Tag>
bool isInstanceOf(py::handle value, const char *name) {
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::object> stored;
  return py::isinstance(
      value, stored.call_once_and_store_result([name] { return py::object(py::module_::import("numpy").attr(name)); })
                 .get_stored());
}

} // namespace

bool isDataType(py::handle value) { return dataTypes->isMember(value); }
bool isArray(py::handle value) { return isInstanceOf<struct Array>(value, "ndarray"); }
bool isNumpyScalar(py::handle value) { return isInstanceOf<struct Generic>(value, "generic"); }
bool isNumpyDataType(py::handle value) { return isInstanceOf<struct NumpyDataType>(value, "dtype"); }

std::string toText(py::handle value, std::string_view call, const std::string &what) {
  if (!py::isinstance<py::str>(value))
    refuseType(call, what + " is a str, not " + typeName(value));
  py::detail::make_caster<Text> caster;
  if (!caster.load(value, false))
    refuse(call, what + " holds a lone surrogate, which is no character; give text that UTF-8 can hold");
  return py::detail::cast_op<Text &>(caster);
}

bool toFlag(py::handle value, std::string_view call, const std::string &what) {
  if (!isNumber(value) || !toScalar(value, call).is_bool())
    refuseType(call, what + " is True or False, not " + typeName(value));
  return toScalar(value, call).bool_value();
}

std::int64_t toInteger(py::handle value, std::string_view call, const std::string &what) {
  const py::object index =
      PyBool_Check(value.ptr()) ? py::object() : py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!index) {
    PyErr_Clear();
    refuseType(call, what + " is an int, not " + typeName(value));
  }
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0)
    refuse(call, what + " is " + py::cast<std::string>(py::repr(index)) + ", which does not fit 64 bits");
  return number;
}

std::size_t toCount(py::handle value, std::string_view call, const std::string &what) {
  const std::int64_t number = toInteger(value, call, what);
  if (number < 0)
    refuse(call, what + " is " + std::to_string(number) + "; it counts from 0");
  return static_cast<std::size_t>(number);
}

bool isNumber(py::handle value) {
  if (PyBool_Check(value.ptr()) || PyLong_Check(value.ptr()) || PyFloat_Check(value.ptr()))
    return true;
  if (!isNumpyScalar(value))
    return false;
  const std::string kind = py::cast<std::string>(value.attr("dtype").attr("kind"));
  return kind == "b" || kind == "i" || kind == "u" || kind == "f" ||
         py::cast<std::string>(value.attr("dtype").attr("name")) == "bfloat16";
}

double toReal(py::handle value, std::string_view call, const std::string &what) {
  if (!isNumber(value))
    refuseType(call, what + " is a number, not " + typeName(value));
  return toScalar(value, call).to_double();
}

Scalar toScalar(py::handle value, std::string_view call) {
  if (PyBool_Check(value.ptr()))
    return Scalar(value.ptr() == Py_True);
  if (PyFloat_Check(value.ptr()))
    return Scalar(PyFloat_AS_DOUBLE(value.ptr()));
  if (PyLong_Check(value.ptr())) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow != 0)
      refuse(call, py::cast<std::string>(py::repr(value)) + " does not fit 64 bits; give a smaller number");
    return Scalar(number);
  }
  if (!isNumber(value))
    refuseType(call, "a number was expected, not " + typeName(value));
  const std::string kind = py::cast<std::string>(value.attr("dtype").attr("kind"));
  if (kind == "b")
    return Scalar(py::cast<bool>(py::bool_(py::reinterpret_borrow<py::object>(value))));
  if (kind == "i" || kind == "u")
    return toScalar(py::int_(py::reinterpret_borrow<py::object>(value)), call);
  return Scalar(py::cast<double>(py::float_(py::reinterpret_borrow<py::object>(value))));
}

py::object fromScalar(const Scalar &scalar) {
  if (scalar.is_bool())
    return py::bool_(scalar.bool_value());
  if (scalar.is_int())
    return py::int_(scalar.int_value());
  return py::float_(scalar.float_value());
}

Shape toShape(py::handle value, std::string_view call, const std::string &what) {
  const auto size = [&](py::handle entry) {
    // __index__ rather than int(): 2.0 and '2' are no sizes.
    const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(entry.ptr()));
    if (!index) {
      PyErr_Clear();
      refuseType(call, what + " holds ints, not " + typeName(entry));
    }
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (overflow != 0)
      refuse(call, what + " holds " + py::cast<std::string>(py::repr(index)) + ", which does not fit 64 bits");
    return static_cast<std::int64_t>(number);
  };
  if (PyIndex_Check(value.ptr()) && !py::isinstance<py::sequence>(value))
    return {size(value)};
  if (!py::isinstance<py::sequence>(value) || py::isinstance<py::str>(value))
    refuseType(call, what + " is a sequence of ints, not " + typeName(value));
  Shape shape;
  for (py::handle entry : entriesOf(value))
    shape.push_back(size(entry));
  return shape;
}

py::tuple fromShape(const Shape &shape) {
  py::tuple sizes(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i)
    sizes[i] = py::int_(shape[i]);
  return sizes;
}

void bindTypes(py::module_ &module) {
  addDataTypeMembers(module);
  addDevice(module);
  module.def("to_data_type", [](py::handle value, const Text &call) { return fromDataType(toDataType(value, call)); });
}

} // namespace clika::python
