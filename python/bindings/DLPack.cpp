// The DLPack protocol: tensors of other libraries without a copy, and ours to them.
#include "Bindings.h"

#include <cstring>

namespace clika::python {
namespace {

using ClikaRT::DataType;
using ClikaRT::Shape;
using ClikaRT::Tensor;

// The protocol's memory layout (DLPack 1.0), as far as it concerns memory of the CPU.
struct DlDevice {
  std::int32_t type;
  std::int32_t id;
};
struct DlType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
struct DlTensor {
  void *data;
  DlDevice device;
  std::int32_t ndim;
  DlType dtype;
  std::int64_t *shape;
  std::int64_t *strides;
  std::uint64_t byteOffset;
};
struct DlManaged {
  DlTensor tensor;
  void *context;
  void (*deleter)(DlManaged *);
};
struct DlVersion {
  std::uint32_t major;
  std::uint32_t minor;
};
struct DlManagedVersioned {
  DlVersion version;
  void *context;
  void (*deleter)(DlManagedVersioned *);
  std::uint64_t flags;
  DlTensor tensor;
};

constexpr std::int32_t kCpu = 1;
constexpr std::uint64_t kReadOnly = 1, kCopied = 2;
enum TypeCode : std::uint8_t { Int = 0, UInt = 1, Float = 2, BFloat = 4, Bool = 6 };
constexpr const char *kName = "dltensor", *kUsed = "used_dltensor";
constexpr const char *kVersionedName = "dltensor_versioned", *kVersionedUsed = "used_dltensor_versioned";

DlType toDlType(DataType dtype) {
  const auto bits = static_cast<std::uint8_t>(8 * ClikaRT::item_size(dtype));
  if (dtype == DataType::Bool)
    return {Bool, bits, 1};
  if (dtype == DataType::BFloat16)
    return {BFloat, bits, 1};
  if (ClikaRT::is_floating_point(dtype))
    return {Float, bits, 1};
  return {ClikaRT::is_unsigned_integer(dtype) ? UInt : Int, bits, 1};
}

DataType fromDlType(DlType type) {
  for (std::size_t i = 0; i < ClikaRT::data_type_count; ++i) {
    const DlType ours = toDlType(static_cast<DataType>(i));
    if (ours.code == type.code && ours.bits == type.bits && ours.lanes == type.lanes)
      return static_cast<DataType>(i);
  }
  refuse("from_dlpack", "the element type of DLPack code " + std::to_string(type.code) + " with " +
                            std::to_string(type.bits) + " bits and " + std::to_string(type.lanes) +
                            " lanes has no equal here; convert the tensor where it comes from");
}

/// What an exported capsule owns: the tensor, and the arrays that the DlTensor points to.
template <class Managed>
struct Exported {
  Managed managed{};
  Tensor tensor;
  Shape shape, strides;
};

template <class Managed>
Managed *exportTensor(const Tensor &tensor) {
  auto owner = std::make_unique<Exported<Managed>>();
  owner->tensor = tensor;
  owner->shape = tensor.shape();
  owner->strides.resize(owner->shape.size());
  std::int64_t step = 1;
  for (std::size_t i = owner->shape.size(); i-- > 0;) {
    owner->strides[i] = step;
    step *= std::max<std::int64_t>(owner->shape[i], 1);
  }
  owner->managed.tensor = {const_cast<void *>(tensor.raw_data()),
                           {kCpu, 0},
                           static_cast<std::int32_t>(owner->shape.size()),
                           toDlType(tensor.dtype()),
                           owner->shape.data(),
                           owner->strides.data(),
                           0};
  owner->managed.context = owner.get();
  owner->managed.deleter = [](Managed *self) { delete static_cast<Exported<Managed> *>(self->context); };
  return &owner.release()->managed;
}

/// Frees a capsule that no consumer has taken (a consumer renames what it takes).
template <class Managed>
void dropCapsule(PyObject *capsule, const char *name) {
  if (!PyCapsule_IsValid(capsule, name))
    return;
  auto *managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule, name));
  managed->deleter(managed);
}

py::object capsuleOf(void *managed, const char *name, PyCapsule_Destructor destructor) {
  PyObject *capsule = PyCapsule_New(managed, name, destructor);
  if (!capsule)
    throw py::error_already_set();
  return py::reinterpret_steal<py::object>(capsule);
}

bool isRowMajor(const DlTensor &view) {
  if (!view.strides)
    return true;
  std::int64_t step = 1;
  for (int i = 0; i < view.ndim; ++i)
    if (view.shape[i] == 0)
      return true;
  for (int i = view.ndim; i-- > 0;) {
    if (view.shape[i] != 1 && view.strides[i] != step)
      return false;
    step *= view.shape[i];
  }
  return true;
}

/// Copies a strided tensor into row-major order.
Tensor copyStrided(const DlTensor &view, const Shape &shape, DataType dtype) {
  const std::size_t item = ClikaRT::item_size(dtype);
  const auto count = static_cast<std::size_t>(ClikaRT::element_count(shape, "from_dlpack"));
  std::vector<char> packed(count * item);
  const char *base = static_cast<const char *>(view.data) + view.byteOffset;
  Shape at(shape.size(), 0);
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
      offset += at[d] * view.strides[d];
    std::memcpy(packed.data() + i * item, base + offset * static_cast<std::int64_t>(item), item);
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++at[d] < shape[d])
        break;
      at[d] = 0;
    }
  }
  return Tensor::from_data(packed.data(), shape, dtype);
}

bool hasOddBool(const void *data, std::size_t count) {
  const auto *bytes = static_cast<const std::uint8_t *>(data);
  for (std::size_t i = 0; i < count; ++i)
    if (bytes[i] > 1)
      return true;
  return false;
}

/// Takes over `managed`; its deleter runs with the GIL, since the producer may be Python.
template <class Managed>
Tensor importTensor(Managed *managed) {
  const std::shared_ptr<Managed> owner(managed, [](Managed *held) {
    if (!Py_IsInitialized()) // the interpreter has gone, and the producer with it
      return;
    py::gil_scoped_acquire gil;
    if (held->deleter)
      held->deleter(held);
  });
  const DlTensor &view = managed->tensor;
  if (view.device.type != kCpu)
    refuse("from_dlpack",
           "the tensor is on the DLPack device " + std::to_string(view.device.type) + "; copy it to the CPU first",
           ClikaRT::Status::Unsupported);
  const DataType dtype = fromDlType(view.dtype);
  const Shape shape(view.shape, view.shape + view.ndim);
  const auto count = static_cast<std::size_t>(ClikaRT::element_count(shape, "from_dlpack"));
  if (!isRowMajor(view))
    return copyStrided(view, shape, dtype);
  const char *data = static_cast<const char *>(view.data) + view.byteOffset;
  const bool aligned = reinterpret_cast<std::uintptr_t>(data) % ClikaRT::item_size(dtype) == 0;
  if (!aligned || (dtype == DataType::Bool && hasOddBool(data, count)))
    return Tensor::from_data(data, shape, dtype);
  return Tensor::from_external(data, shape, dtype, [owner](void *) {});
}

template <class Managed>
Tensor take(const py::object &capsule, const char *name, const char *used) {
  auto *managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (!managed)
    throw py::error_already_set();
  PyCapsule_SetName(capsule.ptr(), used);
  return importTensor(managed);
}

py::object requestCapsule(const py::object &producer) {
  try {
    return producer.attr("__dlpack__")(py::arg("max_version") = py::make_tuple(1, 0));
  } catch (py::error_already_set &failed) {
    if (!failed.matches(PyExc_TypeError)) // a producer of before DLPack 1.0 knows no max_version
      throw;
  }
  return producer.attr("__dlpack__")();
}

} // namespace

Tensor fromDlpack(py::object producer) {
  if (!py::hasattr(producer, "__dlpack__"))
    refuseType("from_dlpack", typeName(producer) + " has no __dlpack__; use clika_runtime.tensor");
  if (py::isinstance<Tensor>(producer))
    return py::cast<Tensor>(producer);
  if (py::hasattr(producer, "__dlpack_device__")) {
    const py::tuple device = producer.attr("__dlpack_device__")();
    if (py::cast<int>(py::int_(py::object(device[0]))) != kCpu)
      refuse("from_dlpack",
             "the tensor is on the DLPack device " + py::cast<std::string>(py::str(py::object(device))) +
                 "; copy it to the CPU first",
             ClikaRT::Status::Unsupported);
  }
  const py::object capsule = requestCapsule(producer);
  if (PyCapsule_IsValid(capsule.ptr(), kVersionedName)) {
    const auto *managed = static_cast<DlManagedVersioned *>(PyCapsule_GetPointer(capsule.ptr(), kVersionedName));
    if (managed->version.major != 1)
      refuse("from_dlpack",
             "the producer speaks DLPack " + std::to_string(managed->version.major) + ", and this reads version 1",
             ClikaRT::Status::Unsupported);
    return take<DlManagedVersioned>(capsule, kVersionedName, kVersionedUsed);
  }
  if (PyCapsule_IsValid(capsule.ptr(), kName))
    return take<DlManaged>(capsule, kName, kUsed);
  refuse("from_dlpack", "__dlpack__ of " + typeName(producer) + " returned no DLPack capsule that is still unused");
}

py::object toDlpack(const Tensor &tensor, py::object stream, py::object maxVersion, py::object device,
                    py::object copy) {
  if (tensor.is_traced())
    (void)itemOf(tensor, "__dlpack__");
  if (!stream.is_none())
    throw py::buffer_error("__dlpack__: a tensor of the CPU takes no stream");
  if (!device.is_none() && !device.equal(py::make_tuple(kCpu, 0)))
    throw py::buffer_error("__dlpack__: the tensor is on the CPU, and this call copies to no other device");
  const bool copied = !copy.is_none() && py::cast<bool>(copy);
  const Tensor shared = copied ? Tensor::from_data(tensor.raw_data(), tensor.shape(), tensor.dtype()) : tensor;
  const bool versioned =
      !maxVersion.is_none() && toInteger(py::object(toSequence(maxVersion, "__dlpack__", "max_version's parts")[0]),
                                         "__dlpack__", "max_version") >= 1;
  if (!versioned)
    return capsuleOf(exportTensor<DlManaged>(shared), kName,
                     [](PyObject *capsule) { dropCapsule<DlManaged>(capsule, kName); });
  auto *managed = exportTensor<DlManagedVersioned>(shared);
  managed->version = {1, 0};
  managed->flags = copied ? kCopied : kReadOnly;
  return capsuleOf(managed, kVersionedName,
                   [](PyObject *capsule) { dropCapsule<DlManagedVersioned>(capsule, kVersionedName); });
}

} // namespace clika::python
