// What the binding files share: one `bind…` per public header, and the conversions between Python and the facade.
#pragma once

#include <ClikaRT/error.h>
#include <ClikaRT/tensor.h>
#include <ClikaRT/types.h>

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clika::python {

namespace py = pybind11;

void bindError(py::module_ &module);
void bindTypes(py::module_ &module);
void bindSpec(py::module_ &module);
void bindTensor(py::module_ &module);
void bindOps(py::module_ &module);
void bindControl(py::module_ &module);
void bindAttribute(py::module_ &module);
void bindGraph(py::module_ &module);
void bindPattern(py::module_ &module);
void bindTransform(py::module_ &module);
void bindReports(py::module_ &module);
void bindProfile(py::module_ &module);
void bindPatternTransform(py::module_ &module);
void bindModelGraph(py::module_ &module);
void bindTransforms(py::module_ &module);
/// Puts every public function bound so far behind one that names what is wrong with a call, and gives it its docstring.
void guardArguments(py::module_ &module);
/// Gives the classes and properties bound so far their docstrings.
void documentClasses(py::module_ &module);
/// The docstring of "function", "Class" or "Class.member", as _core.pyi has it; empty where there is none.
const char *docstring(std::string_view name);

/// Raises `message` as the Python class of `status`, by way of ClikaRT::Error.
[[noreturn]] void refuse(std::string_view call, const std::string &message,
                         ClikaRT::Status status = ClikaRT::Status::InvalidArgument);

/// An argument of a type that the call does not take: Python's ArgumentTypeError.
class ArgumentTypeError : public ClikaRT::Error {
public:
  explicit ArgumentTypeError(const std::string &message) : Error(ClikaRT::Status::InvalidArgument, message) {}
};
[[noreturn]] void refuseType(std::string_view call, const std::string &message);
/// Runs an engine call that goes by another name in Python: its errors begin with `call` instead of `engine`.
template <class Body>
auto named(std::string_view call, std::string_view engine, Body body) {
  try {
    return body();
  } catch (const ClikaRT::Error &error) {
    const std::string_view what = error.what();
    if (what.substr(0, engine.size()) != engine || what.substr(engine.size(), 2) != ": ")
      throw;
    throw ClikaRT::Error(error.status(), std::string(call) + std::string(what.substr(engine.size())),
                         error.code_name());
  }
}
/// Makes it the pending Python exception.
void setArgumentTypeError(const std::string &message);

/// "a float" of 1.5, "None" of None: for messages.
std::string typeName(py::handle value);

/// A str as an argument of a bound function; bytes and lone surrogates are none.
struct Text : std::string {};
std::string toText(py::handle value, std::string_view call, const std::string &what);
/// A file's name as bytes of the system's; str, bytes and PathLike are served.
std::string toPath(py::handle path, std::string_view call, const char *what = "the path");
/// Python's or NumPy's True or False.
bool toFlag(py::handle value, std::string_view call, const std::string &what);
/// Anything with __index__ except a bool.
std::int64_t toInteger(py::handle value, std::string_view call, const std::string &what);
/// The entries of a list or another sequence, which holds them for as long as it lives (a sequence may make them as it
/// is asked); a str, a tensor and an array are no sequences here.
py::tuple toSequence(py::handle value, std::string_view call, const char *what);
/// The same of any sequence but a str, without a test.
py::tuple entriesOf(py::handle sequence);
/// The names and values of a mapping.
std::vector<std::pair<std::string, py::object>> toItems(py::handle mapping, std::string_view call, const char *name);
/// The same as toInteger, 0 or more.
std::size_t toCount(py::handle value, std::string_view call, const std::string &what);

/// A real enum.IntEnum class, and its members by value, which live as long as the process.
class IntEnumTable {
public:
  using Member = std::pair<std::string, long>;
  IntEnumTable(py::module_ &module, const char *name, const std::vector<Member> &members);
  /// Of a class written in Python.
  explicit IntEnumTable(py::object type);
  py::handle type() const { return type_; }
  py::object member(long value) const;
  /// Whether `value` is one of the members (a plain int is not).
  bool isMember(py::handle value) const;

private:
  void add(py::object type);

  py::handle type_;
  std::vector<std::pair<long, py::handle>> members_; // by value, ascending
};

/// A list or a tuple: of numbers, where a tensor is taken.
bool isList(py::handle value);
/// `value`, an array, a number or a list of them that `call` was given as its tensor `what`: of the dtype it has, else
/// of `dtype`, which must hold it.
ClikaRT::Tensor toConstant(py::handle value, std::optional<ClikaRT::DataType> dtype, std::string_view call,
                           const std::string &what);

/// A DataType member, its name, or whatever numpy.dtype() takes that names one of ours.
ClikaRT::DataType toDataType(py::handle value, std::string_view call);
py::object fromDataType(ClikaRT::DataType dtype);
/// The numpy.dtype; bfloat16 needs the package ml_dtypes.
py::object numpyDataType(ClikaRT::DataType dtype, std::string_view call);

bool isDataType(py::handle value);
/// Instances of numpy.ndarray, of numpy.generic, and of numpy.dtype.
bool isArray(py::handle value);
bool isNumpyScalar(py::handle value);
bool isNumpyDataType(py::handle value);

/// A Python or NumPy bool, int or float. Anything else is an error that begins with `call`.
ClikaRT::Scalar toScalar(py::handle value, std::string_view call);
/// A number as floating point.
double toReal(py::handle value, std::string_view call, const std::string &what);
/// Whether toScalar would take it.
bool isNumber(py::handle value);
py::object fromScalar(const ClikaRT::Scalar &scalar);

/// An int, or a sequence of ints; errors name `what`.
ClikaRT::Shape toShape(py::handle value, std::string_view call, const std::string &what = "a shape");
py::tuple fromShape(const ClikaRT::Shape &shape);

/// The one element of a concrete tensor, as a Python bool, int or float.
py::object itemOf(const ClikaRT::Tensor &tensor, std::string_view call);

/// __dlpack__ and from_dlpack.
py::object toDlpack(const ClikaRT::Tensor &tensor, py::object stream, py::object maxVersion, py::object device,
                    py::object copy);
ClikaRT::Tensor fromDlpack(py::object producer);

} // namespace clika::python

template <>
struct pybind11::detail::type_caster<clika::python::Text> {
  PYBIND11_TYPE_CASTER(clika::python::Text, const_name("str"));

  bool load(handle source, bool) {
    if (!PyUnicode_Check(source.ptr()))
      return false;
    Py_ssize_t size = 0;
    const char *text = PyUnicode_AsUTF8AndSize(source.ptr(), &size);
    if (!text)
      return PyErr_Clear(), false;
    value.assign(text, static_cast<std::size_t>(size));
    return true;
  }
};
