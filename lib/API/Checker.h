// What a graph computes, compared with what it computed before.
#ifndef CLIKA_API_CHECKER_H
#define CLIKA_API_CHECKER_H

#include "API/Core.h"

#include <ClikaRT/transform.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace clika {

/// Elements beyond an exactness.
struct Difference {
  int64_t count = 0;
  /// The largest distance: infinite where one side alone is NaN or infinite, or where shape or dtype differ.
  double largest = 0.0;
  /// How many, where and what.
  std::string text;
};

/// None where the tensors agree within `exactness`.
std::optional<Difference> difference(const ClikaRT::Tensor &actual, const ClikaRT::Tensor &expected,
                                     const ClikaRT::graph::Exactness &exactness);

/// Compares on the outputs that both have by name and, where there are as many as before, on those in the places of
/// outputs that were renamed. Inputs may be renamed.
class Checker {
public:
  Checker(GraphCore &core, const ClikaRT::graph::Check &options);
  /// Throws where they differ by more than `exactness`. What an entry was allowed to change is not held against the
  /// next: each is compared with the graph that it was given, so all that came before it are within theirs.
  void compare(GraphCore &core, const ClikaRT::graph::Exactness &exactness);
  /// Whether compare() would throw; what it compares with stays.
  bool differs(GraphCore &core, const ClikaRT::graph::Exactness &exactness) const;

private:
  struct Result {
    std::string name;
    ClikaRT::Tensor tensor;
  };
  using Results = std::vector<Result>;

  std::vector<ClikaRT::Tensor> runOnMadeUp(GraphCore &core, const ClikaRT::graph::Check &options,
                                           std::string_view call);
  Results compute(GraphCore &core) const;
  const Result *before(const Results &actual, size_t place) const;
  void refuseDifferent(const Results &actual, const ClikaRT::graph::Exactness &exactness) const;

  /// By the ids of the graph's inputs.
  std::map<uint64_t, ClikaRT::Tensor> inputs;
  Results expected;
};

} // namespace clika

#endif
