// error.h: every ClikaRT::Error becomes an exception class of clika_runtime._errors.
#include "Bindings.h"

#include <array>
#include <cstring>
#include <new>

namespace clika::python {
namespace {

using ClikaRT::Error;
using ClikaRT::Status;

constexpr std::array<std::pair<Status, const char *>, 6> kStatuses = {{{Status::InvalidArgument, "InvalidArgument"},
                                                                       {Status::NotFound, "NotFound"},
                                                                       {Status::Unsupported, "Unsupported"},
                                                                       {Status::OutOfMemory, "OutOfMemory"},
                                                                       {Status::Io, "Io"},
                                                                       {Status::Internal, "Internal"}}};

/// The exception classes by status; they live as long as the process.
std::array<PyObject *, kStatuses.size()> errorClasses{};

/// InvalidArgument's class for arguments of a wrong type.
PyObject *argumentTypeClass = nullptr;

void raise(PyObject *type, const char *message, const std::string &codeName) {
  if (!type)
    return PyErr_SetString(PyExc_RuntimeError, message);
  try {
    // A file's name may be any bytes.
    const auto text = py::reinterpret_steal<py::object>(
        PyUnicode_DecodeUTF8(message, static_cast<Py_ssize_t>(std::strlen(message)), "backslashreplace"));
    if (!text)
      throw py::error_already_set();
    const py::object instance = py::reinterpret_borrow<py::object>(type)(text, py::arg("code_name") = codeName);
    PyErr_SetObject(type, instance.ptr());
  } catch (py::error_already_set &failed) {
    failed.restore();
  }
}

void translate(std::exception_ptr raised) {
  try {
    std::rethrow_exception(raised);
  } catch (const ArgumentTypeError &error) {
    raise(argumentTypeClass, error.what(), error.code_name());
  } catch (const Error &error) {
    raise(errorClasses.at(static_cast<std::size_t>(error.status())), error.what(), error.code_name());
  } catch (const std::bad_alloc &) {
    const auto memory = static_cast<std::size_t>(Status::OutOfMemory);
    raise(errorClasses.at(memory), "there is no memory left",
          std::string(ClikaRT::default_code_name(Status::OutOfMemory)));
  }
}

/// `clika_runtime` hands its classes over once, when it is imported.
void setErrorClasses(const py::dict &classes) {
  for (const auto &[status, name] : kStatuses)
    errorClasses.at(static_cast<std::size_t>(status)) = py::object(classes[name]).release().ptr();
  argumentTypeClass = py::object(classes["ArgumentType"]).release().ptr();
}

} // namespace

void refuse(std::string_view call, const std::string &message, Status status) {
  throw Error(status, std::string(call) + ": " + message);
}

void refuseType(std::string_view call, const std::string &message) {
  throw ArgumentTypeError(std::string(call) + ": " + message);
}

void setArgumentTypeError(const std::string &message) {
  raise(argumentTypeClass, message.c_str(), std::string(ClikaRT::default_code_name(Status::InvalidArgument)));
}

std::string typeName(py::handle value) {
  if (value.is_none())
    return "None";
  const std::string_view full = Py_TYPE(value.ptr())->tp_name;
  const std::string_view name = full.substr(full.rfind('.') + 1);
  const bool vowel = std::string_view("aeiouAEIO").find(name.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + std::string(name);
}

void bindError(py::module_ &module) {
  std::vector<IntEnumTable::Member> members;
  py::dict codeNames;
  static const IntEnumTable *table = nullptr;
  for (const auto &[status, name] : kStatuses)
    members.emplace_back(name, static_cast<long>(status));
  table = new IntEnumTable(module, "Status", members);
  for (const auto &[status, name] : kStatuses)
    codeNames[table->member(static_cast<long>(status))] = std::string(ClikaRT::default_code_name(status));
  module.attr("default_code_names") = codeNames;
  module.def("set_error_classes", &setErrorClasses);
  py::register_exception_translator(&translate);
}

} // namespace clika::python
