// transform.h: the report of optimize().
#include "Callbacks.h"
#include "GraphBindings.h"

namespace clika::python {
namespace {

using ClikaRT::graph::OptimizeReport;
using ClikaRT::graph::PhaseSeconds;
using ClikaRT::graph::RefusalReport;
using ClikaRT::graph::RegionReport;
using ClikaRT::graph::SkipCounts;
using ClikaRT::graph::TransformReport;

/// The dict of a report, from its JSON, so that both say the same.
py::object toDict(const OptimizeReport &report) { return py::module_::import("json").attr("loads")(report.to_json()); }

py::object rowToDict(const TransformReport &row) {
  OptimizeReport report;
  report.transforms.push_back(row);
  return py::object(toDict(report)["transforms"])[py::int_(0)];
}

void bindCounts(py::module_ &module) {
  py::class_<SkipCounts>(module, "SkipCounts")
      .def_readonly("removed", &SkipCounts::removed)
      .def_readonly("not_convex", &SkipCounts::not_convex)
      .def_readonly("unread", &SkipCounts::unread)
      .def_readonly("kept", &SkipCounts::kept);
  py::class_<RefusalReport>(module, "RefusalReport")
      .def_readonly("reason", &RefusalReport::reason)
      .def_readonly("file", &RefusalReport::file)
      .def_readonly("line", &RefusalReport::line)
      .def_readonly("count", &RefusalReport::count)
      .def_property_readonly("nodes", [](const RefusalReport &self) { return toList(self.nodes); })
      .def("__repr__", [](const RefusalReport &self) {
        return "<RefusalReport " + std::to_string(self.count) + " x " + self.reason + ">";
      });
  py::class_<PhaseSeconds>(module, "PhaseSeconds")
      .def_readonly("match", &PhaseSeconds::match)
      .def_readonly("rewrite", &PhaseSeconds::rewrite)
      .def_readonly("cleanup", &PhaseSeconds::cleanup)
      .def_readonly("fold", &PhaseSeconds::fold)
      .def_readonly("regions", &PhaseSeconds::regions);
  py::class_<RegionReport>(module, "RegionReport")
      .def_readonly("path", &RegionReport::path)
      .def_readonly("attempts", &RegionReport::attempts)
      .def_readonly("rewrites", &RegionReport::rewrites)
      .def_readonly("seconds", &RegionReport::seconds)
      .def_readonly("nodes_before", &RegionReport::nodes_before)
      .def_readonly("nodes_after", &RegionReport::nodes_after)
      .def("__repr__", [](const RegionReport &self) {
        return "<RegionReport " + self.path + " " + std::to_string(self.rewrites) + ">";
      });
}

} // namespace

void bindReports(py::module_ &module) {
  bindCounts(module);
  py::class_<TransformReport>(module, "TransformReport")
      .def_readonly("transform", &TransformReport::transform)
      .def_readonly("applications", &TransformReport::applications)
      .def_readonly("rewrites", &TransformReport::rewrites)
      .def_readonly("seconds", &TransformReport::seconds)
      .def_readonly("attempts", &TransformReport::attempts)
      .def_readonly("occurrences", &TransformReport::occurrences)
      .def_readonly("skipped", &TransformReport::skipped)
      .def_readonly("skipped_by", &TransformReport::skipped_by)
      .def_readonly("declined", &TransformReport::declined)
      .def_property_readonly("reasons", [](const TransformReport &self) { return toList(self.reasons); })
      .def("to_dict", &rowToDict)
      .def("__repr__", [](const TransformReport &self) {
        return "<TransformReport " + self.transform.name() + " " + std::to_string(self.applications) + ">";
      });
  py::class_<OptimizeReport>(module, "OptimizeReport")
      .def_readonly("iterations", &OptimizeReport::iterations)
      .def_readonly("converged", &OptimizeReport::converged)
      .def_readonly("rewrites", &OptimizeReport::rewrites)
      .def_property_readonly("transforms", [](const OptimizeReport &self) { return toList(self.transforms); })
      .def_property_readonly("regions", [](const OptimizeReport &self) { return toList(self.regions); })
      .def_readonly("nodes_before", &OptimizeReport::nodes_before)
      .def_readonly("nodes_after", &OptimizeReport::nodes_after)
      .def_readonly("seconds", &OptimizeReport::seconds)
      .def_readonly("phases", &OptimizeReport::phases)
      .def_property_readonly("log", [](const OptimizeReport &self) { return orNone(self.log); })
      .def("to_dict", &toDict)
      .def("to_json", &OptimizeReport::to_json)
      .def(
          "to_html", [](const OptimizeReport &self, py::handle path) { self.to_html(toPath(path, "to_html")); },
          py::arg("path"))
      .def("print", [](const OptimizeReport &self) { py::print(self.to_string(), py::arg("end") = ""); })
      .def("__str__", &OptimizeReport::to_string)
      .def("__repr__", [](const OptimizeReport &self) {
        return "<OptimizeReport of " + std::to_string(self.iterations) + " iterations>";
      });
}

} // namespace clika::python
