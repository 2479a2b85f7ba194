// What pickles hold of transforms and pictures, and records as plain data.
#include "Records.h"

#include "API/GraphPicture.h"

#include <ClikaRT/transforms.h>

namespace clika::python {

using ClikaRT::Result;
using ClikaRT::graph::ModelGraph;
using ClikaRT::graph::Transform;

namespace {

py::object fromPicture(const GraphPicture &picture) {
  py::list boxes;
  for (const GraphPicture::Box &box : picture.boxes) {
    py::list reads, regions;
    for (std::size_t read : box.reads)
      reads.append(read);
    for (const GraphPicture::Region &region : box.regions)
      regions.append(py::make_tuple(region.label, fromPicture(region.picture)));
    boxes.append(py::make_tuple(static_cast<int>(box.kind), box.id, box.name, box.code, box.type, reads, regions));
  }
  return py::make_tuple(boxes, picture.omitted, picture.drawn);
}

GraphPicture toPicture(py::handle state) {
  const auto parts = py::cast<py::tuple>(state);
  GraphPicture picture;
  picture.omitted = py::cast<std::size_t>(parts[1]);
  picture.drawn = py::cast<std::size_t>(parts[2]);
  for (py::handle entry : parts[0]) {
    const auto fields = py::cast<py::tuple>(entry);
    GraphPicture::Box box{};
    box.kind = static_cast<GraphPicture::Kind>(py::cast<int>(fields[0]));
    box.id = py::cast<std::uint64_t>(fields[1]);
    box.name = py::cast<std::string>(fields[2]);
    box.code = py::cast<std::string>(fields[3]);
    box.type = py::cast<std::string>(fields[4]);
    for (py::handle read : fields[5])
      box.reads.push_back(py::cast<std::size_t>(read));
    for (py::handle region : fields[6]) {
      const auto pair = py::cast<py::tuple>(region);
      box.regions.push_back({py::cast<std::string>(pair[0]), toPicture(pair[1])});
    }
    picture.boxes.push_back(std::move(box));
  }
  return picture;
}

} // namespace

py::object Pickled<Transform>::of(const Transform &transform) {
  return py::make_tuple(transform.name(), transform.is_runtime());
}

Transform Pickled<Transform>::back(py::handle state) {
  const auto pair = py::cast<py::tuple>(state);
  const auto name = py::cast<std::string>(pair[0]);
  if (py::cast<bool>(pair[1]))
    return ClikaRT::graph::transforms::get(name);
  return Transform::from_function(name, [name](ModelGraph &) {
    return Result<void>(
        ClikaRT::Status::InvalidArgument,
        "the transform '" + name +
            "' is that of a report that was pickled, which keeps its name and not its code; make it anew");
  });
}

py::object Pickled<std::shared_ptr<const GraphPicture>>::of(const std::shared_ptr<const GraphPicture> &picture) {
  return picture ? fromPicture(*picture) : py::none();
}

std::shared_ptr<const GraphPicture> Pickled<std::shared_ptr<const GraphPicture>>::back(py::handle state) {
  return state.is_none() ? nullptr : std::make_shared<const GraphPicture>(toPicture(state));
}

py::object toPlain(py::handle value) {
  if (py::isinstance<Transform>(value))
    return value.attr("name");
  if (py::hasattr(value, "to_dict"))
    return value.attr("to_dict")();
  if (!PyList_Check(value.ptr()))
    return py::reinterpret_borrow<py::object>(value);
  py::list plain;
  for (py::handle entry : value)
    plain.append(toPlain(entry));
  return plain;
}

py::tuple reduceByState(const py::object &self) {
  return py::make_tuple(py::module_::import("copyreg").attr("__newobj__"), py::make_tuple(py::type::of(self)),
                        self.attr("__getstate__")());
}

} // namespace clika::python
