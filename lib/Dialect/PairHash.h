// 128 bits of a sequence of words, for telling things apart within a process.
#ifndef CLIKA_DIALECT_PAIRHASH_H
#define CLIKA_DIALECT_PAIRHASH_H

#include <cstdint>

namespace clika {

/// Two independent 64-bit hashes of one sequence of words.
struct PairHash {
  uint64_t low = 0x243f6a8885a308d3, high = 0x13198a2e03707344;

  void add(uint64_t word) {
    low = mix(low ^ word);
    high = mix(high + word * 0x9e3779b97f4a7c15 + 1);
  }
  void add(const void *pointer) { add(reinterpret_cast<uint64_t>(pointer)); }

private:
  static uint64_t mix(uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93;
    x ^= x >> 29;
    x *= 0xff51afd7ed558ccd;
    return x ^ (x >> 32);
  }
};

} // namespace clika

#endif
