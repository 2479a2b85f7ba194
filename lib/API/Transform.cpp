// Transform handles: made, asked, compared; the runtime's by name.
#include "API/Fail.h"
#include "API/Pattern.h"
#include "API/TransformBody.h"
#include "API/TransformNames.h"

using namespace clika;

namespace clika {

void checkTransformName(const std::string &name, std::string_view call) {
  if (name.empty())
    invalid(call, "the transform's name is empty; give a name, under which the report and errors show it");
  if (findRuntimeTransform(name))
    invalid(call, quote(name) + " is the name of one of the runtime's transforms; give another name");
}

void checkRunsAfter(const std::string &name, const std::vector<ClikaRT::graph::Transform> &runsAfter,
                    std::string_view call) {
  for (const ClikaRT::graph::Transform &before : runsAfter)
    if (!before.body())
      invalid(call, "runs_after of " + quote(name) + " holds an empty handle; list transforms");
}

ClikaRT::graph::Transform handleOf(const RuntimeTransform &transform) {
  auto body = std::make_shared<TransformBody>();
  body->name = transform.name.str();
  body->summary = transform.summary.str();
  body->exactness.kind = static_cast<ClikaRT::graph::Exactness::Kind>(transform.exactness);
  body->exactness.rtol = transform.rtol;
  body->exactness.atol = transform.atol;
  body->what = &transform;
  return ClikaRT::graph::Transform(std::shared_ptr<const TransformBody>(std::move(body)));
}

} // namespace clika

namespace ClikaRT::graph {
namespace {

const TransformBody &bodyOf(const Transform &transform, const char *call) {
  if (!transform.body())
    invalid(call, "the transform is an empty handle");
  return *transform.body();
}

Transform made(TransformBody body) {
  return Transform(std::shared_ptr<const TransformBody>(std::make_shared<TransformBody>(std::move(body))));
}

} // namespace

Transform Transform::from_function(std::string name, std::function<Result<void>(ModelGraph &)> fn,
                                   std::vector<Transform> runs_after) {
  checkTransformName(name, "from_function");
  checkRunsAfter(name, runs_after, "from_function");
  if (!fn)
    invalid("from_function", "the function of " + quote(name) + " is empty; give a function over the graph");
  TransformBody body;
  body.name = std::move(name);
  body.runsAfter = std::move(runs_after);
  body.what = FunctionBody{std::move(fn)};
  return made(std::move(body));
}

const std::string &Transform::name() const { return bodyOf(*this, "name").name; }
const std::string &Transform::summary() const { return bodyOf(*this, "summary").summary; }
bool Transform::is_runtime() const {
  return std::holds_alternative<const RuntimeTransform *>(bodyOf(*this, "is_runtime").what);
}
const std::vector<Transform> &Transform::runs_after() const { return bodyOf(*this, "runs_after").runsAfter; }
Exactness Transform::exactness() const { return bodyOf(*this, "exactness").exactness; }
int Transform::priority() const { return bodyOf(*this, "priority").priority; }
const Device &Transform::device() const { return bodyOf(*this, "device").device; }

std::vector<Transform> ModelGraph::default_transforms() const {
  std::vector<Transform> list;
  for (const RuntimeTransform &transform : runtimeTransforms())
    if (transform.inDefaultList)
      list.push_back(handleOf(transform));
  return list;
}

namespace transforms {

Transform rewrite(std::string name, Pattern pattern, Replacement replacement, Condition condition,
                  std::vector<Transform> runs_after) {
  checkTransformName(name, "rewrite");
  checkRunsAfter(name, runs_after, "rewrite");
  checkPattern(pattern, "rewrite: the pattern of " + quote(name));
  if (!replacement)
    invalid("rewrite", "the replacement of " + quote(name) + " is empty; give a function");
  TransformBody body;
  body.name = std::move(name);
  body.runsAfter = std::move(runs_after);
  body.what = RuleBody{std::move(pattern), std::move(replacement), std::move(condition)};
  return made(std::move(body));
}

#define CLIKA_TRANSFORM(name)                                                                                          \
  Transform name() { return handleOf(*findRuntimeTransform(#name)); }
#include <ClikaRT/runtime_transforms.def>
#undef CLIKA_TRANSFORM

} // namespace transforms
} // namespace ClikaRT::graph
