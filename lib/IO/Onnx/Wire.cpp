#include "IO/Onnx/Wire.h"
#include "Runtime/Counted.h"

#include <bit>
#include <cstring>
#include <protozero/varint.hpp>

static_assert(std::endian::native == std::endian::little, "ONNX stores little-endian data, which is used in place");

namespace clika::onnx {
namespace {

constexpr unsigned maxDepth = 100;

const char *wireName(WireType type) {
  switch (type) {
  case WireType::Varint:
    return "a varint";
  case WireType::Fixed64:
    return "a 64-bit value";
  case WireType::Bytes:
    return "a length-delimited value";
  case WireType::Fixed32:
    return "a 32-bit value";
  }
  return "unknown";
}

/// The length of a sequence's continuation bytes, or -1 where `lead` starts none.
int continuationBytes(unsigned char lead) {
  if (lead < 0x80)
    return 0;
  if (lead >= 0xC2 && lead <= 0xDF)
    return 1;
  if (lead >= 0xE0 && lead <= 0xEF)
    return 2;
  if (lead >= 0xF0 && lead <= 0xF4)
    return 3;
  return -1;
}

bool isUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    unsigned char lead = static_cast<unsigned char>(text[i++]);
    int more = continuationBytes(lead);
    if (more < 0 || text.size() - i < static_cast<size_t>(more))
      return false;
    for (int k = 0; k < more; ++k, ++i) {
      unsigned char byte = static_cast<unsigned char>(text[i]);
      if ((byte & 0xC0) != 0x80)
        return false;
      // Overlong forms, surrogates and code points above U+10FFFF show in the second byte.
      if (k == 0 && ((lead == 0xE0 && byte < 0xA0) || (lead == 0xED && byte > 0x9F) || (lead == 0xF0 && byte < 0x90) ||
                     (lead == 0xF4 && byte > 0x8F)))
        return false;
    }
  }
  return true;
}

} // namespace

void fail(ClikaRT::Status status, const std::string &text) { throw ClikaRT::Error(status, "from_onnx: " + text); }

void Wire::failHere(const std::string &text) const {
  fail(ClikaRT::Status::Io, "'" + source->path + "', byte " + std::to_string(offset()) + ": " + text + " (in " +
                                message + "); the file is damaged or not an ONNX model");
}

uint64_t Wire::rawVarint() {
  try {
    return protozero::decode_varint(&pos, end);
  } catch (const protozero::end_of_buffer_exception &) {
    failHere("the data ends inside a number");
  } catch (const protozero::varint_too_long_exception &) {
    failHere("a number has more than 64 bits");
  }
}

bool Wire::next() {
  if (pos == end)
    return false;
  fieldStart = pos;
  uint64_t tag = rawVarint();
  unsigned wire = tag & 7;
  if (tag >> 3 == 0 || tag >> 3 > 0x1FFFFFFF)
    failHere("field number " + std::to_string(tag >> 3) + " is not legal");
  number = static_cast<unsigned>(tag >> 3);
  if (wire != 0 && wire != 1 && wire != 2 && wire != 5)
    failHere("field " + std::to_string(number) + " has the unknown wire type " + std::to_string(wire));
  type = static_cast<WireType>(wire);
  return true;
}

void Wire::expect(WireType wanted) const {
  if (type != wanted)
    failHere("field " + std::to_string(number) + " is " + wireName(type) + ", expected " + wireName(wanted));
}

std::string_view Wire::take(uint64_t count) {
  uint64_t left = static_cast<uint64_t>(end - pos);
  if (count > left)
    failHere("field " + std::to_string(number) + " needs " + counted(count, "byte") + ", " +
             counted(left, "is", "are") + " left");
  std::string_view taken(pos, count);
  pos += count;
  return taken;
}

void Wire::skip() {
  switch (type) {
  case WireType::Varint:
    rawVarint();
    return;
  case WireType::Fixed64:
    take(8);
    return;
  case WireType::Bytes:
    take(rawVarint());
    return;
  case WireType::Fixed32:
    take(4);
    return;
  }
}

uint64_t Wire::varint() {
  expect(WireType::Varint);
  return rawVarint();
}

float Wire::float32() {
  expect(WireType::Fixed32);
  float value;
  std::memcpy(&value, take(4).data(), 4);
  return value;
}

std::string_view Wire::bytes() {
  expect(WireType::Bytes);
  return take(rawVarint());
}

std::string_view Wire::string() {
  std::string_view text = bytes();
  if (!isUtf8(text))
    failHere("field " + std::to_string(number) + " is not UTF-8 text");
  return text;
}

Wire Wire::submessage(const char *name) {
  std::string_view inner = bytes();
  if (depth + 1 > maxDepth)
    failHere("messages are nested more than " + std::to_string(maxDepth) + " deep");
  return Wire(*source, inner, name, depth + 1);
}

std::string_view Wire::elements(WireType element) {
  if (type != element)
    return bytes();
  const char *start = pos;
  skip();
  return {start, static_cast<size_t>(pos - start)};
}

bool VarintRun::next(uint64_t &value) {
  try {
    value = protozero::decode_varint(&pos, end);
    return true;
  } catch (const protozero::exception &) {
    return false;
  }
}

} // namespace clika::onnx
