// transform.h: Transform, and the report of optimize().
#include "Callbacks.h"
#include "GraphBindings.h"

namespace clika::python {
namespace {

using ClikaRT::Result;
using ClikaRT::graph::Exactness;
using ClikaRT::graph::ModelGraph;
using ClikaRT::graph::OptimizeReport;
using ClikaRT::graph::Transform;
using ClikaRT::graph::TransformReport;

Transform makeTransform(const Text &name, py::handle fn, py::handle runsAfter) {
  const HeldObject function = toCallable(fn, "Transform", "fn");
  const auto run = [function](ModelGraph &graph) -> Result<void> {
    withPython([&] { (void)function.get()(fromGraph(graph)); });
    return {};
  };
  std::vector<Transform> earlier = toTransforms(runsAfter, "Transform", "runs_after");
  return named("Transform", "from_function", [&] { return Transform::from_function(name, run, std::move(earlier)); });
}

py::dict rowToDict(const TransformReport &row) {
  py::dict out;
  out["transform"] = row.transform.name();
  out["applications"] = row.applications;
  out["rewrites"] = row.rewrites;
  out["seconds"] = row.seconds;
  out["occurrences"] = row.occurrences;
  out["skipped"] = row.skipped;
  out["declined"] = row.declined;
  return out;
}

py::dict reportToDict(const OptimizeReport &report) {
  py::list rows;
  for (const TransformReport &row : report.transforms)
    rows.append(rowToDict(row));
  py::dict out;
  out["iterations"] = report.iterations;
  out["converged"] = report.converged;
  out["transforms"] = rows;
  out["nodes_before"] = report.nodes_before;
  out["nodes_after"] = report.nodes_after;
  out["seconds"] = report.seconds;
  return out;
}

void bindExactness(py::module_ &module) {
  static const auto *kinds = new IntEnumTable(module, "ExactnessKind",
                                              {{"Exact", static_cast<long>(Exactness::Kind::Exact)},
                                               {"Bounded", static_cast<long>(Exactness::Kind::Bounded)},
                                               {"Approximate", static_cast<long>(Exactness::Kind::Approximate)}});
  py::class_<Exactness>(module, "Exactness", "How far a transform may change what a graph computes.")
      .def_property_readonly("kind", [](const Exactness &self) { return kinds->member(static_cast<long>(self.kind)); })
      .def_readonly("rtol", &Exactness::rtol)
      .def_readonly("atol", &Exactness::atol);
}

void bindReports(py::module_ &module) {
  py::class_<TransformReport>(module, "TransformReport", "What one entry of the list did.")
      .def_readonly("transform", &TransformReport::transform)
      .def_readonly("applications", &TransformReport::applications)
      .def_readonly("rewrites", &TransformReport::rewrites)
      .def_readonly("seconds", &TransformReport::seconds)
      .def_readonly("occurrences", &TransformReport::occurrences)
      .def_readonly("skipped", &TransformReport::skipped)
      .def_readonly("declined", &TransformReport::declined)
      .def("to_dict", &rowToDict)
      .def("__repr__", [](const TransformReport &self) {
        return "<TransformReport " + self.transform.name() + " " + std::to_string(self.applications) + ">";
      });
  py::class_<OptimizeReport>(module, "OptimizeReport", "What optimize() did, with a row per entry of the list.")
      .def_readonly("iterations", &OptimizeReport::iterations)
      .def_readonly("converged", &OptimizeReport::converged)
      .def_property_readonly("transforms", [](const OptimizeReport &self) { return toList(self.transforms); })
      .def_readonly("nodes_before", &OptimizeReport::nodes_before)
      .def_readonly("nodes_after", &OptimizeReport::nodes_after)
      .def_readonly("seconds", &OptimizeReport::seconds)
      .def_property_readonly("log", [](const OptimizeReport &self) { return orNone(self.log); })
      .def("to_dict", &reportToDict)
      .def("__str__", &OptimizeReport::to_string)
      .def("__repr__", [](const OptimizeReport &self) {
        return "<OptimizeReport of " + std::to_string(self.iterations) + " iterations>";
      });
}

} // namespace

std::vector<Transform> toTransforms(py::handle value, std::string_view call, const char *what) {
  std::vector<Transform> transforms;
  for (py::handle entry : toSequence(value, call, what)) {
    if (!py::isinstance<Transform>(entry))
      refuseType(call, std::string(what) + " hold " + typeName(entry) + " at [" + std::to_string(transforms.size()) +
                           "]; an entry is a Transform, as clika_runtime.graph.Transform(name, fn) makes one");
    transforms.push_back(py::cast<const Transform &>(entry));
  }
  return transforms;
}

void bindTransform(py::module_ &module) {
  bindExactness(module);
  py::class_<Transform>(module, "Transform", "A step of optimize(): a name, and a function over the graph's edits.")
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
      .def("__eq__",
           [](const Transform &self, py::handle other) {
             return py::isinstance<Transform>(other) && self == py::cast<const Transform &>(other);
           })
      .def("__hash__", [](const Transform &self) { return py::hash(py::str(self.name())); })
      .def("__repr__", [](const Transform &self) { return "Transform('" + self.name() + "')"; });
  bindRewriteLog(module);
  bindReports(module);
}

} // namespace clika::python
