// What a run is given for the graph's inputs: tensors, arrays, numbers and lists of them.
#include "Callbacks.h"
#include "GraphBindings.h"

#include <pybind11/numpy.h>

namespace clika::python {
namespace {

using ClikaRT::Tensor;
using ClikaRT::graph::ModelGraph;
using ClikaRT::graph::Value;

/// The element type of a NumPy array that a tensor may lie over: row-major, aligned, in native order.
std::optional<ClikaRT::DataType> sharableType(const py::array &array) {
  using ClikaRT::DataType;
  constexpr int kSharable = py::detail::npy_api::NPY_ARRAY_C_CONTIGUOUS_ | py::detail::npy_api::NPY_ARRAY_ALIGNED_;
  const char order = array.dtype().byteorder();
  if ((array.flags() & kSharable) != kSharable || (order != '=' && order != '|'))
    return std::nullopt;
  const bool isSigned = array.dtype().kind() == 'i';
  switch (array.dtype().kind()) {
  case 'i':
  case 'u':
    switch (array.itemsize()) {
    case 1:
      return isSigned ? DataType::Int8 : DataType::UInt8;
    case 2:
      return isSigned ? DataType::Int16 : DataType::UInt16;
    case 4:
      return isSigned ? DataType::Int32 : DataType::UInt32;
    case 8:
      return isSigned ? DataType::Int64 : DataType::UInt64;
    default:
      return std::nullopt;
    }
  case 'f':
    switch (array.itemsize()) {
    case 2:
      return DataType::Float16;
    case 4:
      return DataType::Float32;
    case 8:
      return DataType::Float64;
    default:
      return std::nullopt;
    }
  default:
    return std::nullopt;
  }
}

/// A tensor over the memory of a plain array, which must outlive it.
std::optional<Tensor> overArray(py::handle value) {
  if (!py::isinstance<py::array>(value) || Py_TYPE(value.ptr()) != py::detail::npy_api::get().PyArray_Type_)
    return std::nullopt;
  const auto array = py::reinterpret_borrow<py::array>(value);
  const auto dtype = sharableType(array);
  if (!dtype)
    return std::nullopt;
  return Tensor::from_external(array.data(), ClikaRT::Shape(array.shape(), array.shape() + array.ndim()), *dtype,
                               [](void *) {});
}

/// Python's numbers and lists of them have no dtype of their own and take that of `input`, where the graph has it.
template <class Input>
Tensor toInput(py::handle value, Input input, std::string_view call, const char *what) {
  if ((!isNumber(value) || isNumpyScalar(value)) && !isList(value))
    return toTensor(value, call, what);
  const std::optional<Value> known = input();
  return toConstant(value, known ? std::optional(known->dtype()) : std::nullopt, call,
                    known ? "the input '" + known->name() + "'" : "the inputs");
}

} // namespace

std::vector<Tensor> toInputs(const ModelGraph &graph, const py::tuple &values, std::string_view call, const char *what,
                             bool share) {
  std::vector<Tensor> tensors;
  for (py::handle value : values) {
    const auto input = [&] {
      const std::vector<Value> inputs = graph.inputs();
      return tensors.size() < inputs.size() ? std::optional(inputs[tensors.size()]) : std::nullopt;
    };
    std::optional<Tensor> over = share ? overArray(value) : std::nullopt;
    tensors.push_back(over ? std::move(*over) : toInput(value, input, call, what));
  }
  return tensors;
}

std::map<std::string, Tensor> toInputs(const ModelGraph &graph, const NamedObjects &values, std::string_view call,
                                       const char *what, bool share) {
  std::map<std::string, Tensor> tensors;
  for (const auto &[name, value] : values) {
    const auto input = [&, &name = name]() -> std::optional<Value> {
      for (const Value &candidate : graph.inputs())
        if (candidate.name() == name)
          return candidate;
      return std::nullopt;
    };
    std::optional<Tensor> over = share ? overArray(value) : std::nullopt;
    tensors.emplace(name, over ? std::move(*over) : toInput(value, input, call, what));
  }
  return tensors;
}

} // namespace clika::python
