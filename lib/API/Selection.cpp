// Lists of transforms chosen by name, expression and device.
#include "API/Fail.h"
#include "API/Registry.h"
#include "API/TransformBody.h"

#include <algorithm>
#include <map>
#include <regex>

using namespace clika;

namespace clika {

bool isCleanup(const RuntimeTransform &transform) {
  constexpr llvm::StringLiteral names[] = {"share_constants", "remove_identity", "remove_duplicates", "remove_unused"};
  return llvm::is_contained(names, transform.name);
}

bool isPlainName(const std::string &expression) {
  return expression.find_first_of(R"(.^$*+?()[]{}|\)") == std::string::npos;
}

} // namespace clika

namespace ClikaRT::graph::transforms {
namespace {

std::vector<AvailableTransform> lockedAvailable(const ModelGraph &graph) {
  Query query(graph.core(), "select");
  return availableOn(*query);
}

bool suits(const Transform &transform, const Device &device) {
  return transform.device() == Device::any || transform.device() == device;
}

} // namespace

std::vector<Transform> runtime_transforms() {
  std::vector<Transform> list;
  for (const RuntimeTransform &transform : runtimeTransforms())
    list.push_back(handleOf(transform));
  return list;
}

std::vector<Transform> catalogue() { return runtime_transforms(); }

Transform get(const std::string &name) {
  if (const RuntimeTransform *transform = findRuntimeTransform(name))
    return handleOf(*transform);
  std::vector<AvailableTransform> registered = globallyAvailable();
  auto at = std::ranges::find(registered, name, &AvailableTransform::name);
  if (at != registered.end())
    return at->make();
  std::string names;
  for (const RuntimeTransform &transform : runtimeTransforms())
    names += (names.empty() ? "" : ", ") + transform.name.str();
  for (const AvailableTransform &transform : registered)
    if (!findRuntimeTransform(transform.name))
      names += ", " + transform.name;
  notFound("get", "the runtime has no transform " + quote(name) + ", nor was one registered; there are: " + names);
}

std::vector<Transform> cleanup() {
  return {share_constants(), fold_constants(), remove_identity(), remove_duplicates(), remove_unused()};
}

std::vector<Transform> available(const ModelGraph &graph) {
  return select_if(graph, [](const std::string &) { return true; });
}

std::vector<Transform> select(const ModelGraph &graph, const std::vector<Selector> &entries) {
  std::vector<AvailableTransform> from = lockedAvailable(graph);
  std::map<std::string, Transform> made;
  std::vector<Transform> list;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].transform()) {
      list.push_back(*entries[i].transform());
      continue;
    }
    const std::string &name = entries[i].name();
    auto known = made.find(name);
    if (known == made.end()) {
      auto at = std::ranges::find(from, name, &AvailableTransform::name);
      const RuntimeTransform *runtime = findRuntimeTransform(name);
      if (at == from.end() && !runtime)
        notFound("select", "transforms[" + std::to_string(i) + "] is the name " + quote(name) +
                               ", and no transform of that name is available; there are: " + namesOf(from));
      known = made.emplace(name, at != from.end() ? at->make() : handleOf(*runtime)).first;
    }
    list.push_back(known->second);
  }
  return list;
}

std::vector<Transform> select_if(const ModelGraph &graph, const std::function<bool(const std::string &)> &wanted) {
  if (!wanted)
    invalid("select_if", "the function is empty; give one over a name");
  std::vector<Transform> list;
  for (const AvailableTransform &transform : lockedAvailable(graph))
    if (wanted(transform.name))
      list.push_back(transform.make());
  return list;
}

std::vector<Transform> select_regex(const ModelGraph &graph, const std::string &expression) {
  if (isPlainName(expression))
    return select(graph, {Selector(expression)});
  // The library's matcher calls itself for each character of the expression and of the name.
  constexpr std::size_t kLongest = 2048;
  if (expression.size() > kLongest)
    invalid("select", "the regular expression has " + std::to_string(expression.size()) + " characters, and " +
                          std::to_string(kLongest) + " are the most; give a list of names or select_if");
  std::regex compiled;
  try {
    compiled.assign(expression, std::regex::ECMAScript);
  } catch (const std::regex_error &error) {
    invalid("select", quote(expression) + " is no regular expression: " + error.what());
  }
  return select_if(graph, [&](const std::string &name) {
    try {
      return name.size() <= kLongest && std::regex_match(name, compiled);
    } catch (const std::regex_error &error) {
      invalid("select", quote(expression) + " is too complex to be matched with " + quote(name) + ": " + error.what());
    }
  });
}

std::vector<Transform> select_device(const ModelGraph &graph, const Device &device) {
  std::vector<AvailableTransform> from;
  {
    Query query(graph.core(), "select");
    checkTarget(*query, device, query.call);
    from = availableOn(*query);
  }
  std::vector<Transform> list;
  for (const AvailableTransform &entry : from) {
    const RuntimeTransform *runtime = findRuntimeTransform(entry.name);
    if (runtime && !runtime->inDefaultList)
      continue;
    Transform transform = entry.make();
    if (suits(transform, device))
      list.push_back(std::move(transform));
  }
  return list;
}

} // namespace ClikaRT::graph::transforms
