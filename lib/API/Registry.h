// What selection chooses from: the global registry and the transforms registered on a graph.
#ifndef CLIKA_API_REGISTRY_H
#define CLIKA_API_REGISTRY_H

#include "API/Core.h"

#include <ClikaRT/transforms.h>

#include <functional>
#include <string>
#include <vector>

namespace clika {

/// A transform that is made when it is chosen.
struct AvailableTransform {
  std::string name;
  std::function<ClikaRT::graph::Transform()> make;
};

/// The global registry in order, with the graph's own in the places of theirs, and what only the graph has.
std::vector<AvailableTransform> availableOn(GraphCore &core);
/// The global registry alone.
std::vector<AvailableTransform> globallyAvailable();
/// Whether a regular expression stands for one text, itself.
bool isPlainName(const std::string &expression);
/// "a, b, c".
std::string namesOf(const std::vector<AvailableTransform> &transforms);

} // namespace clika

#endif
