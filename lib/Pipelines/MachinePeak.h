// How fast this machine computes and reads at best, measured.
#pragma once
#include <cstdint>
#include <vector>

namespace clika {

struct MachinePeak {
  struct Bandwidth {
    std::int64_t bytes = 0;
    double perSecond = 0;
  };

  /// Operations a second in fused multiply-adds of f32, each of which is two: 12 independent sums in the widest vector
  /// registers, or products and sums where the CPU has no fused ones.
  double flops = 0;
  /// Bytes a second of reading memory of that size again and again, a part of it by each thread; ascending.
  std::vector<Bandwidth> bandwidths;

  /// Of the last size that is not larger, or the first: no less than what memory of that size has.
  double bandwidthOf(std::int64_t bytes) const;
};

/// Of so many threads together: measured at the first call with that number, in about a tenth of a second. Throws
/// ClikaRT::Error. Thread-safe.
const MachinePeak &machinePeak(unsigned threads);

} // namespace clika
