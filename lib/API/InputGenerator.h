// Inputs made up for a graph.
#ifndef CLIKA_API_INPUTGENERATOR_H
#define CLIKA_API_INPUTGENERATOR_H

#include "API/Core.h"

#include <ClikaRT/transform.h>

#include <map>
#include <string>
#include <vector>

namespace clika {

/// By the name of an input.
using InputRanges = std::map<std::string, ClikaRT::graph::InputRange>;

/// Refuses a range of an input that the graph has not, or that its dtype has no value of.
void checkRanges(GraphCore &core, const InputRanges &ranges, std::string_view call);
/// Inputs of the graph's shapes: the values and the sizes of named dimensions, up to `largest`, are drawn from `seed`.
/// Without a range floating point is drawn from [-2, 2], integers are 0 or 1, which suits indices. An Error that begins
/// with `call` where a size is an expression.
std::vector<ClikaRT::Tensor> generateInputs(GraphCore &core, uint64_t seed, int64_t largest, const InputRanges &ranges,
                                            std::string_view call);

} // namespace clika

#endif
