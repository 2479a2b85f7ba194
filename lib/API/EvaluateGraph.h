// A graph computed operator by operator, without compiling it as a whole.
#ifndef CLIKA_API_EVALUATEGRAPH_H
#define CLIKA_API_EVALUATEGRAPH_H

#include "API/Core.h"

#include <ClikaRT/transform.h>

#include <vector>

namespace clika {

/// What `main` returns for `inputs`, one per argument. Throws ClikaRT::Error; one of an operator names its node.
std::vector<ClikaRT::Tensor> evaluateGraph(GraphCore &core, const std::vector<ClikaRT::Tensor> &inputs);

/// Inputs of the graph's shapes: the values and the sizes of named dimensions, up to `largest`, are drawn from `seed`.
/// An Error that begins with `call` where a size is an expression.
std::vector<ClikaRT::Tensor> generateInputs(GraphCore &core, uint64_t seed, int64_t largest, std::string_view call);

/// How `actual` and `expected` differ beyond `exactness`; empty where they do not.
std::string difference(const ClikaRT::Tensor &actual, const ClikaRT::Tensor &expected,
                       const ClikaRT::graph::Exactness &exactness);

} // namespace clika

#endif
