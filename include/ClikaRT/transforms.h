// Rules, and the runtime's transforms by name.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <ClikaRT/graph.h>
#include <ClikaRT/pattern.h>
#include <ClikaRT/transform.h>

namespace ClikaRT::graph::transforms {

/// The new values of an occurrence, one per entry of match.outputs, over one traced tensor per entry of match.inputs.
using Replacement = std::function<std::vector<Tensor>(const RewriteMatch&, const std::vector<Tensor>&)>;
/// Whether to replace an occurrence: a bool, or Declined with the reason why not.
using Condition = std::function<Decision(const RewriteMatch&)>;

/// A transform that replaces each occurrence of `pattern` that `condition` accepts, every one where there is none.
/// Neither may edit the graph.
Transform rewrite(std::string name, Pattern pattern, Replacement replacement, Condition condition = {},
                  std::vector<Transform> runs_after = {});

// Each of the runtime's transforms has a function of its name; docs/transforms.md says what each does.
#define CLIKA_TRANSFORM(name) Transform name();
#include <ClikaRT/runtime_transforms.def>
#undef CLIKA_TRANSFORM

/// Every transform of the runtime, those outside the default list included.
std::vector<Transform> runtime_transforms();
/// The runtime's transform of that name; NOT_FOUND with the names there are.
Transform get(const std::string& name);

}  // namespace ClikaRT::graph::transforms
