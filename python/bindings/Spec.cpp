// spec.h: TensorSpec with dimensions given as ints, names or None.
#include "Bindings.h"

#include <ClikaRT/spec.h>

namespace clika::python {
namespace {

using ClikaRT::spec::Dim;
using ClikaRT::spec::TensorSpec;

Dim toDim(py::handle value) {
  if (value.is_none())
    return Dim(std::nullopt);
  if (py::isinstance<py::str>(value))
    return Dim(toText(value, "TensorSpec", "a dimension's name"));
  if (PyIndex_Check(value.ptr()))
    return Dim(toInteger(value, "TensorSpec", "a dimension"));
  refuseType("TensorSpec", "a dimension is a size, a name or None, not " + typeName(value));
}

py::object fromDim(const Dim &dim) {
  if (dim.is_static())
    return py::int_(dim.size());
  return dim.is_named() ? py::object(py::str(dim.name())) : py::object(py::none());
}

TensorSpec makeSpec(const Text &name, py::handle dtype, py::handle shape) {
  TensorSpec spec{name, toDataType(dtype, "TensorSpec"), {}};
  if (!py::isinstance<py::sequence>(shape) || py::isinstance<py::str>(shape))
    refuseType("TensorSpec", "the shape is a sequence of sizes, names and None, not " + typeName(shape));
  for (py::handle entry : entriesOf(shape))
    spec.shape.push_back(toDim(entry));
  return spec;
}

py::tuple shapeOf(const TensorSpec &spec) {
  py::tuple shape(spec.shape.size());
  for (std::size_t i = 0; i < spec.shape.size(); ++i)
    shape[i] = fromDim(spec.shape[i]);
  return shape;
}

} // namespace

void bindSpec(py::module_ &module) {
  py::class_<TensorSpec>(module, "TensorSpec")
      .def(py::init(&makeSpec), py::arg("name"), py::arg("dtype"), py::arg("shape"))
      .def_readonly("name", &TensorSpec::name)
      .def_property_readonly("dtype", [](const TensorSpec &self) { return fromDataType(self.dtype); })
      .def_property_readonly("shape", &shapeOf)
      .def("__eq__",
           [](const TensorSpec &self, py::handle other) {
             if (!py::isinstance<TensorSpec>(other))
               return false;
             const auto &that = py::cast<const TensorSpec &>(other);
             return self.name == that.name && self.dtype == that.dtype && self.shape == that.shape;
           })
      .def("__reduce__",
           [](const py::object &self) {
             return py::make_tuple(py::type::of(self),
                                   py::make_tuple(self.attr("name"), self.attr("dtype"), self.attr("shape")));
           })
      .def("__hash__", [](const TensorSpec &self) { return py::hash(py::str(self.to_string())); })
      .def("__repr__", [](const TensorSpec &self) { return "TensorSpec(" + self.to_string() + ")"; });
}

} // namespace clika::python
