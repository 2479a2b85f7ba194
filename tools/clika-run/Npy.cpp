#include "clika-run/Npy.h"

#include "ClikaRT/error.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

using ClikaRT::DataType;
using ClikaRT::Error;
using ClikaRT::Shape;
using ClikaRT::Status;
using ClikaRT::Tensor;

namespace clika::run {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

struct TypeCode {
  /// As little-endian data have it.
  std::string_view code;
  DataType dtype;
};
constexpr std::array<TypeCode, 12> typeCodes = {{
    {"|b1", DataType::Bool},
    {"|i1", DataType::Int8},
    {"<i2", DataType::Int16},
    {"<i4", DataType::Int32},
    {"<i8", DataType::Int64},
    {"|u1", DataType::UInt8},
    {"<u2", DataType::UInt16},
    {"<u4", DataType::UInt32},
    {"<u8", DataType::UInt64},
    {"<f2", DataType::Float16},
    {"<f4", DataType::Float32},
    {"<f8", DataType::Float64},
}};

[[noreturn]] void fail(const std::string &path, const std::string &what) {
  throw Error(Status::Io, "read_npy: " + path + ": " + what);
}

std::string contentOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    fail(path, "the file cannot be opened; check its name");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The text of a header's entry, from behind its colon on.
std::string_view entry(std::string_view header, std::string_view key, const std::string &path) {
  size_t at = header.find("'" + std::string(key) + "'");
  if (at != std::string_view::npos)
    at = header.find(':', at);
  if (at == std::string_view::npos)
    fail(path, "its header has no entry '" + std::string(key) + "'");
  header.remove_prefix(at + 1);
  size_t start = header.find_first_not_of(' ');
  return start == std::string_view::npos ? std::string_view() : header.substr(start);
}

struct ElementType {
  DataType dtype;
  bool isBigEndian;
};

ElementType elementTypeOf(std::string_view text, const std::string &path) {
  size_t end = text.size() > 1 ? text.find('\'', 1) : std::string_view::npos;
  if (text.empty() || text[0] != '\'' || end == std::string_view::npos)
    fail(path, "its element type is a structure; save an array of plain numbers");
  std::string_view code = text.substr(1, end - 1);
  for (const TypeCode &known : typeCodes)
    if (known.code == code ||
        (code.starts_with('>') && known.code.starts_with('<') && known.code.substr(1) == code.substr(1)))
      return {known.dtype, code.starts_with('>')};
  fail(path, "its element type '" + std::string(code) + "' is none that tensors have; convert it with astype()");
}

Shape shapeOf(std::string_view text, const std::string &path) {
  size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string_view::npos)
    fail(path, "its header has no shape");
  Shape shape;
  std::optional<int64_t> size;
  for (char c : text.substr(1, end - 1)) {
    if (c >= '0' && c <= '9') {
      if (size.value_or(0) > (int64_t(1) << 48))
        fail(path, "its header gives a size beyond any file");
      size = size.value_or(0) * 10 + (c - '0');
    } else if (c == ',' && size) {
      shape.push_back(*size);
      size.reset();
    } else if (c != ' ' && c != 'L') {
      fail(path, "its header gives a shape that is not a list of sizes");
    }
  }
  if (size)
    shape.push_back(*size);
  return shape;
}

/// The order of the bytes within each of the elements turns round.
void swapBytes(std::string &data, size_t start, size_t size) {
  for (size_t at = start; at + size <= data.size(); at += size)
    std::reverse(data.begin() + static_cast<std::ptrdiff_t>(at), data.begin() + static_cast<std::ptrdiff_t>(at + size));
}

/// Elements whose first index runs fastest, as an array whose last one does.
std::string rowMajor(std::string_view data, const Shape &shape, size_t size) {
  std::string result;
  result.reserve(data.size());
  std::vector<size_t> strides, index(shape.size(), 0);
  size_t stride = size, at = 0;
  for (int64_t extent : shape) {
    strides.push_back(stride);
    stride *= static_cast<size_t>(extent);
  }
  while (result.size() < data.size()) {
    result += data.substr(at, size);
    for (size_t axis = shape.size(); axis-- > 0;) {
      at += strides[axis];
      if (++index[axis] < static_cast<size_t>(shape[axis]))
        break;
      at -= strides[axis] * index[axis];
      index[axis] = 0;
    }
  }
  return result;
}

} // namespace

Tensor readNpy(const std::string &path) {
  std::string content = contentOf(path);
  if (content.size() < 12 || std::string_view(content).substr(0, magic.size()) != magic)
    fail(path, "this is not a .npy file");
  int version = static_cast<unsigned char>(content[6]);
  if (version < 1 || version > 3)
    fail(path, "format version " + std::to_string(version) + " is not known; formats 1 to 3 are");
  size_t width = version == 1 ? 2 : 4;
  size_t length = 0;
  for (size_t i = 0; i < width; ++i)
    length |= static_cast<size_t>(static_cast<unsigned char>(content[8 + i])) << (8 * i);
  size_t start = 8 + width + length;
  if (start > content.size())
    fail(path, "the file ends inside its header");
  std::string_view header = std::string_view(content).substr(8 + width, length);

  ElementType type = elementTypeOf(entry(header, "descr", path), path);
  Shape shape = shapeOf(entry(header, "shape", path), path);
  bool isFortran = entry(header, "fortran_order", path).substr(0, 4) == "True" && shape.size() > 1;
  size_t count = static_cast<size_t>(ClikaRT::element_count(shape, "read_npy"));
  size_t bytes = content.size() - start, size = ClikaRT::item_size(type.dtype);
  if (bytes / size != count || bytes % size != 0)
    fail(path, "its shape asks for " + std::to_string(count) + " elements of " + std::to_string(size) +
                   " bytes and it holds " + std::to_string(bytes) + " bytes");
  if (type.isBigEndian)
    swapBytes(content, start, size);
  if (isFortran)
    content.replace(start, bytes, rowMajor(std::string_view(content).substr(start), shape, size));
  return Tensor::from_data(content.data() + start, shape, type.dtype);
}

void writeNpy(const std::string &path, const Tensor &tensor) {
  if (tensor.dtype() == DataType::BFloat16) {
    std::vector<float> values = tensor.item_as_vec<float>();
    return writeNpy(path, Tensor::from_data(values.data(), tensor.shape(), DataType::Float32));
  }
  std::string header = "{'descr': '";
  for (const TypeCode &known : typeCodes)
    if (known.dtype == tensor.dtype())
      header += known.code;
  header += "', 'fortran_order': False, 'shape': (";
  for (int64_t size : tensor.shape())
    header += std::to_string(size) + ", ";
  header += "), }";
  // The data starts at a multiple of 64 bytes, behind a line feed.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';

  std::ofstream file(path, std::ios::binary);
  const char lead[] = {1, 0, static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  file.write(magic.data(), static_cast<std::streamsize>(magic.size())).write(lead, sizeof(lead));
  file.write(header.data(), static_cast<std::streamsize>(header.size()));
  size_t bytes = static_cast<size_t>(tensor.size()) * ClikaRT::item_size(tensor.dtype());
  file.write(static_cast<const char *>(tensor.raw_data()), static_cast<std::streamsize>(bytes));
  if (!file.flush())
    throw Error(Status::Io, "write_npy: " + path + " could not be written; check the folder and the space left");
}

} // namespace clika::run
