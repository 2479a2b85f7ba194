#include "Runtime/Counted.h"
#include "Runtime/TensorImpl.h"

#include <ClikaRT/error.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace ClikaRT {
namespace {

using detail::ConcreteTensor;

std::atomic<detail::TracedReshape> tracedReshape{nullptr};

[[noreturn]] void invalid(std::string_view call, const std::string &what, const char *codeName = "") {
  throw Error(Status::InvalidArgument, std::string(call) + ": " + what, codeName);
}

/// The deleter of memory that the runtime allocated, by which it is told from a user's.
struct OwnMemory {
  bool constant = false;
  /// Tensor::empty made it, for results to be written to.
  bool forResults = false;
  void operator()(void *memory) const { std::free(memory); }
};

void checkDtype(std::string_view call, DataType dtype) {
  if (!is_valid(dtype))
    invalid(call, std::to_string(static_cast<int>(dtype)) + " is no DataType; use one of its enumerators");
}

const detail::TensorImpl &defined(const Tensor &tensor, std::string_view call) {
  if (!tensor.is_defined())
    invalid(call, "the tensor is undefined (a default-constructed Tensor); make one with Tensor::from_data");
  return *tensor.impl();
}

/// Elements and bytes of a tensor to be made.
std::pair<std::size_t, std::size_t> extent(std::string_view call, const Shape &shape, DataType dtype) {
  checkDtype(call, dtype);
  const auto elements = static_cast<std::size_t>(element_count(shape, call));
  const std::size_t item = item_size(dtype);
  if (elements > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / item)
    invalid(call, "a tensor " + std::string(data_type_name(dtype)) + shape_string(shape) +
                      " has more bytes than memory has addresses; give smaller sizes");
  return {elements, elements * item};
}

Tensor allocate(std::string_view call, const Shape &shape, DataType dtype) {
  const auto [elements, bytes] = extent(call, shape, dtype);
  std::shared_ptr<void> storage = detail::allocateTensorStorage(bytes, call);
  void *data = storage.get();
  return Tensor(std::make_shared<ConcreteTensor>(dtype, shape, elements, std::move(storage), data));
}

void *bytesOf(const Tensor &tensor) { return static_cast<const ConcreteTensor &>(*tensor.impl()).data; }

void checkExternal(std::string_view call, const void *data, DataType dtype, std::size_t elements) {
  if (elements == 0)
    return;
  if (!data)
    invalid(call, "the data pointer is null and the shape has " + clika::counted(elements, "element"));
  const std::size_t item = item_size(dtype);
  if (reinterpret_cast<std::uintptr_t>(data) % item != 0)
    invalid(call, "the address is not a multiple of the " + std::to_string(item) + " bytes of a " +
                      std::string(data_type_name(dtype)) + "; copy the data with Tensor::from_data");
  if (dtype != DataType::Bool)
    return;
  const auto *bytes = static_cast<const std::uint8_t *>(data);
  for (std::size_t i = 0; i < elements; ++i)
    if (bytes[i] > 1)
      invalid(call, "byte " + std::to_string(i) + " of the bool data is " + std::to_string(bytes[i]) +
                        "; a bool is 0 or 1: copy the data with Tensor::from_data, which takes any other byte as 1");
}

} // namespace

namespace detail {

TensorImpl::~TensorImpl() = default;

std::shared_ptr<void> allocateTensorStorage(std::size_t bytes, std::string_view call) {
  const std::size_t rounded =
      bytes == 0 ? kTensorAlignment : (bytes + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
  const bool isAddressable = bytes <= static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  void *memory = isAddressable ? std::aligned_alloc(kTensorAlignment, rounded) : nullptr;
  if (!memory)
    throw Error(Status::OutOfMemory, std::string(call) + ": no memory for a tensor of " +
                                         clika::counted(bytes, "byte") + "; free some, or give smaller sizes");
  return std::shared_ptr<void>(memory, OwnMemory());
}

const ConcreteTensor &concrete(const Tensor &tensor, std::string_view call) {
  const TensorImpl &impl = defined(tensor, call);
  if (!impl.isTraced())
    return static_cast<const ConcreteTensor &>(impl);
  const auto &value = static_cast<const TracedTensor &>(impl);
  if (!value.isLive())
    invalid(call,
            "the tensor is " + value.describe() +
                ", whose trace is over, and it never had data; run the graph "
                "that the trace returned and read its outputs",
            "FAILED_PRECONDITION");
  invalid(call,
          "the tensor is " + value.describe() +
              ", which a trace is recording, so it has no data yet; compute "
              "with the public ops, and read the outputs of the graph's run",
          "FAILED_PRECONDITION");
}

const TracedTensor *traced(const Tensor &tensor, std::string_view call) {
  const TensorImpl &impl = defined(tensor, call);
  return impl.isTraced() ? static_cast<const TracedTensor *>(&impl) : nullptr;
}

void *writableData(const Tensor &tensor, std::string_view call) {
  const ConcreteTensor &to = concrete(tensor, call);
  OwnMemory *own = std::get_deleter<OwnMemory>(to.storage);
  return own && !std::atomic_ref(own->constant).load(std::memory_order_relaxed) ? to.data : nullptr;
}

void *resultData(const Tensor &tensor, std::string_view call) {
  OwnMemory *own = std::get_deleter<OwnMemory>(concrete(tensor, call).storage);
  return own && own->forResults ? writableData(tensor, call) : nullptr;
}

void makeReadOnly(const Tensor &tensor) {
  if (OwnMemory *own = std::get_deleter<OwnMemory>(concrete(tensor, "constant").storage))
    std::atomic_ref(own->constant).store(true, std::memory_order_relaxed);
}

void setTracedReshape(TracedReshape hook) noexcept { tracedReshape.store(hook); }

Shape resolveReshape(const Shape &shape, std::int64_t elements, const Shape &from, std::string_view call) {
  Shape sizes = shape;
  std::optional<std::size_t> unknown;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != -1)
      continue;
    if (unknown)
      invalid(call, "the shape " + shape_string(shape) + " leaves out dimensions " + std::to_string(*unknown) +
                        " and " + std::to_string(i) + "; only one size may be -1");
    unknown = i;
    sizes[i] = 1;
  }
  const std::int64_t known = element_count(sizes, call);
  const bool fits = !unknown ? known == elements : known != 0 && elements % known == 0;
  if (!fits && unknown && known == 0)
    invalid(call, "the -1 of " + shape_string(shape) + " may be any size, since another size is 0; give the size");
  if (!fits)
    invalid(call, "the shape " + shape_string(shape) + " does not hold the " + clika::counted(elements, "element") +
                      " of a tensor " + shape_string(from));
  if (unknown)
    sizes[*unknown] = elements / known;
  return sizes;
}

} // namespace detail

Tensor Tensor::from_data(const void *data, const Shape &shape, DataType dtype) {
  const auto [elements, bytes] = extent("from_data", shape, dtype);
  if (!data && elements > 0)
    invalid("from_data", "the data pointer is null and the shape " + shape_string(shape) + " has " +
                             clika::counted(elements, "element"));
  Tensor result = allocate("from_data", shape, dtype);
  if (bytes > 0)
    std::memcpy(bytesOf(result), data, bytes);
  if (dtype == DataType::Bool) {
    auto *flags = static_cast<std::uint8_t *>(bytesOf(result));
    for (std::size_t i = 0; i < elements; ++i)
      flags[i] = flags[i] != 0;
  }
  return result;
}

Tensor Tensor::from_external(const void *data, const Shape &shape, DataType dtype,
                             std::function<void(void *)> deleter) {
  void *address = const_cast<void *>(data);
  // The deleter is owned from here on, so a refusal below calls it too.
  std::shared_ptr<void> storage(address, [deleter = std::move(deleter)](void *pointer) {
    if (deleter)
      deleter(pointer);
  });
  const std::size_t elements = extent("from_external", shape, dtype).first;
  checkExternal("from_external", data, dtype, elements);
  return Tensor(std::make_shared<ConcreteTensor>(dtype, shape, elements, std::move(storage), address));
}

Tensor Tensor::full(const Shape &shape, Scalar value, DataType dtype) {
  Tensor result = allocate("full", shape, dtype);
  const auto &made = static_cast<const ConcreteTensor &>(*result.impl());
  const std::size_t item = item_size(dtype);
  alignas(8) char element[8];
  detail::storeScalar(value, dtype, element, "full");
  auto *out = static_cast<char *>(made.data);
  for (std::size_t i = 0; i < made.elements; ++i)
    std::memcpy(out + i * item, element, item);
  return result;
}

Tensor Tensor::scalar(Scalar value, DataType dtype) { return full({}, value, dtype); }

Tensor Tensor::empty(const Shape &shape, DataType dtype) {
  Tensor tensor = allocate("empty", shape, dtype);
  std::get_deleter<OwnMemory>(static_cast<const ConcreteTensor &>(*tensor.impl()).storage)->forResults = true;
  return tensor;
}

bool Tensor::is_traced() const noexcept { return impl_ && impl_->isTraced(); }

DataType Tensor::dtype() const { return defined(*this, "dtype").dtype(); }

Shape Tensor::shape() const { return defined(*this, "shape").shape(); }

std::int64_t Tensor::size() const {
  const Shape sizes = defined(*this, "size").shape();
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] < 0)
      invalid("size", "dimension " + std::to_string(i) + " of the traced tensor " + shape_string(sizes) +
                          " has no fixed size; use ops::size, which a graph computes");
  return element_count(sizes, "size");
}

Device Tensor::device() const { return defined(*this, "device"), Device{}; }

const void *Tensor::raw_data() const { return detail::concrete(*this, "raw_data").data; }

Tensor Tensor::reshape(const Shape &shape) const {
  if (detail::traced(*this, "reshape")) {
    const detail::TracedReshape hook = tracedReshape.load();
    if (!hook)
      throw Error(Status::Internal, "reshape: no trace is installed that could record it");
    return hook(*this, shape);
  }
  const ConcreteTensor &from = detail::concrete(*this, "reshape");
  Shape sizes = detail::resolveReshape(shape, static_cast<std::int64_t>(from.elements), from.sizes, "reshape");
  return Tensor(std::make_shared<ConcreteTensor>(from.type, std::move(sizes), from.elements, from.storage, from.data));
}

const void *Tensor::typed_data(DataType wanted, const char *call) const {
  const ConcreteTensor &from = detail::concrete(*this, call);
  if (from.type != wanted)
    invalid(call, "the elements are " + std::string(data_type_name(from.type)) + ", not the " +
                      std::string(data_type_name(wanted)) +
                      " asked for; ask for the tensor's own type, or convert with ops::cast");
  return from.data;
}

std::size_t Tensor::vec_size() const { return detail::concrete(*this, "item_as_vec").elements; }

void Tensor::read_items(DataType wanted, void *out, bool one, const char *call) const {
  const ConcreteTensor &from = detail::concrete(*this, call);
  if (one && from.elements != 1)
    invalid(call, "the tensor " + shape_string(from.sizes) + " has " + clika::counted(from.elements, "element") +
                      ", and item reads exactly one; read all with item_as_vec");
  if (!detail::widenElements(from.data, from.type, out, wanted, from.elements))
    invalid(call, std::string(data_type_name(wanted)) + " does not hold every " +
                      std::string(data_type_name(from.type)) +
                      "; ask for the tensor's own type or a wider one, or convert with ops::cast first");
}

std::string Tensor::to_string() const {
  if (!impl_)
    return "Tensor(undefined)";
  const std::string type = std::string(data_type_name(impl_->dtype())) + shape_string(impl_->shape());
  return is_traced() ? "Tensor(" + type + ", traced)" : "Tensor(" + type + ")";
}

} // namespace ClikaRT
