// transform.h: the report of optimize().
#include "Callbacks.h"
#include "Records.h"
#include "Runtime/Counted.h"

namespace clika::python {
namespace {

using ClikaRT::graph::OptimizeReport;
using ClikaRT::graph::PhaseSeconds;
using ClikaRT::graph::RefusalReport;
using ClikaRT::graph::RegionReport;
using ClikaRT::graph::SkipCounts;
using ClikaRT::graph::Transform;
using ClikaRT::graph::TransformReport;

void bindCounts(py::module_ &module) {
  Record<SkipCounts>(module, "SkipCounts")
      .field("removed", &SkipCounts::removed)
      .field("not_convex", &SkipCounts::not_convex)
      .field("unread", &SkipCounts::unread)
      .field("kept", &SkipCounts::kept)
      .def("__repr__", [](const SkipCounts &self) {
        return "<SkipCounts removed=" + std::to_string(self.removed) +
               " not_convex=" + std::to_string(self.not_convex) + " unread=" + std::to_string(self.unread) +
               " kept=" + std::to_string(self.kept) + ">";
      });
  Record<RefusalReport>(module, "RefusalReport")
      .field("reason", &RefusalReport::reason)
      .field("file", &RefusalReport::file)
      .field("line", &RefusalReport::line)
      .field("count", &RefusalReport::count)
      .field("nodes", &RefusalReport::nodes)
      .def("__repr__", [](const RefusalReport &self) {
        return "<RefusalReport " + std::to_string(self.count) + " x " + self.reason + ">";
      });
  Record<PhaseSeconds>(module, "PhaseSeconds")
      .field("match", &PhaseSeconds::match)
      .field("rewrite", &PhaseSeconds::rewrite)
      .field("cleanup", &PhaseSeconds::cleanup)
      .field("fold", &PhaseSeconds::fold)
      .field("regions", &PhaseSeconds::regions);
  Record<RegionReport>(module, "RegionReport")
      .field("path", &RegionReport::path)
      .field("attempts", &RegionReport::attempts)
      .field("rewrites", &RegionReport::rewrites)
      .field("seconds", &RegionReport::seconds)
      .field("nodes_before", &RegionReport::nodes_before)
      .field("nodes_after", &RegionReport::nodes_after)
      .def("__repr__", [](const RegionReport &self) {
        return "<RegionReport " + self.path + " " + std::to_string(self.rewrites) + ">";
      });
}

} // namespace

void bindReports(py::module_ &module) {
  bindCounts(module);
  Record<TransformReport>(module, "TransformReport", [] { return TransformReport(Transform(nullptr)); })
      .field("transform", &TransformReport::transform)
      .field("applications", &TransformReport::applications)
      .field("rewrites", &TransformReport::rewrites)
      .field("seconds", &TransformReport::seconds)
      .field("attempts", &TransformReport::attempts)
      .field("occurrences", &TransformReport::occurrences)
      .field("skipped", &TransformReport::skipped)
      .field("skipped_by", &TransformReport::skipped_by)
      .field("declined", &TransformReport::declined)
      .field("reasons", &TransformReport::reasons)
      .def("__repr__", [](const TransformReport &self) {
        return "<TransformReport " + self.transform.name() + " " + std::to_string(self.applications) + ">";
      });
  Record<OptimizeReport>(module, "OptimizeReport")
      .field("iterations", &OptimizeReport::iterations)
      .field("converged", &OptimizeReport::converged)
      .field("rewrites", &OptimizeReport::rewrites)
      .field("transforms", &OptimizeReport::transforms)
      .field("regions", &OptimizeReport::regions)
      .field("nodes_before", &OptimizeReport::nodes_before)
      .field("nodes_after", &OptimizeReport::nodes_after)
      .field("seconds", &OptimizeReport::seconds)
      .field("phases", &OptimizeReport::phases)
      .field("log", &OptimizeReport::log)
      .hidden(&OptimizeReport::before)
      .hidden(&OptimizeReport::after)
      .def("to_json", &OptimizeReport::to_json)
      .def(
          "to_html", [](const OptimizeReport &self, py::handle path) { self.to_html(toPath(path, "to_html")); },
          py::arg("path"))
      .def("print", [](const OptimizeReport &self) { py::print(self.to_string(), py::arg("end") = ""); })
      .def("__str__", &OptimizeReport::to_string)
      .def("__repr__", [](const OptimizeReport &self) {
        return "<OptimizeReport of " + counted(self.iterations, "iteration") + ">";
      });
}

} // namespace clika::python
