// What a Transform handle points to.
#ifndef CLIKA_API_TRANSFORMBODY_H
#define CLIKA_API_TRANSFORMBODY_H

#include "Transforms/RuntimeTransforms.h"

#include <ClikaRT/pattern.h>
#include <ClikaRT/transform.h>
#include <ClikaRT/transforms.h>

#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace clika {

struct FunctionBody {
  std::function<ClikaRT::Result<void>(ClikaRT::graph::ModelGraph &)> run;
};

struct RuleBody {
  ClikaRT::graph::Pattern pattern;
  ClikaRT::graph::transforms::Replacement replacement;
  ClikaRT::graph::transforms::Condition condition;
};

/// MLIR passes, as text.
struct PipelineBody {
  std::string pipeline;
};

/// pdl.pattern operations, as text that has been checked.
struct PdlBody {
  std::string pdl;
};

struct TransformBody {
  std::string name, summary;
  std::vector<ClikaRT::graph::Transform> runsAfter;
  ClikaRT::graph::Exactness exactness;
  std::variant<FunctionBody, RuleBody, PipelineBody, PdlBody, const RuntimeTransform *> what;
};

} // namespace clika

#endif
