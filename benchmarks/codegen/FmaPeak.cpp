#include "FmaPeak.h"
#include <algorithm>
#include <chrono>

namespace clika::bench {
namespace {

// Chains of their own registers: a compiler would spill an array of vectors and measure the stack.
#define CHAIN(reg, width) "vfmadd231ps %%" width #reg ", %%" width #reg ", %%" width #reg "\n\t"
#define CHAINS_TO_5(w) CHAIN(0, w) CHAIN(1, w) CHAIN(2, w) CHAIN(3, w) CHAIN(4, w) CHAIN(5, w)
#define CHAINS_TO_11(w) CHAIN(6, w) CHAIN(7, w) CHAIN(8, w) CHAIN(9, w) CHAIN(10, w) CHAIN(11, w)
#define CHAINS(width) CHAINS_TO_5(width) CHAINS_TO_11(width)
#define CLOBBERS "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11"
#define CLEAR(reg) "vxorps %%xmm" #reg ", %%xmm" #reg ", %%xmm" #reg "\n\t"
#define CLEAR_ALL                                                                                                      \
  CLEAR(0) CLEAR(1) CLEAR(2) CLEAR(3) CLEAR(4) CLEAR(5) CLEAR(6) CLEAR(7) CLEAR(8) CLEAR(9) CLEAR(10) CLEAR(11)

void chains512(long count) {
  asm volatile(CLEAR_ALL "1:\n\t" CHAINS("zmm") CHAINS("zmm") "dec %0\n\tjnz 1b\n\t" : "+r"(count)::CLOBBERS, "cc");
}

void chains256(long count) {
  asm volatile(CLEAR_ALL "1:\n\t" CHAINS("ymm") CHAINS("ymm") "dec %0\n\tjnz 1b\n\t" : "+r"(count)::CLOBBERS, "cc");
}

template <typename Vector>
[[gnu::always_inline]] inline float sumOf(const float *data, std::size_t count) {
  constexpr std::size_t lanes = sizeof(Vector) / sizeof(float);
  Vector sums[4] = {};
  for (std::size_t i = 0; i + 4 * lanes <= count; i += 4 * lanes)
    for (std::size_t part = 0; part != 4; ++part)
      sums[part] += *reinterpret_cast<const Vector *>(data + i + part * lanes);
  float sum = 0;
  for (std::size_t lane = 0; lane != 4 * lanes; ++lane)
    sum += sums[lane / lanes][lane % lanes];
  return sum;
}

using Vector512 [[gnu::vector_size(64), gnu::aligned(4)]] = float;
using Vector256 [[gnu::vector_size(32), gnu::aligned(4)]] = float;
[[gnu::target("avx512f")]] float sum512(const float *data, std::size_t count) { return sumOf<Vector512>(data, count); }
[[gnu::target("avx")]] float sum256(const float *data, std::size_t count) { return sumOf<Vector256>(data, count); }

} // namespace

double readRate(const float *data, std::size_t count) {
  bool wide = __builtin_cpu_supports("avx512f");
  double best = 0;
  volatile float sum;
  for (int round = 0; round != 30; ++round) {
    auto start = std::chrono::steady_clock::now();
    sum = wide ? sum512(data, count) : sum256(data, count);
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::max(best, count * sizeof(float) / took.count() * 1e-9);
  }
  (void)sum;
  return best;
}

double fmaPeak() {
  bool wide = __builtin_cpu_supports("avx512f");
  const long count = 100000;
  double flops = double(count) * 24 * (wide ? 16 : 8) * 2, best = 0;
  for (int round = 0; round != 3; ++round) {
    auto start = std::chrono::steady_clock::now();
    wide ? chains512(count) : chains256(count);
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::max(best, flops / took.count() * 1e-9);
  }
  return best;
}

} // namespace clika::bench
