// A cursor over protobuf's wire format. Lengths and offsets are 64-bit, every read is bounds-checked, and an error
// names the file, the byte and the message it happened in.
#pragma once
#include "ClikaRT/error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace clika::onnx {

/// Every error of the reader: `from_onnx: ` + text.
[[noreturn]] void fail(ClikaRT::Status status, const std::string &text);

enum class WireType : uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

/// The bytes that offsets in errors are counted from.
struct Source {
  std::string path;
  std::string_view bytes;
};

class Wire {
public:
  Wire(const Source &source, std::string_view bytes, const char *message, unsigned depth = 0)
      : source(&source), pos(bytes.data()), end(bytes.data() + bytes.size()), fieldStart(bytes.data()),
        message(message), depth(depth) {}

  /// Moves to the next field; false at the end. The field must then be read or skipped.
  bool next();
  unsigned field() const { return number; }

  void skip();
  uint64_t varint();
  int64_t int64() { return static_cast<int64_t>(varint()); }
  int32_t int32() { return static_cast<int32_t>(varint()); }
  float float32();
  std::string_view bytes();
  /// Bytes that must be UTF-8.
  std::string_view string();
  Wire submessage(const char *name);
  /// The encoded elements of a repeated scalar, which writers may pack or not.
  std::string_view elements(WireType element);

  uint64_t offset() const { return static_cast<uint64_t>(fieldStart - source->bytes.data()); }
  const Source &origin() const { return *source; }
  [[noreturn]] void failHere(const std::string &text) const;

private:
  void expect(WireType wanted) const;
  uint64_t rawVarint();
  std::string_view take(uint64_t count);

  const Source *source;
  const char *pos;
  const char *end;
  const char *fieldStart;
  const char *message;
  unsigned depth;
  unsigned number = 0;
  WireType type = WireType::Varint;
};

/// Reads varints one after another from `bytes`, a run that Wire::elements returned.
class VarintRun {
public:
  explicit VarintRun(std::string_view bytes) : pos(bytes.data()), end(bytes.data() + bytes.size()) {}
  bool done() const { return pos == end; }
  /// False when the bytes are not a varint.
  bool next(uint64_t &value);

private:
  const char *pos;
  const char *end;
};

} // namespace clika::onnx
