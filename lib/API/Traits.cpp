// What transforms declare of themselves, and the device that a graph is optimized for.
#include "API/Core.h"
#include "API/Fail.h"
#include "API/TransformBody.h"
#include "Dialect/ModuleAttributes.h"

#include <cmath>

using namespace clika;
using ClikaRT::Device;

namespace clika {
namespace {

/// What a transform is, as opposed to what it declares.
const void *originOf(const ClikaRT::graph::Transform &transform) {
  const TransformBody *body = transform.body().get();
  if (body->origin)
    body = body->origin.get();
  if (const auto *runtime = std::get_if<const RuntimeTransform *>(&body->what))
    return *runtime;
  if (const auto *pattern = std::get_if<PatternBody>(&body->what))
    return pattern->pattern->identity();
  return body;
}

void checkExactness(const ClikaRT::graph::Exactness &exactness, std::string_view call) {
  using Kind = ClikaRT::graph::Exactness::Kind;
  if (!(exactness.rtol >= 0.0 && exactness.atol >= 0.0) || std::isinf(exactness.rtol) || std::isinf(exactness.atol))
    invalid(call, "the exactness has rtol " + std::to_string(exactness.rtol) + " and atol " +
                      std::to_string(exactness.atol) + "; give finite numbers, 0 or more");
  if (exactness.kind == Kind::Exact && (exactness.rtol != 0.0 || exactness.atol != 0.0))
    invalid(call,
            "the exactness is Exact, which keeps every bit, and has rtol or atol; leave them 0, or make it Bounded");
}

Device targetOf(GraphCore &core) {
  auto attribute = core.module()->getAttrOfType<mlir::StringAttr>(kTargetDeviceAttr);
  if (!attribute)
    return Device::any;
  auto [kind, index] = attribute.getValue().split(':');
  Device device{kind.str(), 0};
  if (!index.empty() && index.getAsInteger(10, device.index))
    return Device::any;
  return device;
}

} // namespace

bool sameOrigin(const ClikaRT::graph::Transform &a, const ClikaRT::graph::Transform &b) {
  return a.body() && b.body() && originOf(a) == originOf(b);
}

void checkDevice(const Device &device, std::string_view call) {
  bool word = !device.kind.empty();
  for (char c : device.kind)
    word = word && (llvm::isAlnum(c) || c == '_');
  if (!word)
    invalid(call, "the device's kind is " + quote(device.kind) + "; it is a word, as in 'cpu'");
  if (device.index < 0 || (device.kind == Device::any.kind && device != Device::any))
    invalid(call, "there is no device " + quote(device.to_string()) +
                      "; give a kind and an index from 0 on, or the device that is any");
}

void checkTarget(GraphCore &core, const Device &device, std::string_view call) {
  checkDevice(device, call);
  if (device == Device::any)
    invalid(call,
            "'any' is no device to choose transforms for; name one, or leave the choice out for the default list");
  Device target = targetOf(core);
  if (target != Device::any && target != device)
    invalid(call, "the device " + quote(device.to_string()) + " was asked for, and the graph's target device is " +
                      quote(target.to_string()) + "; ask for that, or change the graph's target device first");
}

void setTarget(GraphCore &core, const Device &device) {
  if (device == Device::any)
    core.module()->removeAttr(kTargetDeviceAttr);
  else
    core.module()->setAttr(kTargetDeviceAttr, mlir::StringAttr::get(core.mlir(), device.to_string()));
}

} // namespace clika

namespace ClikaRT::graph {

bool Transform::operator==(const Transform &other) const {
  return body_ == other.body_ || (sameOrigin(*this, other) && body_->priority == other.body_->priority &&
                                  body_->device == other.body_->device && body_->exactness == other.body_->exactness &&
                                  body_->runsAfter == other.body_->runsAfter);
}

Traits Transform::traits() const {
  Traits traits;
  traits.priority = priority();
  traits.device = device();
  traits.exactness = exactness();
  traits.runs_after = runs_after();
  return traits;
}

Transform Transform::with(const Traits &traits) const {
  constexpr std::string_view call = "with";
  if (!body_)
    invalid(call, "the transform is an empty handle");
  auto body = std::make_shared<TransformBody>(*body_);
  if (traits.priority && *traits.priority < 0)
    invalid(call, "the priority of " + quote(name()) + " is " + std::to_string(*traits.priority) + "; give 0 or more");
  if (traits.device)
    checkDevice(*traits.device, call);
  if (traits.exactness) {
    checkExactness(*traits.exactness, call);
    if (is_runtime() && *traits.exactness != exactness())
      invalid(call, quote(name()) +
                        " is one of the runtime's transforms, whose exactness the runtime declares; leave it unset");
  }
  for (const Transform &before : traits.runs_after.value_or(std::vector<Transform>()))
    if (!before.body())
      invalid(call, "runs_after of " + quote(name()) + " holds an empty handle; list transforms");
  body->priority = traits.priority.value_or(body->priority);
  body->device = traits.device.value_or(body->device);
  body->exactness = traits.exactness.value_or(body->exactness);
  if (traits.runs_after)
    body->runsAfter = *traits.runs_after;
  if (!body->origin)
    body->origin = body_;
  return Transform(std::shared_ptr<const TransformBody>(std::move(body)));
}

Device ModelGraph::target_device() const { return targetOf(*Query(core_, "target_device")); }

void ModelGraph::set_target_device(const Device &device) {
  Edit edit(core_, "set_target_device");
  refuseInsideOptimize(*edit, edit.call);
  checkDevice(device, edit.call);
  setTarget(*edit, device);
}

} // namespace ClikaRT::graph
