#include "FmaPeak.h"

/// f32 GF/s of one core.
extern "C" double clika_fma_peak() { return clika::bench::fmaPeak(); }
