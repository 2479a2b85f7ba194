// A graph computed operator by operator, without compiling it as a whole.
#ifndef CLIKA_API_EVALUATEGRAPH_H
#define CLIKA_API_EVALUATEGRAPH_H

#include "API/Core.h"

#include <vector>

namespace clika {

/// What `main` returns for `inputs`, one per argument. Throws ClikaRT::Error; one of an operator names its node.
std::vector<ClikaRT::Tensor> evaluateGraph(GraphCore &core, const std::vector<ClikaRT::Tensor> &inputs);

} // namespace clika

#endif
