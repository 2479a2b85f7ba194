// tensor.h: the Tensor class, its data as NumPy arrays and buffers. Operators and indexing are in _tensor.py.
#include "Bindings.h"
#include "Runtime/Counted.h"

#include <pybind11/numpy.h>

#include <utility>

namespace clika::python {
namespace {

using ClikaRT::DataType;
using ClikaRT::Shape;
using ClikaRT::Tensor;

std::vector<py::ssize_t> rowMajorStrides(const Shape &shape, std::size_t item) {
  std::vector<py::ssize_t> strides(shape.size());
  auto step = static_cast<py::ssize_t>(item);
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<py::ssize_t>(shape[i], 1);
  }
  return strides;
}

/// A read-only array over the tensor's own memory, which it keeps alive.
py::object arrayOf(const Tensor &tensor, const py::object &dtype, const char *call) {
  if (tensor.is_traced() || !tensor.is_defined())
    (void)itemOf(tensor, call); // raises the error that says why there is no data
  const Shape shape = tensor.shape();
  py::capsule owner(new Tensor(tensor), [](void *held) { delete static_cast<Tensor *>(held); });
  py::array array(py::reinterpret_borrow<py::dtype>(dtype), std::vector<py::ssize_t>(shape.begin(), shape.end()),
                  rowMajorStrides(shape, ClikaRT::item_size(tensor.dtype())), tensor.raw_data(), owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

/// Element types that NumPy lacks appear as unsigned integers of their bits.
py::object bitsArray(const Tensor &tensor) {
  const bool bf16 = tensor.dtype() == DataType::BFloat16;
  return arrayOf(tensor, numpyDataType(bf16 ? DataType::UInt16 : tensor.dtype(), "numpy"), "numpy");
}

/// A tensor with data and attributes of its own; a traced one stands for the same value.
py::object deepCopy(const py::object &self, const py::object &memo) {
  const auto &tensor = py::cast<const Tensor &>(self);
  if (!tensor.is_defined() || tensor.is_traced())
    return self;
  py::object copied = py::cast(named(
      "deepcopy", "from_data", [&] { return Tensor::from_data(tensor.raw_data(), tensor.shape(), tensor.dtype()); }));
  const py::object attributes = self.attr("__dict__");
  if (py::len(attributes) != 0)
    copied.attr("__dict__").attr("update")(py::module_::import("copy").attr("deepcopy")(attributes, memo));
  return copied;
}

/// The data as an array, which knows how to pickle itself, out of band too.
py::tuple reduce(const py::object &self, py::handle) {
  const auto &tensor = py::cast<const Tensor &>(self);
  if (tensor.is_traced())
    (void)itemOf(tensor, "pickle");
  const py::object restore = py::module_::import("clika_runtime._tensor").attr("restored");
  const py::object attributes = self.attr("__dict__");
  return py::make_tuple(restore, py::make_tuple(bitsArray(tensor), fromDataType(tensor.dtype())),
                        py::len(attributes) != 0 ? attributes : py::object(py::none()));
}

py::object numpyArray(const Tensor &tensor) {
  if (tensor.is_traced() || !tensor.is_defined())
    (void)itemOf(tensor, "numpy");
  return arrayOf(tensor, numpyDataType(tensor.dtype(), "numpy"), "numpy");
}

py::object asArray(const Tensor &tensor, py::object dtype, py::object copy) {
  const py::object array = numpyArray(tensor);
  if (!dtype.is_none() && !py::object(array.attr("dtype")).equal(py::module_::import("numpy").attr("dtype")(dtype))) {
    if (!copy.is_none() && !py::cast<bool>(copy))
      throw py::value_error("the tensor cannot become an array of another dtype without a copy");
    return array.attr("astype")(dtype);
  }
  return !copy.is_none() && py::cast<bool>(copy) ? array.attr("copy")() : array;
}

const char *formatOf(DataType dtype) {
  static constexpr const char *formats[] = {"?", "b", "h", "i", "q", "B", "H", "I", "Q", "e", nullptr, "f", "d"};
  return formats[static_cast<std::size_t>(dtype)];
}

py::buffer_info bufferOf(const Tensor &tensor) {
  if (!tensor.is_defined() || tensor.is_traced())
    throw py::buffer_error("the tensor is traced, so it has no data yet");
  const char *format = formatOf(tensor.dtype());
  if (!format)
    throw py::buffer_error("the buffer protocol has no bfloat16; use numpy(), or cast to float32");
  const Shape shape = tensor.shape();
  const auto item = static_cast<py::ssize_t>(ClikaRT::item_size(tensor.dtype()));
  return py::buffer_info(const_cast<void *>(tensor.raw_data()), item, format, static_cast<py::ssize_t>(shape.size()),
                         std::vector<py::ssize_t>(shape.begin(), shape.end()),
                         rowMajorStrides(shape, static_cast<std::size_t>(item)), true);
}

/// The bits of bfloat16 that the doubles of a C-contiguous array round to.
py::array toBFloat16Bits(const py::array_t<double, py::array::c_style> &array) {
  py::array_t<std::uint16_t> bits(std::vector<py::ssize_t>(array.shape(), array.shape() + array.ndim()));
  const double *in = array.data();
  std::uint16_t *out = bits.mutable_data();
  for (py::ssize_t i = 0; i < array.size(); ++i)
    out[i] = ClikaRT::BFloat16(in[i]).bits;
  return bits;
}

/// Copies a C-contiguous NumPy array whose elements are (or are the bits of) `dtype`.
Tensor fromArray(const py::array &array, py::handle type) {
  const DataType dtype = toDataType(type, "tensor");
  if (!(array.flags() & py::array::c_style) || static_cast<std::size_t>(array.itemsize()) != ClikaRT::item_size(dtype))
    refuse("tensor", "the array is not a row-major array of this element type", ClikaRT::Status::Internal);
  return Tensor::from_data(array.data(), Shape(array.shape(), array.shape() + array.ndim()), dtype);
}

Tensor reshape(const Tensor &self, const py::args &sizes) {
  const bool one = sizes.size() == 1;
  return self.reshape(toShape(one ? py::object(sizes[0]) : py::object(sizes), "reshape"));
}

py::ssize_t length(const Tensor &self) {
  const Shape shape = self.shape();
  if (shape.empty())
    throw py::type_error("len: a tensor of rank 0 has no length");
  if (shape[0] < 0)
    refuse("len", "the first dimension of the traced tensor " + ClikaRT::shape_string(shape) +
                      " has no fixed size; use clika_runtime.shape, which a graph computes");
  return static_cast<py::ssize_t>(shape[0]);
}

std::string represent(const Tensor &self) {
  if (!self.is_defined() || self.is_traced())
    return self.to_string();
  py::object array = bitsArray(self);
  if (self.dtype() == DataType::BFloat16)
    array = array.attr("astype")("uint32").attr("__lshift__")(16).attr("view")("float32");
  const py::object text = py::module_::import("numpy").attr("array2string")(array, py::arg("separator") = ", ",
                                                                            py::arg("prefix") = "tensor(");
  return "tensor(" + py::cast<std::string>(text) + ", dtype=" + std::string(ClikaRT::data_type_name(self.dtype())) +
         ")";
}

} // namespace

py::object itemOf(const Tensor &tensor, std::string_view call) {
  if (tensor.is_defined() && !tensor.is_traced() && tensor.size() != 1)
    refuse(call, "the tensor " + ClikaRT::shape_string(tensor.shape()) + " has " + counted(tensor.size(), "element") +
                     ", and this reads exactly one; read all with numpy()");
  const DataType dtype = tensor.dtype();
  if (tensor.is_traced()) {
    // The data's own refusal, under the name of the call the user made.
    try {
      (void)tensor.raw_data();
    } catch (const ClikaRT::Error &error) {
      const std::string_view what = error.what();
      throw ClikaRT::Error(error.status(), std::string(call) + std::string(what.substr(what.find(':'))),
                           error.code_name());
    }
  }
  if (dtype == DataType::Bool)
    return py::bool_(tensor.item<bool>());
  if (dtype == DataType::UInt64)
    return py::int_(tensor.item<std::uint64_t>());
  if (ClikaRT::is_floating_point(dtype))
    return py::float_(tensor.item<double>());
  return py::int_(tensor.item<std::int64_t>());
}

namespace {

getbufferproc bufferGetter = nullptr;

/// pybind11 puts what bufferOf raised behind a BufferError of no words; it is raised itself.
int bufferOrReason(PyObject *self, Py_buffer *view, int flags) {
  if (bufferGetter(self, view, flags) == 0)
    return 0;
  py::error_already_set raised;
  const py::object cause = py::getattr(raised.value(), "__cause__", py::none());
  if (cause.is_none())
    raised.restore();
  else
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(cause.ptr())), cause.ptr());
  return -1;
}

} // namespace

void bindTensor(py::module_ &module) {
  py::class_<Tensor> cls(module, "Tensor", py::buffer_protocol(), py::dynamic_attr());
  cls.def_property_readonly("shape", [](const Tensor &self) { return fromShape(self.shape()); })
      .def_property_readonly("dtype", [](const Tensor &self) { return fromDataType(self.dtype()); })
      .def_property_readonly("device", &Tensor::device)
      .def_property_readonly("ndim", &Tensor::rank)
      .def_property_readonly("size", &Tensor::size)
      .def_property_readonly("is_traced", &Tensor::is_traced)
      .def("reshape", &reshape)
      .def("item", [](const Tensor &self) { return itemOf(self, "item"); })
      .def("numpy", &numpyArray)
      .def("tolist",
           [](const Tensor &self) {
             return self.is_defined() && !self.is_traced() && self.dtype() == DataType::BFloat16
                        ? bitsArray(self).attr("astype")("uint32").attr("__lshift__")(16).attr("view")("float32").attr(
                              "tolist")()
                        : numpyArray(self).attr("tolist")();
           })
      .def("__array__", &asArray, py::arg("dtype") = py::none(), py::kw_only(), py::arg("copy") = py::none())
      .def("__len__", &length)
      .def("__bool__", [](const Tensor &self) { return itemOf(self, "bool").attr("__bool__")(); })
      .def("__float__", [](const Tensor &self) { return py::float_(itemOf(self, "float")); })
      .def("__int__", [](const Tensor &self) { return py::int_(itemOf(self, "int")); })
      .def("__index__",
           [](const Tensor &self) {
             const DataType dtype = self.dtype();
             if (ClikaRT::is_floating_point(dtype) || dtype == DataType::Bool)
               throw py::type_error("index: a tensor of " + std::string(ClikaRT::data_type_name(dtype)) +
                                    " is no index; it takes an integer tensor of one element");
             return itemOf(self, "index");
           })
      .def("__repr__", &represent)
      .def("__copy__", [](const py::object &self) { return self; })
      .def("__deepcopy__", &deepCopy, py::arg("memo"))
      .def("__reduce_ex__", &reduce, py::arg("protocol"))
      .def("__dlpack__", &toDlpack, py::kw_only(), py::arg("stream") = py::none(), py::arg("max_version") = py::none(),
           py::arg("dl_device") = py::none(), py::arg("copy") = py::none())
      .def("__dlpack_device__", [](const Tensor &) { return py::make_tuple(1, 0); })
      .def_buffer(&bufferOf);
  PyBufferProcs &buffers = reinterpret_cast<PyHeapTypeObject *>(cls.ptr())->as_buffer;
  bufferGetter = std::exchange(buffers.bf_getbuffer, &bufferOrReason);
  module.def("tensor_from_array", &fromArray, py::arg("array"), py::arg("dtype"));
  module.def("tensor_empty", [](py::handle shape, py::handle dtype) {
    return Tensor::empty(toShape(shape, "empty"), toDataType(dtype, "empty"));
  });
  module.def("to_bfloat16_bits", &toBFloat16Bits, py::arg("array"));
  module.def("bits_array", &bitsArray, py::arg("tensor"));
  module.def("from_dlpack", &fromDlpack, py::arg("x"));
}

} // namespace clika::python
