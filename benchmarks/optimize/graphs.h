// The graphs of these benchmarks.
#pragma once

#include <cstdint>

#include <ClikaRT/clika_rt.h>

/// Each node reads the one before.
ClikaRT::graph::ModelGraph chain(std::int64_t nodes);
/// Short blocks that all read the input, and a concat that reads them.
ClikaRT::graph::ModelGraph wide(std::int64_t nodes);
/// A chain of additions whose second operands are operators over the input.
ClikaRT::graph::ModelGraph comb(std::int64_t nodes);

/// One benchmark per kind of edit, graph and size.
void register_edits();
