// What a Transform handle points to.
#ifndef CLIKA_API_TRANSFORMBODY_H
#define CLIKA_API_TRANSFORMBODY_H

#include "Transforms/RuntimeTransforms.h"

#include <ClikaRT/pattern.h>
#include <ClikaRT/pattern_transform.h>
#include <ClikaRT/transform.h>
#include <ClikaRT/transforms.h>

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace clika {

class GraphCore;

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
  /// Whether it is the user's own text, and not what was made of PDLL.
  bool isOwnText = true;
};

struct PatternBody {
  std::shared_ptr<const ClikaRT::graph::PatternTransform> pattern;
};

struct TransformBody {
  std::string name, summary;
  std::vector<ClikaRT::graph::Transform> runsAfter;
  ClikaRT::graph::Exactness exactness;
  int priority = 1;
  ClikaRT::Device device = ClikaRT::Device::any;
  std::variant<FunctionBody, RuleBody, PatternBody, PipelineBody, PdlBody, const RuntimeTransform *> what;
  /// The body that this one is a variant of, see Transform::with; null: none.
  std::shared_ptr<const TransformBody> origin;
};

/// Whether they are one transform, whatever their traits.
bool sameOrigin(const ClikaRT::graph::Transform &a, const ClikaRT::graph::Transform &b);
/// The handle of one of the runtime's.
ClikaRT::graph::Transform handleOf(const RuntimeTransform &transform);
/// Whether it is one of transforms::cleanup() but folding.
bool isCleanup(const RuntimeTransform &transform);
/// Refuses a device that is none, as the kind of one must be a word and its index 0 or more.
void checkDevice(const ClikaRT::Device &device, std::string_view call);
/// Refuses a device other than the graph's target, where it has one.
void checkTarget(GraphCore &core, const ClikaRT::Device &device, std::string_view call);
void setTarget(GraphCore &core, const ClikaRT::Device &device);

} // namespace clika

#endif
