// Handles of several values.
#ifndef CLIKA_API_VALUEHANDLES_H
#define CLIKA_API_VALUEHANDLES_H

#include "API/Core.h"

#include <vector>

namespace clika {

/// One per value, in order.
template <class Values>
std::vector<ClikaRT::graph::Value> handles(GraphCore &core, Values &&values) {
  std::vector<ClikaRT::graph::Value> result;
  for (mlir::Value value : values)
    result.push_back(core.handleOf(value));
  return result;
}

} // namespace clika

#endif
