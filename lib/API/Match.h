// The search for a pattern's occurrences.
#ifndef CLIKA_API_MATCH_H
#define CLIKA_API_MATCH_H

#include "API/Convexity.h"
#include "API/Core.h"
#include "API/PatternPlan.h"
#include "API/PropertiesCopy.h"

#include <compare>
#include <map>
#include <set>
#include <vector>

namespace clika {

/// What stands for each pattern node and, where the pattern was traced, for each input of the function.
struct Assignment {
  /// Null where an optional one is lacking.
  std::vector<mlir::Operation *> ops;
  std::vector<void *> values;
  auto operator<=>(const Assignment &) const = default;
  /// The operations that are not lacking.
  llvm::SmallVector<mlir::Operation *> present() const;
};

/// So many steps a search from one root may take: comparisons of an operator with a pattern node, and operators looked
/// at to see whether an assignment can still be convex.
inline constexpr uint64_t kStepsPerRoot = uint64_t{1} << 20;

class Matcher {
public:
  /// `query` holds the graph's lock and gives it up while a `where` runs. Operators with an id of `newIds` or later are
  /// not looked at. `who` names the pattern in errors, as in "the pattern of 'rule'".
  Matcher(Query &query, const PatternPlan &plan, uint64_t newIds, std::string who);

  /// What became of an assignment: the search ends, goes on, or goes on knowing that no replacement could ever be made
  /// of it, whatever a condition says.
  enum class Use : uint8_t { Stop, Next, Unfit };
  using UseFunction = llvm::function_ref<Use(const Assignment &)>;

  /// Calls `use`, which must not search by this matcher, with each assignment whose root is `root`, until it says Stop;
  /// returns whether it did. Assignments that commutativity and fan-out multiply are made one by one. `use` may change
  /// the graph where it says Stop. With `convexOnly` those that are seen to be not convex while they are made may be
  /// passed over.
  bool enumerate(mlir::Operation *root, bool convexOnly, UseFunction use);

  /// Whether these operations, which were one, are still an occurrence on the graph as it is. `touched`, by pattern
  /// node: may have changed itself. Sets the values, which may be others by now. Costs the pattern's size.
  bool stands(Assignment &assignment, llvm::ArrayRef<bool> touched);

  /// Where the assignment that `use` is being given was found without going back: the ports that bind it, by edge in
  /// the plan's order, then by leaf. Empty where it was found otherwise.
  llvm::ArrayRef<uint32_t> portsFound() const { return firstPorts; }
  /// Whether an occurrence that these ports bound is still one, at the same ports. As stands(), and sooner; where the
  /// answer is no, stands() may still find it at others.
  bool standsAt(Assignment &assignment, llvm::ArrayRef<uint32_t> ports, llvm::ArrayRef<bool> touched);

  /// Whether the last search ended because it took kStepsPerRoot.
  bool exhausted() const { return steps > kStepsPerRoot; }

  /// How many assignments the last search passed over because they could not become convex.
  uint64_t pruned = 0;

  /// How many operators were compared with a pattern node.
  uint64_t attempts = 0;

  /// While set, searches look at operators one by one, without looking ahead, and tell it what stopped them: how many
  /// pattern nodes had been found, and why no more were.
  using Explain = std::function<void(const Assignment &found, size_t count, std::string reason)>;
  Explain explain;

private:
  using Next = llvm::function_ref<bool()>;
  enum class State : uint8_t { Open, Taken, Lacking };
  using Key = std::vector<uintptr_t>;

  void begin(mlir::Operation *root);
  bool search(mlir::Operation *root, UseFunction use);

  // Of MatchFirst.cpp:
  /// What comes of a search that takes the first operand that will do wherever it has a choice: the first assignment
  /// there is, in `taken`; that there is none; or that one would have to go back on a choice to know.
  enum class First : uint8_t { Found, None, Unknown };
  First findFirst(mlir::Operation *root);
  /// `known`: an operation per pattern node that fits it.
  First findFirst(mlir::Operation *root, llvm::ArrayRef<mlir::Operation *> known);
  bool mayFindFirst() const { return plan.isPlain && !plan.hasWhere && !explain; }
  bool bindFirst(size_t node, size_t port, bool &forced, llvm::function_ref<bool(mlir::Value)> accept);
  bool isAlone(mlir::Operation *op, size_t node);
  bool isFree(mlir::Operation *op, size_t node) { return !llvm::is_contained(taken.ops, op) && isAlone(op, node); }
  mlir::Operation *innerInput() const;

  bool hasCode(uint32_t code, size_t node) const {
    const auto &codes = plan.nodes()[node].codes;
    return codes.empty() || llvm::is_contained(codes, static_cast<ClikaRT::graph::OpCode>(code));
  }
  bool hasCode(mlir::Operation *op, size_t node) const { return hasCode(factsOf(op).code, node); }
  bool fits(mlir::Operation *op, size_t node);
  bool hasSettings(mlir::Operation *op, size_t node);
  bool passesWhere(mlir::Operation *op, size_t node);
  bool suits(mlir::Operation *op, size_t node);
  bool looksAhead() const;
  bool mayMatch(mlir::Value value, size_t node, size_t port);
  std::vector<mlir::Operation *> &usersOf(mlir::Value value, size_t edge);
  llvm::SmallVector<size_t, 4> portsToTry(mlir::Operation *op, size_t node, size_t wanted,
                                          llvm::ArrayRef<size_t> bound);
  bool take(mlir::Operation *op, size_t node, Next next);
  bool proceed(Next done);
  bool follow(Next done);
  bool readLeaf(size_t leaf, Next next);
  bool isLeaf(mlir::Value value, size_t leaf);
  bool matchOperand(size_t edge, Next next);
  bool matchReader(size_t edge, Next next);
  bool matchValue(mlir::Value value, size_t node, size_t port, Next next);
  bool matchUsers(mlir::Value value, size_t edge, Next next);
  bool complete();
  /// Says that what was looked for at `node` is not there.
  bool tell(llvm::function_ref<std::string()> reason);
  std::string placeText() const;

  // Of MatchPruning.cpp:
  bool mayBeConvex(mlir::Operation *added);
  struct Window {
    size_t node;
    mlir::Operation *before, *after;
  };
  std::vector<Window> openWindows();
  bool mayStillBeTaken(mlir::Operation *op, llvm::ArrayRef<Window> windows);
  bool leadsBack(mlir::Operation *added, bool forward);
  Key keyOfState() const;

  Query &query;
  const PatternPlan &plan;
  const uint64_t newIds;
  const std::string who;
  Assignment taken;
  /// What is searched: an occurrence lies in one block.
  mlir::Block *block = nullptr;
  std::vector<State> states;
  std::vector<bool> edgeDone, leafDone;
  /// Ports that an edge or a leaf is bound to, per pattern node.
  std::vector<llvm::SmallVector<size_t, 2>> boundPorts;
  llvm::SmallVector<uint32_t, 8> firstPorts;
  /// The port that is being looked at, for `explain`.
  std::pair<mlir::Operation *, size_t> place;
  /// The operations that are looked for; null: any.
  const std::vector<mlir::Operation *> *wanted = nullptr;
  bool convexOnly = false;
  uint64_t steps = 0;
  /// Assignments that were not Unfit, and the steps taken when the last one came.
  uint64_t fitting = 0, stepsAtFit = 0;
  /// States of this search from which no fitting assignment was reached.
  std::set<Key> failed;

  /// By pattern node and by literal leaf: what was the last to have what the pattern asks. Most often the next one is
  /// the same.
  std::vector<std::unique_ptr<PropertiesCopy>> suitingSettings;
  std::vector<mlir::Attribute> suitingLiterals;

  // What was found out about the graph as it is, and its count of changes then.
  uint64_t knownAt = 0;
  /// By pattern node: whether an operator, with what it is computed from, can be that node of any assignment at all. A
  /// search that fails is so done with each operator once, however many paths lead to it.
  std::vector<llvm::DenseMap<mlir::Operation *, bool>> suited;
  /// By value and edge: the operators that read it, in order; null where one has turned out not to suit.
  std::map<std::pair<void *, size_t>, std::vector<mlir::Operation *>> users;
};

/// The match of an assignment on the graph as it is; its outputs are empty where nothing outside reads it.
ClikaRT::graph::RewriteMatch matchOf(GraphCore &core, const Assignment &assignment);

} // namespace clika

#endif
