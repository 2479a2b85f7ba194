// Rules, and the runtime's transforms by name.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
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
/// The same.
std::vector<Transform> catalogue();
/// The transform of that name, of the runtime or registered globally; NOT_FOUND with the names there are.
Transform get(const std::string& name);
/// The runtime's transforms that tidy up and fold: share_constants, fold_constants, remove_identity, remove_duplicates,
/// remove_unused.
std::vector<Transform> cleanup();

// The global registry holds the names that selection chooses from: at first the runtime's.
using Factory = std::function<Transform()>;  ///< Makes a registered transform, at each selection.
/// Makes `name` one of those that selection chooses from, in every graph; replaces what was registered under it. The
/// transform that `factory` makes, at each selection, has that name. A name of the runtime's is refused.
void register_transform(const std::string& name, Factory factory);
/// Whether there was one.
bool unregister_transform(const std::string& name);
/// The names of the registry, the runtime's first, then in the order they were registered.
std::vector<std::string> registered_names();
/// Empties the registry, of the runtime's names too.
void clear_registered();
/// Puts the registry back as it was at first.
void reset_registered();

/// What selection on `graph` chooses from: the global registry, and what is registered on the graph, which goes before
/// a global one of its name and stands at its place.
std::vector<Transform> available(const ModelGraph& graph);

/// An entry of a list to select: the exact name of a transform, or a transform.
class Selector {
public:
    Selector(std::string name) : name_(std::move(name)) {}
    Selector(const char* name) : name_(name) {}
    Selector(Transform transform) : transform_(std::move(transform)) {}
    template <class P, class = std::enable_if_t<std::is_base_of_v<PatternTransform, P>>>
    Selector(std::shared_ptr<P> pattern) : transform_(std::move(pattern)) {}

    const std::string& name() const noexcept { return name_; }                         ///< Empty of a transform.
    const std::optional<Transform>& transform() const noexcept { return transform_; }  ///< None of a name.

private:
    std::string name_;
    std::optional<Transform> transform_;
};

/// The available transform, else the runtime's, of each name, and the transforms themselves, in order.
std::vector<Transform> select(const ModelGraph& graph, const std::vector<Selector>& entries);
/// The available transforms whose name `wanted` accepts.
std::vector<Transform> select_if(const ModelGraph& graph, const std::function<bool(const std::string&)>& wanted);
/// The available transforms whose whole name matches a regular expression (of ECMAScript); an expression that is a
/// plain name stands for that transform, and is refused where there is none.
std::vector<Transform> select_regex(const ModelGraph& graph, const std::string& expression);
/// The available transforms that suit every device or are for exactly this one, without those of the runtime that are
/// not in the default list. Refused where the graph's target is another device, and for Device::any.
std::vector<Transform> select_device(const ModelGraph& graph, const Device& device);

/// select_regex of a text, select_device of a Device; a std::regex serves too.
template <class Choice, class = std::enable_if_t<!std::is_convertible_v<const Choice&, std::vector<Selector>>>>
std::vector<Transform> select(const ModelGraph& graph, const Choice& choice) {
    if constexpr (std::is_same_v<Choice, Device>) return select_device(graph, choice);
    else if constexpr (std::is_convertible_v<const Choice&, std::string>) return select_regex(graph, choice);
    else return select_if(graph, [&choice](const std::string& name) { return regex_match(name, choice); });
}

}  // namespace ClikaRT::graph::transforms
