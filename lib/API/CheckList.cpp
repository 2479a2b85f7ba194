// What a list of transforms may be.
#include "API/Fail.h"
#include "API/Optimize.h"

#include <map>

namespace clika {
namespace {

using ClikaRT::graph::Order;
using ClikaRT::graph::Transform;

std::string entryText(const std::vector<Transform> &list, size_t i) {
  return "transforms[" + std::to_string(i) + "] (" + list[i].name() + ")";
}

void checkNames(const std::vector<Transform> &list) {
  std::map<std::string, size_t> byName;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].body())
      invalid("optimize", "transforms[" + std::to_string(i) + "] is an empty handle; list transforms");
    auto [first, added] = byName.try_emplace(list[i].name(), i);
    if (!added && list[first->second] != list[i])
      invalid("optimize", entryText(list, first->second) + " and " + entryText(list, i) +
                              " are different transforms of one name; rename one of them");
  }
}

/// `i` must run after `before`, whose last place is `last`.
void checkPlace(const std::vector<Transform> &list, size_t i, size_t last, Order order) {
  const std::string &before = list[last].name();
  if (last > i)
    invalid("optimize", entryText(list, i) + " must run after " + before +
                            ", which the list places later, at transforms[" + std::to_string(last) + "]; list " +
                            before + " ahead of it");
  if (order == Order::Priority && list[last].priority() > list[i].priority())
    invalid("optimize", entryText(list, i) + " must run after " + before + ", whose priority " +
                            std::to_string(list[last].priority()) + " comes after its own, " +
                            std::to_string(list[i].priority()) + "; give it one of " +
                            std::to_string(list[last].priority()) + " or more");
}

} // namespace

void checkList(const std::vector<Transform> &list, Order order) {
  if (order != Order::List && order != Order::Priority)
    invalid("optimize", "order is " + std::to_string(static_cast<int>(order)) + ", which is none of Order's");
  checkNames(list);
  std::map<std::string, size_t> lastPlace;
  for (size_t i = 0; i < list.size(); ++i)
    lastPlace[list[i].name()] = i;
  for (size_t i = 0; i < list.size(); ++i)
    for (const Transform &before : list[i].runs_after()) {
      auto last = lastPlace.find(before.name());
      if (last != lastPlace.end() && sameOrigin(list[last->second], before) && !sameOrigin(before, list[i]))
        checkPlace(list, i, last->second, order);
    }
}

} // namespace clika
