// What a Tensor points to. lib/API derives its traced values from TracedTensor.
#pragma once

#include <ClikaRT/tensor.h>

#include <cstddef>
#include <memory>
#include <string>

namespace ClikaRT::detail {

class TensorImpl {
public:
  TensorImpl() = default;
  TensorImpl(const TensorImpl &) = delete;
  TensorImpl &operator=(const TensorImpl &) = delete;
  virtual ~TensorImpl();

  virtual bool isTraced() const noexcept = 0;
  virtual DataType dtype() const = 0;
  virtual Shape shape() const = 0;
};

/// Data in memory. `storage` keeps the bytes at `data` alive.
class ConcreteTensor final : public TensorImpl {
public:
  ConcreteTensor(DataType type, Shape shape, std::size_t elements, std::shared_ptr<void> storage, void *data)
      : type(type), sizes(std::move(shape)), elements(elements), storage(std::move(storage)), data(data) {}

  bool isTraced() const noexcept override { return false; }
  DataType dtype() const override { return type; }
  Shape shape() const override { return sizes; }

  const DataType type;
  const Shape sizes;
  const std::size_t elements;
  const std::shared_ptr<void> storage;
  void *const data;
};

/// A value of a graph being recorded.
class TracedTensor : public TensorImpl {
public:
  bool isTraced() const noexcept override { return true; }
  /// What the value is, for messages: "the output of Relu 'relu_1'".
  virtual std::string describe() const = 0;
  /// False once its trace is over. dtype() and shape() answer all the same.
  virtual bool isLive() const noexcept = 0;
};

/// Bytes every allocation of ours is aligned to.
inline constexpr std::size_t kTensorAlignment = 64;

/// Memory aligned to kTensorAlignment, at least one byte; an Error of status OutOfMemory when there is none.
std::shared_ptr<void> allocateTensorStorage(std::size_t bytes, std::string_view call);

/// The data behind a concrete tensor; an Error that begins with `call` for an undefined or a traced one.
const ConcreteTensor &concrete(const Tensor &tensor, std::string_view call);

/// The traced value behind a tensor, or null when it is concrete; an Error for an undefined one.
const TracedTensor *traced(const Tensor &tensor, std::string_view call);

/// Where the runtime may write while it makes the tensor: memory of its own that is no constant of a graph. Null: not
/// there.
void *writableData(const Tensor &tensor, std::string_view call);
/// Where a run writes its results: as above, and only where Tensor::empty made the memory. The data of other tensors
/// never changes.
void *resultData(const Tensor &tensor, std::string_view call);
/// From now on the tensor's memory, which other tensors may share, is a constant's.
void makeReadOnly(const Tensor &tensor);

/// ops::reshape, which Tensor::reshape calls for traced tensors; lib/API installs it.
using TracedReshape = Tensor (*)(const Tensor &, const Shape &);
void setTracedReshape(TracedReshape hook) noexcept;

/// The sizes of `shape` for `elements` elements, with its -1 replaced; an Error that begins with `call`.
Shape resolveReshape(const Shape &shape, std::int64_t elements, const Shape &from, std::string_view call);

/// Converts `count` elements, when `to` holds every value of `from` exactly; returns false when it does not.
bool widenElements(const void *in, DataType from, void *out, DataType to, std::size_t count);

/// Stores `value` as one element at `out`; an Error that begins with `call` when the type cannot hold it.
void storeScalar(Scalar value, DataType dtype, void *out, std::string_view call);

} // namespace ClikaRT::detail
