// The docstrings of the module, which are written once, in clika_runtime/_core.pyi.
#include "Bindings.h"

#include <algorithm>
#include <iterator>

namespace clika::python {
namespace {

struct Entry {
  std::string_view name;
  const char *text;
};

/// By name, ascending.
constexpr Entry kEntries[] = {
#include "CoreDocs.inc"
};

void documentClass(py::handle cls, const std::string &className) {
  cls.attr("__doc__") = docstring(className);
  const py::handle property(reinterpret_cast<PyObject *>(&PyProperty_Type));
  for (const auto &[key, member] : py::dict(cls.attr("__dict__")))
    if (py::isinstance(member, property))
      member.attr("__doc__") = docstring(className + "." + py::cast<std::string>(key));
}

} // namespace

const char *docstring(std::string_view name) {
  const auto *at = std::ranges::lower_bound(kEntries, name, {}, &Entry::name);
  return at != std::end(kEntries) && at->name == name ? at->text : "";
}

void documentClasses(py::module_ &module) {
  for (const auto &[key, member] : py::dict(module.attr("__dict__")))
    if (PyType_Check(member.ptr()))
      documentClass(member, py::cast<std::string>(key));
}

} // namespace clika::python
