// profile.h: where the time of runs goes.
#include "Records.h"

#include <ClikaRT/profile.h>

namespace clika::python {

void bindProfile(py::module_ &module) {
  using ClikaRT::graph::MemoryBandwidth;
  using ClikaRT::graph::Profile;
  using ClikaRT::graph::ProfileEvent;
  using ClikaRT::graph::ProfileRow;
  Record<ProfileRow>(module, "ProfileRow")
      .field("kernel", &ProfileRow::kernel)
      .field("nodes", &ProfileRow::nodes)
      .field("time_us", &ProfileRow::time_us)
      .field("calls", &ProfileRow::calls)
      .field("flops", &ProfileRow::flops)
      .field("bytes", &ProfileRow::bytes)
      .field("roofline", &ProfileRow::roofline)
      .def_property_readonly("gflops", &ProfileRow::gflops)
      .def_property_readonly("gigabytes", &ProfileRow::gigabytes)
      .def_property_readonly("label", &ProfileRow::label)
      .def("__repr__", [](const ProfileRow &self) { return "<ProfileRow " + self.label() + ">"; });
  Record<ProfileEvent>(module, "ProfileEvent")
      .field("row", &ProfileEvent::row)
      .field("start_us", &ProfileEvent::start_us)
      .field("time_us", &ProfileEvent::time_us);
  Record<MemoryBandwidth>(module, "MemoryBandwidth")
      .field("bytes", &MemoryBandwidth::bytes)
      .field("gigabytes", &MemoryBandwidth::gigabytes);
  Record<Profile>(module, "Profile")
      .field("rows", &Profile::rows)
      .field("total_us", &Profile::total_us)
      .field("runs", &Profile::runs)
      .field("threads", &Profile::threads)
      .field("peak_gflops", &Profile::peak_gflops)
      .field("bandwidths", &Profile::bandwidths)
      .field("events", &Profile::events)
      .field("run_us", &Profile::run_us)
      .def("to_json", &Profile::to_json)
      .def(
          "to_chrome_trace",
          [](const Profile &self, py::handle path) { self.to_chrome_trace(toPath(path, "to_chrome_trace")); },
          py::arg("path"))
      .def("print", [](const Profile &self) { py::print(self.to_string(), py::arg("end") = ""); })
      .def("__str__", &Profile::to_string)
      .def("__repr__",
           [](const Profile &self) { return "<Profile of " + std::to_string(self.rows.size()) + " rows>"; });
}

} // namespace clika::python
