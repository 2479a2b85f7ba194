// The most multiply-adds this core can do, measured by independent chains in assembly.
#pragma once

namespace clika::bench {

/// f32 GF/s of the widest vectors the CPU has (AVX-512 or AVX2), over a few milliseconds.
double fmaPeak();

} // namespace clika::bench
