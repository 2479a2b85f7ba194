// The bytes of an ONNX tensor: in place in the mapped file where they can be, else decoded into memory of their own.
#pragma once
#include "IO/MappedFile.h"
#include "IO/Onnx/Model.h"

#include <map>

namespace clika::onnx {

struct Weights {
  /// Little-endian, row-major, at any address: those of a message need not be a multiple of the element's size.
  std::string_view bytes;
  /// Keeps `bytes` alive.
  std::shared_ptr<const void> owner;
  /// Whether the bytes had to be decoded.
  bool copied = false;
};

class WeightReader {
public:
  /// `modelPath` is what external data lies beside; `owner` keeps the model's own bytes alive.
  WeightReader(std::string modelPath, std::shared_ptr<const void> owner)
      : modelPath(std::move(modelPath)), modelOwner(std::move(owner)) {}

  /// Throws ClikaRT::Error; `what` names the tensor in it. The element type must be a covered one.
  Weights read(const Tensor &tensor, const std::string &what);

private:
  std::string_view externalBytes(const Tensor &tensor, uint64_t needed, const std::string &what,
                                 std::shared_ptr<const void> &owner);
  std::shared_ptr<const MappedFile> openExternal(const std::string &location, const std::string &what);

  std::string modelPath;
  std::shared_ptr<const void> modelOwner;
  std::map<std::string, std::shared_ptr<const MappedFile>> files;
};

/// The number of elements; refuses negative sizes and what does not fit the address space.
uint64_t countElements(const std::vector<int64_t> &dims, unsigned elementSize, const std::string &what);

} // namespace clika::onnx
