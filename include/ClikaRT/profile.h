// What graph.profile() tells: where the time of a run goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace ClikaRT::graph {

struct ProfileOptions {       ///< What profile() may be told.
    std::int64_t runs = 10;   ///< How many runs are measured, 1 to 100,000.
    std::int64_t warmup = 3;  ///< How many come before them, 0 to 100,000.
};

/// One kernel of the code: a place of it that works for some nodes, or all the rest.
struct ProfileRow {
    /// "clika_kernel_0" and so on: rows of one name run the same machine code. "copy" is a copy, or a loop of copies
    /// as a gather makes them; "fill" and "loops" are work that no kernel was made for. "other" is what no row has:
    /// memory for results, the checks of sizes, the steps of loops, and what measuring costs.
    std::string kernel;
    /// The nodes that it computes, whole or in part, those that are read by others of them first. Nodes whose results
    /// are views of others' are in no row; of nodes that compute the same one is named.
    std::vector<std::string> nodes;
    /// Microseconds of the caller in all of its calls of one run: the median of the runs.
    double time_us = 0.0;
    std::int64_t calls = 0;  ///< In one run; more than 1 in a loop.
    /// Operations on elements in one run: a multiply-add is two, each other arithmetic operation, comparison and
    /// elementary function is one; conversions, selections and computing indices are none, and so are loops that are no
    /// kernel ("loops" without bytes).
    std::int64_t flops = 0;
    /// In one run, for each call: the distinct bytes it reads, and the distinct bytes it writes. Of what it reads at
    /// computed places, as in a gather, one element for each read, at most all.
    std::int64_t bytes = 0;
    /// The least time that this CPU needs for that many operations and bytes, as a share of `time_us`: the larger of
    /// flops / peak_gflops and bytes / the bandwidth of memory of that size.
    double roofline = 0.0;

    double gflops() const;      ///< A second, in units of 1e9.
    double gigabytes() const;   ///< Of `bytes`, a second, in units of 1e9.
    std::string label() const;  ///< The nodes, as in "conv_1 + relu_2"; without any, the kernel.
};

struct ProfileEvent {       ///< One call of a kernel in the run whose time is the median.
    std::size_t row = 0;    ///< Its row, counted from 0.
    double start_us = 0.0;  ///< Microseconds since the run began.
    double time_us = 0.0;   ///< How many it took.
};

struct MemoryBandwidth {     ///< How fast memory of a size is read again and again.
    std::int64_t bytes = 0;  ///< The size.
    double gigabytes = 0.0;  ///< A second, in units of 1e9.
};

/// Where the time of runs of a finalized graph goes. The rows' times add up to `total_us`.
struct Profile {
    std::vector<ProfileRow> rows;  ///< The slowest first, "other" last.
    double total_us = 0.0;         ///< The sum of the rows'.
    std::int64_t runs = 0;         ///< How many were measured.
    int threads = 1;               ///< How many a run may use.
    /// What that many threads reach in fused multiply-adds of float32, each two operations: measured once in a process.
    double peak_gflops = 0.0;
    /// Likewise, ascending by size: the bandwidth of a size is that of the last that is not larger, or the first.
    std::vector<MemoryBandwidth> bandwidths;
    std::vector<ProfileEvent> events;  ///< In the order they happened.
    double run_us = 0.0;               ///< How long the run of the events took.

    /// A table of the rows.
    std::string to_string() const;
    /// Writes it to standard output.
    void print() const;
    /// Everything in it, as one JSON object.
    std::string to_json() const;
    /// Writes a file for chrome://tracing or Perfetto: an event for the run, and one for each of `events`.
    void to_chrome_trace(const std::string& path) const;
};

std::ostream& operator<<(std::ostream& os, const Profile& profile);

}  // namespace ClikaRT::graph
