// rewrite_log.h: RewriteLog.
#include "Callbacks.h"
#include "Records.h"
#include "Runtime/Counted.h"

namespace clika::python {

using ClikaRT::graph::RewriteLog;
using ClikaRT::graph::RewriteStep;

void bindRewriteLog(py::module_ &module) {
  Record<RewriteStep>(module, "RewriteStep")
      .field("iteration", &RewriteStep::iteration)
      .field("transform", &RewriteStep::transform)
      .field("added", &RewriteStep::added)
      .field("changed", &RewriteStep::changed)
      .field("removed", &RewriteStep::removed)
      .field("functions", &RewriteStep::functions)
      .def("__repr__", [](const RewriteStep &self) {
        return "<RewriteStep " + self.transform + " of iteration " + std::to_string(self.iteration) + ">";
      });
  py::class_<RewriteLog> log(module, "RewriteLog");
  defCopies(log);
  log.def_static(
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
      .def("to_dict",
           [](const RewriteLog &self) {
             py::dict dict;
             dict["text"] = self.text();
             dict["steps"] = toPlain(toList(self.steps()));
             return dict;
           })
      .def(py::pickle([](const RewriteLog &self) { return py::str(self.text()); },
                      [](const py::str &text) { return RewriteLog::from_text(text); }))
      .def("__reduce__", &reduceByState)
      .def("__len__", &RewriteLog::size)
      .def("__str__", &RewriteLog::to_string)
      .def("__repr__", [](const RewriteLog &self) { return "<RewriteLog of " + counted(self.size(), "step") + ">"; });
}

} // namespace clika::python
