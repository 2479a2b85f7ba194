// Wrong calls as the library's errors. pybind11 answers a call that fits no binding with a TypeError that lists C++
// bindings; every public function is put behind one that names the call and the argument instead.
#include "Bindings.h"

#include <deque>
#include <optional>

namespace clika::python {
namespace {

struct Parameter {
  std::string name, type; // as pybind11's signature has them; "*args" has no type
  std::string fallback;   // the default's text; empty: none
};

/// A function of pybind11's and what it may be called with. Lives as long as the process.
struct Guarded {
  PyObject *original = nullptr;
  std::string name, call, doc;
  std::vector<Parameter> parameters;
  std::size_t positional = 0; // the first so many may be given by place
  bool variadic = false;
  PyMethodDef definition{};
};

std::deque<Guarded> &guardedFunctions() {
  static auto *functions = new std::deque<Guarded>;
  return *functions;
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

/// Splits at commas that stand in no brackets and no quotes.
std::vector<std::string> splitParameters(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0)
      quote = c == quote ? 0 : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else if (c == '(' || c == '[')
      ++depth;
    else if (c == ')' || c == ']')
      --depth;
    if (c == ',' && depth == 0 && quote == 0)
      parts.emplace_back();
    else if (c != ' ' || !parts.back().empty())
      parts.back() += c;
  }
  if (parts.back().empty())
    parts.pop_back();
  return parts;
}

Parameter toParameter(const std::string &text) {
  const std::size_t colon = text.find(": ");
  const std::size_t equals = text.find(" = ", colon == std::string::npos ? 0 : colon);
  Parameter parameter{text.substr(0, std::min(colon, equals)), "", ""};
  if (equals != std::string::npos)
    parameter.fallback = text.substr(equals + 3);
  if (colon != std::string::npos)
    parameter.type = text.substr(colon + 2, equals == std::string::npos ? equals : equals - colon - 2);
  return parameter;
}

/// Reads "name(a: type, *, b: type = default) -> type", which pybind11 writes as a function's first line.
void readSignature(Guarded &guarded, const std::string &text) {
  const std::string line = text.substr(0, text.find('\n'));
  const std::size_t open = line.find('('), close = line.rfind(") -> ");
  if (open == std::string::npos || close == std::string::npos || text.find("Overloaded function") != std::string::npos)
    throw std::runtime_error(guarded.name +
                             " has no single signature: bind one function, and tell arguments apart in it");
  bool byKeyword = false;
  for (const std::string &part : splitParameters(std::string_view(line).substr(open + 1, close - open - 1))) {
    if (part == "*") {
      byKeyword = true;
    } else if (part.front() == '*') {
      guarded.variadic = byKeyword = true;
    } else {
      guarded.parameters.push_back(toParameter(part));
      guarded.positional += byKeyword ? 0 : 1;
    }
  }
}

/// The form that inspect.signature() and help() read.
std::string textSignature(const Guarded &guarded) {
  std::string text;
  for (std::size_t i = 0; i < guarded.parameters.size(); ++i) {
    const Parameter &parameter = guarded.parameters[i];
    if (i == guarded.positional && !guarded.variadic)
      text += "*, ";
    text += parameter.name + (parameter.fallback.empty() ? "" : "=" + parameter.fallback) + ", ";
  }
  if (guarded.variadic)
    text += "*sizes, ";
  return "(" + text.substr(0, text.size() < 2 ? 0 : text.size() - 2) + ")\n--\n\n";
}

std::string listed(const Guarded &guarded) {
  std::string names;
  for (const Parameter &parameter : guarded.parameters)
    if (parameter.name != "self")
      names += (names.empty() ? "" : ", ") + parameter.name;
  return names.empty() ? "no argument" : names;
}

//===----------------------------------------------------------------------===//
// What is wrong with a call
//===----------------------------------------------------------------------===//

/// "str" of "str", "int" of what takes integers, "Pattern" of "clika_runtime._core.Pattern".
std::string shownType(const std::string &type) {
  if (type == "bool")
    return "True or False";
  if (type.find("SupportsInt") != std::string::npos)
    return "an int";
  const std::string last = type.substr(type.rfind('.') + 1);
  return (std::string_view("AEIOU").find(last.front()) == std::string_view::npos ? "a " : "an ") + last;
}

/// Whether pybind11 would take it, as far as its type tells.
bool fits(const Parameter &parameter, py::handle value) {
  const std::string &type = parameter.type;
  if (type.empty() || type == "object")
    return true;
  if (type == "str")
    return PyUnicode_Check(value.ptr()) && PyUnicode_AsUTF8(value.ptr()) != nullptr;
  if (type == "bool")
    return PyBool_Check(value.ptr());
  if (type.find("SupportsInt") != std::string::npos)
    return PyIndex_Check(value.ptr());
  for (py::handle base : py::reinterpret_borrow<py::tuple>(Py_TYPE(value.ptr())->tp_mro))
    if (type ==
            py::cast<std::string>(base.attr("__module__")) + "." + py::cast<std::string>(base.attr("__qualname__")) ||
        type == py::cast<std::string>(base.attr("__name__")))
      return true;
  return false;
}

std::string count(std::size_t n, const char *noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

/// The arguments of one call, by parameter.
class Call {
public:
  explicit Call(const Guarded &guarded) : guarded(guarded), given(guarded.parameters.size()) {}

  /// Assigns the arguments to parameters; the complaint where that fails.
  std::optional<std::string> bind(PyObject *const *args, std::size_t places, PyObject *keywords) {
    const bool method = !guarded.parameters.empty() && guarded.parameters[0].name == "self";
    if (places > guarded.positional && !guarded.variadic)
      return "takes " + (guarded.positional == std::size_t(method) ? "nothing by place" : listed(guarded)) + ", and " +
             count(places - (method ? 1 : 0), "argument") + " by place " +
             (places - (method ? 1 : 0) == 1 ? "was" : "were") + " given";
    for (std::size_t i = 0; i < std::min(places, guarded.positional); ++i)
      given[i] = args[i];
    for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i) {
      const std::string name = py::cast<std::string>(py::handle(PyTuple_GET_ITEM(keywords, i)));
      const auto at = find(name);
      if (!at)
        return "has no argument '" + name + "'; it takes " + listed(guarded);
      if (given[*at])
        return "was given '" + name + "' twice; give it once";
      given[*at] = args[places + static_cast<std::size_t>(i)];
    }
    for (std::size_t i = 0; i < given.size(); ++i)
      if (!given[i] && guarded.parameters[i].fallback.empty())
        return "lacks its argument '" + guarded.parameters[i].name + "'; it takes " + listed(guarded);
    return std::nullopt;
  }

  /// The complaint about the first argument whose type does not fit.
  std::string mismatch() const {
    for (std::size_t i = 0; i < given.size(); ++i) {
      const Parameter &parameter = guarded.parameters[i];
      if (!given[i] || fits(parameter, given[i]))
        continue;
      if (PyErr_Occurred() != nullptr) { // of PyUnicode_AsUTF8
        PyErr_Clear();
        return parameter.name + " holds a lone surrogate, which is no character; give text that UTF-8 can hold";
      }
      return parameter.name + " is " + shownType(parameter.type) + ", not " + typeName(given[i]);
    }
    return "the arguments do not fit; it takes " + listed(guarded);
  }

private:
  std::optional<std::size_t> find(const std::string &name) const {
    for (std::size_t i = 0; i < guarded.parameters.size(); ++i)
      if (guarded.parameters[i].name == name)
        return i;
    return std::nullopt;
  }

  const Guarded &guarded;
  std::vector<PyObject *> given; // borrowed; null: left out
};

/// Whether the pending exception is pybind11's about a call that fits no binding (and not one of a callback's).
bool isMismatch(const Guarded &guarded, const py::error_already_set &raised) {
  if (!raised.matches(PyExc_TypeError))
    return false;
  const py::str text(raised.value());
  const std::string kind = guarded.name == "__init__" ? "constructor" : "function";
  return py::cast<std::string>(text).rfind(guarded.name + "(): incompatible " + kind +
                                               " arguments. The following argument types are supported:",
                                           0) == 0;
}

PyObject *callGuarded(PyObject *self, PyObject *const *args, Py_ssize_t places, PyObject *keywords) {
  const auto &guarded = *static_cast<const Guarded *>(PyCapsule_GetPointer(self, nullptr));
  PyObject *result = PyObject_Vectorcall(guarded.original, args, static_cast<std::size_t>(places), keywords);
  if (result || !PyErr_ExceptionMatches(PyExc_TypeError))
    return result;
  py::error_already_set raised;
  if (!isMismatch(guarded, raised)) {
    raised.restore();
    return nullptr;
  }
  Call call(guarded);
  const std::optional<std::string> complaint = call.bind(args, static_cast<std::size_t>(places), keywords);
  setArgumentTypeError(guarded.call + ": " + (complaint ? "the call " + *complaint : call.mismatch()));
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Putting functions behind it
//===----------------------------------------------------------------------===//

py::object guard(py::handle function, const std::string &module, const std::string &className) {
  Guarded &guarded = guardedFunctions().emplace_back();
  guarded.original = py::reinterpret_borrow<py::object>(function).release().ptr();
  guarded.name = py::cast<std::string>(function.attr("__name__"));
  guarded.call = guarded.name == "__init__" ? className : guarded.name;
  const py::object doc = function.attr("__doc__");
  readSignature(guarded, doc.is_none() ? "" : py::cast<std::string>(doc));
  guarded.doc = guarded.name + textSignature(guarded) +
                docstring(className.empty() ? guarded.name : className + "." + guarded.name);
  guarded.definition.ml_name = guarded.name.c_str();
  guarded.definition.ml_doc = guarded.doc.c_str();
  guarded.definition.ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&callGuarded));
  guarded.definition.ml_flags = METH_FASTCALL | METH_KEYWORDS;
  const py::capsule holder(&guarded);
  return py::reinterpret_steal<py::object>(PyCFunction_NewEx(&guarded.definition, holder.ptr(), py::str(module).ptr()));
}

void guardMethods(py::handle cls, const std::string &className, const py::dict &members, const std::string &module) {
  for (const auto &[key, member] : members) {
    const std::string name = py::cast<std::string>(key);
    if (name.front() == '_' && name != "__init__")
      continue;
    if (PyInstanceMethod_Check(member.ptr())) {
      const py::object method = guard(PyInstanceMethod_GET_FUNCTION(member.ptr()), module, className);
      py::setattr(cls, name.c_str(), py::reinterpret_steal<py::object>(PyInstanceMethod_New(method.ptr())));
    } else if (Py_IS_TYPE(member.ptr(), &PyStaticMethod_Type)) {
      const py::object made = guard(member.attr("__func__"), module, className);
      py::setattr(cls, name.c_str(), py::reinterpret_steal<py::object>(PyStaticMethod_New(made.ptr())));
    }
  }
}

void guardClass(py::handle cls, const std::string &module) {
  const std::string className = py::cast<std::string>(cls.attr("__name__"));
  const py::dict members(cls.attr("__dict__"));
  guardMethods(cls, className, members, module);
  if (py::isinstance(cls, py::module_::import("enum").attr("EnumMeta")))
    return;
  if (members.contains("__init__") && PyInstanceMethod_Check(py::object(members["__init__"]).ptr()))
    return;
  const auto refused = [className](const py::args &, const py::kwargs &) {
    throw ArgumentTypeError(
        className + ": the runtime makes these; " +
        (className == "Tensor" ? "use clika_runtime.tensor(data)" : "a call of the class makes none"));
  };
  py::options options;
  options.disable_function_signatures();
  py::setattr(cls, "__init__",
              py::cpp_function(refused, py::name("__init__"), py::is_method(cls),
                               "The runtime makes these; a call of the class makes none."));
}

} // namespace

void guardArguments(py::module_ &module) {
  const std::string name = py::cast<std::string>(module.attr("__name__"));
  for (const auto &[key, member] : py::dict(module.attr("__dict__"))) {
    if (PyCFunction_Check(member.ptr()))
      module.attr(key) = guard(member, name, "");
    else if (PyType_Check(member.ptr()))
      guardClass(member, name);
  }
}

std::string toPath(py::handle path, std::string_view call, const char *what) {
  if (!py::isinstance<py::str>(path) && !PyBytes_Check(path.ptr()) && !py::hasattr(path, "__fspath__"))
    refuseType(call, std::string(what) + " is a str or a PathLike, not " + typeName(path));
  return py::cast<std::string>(py::module_::import("os").attr("fsencode")(path));
}

} // namespace clika::python
