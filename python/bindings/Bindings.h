// What the binding files share: one `bind…` per public header, and the conversions between Python and the facade.
#pragma once

#include <ClikaRT/error.h>
#include <ClikaRT/tensor.h>
#include <ClikaRT/types.h>

#include <pybind11/pybind11.h>

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
void bindAttribute(py::module_ &module);
void bindGraph(py::module_ &module);
void bindPattern(py::module_ &module);
void bindTransform(py::module_ &module);
void bindModelGraph(py::module_ &module);
void bindTransforms(py::module_ &module);

/// Raises `message` as the Python class of `status`, by way of ClikaRT::Error.
[[noreturn]] void refuse(std::string_view call, const std::string &message,
                         ClikaRT::Status status = ClikaRT::Status::InvalidArgument);

/// "'float'" of 1.5: the type's name, for messages.
std::string typeName(py::handle value);

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

/// A DataType member, its name, or whatever numpy.dtype() takes that names one of ours.
ClikaRT::DataType toDataType(py::handle value, std::string_view call);
py::object fromDataType(ClikaRT::DataType dtype);
/// The numpy.dtype; bfloat16 needs the package ml_dtypes.
py::object numpyDataType(ClikaRT::DataType dtype, std::string_view call);

bool isDataType(py::handle value);
/// Instances of numpy.ndarray, and of numpy.dtype.
bool isArray(py::handle value);
bool isNumpyDataType(py::handle value);

/// A Python or NumPy bool, int or float. Anything else is an error that begins with `call`.
ClikaRT::Scalar toScalar(py::handle value, std::string_view call);
/// Whether toScalar would take it.
bool isNumber(py::handle value);
py::object fromScalar(const ClikaRT::Scalar &scalar);

/// An int, or a sequence of ints.
ClikaRT::Shape toShape(py::handle value, std::string_view call);
py::tuple fromShape(const ClikaRT::Shape &shape);

/// The one element of a concrete tensor, as a Python bool, int or float.
py::object itemOf(const ClikaRT::Tensor &tensor, std::string_view call);

/// __dlpack__ and from_dlpack.
py::object toDlpack(const ClikaRT::Tensor &tensor, py::object stream, py::object maxVersion, py::object device,
                    py::object copy);
ClikaRT::Tensor fromDlpack(py::object producer);

} // namespace clika::python
