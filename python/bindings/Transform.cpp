// transform.h: Transform and what it declares.
#include "Callbacks.h"
#include "GraphBindings.h"

#include <ClikaRT/transforms.h>

namespace clika::python {
namespace {

using ClikaRT::Result;
using ClikaRT::graph::Exactness;
using ClikaRT::graph::ModelGraph;
using ClikaRT::graph::Traits;
using ClikaRT::graph::Transform;

Transform makeTransform(const Text &name, py::handle fn, py::handle runsAfter) {
  const HeldObject function = toCallable(fn, "Transform", "fn");
  const auto run = [function](ModelGraph &graph) -> Result<void> {
    withPython([&] { (void)function.get()(fromGraph(graph)); });
    return {};
  };
  std::vector<Transform> earlier = toTransforms(runsAfter, "Transform", "runs_after");
  return named("Transform", "from_function", [&] { return Transform::from_function(name, run, std::move(earlier)); });
}

const IntEnumTable *exactnessKinds = nullptr;

Exactness makeExactness(py::handle kind, py::handle rtol, py::handle atol) {
  if (!exactnessKinds->isMember(kind))
    refuseType("Exactness", "the kind is a member of ExactnessKind, not " + typeName(kind));
  return {static_cast<Exactness::Kind>(py::cast<long>(kind)), toReal(rtol, "Exactness", "rtol"),
          toReal(atol, "Exactness", "atol")};
}

void bindExactness(py::module_ &module) {
  using Kind = Exactness::Kind;
  exactnessKinds = new IntEnumTable(module, "ExactnessKind",
                                    {{"Exact", static_cast<long>(Kind::Exact)},
                                     {"Bounded", static_cast<long>(Kind::Bounded)},
                                     {"Approximate", static_cast<long>(Kind::Approximate)}});
  py::class_<Exactness>(module, "Exactness")
      .def(py::init(&makeExactness), py::arg("kind"), py::arg("rtol") = 0.0, py::arg("atol") = 0.0)
      .def_static("exact", &Exactness::exact)
      .def_static(
          "bounded",
          [](py::handle rtol, py::handle atol) {
            return Exactness::bounded(toReal(rtol, "bounded", "rtol"), toReal(atol, "bounded", "atol"));
          },
          py::arg("rtol"), py::arg("atol"))
      .def_static(
          "approximate",
          [](py::handle rtol, py::handle atol) {
            return Exactness::approximate(toReal(rtol, "approximate", "rtol"), toReal(atol, "approximate", "atol"));
          },
          py::arg("rtol"), py::arg("atol"))
      .def_property_readonly("kind",
                             [](const Exactness &self) { return exactnessKinds->member(static_cast<long>(self.kind)); })
      .def_readonly("rtol", &Exactness::rtol)
      .def_readonly("atol", &Exactness::atol)
      .def("__eq__",
           [](const Exactness &self, py::handle other) {
             return py::isinstance<Exactness>(other) && self == py::cast<const Exactness &>(other);
           })
      .def("__hash__",
           [](const Exactness &self) {
             return py::hash(py::make_tuple(static_cast<long>(self.kind), self.rtol, self.atol));
           })
      .def("__reduce__",
           [](const py::object &self) {
             return py::make_tuple(py::type::of(self),
                                   py::make_tuple(self.attr("kind"), self.attr("rtol"), self.attr("atol")));
           })
      .def("__repr__", [](const Exactness &self) {
        const char *kinds[] = {"exact(", "bounded(", "approximate("};
        const std::string bounds = self.kind == Exactness::Kind::Exact ? ""
                                                                       : ClikaRT::Scalar(self.rtol).to_string() + ", " +
                                                                             ClikaRT::Scalar(self.atol).to_string();
        return std::string("Exactness.") + kinds[static_cast<std::size_t>(self.kind)] + bounds + ")";
      });
}

Traits makeTraits(py::handle priority, py::handle device, py::handle exactness, py::handle runsAfter,
                  std::string_view call) {
  Traits traits;
  if (!priority.is_none()) {
    const std::int64_t level = toInteger(priority, call, "priority");
    if (level != static_cast<int>(level))
      refuse(call, "priority is " + std::to_string(level) + "; give a small number, 0 or more");
    traits.priority = static_cast<int>(level);
  }
  if (!device.is_none())
    traits.device = toDevice(device, call);
  if (!exactness.is_none()) {
    if (!py::isinstance<Exactness>(exactness))
      refuseType(call, "exactness is an Exactness, not " + typeName(exactness));
    traits.exactness = py::cast<const Exactness &>(exactness);
  }
  if (!runsAfter.is_none())
    traits.runs_after = toTransforms(runsAfter, call, "runs_after");
  return traits;
}

/// with_(Traits(...)), with_(priority=...), or both: what is given by name goes before.
Transform withTraits(const Transform &transform, py::handle given, py::handle priority, py::handle device,
                     py::handle exactness, py::handle runsAfter) {
  if (!given.is_none() && !py::isinstance<Traits>(given))
    refuseType("with_", "traits is a Traits, not " + typeName(given));
  Traits traits = given.is_none() ? Traits() : py::cast<Traits>(given);
  const Traits named = makeTraits(priority, device, exactness, runsAfter, "with_");
  if (named.priority)
    traits.priority = named.priority;
  if (named.device)
    traits.device = named.device;
  if (named.exactness)
    traits.exactness = named.exactness;
  if (named.runs_after)
    traits.runs_after = named.runs_after;
  return python::named("with_", "with", [&] { return transform.with(traits); });
}

void bindTraits(py::module_ &module) {
  py::class_<Traits>(module, "Traits")
      .def(py::init([](py::handle priority, py::handle device, py::handle exactness, py::handle runsAfter) {
             return makeTraits(priority, device, exactness, runsAfter, "Traits");
           }),
           py::arg("priority") = py::none(), py::arg("device") = py::none(), py::arg("exactness") = py::none(),
           py::arg("runs_after") = py::none())
      .def_property_readonly("priority", [](const Traits &self) { return orNone(self.priority); })
      .def_property_readonly("device", [](const Traits &self) { return orNone(self.device); })
      .def_property_readonly("exactness", [](const Traits &self) { return orNone(self.exactness); })
      .def_property_readonly("runs_after",
                             [](const Traits &self) {
                               return self.runs_after ? py::object(toList(*self.runs_after)) : py::object(py::none());
                             })
      .def("__reduce__",
           [](const py::object &self) {
             return py::make_tuple(py::type::of(self), py::make_tuple(self.attr("priority"), self.attr("device"),
                                                                      self.attr("exactness"), self.attr("runs_after")));
           })
      .def("__repr__", [](py::handle self) {
        std::string text;
        for (const char *name : {"priority", "device", "exactness", "runs_after"})
          if (const py::object value = self.attr(name); !value.is_none())
            text += (text.empty() ? "" : ", ") + std::string(name) + "=" + py::cast<std::string>(py::repr(value));
        return "Traits(" + text + ")";
      });
}

/// One of the runtime's, by its name.
py::tuple reduceTransform(const Transform &transform) {
  if (!transform.is_runtime() || transform != ClikaRT::graph::transforms::get(transform.name()))
    refuseType("pickle", "the transform '" + transform.name() +
                             "' has code or traits of this process, which no pickle holds; make it anew where it is "
                             "used (a report pickles, with its transforms' names)");
  return py::make_tuple(py::module_::import("clika_runtime.graph.transforms").attr(transform.name().c_str()),
                        py::tuple());
}

} // namespace

std::optional<Transform> asTransform(py::handle value) {
  if (py::isinstance<Transform>(value))
    return py::cast<const Transform &>(value);
  return asPatternTransform(value);
}

Transform toTransform(py::handle value, std::string_view call, const std::string &place) {
  if (std::optional<Transform> transform = asTransform(value))
    return *transform;
  const bool isClass = PyType_Check(value.ptr()) != 0 && py::hasattr(value, "root_op_codes");
  refuseType(call,
             place + " " + (isClass ? "the class " + py::cast<std::string>(value.attr("__name__")) : typeName(value)) +
                 (isClass ? "; give an object of it"
                          : "; an entry is a Transform, as clika_runtime.graph.Transform(name, fn) makes one, or a "
                            "PatternTransform"));
}

std::vector<Transform> toTransforms(py::handle value, std::string_view call, const char *what) {
  std::vector<Transform> transforms;
  for (py::handle entry : toSequence(value, call, what))
    transforms.push_back(
        toTransform(entry, call, std::string(what) + " hold at [" + std::to_string(transforms.size()) + "]"));
  return transforms;
}

void bindTransform(py::module_ &module) {
  bindExactness(module);
  bindTraits(module);
  bindRewriteLog(module);
  bindCheck(module);
  py::class_<Transform>(module, "Transform")
      .def(py::init(&makeTransform), py::arg("name"), py::arg("fn"), py::arg("runs_after") = py::tuple())
      .def_static(
          "from_pass_pipeline",
          [](const Text &pipeline, py::handle runsAfter) {
            return Transform::from_pass_pipeline(pipeline, toTransforms(runsAfter, "from_pass_pipeline", "runs_after"));
          },
          py::arg("pipeline"), py::arg("runs_after") = py::tuple())
      .def_static(
          "from_pdl",
          [](const Text &name, const Text &text, py::handle runsAfter) {
            return Transform::from_pdl(name, text, toTransforms(runsAfter, "from_pdl", "runs_after"));
          },
          py::arg("name"), py::arg("text"), py::arg("runs_after") = py::tuple())
      .def_property_readonly("name", &Transform::name)
      .def_property_readonly("summary", &Transform::summary)
      .def_property_readonly("is_runtime", &Transform::is_runtime)
      .def_property_readonly("runs_after", [](const Transform &self) { return toList(self.runs_after()); })
      .def_property_readonly("exactness", &Transform::exactness)
      .def_property_readonly("priority", &Transform::priority)
      .def_property_readonly("device", &Transform::device)
      .def_property_readonly("traits", &Transform::traits)
      .def("with_", &withTraits, py::arg("traits") = py::none(), py::kw_only(), py::arg("priority") = py::none(),
           py::arg("device") = py::none(), py::arg("exactness") = py::none(), py::arg("runs_after") = py::none())
      .def("__eq__",
           [](const Transform &self, py::handle other) {
             const std::optional<Transform> transform = asTransform(other);
             return transform && self == *transform;
           })
      .def("__hash__", [](const Transform &self) { return py::hash(py::str(self.name())); })
      .def("__copy__", [](const py::object &self) { return self; })
      .def("__deepcopy__", [](const py::object &self, py::handle) { return self; })
      .def("__reduce__", &reduceTransform)
      .def("__repr__", [](const Transform &self) { return "Transform('" + self.name() + "')"; });
}

} // namespace clika::python
