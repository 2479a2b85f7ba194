#include "Pipelines/MachinePeak.h"
#include <gtest/gtest.h>
#include <algorithm>

using clika::MachinePeak;

namespace {

TEST(MachinePeak, ABandwidthIsThatOfTheNextSmallerSize) {
  MachinePeak peak;
  peak.bandwidths = {{100, 9}, {1000, 5}, {10000, 2}};
  for (auto [bytes, wanted] :
       {std::pair(0, 9.0), {99, 9.0}, {100, 9.0}, {999, 9.0}, {1000, 5.0}, {9999, 5.0}, {10000, 2.0}, {1 << 30, 2.0}})
    EXPECT_EQ(peak.bandwidthOf(bytes), wanted) << bytes;
}

TEST(MachinePeak, IsMeasuredOnceForEachNumberOfThreads) {
  const MachinePeak &one = clika::machinePeak(1), &two = clika::machinePeak(2);
  EXPECT_EQ(&one, &clika::machinePeak(1));
  EXPECT_NE(&one, &two);
  for (const MachinePeak *peak : {&one, &two}) {
    // A loop that computes nothing, or whose work went away, would be faster than any machine.
    EXPECT_GT(peak->flops, 1e8);
    EXPECT_LT(peak->flops, 1e13);
    EXPECT_TRUE(std::ranges::is_sorted(peak->bandwidths, {}, &MachinePeak::Bandwidth::bytes));
    for (const auto &each : peak->bandwidths) {
      EXPECT_GT(each.perSecond, 1e8);
      EXPECT_LT(each.perSecond, 1e13);
    }
  }
}

} // namespace
