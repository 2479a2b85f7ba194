// Inputs made up for a graph.
#ifndef CLIKA_API_INPUTGENERATOR_H
#define CLIKA_API_INPUTGENERATOR_H

#include "API/Core.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/DenseMap.h"
#include <ClikaRT/transform.h>

#include <map>
#include <string>
#include <vector>

namespace clika {

/// By the name of an input.
using InputRanges = std::map<std::string, ClikaRT::graph::InputRange>;

/// Refuses a range of an input that the graph has not, or that its dtype has no value of.
void checkRanges(GraphCore &core, const InputRanges &ranges, std::string_view call);
/// Sizes of named dimensions.
using InputSizes = llvm::DenseMap<mlir::AffineExpr, int64_t>;

/// The least sizes that slices and gathers at literal positions ask for, where they are not large.
InputSizes leastSizes(GraphCore &core);

struct InputChoice {
  uint64_t seed = 0;
  /// Sizes are drawn from `smallest` to `largest`, and where `isDistinct` no two alike.
  int64_t smallest = 1, largest = 4;
  bool isDistinct = false;
  /// What they are at least.
  InputSizes least;
};

/// Inputs of the graph's shapes: the values and the sizes of named dimensions are drawn from the seed. Without a range
/// floating point is drawn from [-2, 2], integers are 0 or 1, which suits indices. An Error that begins with `call`
/// where a size is an expression.
std::vector<ClikaRT::Tensor> generateInputs(GraphCore &core, const InputChoice &choice, const InputRanges &ranges,
                                            std::string_view call);

} // namespace clika

#endif
