// Which ONNX operators are covered, and the function that builds each.
#pragma once
#include "IO/Onnx/Model.h"

#include <functional>
#include <limits>
#include <map>

namespace clika::onnx {

class Call;
using BuildFunction = void (*)(Call &);

class Operators {
public:
  Operators();

  /// Covers operator `name` of the default domain from opset `since` to `until`.
  void add(std::string_view name, BuildFunction build, int64_t since = 1,
           int64_t until = std::numeric_limits<int64_t>::max());
  /// The same for another domain.
  void addIn(std::string_view domain, std::string_view name, BuildFunction build);
  /// Null where the operator is not covered.
  BuildFunction find(std::string_view domain, std::string_view name, int64_t opset) const;
  std::vector<std::string> names() const;

private:
  struct Range {
    int64_t since, until;
    BuildFunction build;
  };
  std::map<std::pair<std::string_view, std::string_view>, std::vector<Range>> table;
};

/// The operator sets of the default domain that the builders know.
constexpr int64_t oldestOpset = 9, newestOpset = 24;
inline bool coversOpset(int64_t version) { return version >= oldestOpset && version <= newestOpset; }

/// The function that `node` calls, or null.
const Function *findFunction(const Model &model, const Node &node);

/// Throws where the model or one of its functions needs a version of the operator set that is not covered.
void checkOpsets(const Model &model);
/// Each operator and type of the model that is not covered, with its node.
std::vector<std::string> uncoveredOf(const Model &model, const Operators &operators);
/// "has 2 inputs, and Relu has at most 1" where the node of ONNX's own operator has too many of them, else empty.
std::string excessOf(const Node &node, int64_t opset);

// One per file of builders.
void addElementwise(Operators &operators);
void addConstants(Operators &operators);
void addControl(Operators &operators);
void addEinsum(Operators &operators);
void addLinear(Operators &operators);
void addPools(Operators &operators);
void addNorms(Operators &operators);
void addAttention(Operators &operators);
void addRecurrent(Operators &operators);
void addReductions(Operators &operators);
void addShapes(Operators &operators);
void addIndexing(Operators &operators);
void addResize(Operators &operators);
void addQuantize(Operators &operators);

} // namespace clika::onnx
