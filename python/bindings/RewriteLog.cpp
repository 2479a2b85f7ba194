// rewrite_log.h: RewriteLog.
#include "Callbacks.h"
#include "GraphBindings.h"

#include <ClikaRT/rewrite_log.h>

namespace clika::python {

using ClikaRT::graph::RewriteLog;
using ClikaRT::graph::RewriteStep;

void bindRewriteLog(py::module_ &module) {
  py::class_<RewriteStep>(module, "RewriteStep")
      .def_readonly("iteration", &RewriteStep::iteration)
      .def_readonly("transform", &RewriteStep::transform)
      .def_property_readonly("added", [](const RewriteStep &self) { return toList(self.added); })
      .def_property_readonly("changed", [](const RewriteStep &self) { return toList(self.changed); })
      .def_property_readonly("removed", [](const RewriteStep &self) { return toList(self.removed); })
      .def_property_readonly("functions", [](const RewriteStep &self) { return toList(self.functions); })
      .def("__repr__", [](const RewriteStep &self) {
        return "<RewriteStep " + self.transform + " of iteration " + std::to_string(self.iteration) + ">";
      });
  py::class_<RewriteLog>(module, "RewriteLog")
      .def_static(
          "from_text", [](const Text &text) { return RewriteLog::from_text(text); }, py::arg("text"))
      .def_static(
          "load",
          [](py::handle path) {
            const std::string file = toPath(path, "RewriteLog.load");
            return withoutGil([&] { return RewriteLog::load(file); });
          },
          py::arg("path"))
      .def(
          "save",
          [](const RewriteLog &self, py::handle path) {
            const std::string file = toPath(path, "RewriteLog.save");
            withoutGil([&] { self.save(file); });
          },
          py::arg("path"))
      .def_property_readonly("text", &RewriteLog::text)
      .def_property_readonly("steps", [](const RewriteLog &self) { return toList(self.steps()); })
      .def("__len__", &RewriteLog::size)
      .def("__str__", &RewriteLog::to_string)
      .def("__repr__",
           [](const RewriteLog &self) { return "<RewriteLog of " + std::to_string(self.size()) + " steps>"; });
}

} // namespace clika::python
