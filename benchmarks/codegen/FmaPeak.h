// The most multiply-adds this core can do, measured by independent chains in assembly.
#pragma once
#include <cstddef>

namespace clika::bench {

/// f32 GF/s of the widest vectors the CPU has (AVX-512 or AVX2), over a few milliseconds.
double fmaPeak();

/// The rate at which a plain loop reads `data` over and over, in GB/s.
double readRate(const float *data, std::size_t count);

} // namespace clika::bench
