#include "FmaPeak.h"
#include <algorithm>
#include <chrono>

namespace clika::bench {
namespace {

// Chains of their own registers: a compiler would spill an array of vectors and measure the stack.
#define CHAIN(reg, width) "vfmadd231ps %%" width #reg ", %%" width #reg ", %%" width #reg "\n\t"
#define CHAINS(width)                                                                                                  \
  CHAIN(0, width)                                                                                                      \
  CHAIN(1, width) CHAIN(2, width) CHAIN(3, width) CHAIN(4, width) CHAIN(5, width) CHAIN(6, width) CHAIN(7, width)      \
      CHAIN(8, width) CHAIN(9, width) CHAIN(10, width) CHAIN(11, width)
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

} // namespace

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
