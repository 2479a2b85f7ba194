#include "IO/Onnx/Weights.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <limits>

namespace clika::onnx {
namespace {

using ClikaRT::Status;

std::string shapeText(const std::vector<int64_t> &dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

[[noreturn]] void failSize(const std::string &what, const Tensor &tensor, uint64_t needed, uint64_t given,
                           const char *unit) {
  fail(Status::Io, what + " is " + elementTypeName(tensor.type) + shapeText(tensor.dims) + " and needs " +
                       std::to_string(needed) + " " + unit + ", the file holds " + std::to_string(given));
}

struct Buffer {
  std::shared_ptr<char[]> data;
  explicit Buffer(uint64_t size, const std::string &what) {
    try {
      data.reset(new char[size ? size : 1]);
    } catch (const std::bad_alloc &) {
      fail(Status::OutOfMemory, "no memory for the " + std::to_string(size) + " bytes of " + what);
    }
  }
};

Weights own(Buffer buffer, uint64_t size) { return {{buffer.data.get(), size}, buffer.data, true}; }

/// A bool of another byte than 0 and 1 is made one of these.
Weights inPlace(std::string_view bytes, std::shared_ptr<const void> owner, const Tensor &tensor,
                const std::string &what) {
  bool isPlain = true;
  if (tensor.type == ElementType::Bool)
    for (char byte : bytes)
      isPlain &= static_cast<unsigned char>(byte) <= 1;
  if (isPlain)
    return {bytes, std::move(owner), false};
  Buffer buffer(bytes.size(), what);
  for (size_t i = 0; i < bytes.size(); ++i)
    buffer.data[i] = bytes[i] != 0;
  return own(std::move(buffer), bytes.size());
}

/// float_data and double_data hold the elements as they are in memory.
Weights joinRuns(const std::vector<std::string_view> &runs, std::shared_ptr<const void> owner, const Tensor &tensor,
                 uint64_t needed, const std::string &what) {
  uint64_t size = 0;
  for (std::string_view run : runs)
    size += run.size();
  if (size != needed)
    failSize(what, tensor, needed, size, "bytes");
  if (runs.size() == 1)
    return inPlace(runs[0], std::move(owner), tensor, what);
  Buffer buffer(size, what);
  char *to = buffer.data.get();
  for (std::string_view run : runs) {
    if (!run.empty())
      std::memcpy(to, run.data(), run.size());
    to += run.size();
  }
  return own(std::move(buffer), size);
}

/// Whether a varint's value is one of the element type's. Negative int32 values are written as 64-bit varints.
bool fits(uint64_t value, ElementType type) {
  auto asSigned = static_cast<int64_t>(value);
  switch (type) {
  case ElementType::Bool:
    return value <= 1;
  case ElementType::UInt8:
    return value <= 0xFF;
  case ElementType::Int8:
    return asSigned >= -0x80 && asSigned <= 0x7F;
  case ElementType::UInt16:
  case ElementType::Float16:
  case ElementType::BFloat16:
    return value <= 0xFFFF;
  case ElementType::Int16:
    return asSigned >= -0x8000 && asSigned <= 0x7FFF;
  case ElementType::Int32:
    return asSigned >= std::numeric_limits<int32_t>::min() && asSigned <= std::numeric_limits<int32_t>::max();
  case ElementType::UInt32:
    return value <= 0xFFFFFFFF;
  default:
    return true;
  }
}

/// The field of TensorProto that holds a type's elements when raw_data does not.
unsigned intFieldOf(ElementType type) {
  switch (type) {
  case ElementType::Int64:
    return 7;
  case ElementType::UInt32:
  case ElementType::UInt64:
    return 11;
  default:
    return 5;
  }
}

uint64_t countVarints(const std::vector<std::string_view> &runs) {
  uint64_t count = 0;
  for (std::string_view run : runs)
    for (char byte : run)
      count += (byte & 0x80) == 0;
  return count;
}

Weights decodeInts(const Tensor &tensor, uint64_t count, const std::string &what) {
  if (tensor.intField != 0 && tensor.intField != intFieldOf(tensor.type))
    fail(Status::Io, what + " has its elements in a field that does not hold " + elementTypeName(tensor.type));
  uint64_t given = countVarints(tensor.ints);
  if (given != count)
    failSize(what, tensor, count, given, "elements");
  unsigned size = elementSize(tensor.type);
  Buffer buffer(count * size, what);
  uint64_t index = 0;
  for (std::string_view bytes : tensor.ints) {
    for (VarintRun run(bytes); !run.done(); ++index) {
      uint64_t value;
      if (!run.next(value) || index == count)
        fail(Status::Io, what + " is damaged at its element " + std::to_string(index));
      if (!fits(value, tensor.type))
        fail(Status::Io, what + ": element " + std::to_string(index) + " is no " + elementTypeName(tensor.type));
      std::memcpy(buffer.data.get() + index * size, &value, size);
    }
  }
  return own(std::move(buffer), count * size);
}

uint64_t parseNumber(std::string_view text, const char *key, const std::string &what) {
  uint64_t value = 0;
  auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size())
    fail(Status::Io, what + ": external data has " + key + " '" + std::string(text) + "', expected a number");
  return value;
}

bool staysInside(const std::filesystem::path &location) {
  if (location.empty() || location.is_absolute())
    return false;
  for (const auto &part : location)
    if (part == "..")
      return false;
  return true;
}

bool isBelow(const std::filesystem::path &file, const std::filesystem::path &folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

/// Links may lead to the model's folder, or that of the file which the model links to, and to what is below. What
/// cannot be resolved is left to the opening.
void checkLinks(const std::string &model, const std::string &path, const std::string &location,
                const std::string &what) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path target = fs::canonical(path, error);
  if (error)
    return;
  fs::path parent = fs::path(model).parent_path();
  fs::path folder = fs::canonical(parent.empty() ? "." : parent, error);
  if (!error && isBelow(target, folder))
    return;
  fs::path linked = fs::canonical(model, error).parent_path();
  if (!error && isBelow(target, linked))
    return;
  fail(Status::Io, what + ": external data may only be beside the model, and '" + location + "' links to '" +
                       target.string() + "'");
}

} // namespace

uint64_t countElements(const std::vector<int64_t> &dims, unsigned elementSize, const std::string &what) {
  uint64_t count = 1;
  bool isEmpty = false, overflows = false;
  for (int64_t dim : dims) {
    if (dim < 0)
      fail(Status::Io, what + " has the negative size " + std::to_string(dim) + " in its shape " + shapeText(dims));
    isEmpty |= dim == 0;
    overflows |= dim != 0 && __builtin_mul_overflow(count, static_cast<uint64_t>(dim), &count);
  }
  if (isEmpty)
    return 0;
  uint64_t bytes;
  if (overflows || __builtin_mul_overflow(count, static_cast<uint64_t>(elementSize), &bytes) ||
      bytes > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    fail(Status::Io, what + " has the shape " + shapeText(dims) + ", which is more than memory can hold");
  return count;
}

std::shared_ptr<const MappedFile> WeightReader::openExternal(const std::string &location, const std::string &what) {
  auto found = files.find(location);
  if (found != files.end())
    return found->second;
  if (location.find('\0') != std::string::npos || !staysInside(location))
    fail(Status::Io, what + ": external data may only be beside the model, not at '" + location + "'");
  std::string path = (std::filesystem::path(modelPath).parent_path() / location).string();
  checkLinks(modelPath, path, location, what);
  return files[location] = MappedFile::open(path, "from_onnx: " + what);
}

std::string_view WeightReader::externalBytes(const Tensor &tensor, uint64_t needed, const std::string &what,
                                             std::shared_ptr<const void> &owner) {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  for (const TextPair &entry : tensor.external) {
    if (entry.key == "location")
      location = entry.value;
    else if (entry.key == "offset")
      offset = parseNumber(entry.value, "offset", what);
    else if (entry.key == "length")
      length = parseNumber(entry.value, "length", what);
  }
  if (location.empty())
    fail(Status::Io, what + ": external data has no location");
  std::shared_ptr<const MappedFile> file = openExternal(location, what);
  std::string_view bytes = file->bytes();
  uint64_t wanted = length.value_or(needed);
  if (offset > bytes.size() || wanted > bytes.size() - offset)
    fail(Status::Io, what + ": external data '" + file->path() + "' has " + std::to_string(bytes.size()) +
                         " bytes, the tensor lies at " + std::to_string(offset) + " and is " + std::to_string(wanted) +
                         " long");
  if (wanted != needed)
    failSize(what, tensor, needed, wanted, "bytes");
  owner = file;
  return bytes.substr(offset, wanted);
}

Weights WeightReader::read(const Tensor &tensor, const std::string &what) {
  unsigned size = elementSize(tensor.type);
  if (size == 0)
    fail(Status::Unsupported, what + " has elements of " + elementTypeName(tensor.type) + ", which is not covered");
  if (tensor.isSegment)
    fail(Status::Unsupported, what + " is stored in segments, which is not covered");
  uint64_t count = countElements(tensor.dims, size, what);
  int sources = (tensor.raw && !tensor.raw->empty()) + !tensor.floats.empty() + !tensor.doubles.empty() +
                !tensor.ints.empty() + tensor.isExternal;
  if (sources > 1 || !tensor.strings.empty())
    fail(Status::Io, what + " has its elements in several fields");
  if (tensor.isExternal) {
    std::shared_ptr<const void> owner;
    std::string_view bytes = externalBytes(tensor, count * size, what, owner);
    return inPlace(bytes, owner, tensor, what);
  }
  if (!tensor.floats.empty() || !tensor.doubles.empty()) {
    bool matches = tensor.floats.empty() ? tensor.type == ElementType::Float64 : tensor.type == ElementType::Float32;
    if (!matches)
      fail(Status::Io, what + " has its elements in a field that does not hold " + elementTypeName(tensor.type));
    return joinRuns(tensor.floats.empty() ? tensor.doubles : tensor.floats, modelOwner, tensor, count * size, what);
  }
  if (!tensor.ints.empty())
    return decodeInts(tensor, count, what);
  std::string_view raw = tensor.raw.value_or(std::string_view());
  if (raw.size() != count * size)
    failSize(what, tensor, count * size, raw.size(), "bytes");
  return inPlace(raw, modelOwner, tensor, what);
}

} // namespace clika::onnx
