#include "API/Registry.h"

#include "API/Fail.h"
#include "API/TransformBody.h"
#include "API/TransformNames.h"

#include <algorithm>
#include <mutex>

using namespace clika;
using ClikaRT::graph::Transform;
using ClikaRT::graph::transforms::Factory;

namespace clika {
namespace {

/// The transform a factory makes, or an Error where it is not the one it was registered as.
Transform makeBy(const std::string &name, const Factory &factory) {
  Transform made = factory();
  if (!made.body())
    invalid("select", "the factory registered as " + quote(name) + " returned an empty handle; return a transform");
  if (made.name() != name)
    invalid("select", "the factory registered as " + quote(name) + " made " + quote(made.name()) +
                          "; register it under that name");
  return made;
}

AvailableTransform runtimeEntry(const RuntimeTransform &transform) {
  return {transform.name.str(), [&transform] { return handleOf(transform); }};
}

class Registry {
public:
  /// Not destroyed: a factory may belong to an interpreter that has gone by then.
  static Registry &global() {
    static auto *registry = new Registry;
    return *registry;
  }

  std::vector<AvailableTransform> list() {
    std::lock_guard lock(mutex);
    return entries;
  }

  void put(const std::string &name, Factory factory) {
    AvailableTransform entry{name, [name, factory = std::move(factory)] { return makeBy(name, factory); }};
    std::lock_guard lock(mutex);
    auto at = find(name);
    if (at == entries.end())
      entries.push_back(std::move(entry));
    else
      // The old one goes when the lock is free: its end may run code of the user's.
      std::swap(*at, entry);
  }

  bool remove(const std::string &name) {
    AvailableTransform gone;
    std::lock_guard lock(mutex);
    auto at = find(name);
    if (at == entries.end())
      return false;
    std::swap(gone, *at);
    entries.erase(at);
    return true;
  }

  void replace(std::vector<AvailableTransform> next) {
    std::lock_guard lock(mutex);
    entries.swap(next);
  }

  static std::vector<AvailableTransform> runtimes() {
    std::vector<AvailableTransform> list;
    for (const RuntimeTransform &transform : runtimeTransforms())
      list.push_back(runtimeEntry(transform));
    return list;
  }

private:
  std::vector<AvailableTransform>::iterator find(const std::string &name) {
    return std::ranges::find(entries, name, &AvailableTransform::name);
  }

  std::mutex mutex;
  std::vector<AvailableTransform> entries = runtimes();
};

} // namespace

std::vector<AvailableTransform> globallyAvailable() { return Registry::global().list(); }

std::vector<AvailableTransform> availableOn(GraphCore &core) {
  std::vector<AvailableTransform> list = globallyAvailable();
  for (const Transform &transform : core.registered) {
    AvailableTransform entry{transform.name(), [transform] { return transform; }};
    auto at = std::ranges::find(list, entry.name, &AvailableTransform::name);
    if (at == list.end())
      list.push_back(std::move(entry));
    else
      *at = std::move(entry);
  }
  return list;
}

std::string namesOf(const std::vector<AvailableTransform> &transforms) {
  std::string names;
  for (const AvailableTransform &transform : transforms)
    names += (names.empty() ? "" : ", ") + transform.name;
  return names;
}

} // namespace clika

namespace ClikaRT::graph {

void ModelGraph::register_transform(const Transform &transform) {
  Query query(core_, "register_transform");
  refuseInsideOptimize(*query, query.call);
  if (!transform.body())
    invalid(query.call, "the transform is an empty handle");
  if (transform.is_runtime())
    invalid(query.call, quote(transform.name()) +
                            " is one of the runtime's transforms, which are available as they are; "
                            "list it with the traits wanted instead");
  auto &list = query->registered;
  auto at = std::ranges::find_if(list, [&](const Transform &other) { return other.name() == transform.name(); });
  if (at == list.end())
    list.push_back(transform);
  else
    *at = transform;
}

bool ModelGraph::unregister_transform(const std::string &name) {
  Query query(core_, "unregister_transform");
  refuseInsideOptimize(*query, query.call);
  return std::erase_if(query->registered, [&](const Transform &transform) { return transform.name() == name; }) > 0;
}

std::vector<std::string> ModelGraph::registered_names() const {
  Query query(core_, "registered_names");
  std::vector<std::string> names;
  for (const Transform &transform : query->registered)
    names.push_back(transform.name());
  return names;
}

namespace transforms {

void register_transform(const std::string &name, Factory factory) {
  checkTransformName(name, "register_transform");
  if (!factory)
    invalid("register_transform",
            "the factory of " + quote(name) + " is empty; give a function that makes a transform");
  Registry::global().put(name, std::move(factory));
}

bool unregister_transform(const std::string &name) { return Registry::global().remove(name); }

std::vector<std::string> registered_names() {
  std::vector<std::string> names;
  for (const AvailableTransform &transform : globallyAvailable())
    names.push_back(transform.name);
  return names;
}

void clear_registered() { Registry::global().replace({}); }

void reset_registered() { Registry::global().replace(Registry::runtimes()); }

} // namespace transforms
} // namespace ClikaRT::graph
