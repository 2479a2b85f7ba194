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

} // namespace clika

namespace ClikaRT::graph {
namespace {

Exactness exactnessOf(const RuntimeTransform &transform) {
  Exactness exactness;
  exactness.kind = static_cast<Exactness::Kind>(transform.exactness);
  exactness.rtol = transform.rtol;
  exactness.atol = transform.atol;
  return exactness;
}

Transform handleOf(const RuntimeTransform &transform) {
  auto body = std::make_shared<TransformBody>();
  body->name = transform.name.str();
  body->summary = transform.summary.str();
  body->exactness = exactnessOf(transform);
  body->what = &transform;
  return Transform(std::move(body));
}

const TransformBody &bodyOf(const Transform &transform, const char *call) {
  if (!transform.body())
    invalid(call, "the transform is an empty handle");
  return *transform.body();
}

} // namespace

Transform Transform::from_function(std::string name, std::function<Result<void>(ModelGraph &)> fn,
                                   std::vector<Transform> runs_after) {
  checkTransformName(name, "from_function");
  checkRunsAfter(name, runs_after, "from_function");
  if (!fn)
    invalid("from_function", "the function of " + quote(name) + " is empty; give a function over the graph");
  auto body = std::make_shared<TransformBody>();
  body->name = std::move(name);
  body->runsAfter = std::move(runs_after);
  body->what = FunctionBody{std::move(fn)};
  return Transform(std::move(body));
}

const std::string &Transform::name() const { return bodyOf(*this, "name").name; }
const std::string &Transform::summary() const { return bodyOf(*this, "summary").summary; }
bool Transform::is_runtime() const {
  return std::holds_alternative<const RuntimeTransform *>(bodyOf(*this, "is_runtime").what);
}
const std::vector<Transform> &Transform::runs_after() const { return bodyOf(*this, "runs_after").runsAfter; }
Exactness Transform::exactness() const { return bodyOf(*this, "exactness").exactness; }

bool Transform::operator==(const Transform &other) const {
  if (body_ == other.body_)
    return true;
  return body_ && other.body_ && is_runtime() && other.is_runtime() && name() == other.name();
}

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
  auto body = std::make_shared<TransformBody>();
  body->name = std::move(name);
  body->runsAfter = std::move(runs_after);
  body->what = RuleBody{std::move(pattern), std::move(replacement), std::move(condition)};
  return Transform(std::move(body));
}

std::vector<Transform> runtime_transforms() {
  std::vector<Transform> list;
  for (const RuntimeTransform &transform : runtimeTransforms())
    list.push_back(handleOf(transform));
  return list;
}

Transform get(const std::string &name) {
  if (const RuntimeTransform *transform = findRuntimeTransform(name))
    return handleOf(*transform);
  std::string names;
  for (const RuntimeTransform &transform : runtimeTransforms())
    names += (names.empty() ? "" : ", ") + transform.name.str();
  notFound("get", "the runtime has no transform " + quote(name) + "; it has: " + names);
}

#define CLIKA_TRANSFORM(name)                                                                                          \
  Transform name() { return get(#name); }
#include <ClikaRT/runtime_transforms.def>
#undef CLIKA_TRANSFORM

} // namespace transforms
} // namespace ClikaRT::graph
