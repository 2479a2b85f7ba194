// Where a rule's pattern stands, found once and kept up to date from iteration to iteration.
#ifndef CLIKA_API_RULESEARCH_H
#define CLIKA_API_RULESEARCH_H

#include "API/Match.h"
#include "API/ModuleRecord.h"
#include "API/OccurrenceTable.h"
#include "API/PatternPlan.h"
#include "Transforms/RegionTally.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace clika {

/// A graph's operators by op code.
class RootIndex {
public:
  /// The operators of these codes (all where there are none) in the block's order.
  std::vector<mlir::Operation *> operators(GraphCore &core, const std::vector<ClikaRT::graph::OpCode> &codes);
  /// `operators`: all that the graph has as it is, in the order of a search; or none, where they are to be looked for.
  void start(GraphCore &core, std::vector<ModuleRecord::Operator> operators);
  std::optional<uint64_t> position() const { return built || !first.empty() ? std::optional(seen) : std::nullopt; }

private:
  void begin(GraphCore &core);
  void build(GraphCore &core);
  void update(GraphCore &core);
  void add(uint64_t id, uint32_t code);
  void addRegion(mlir::Region &region);

  /// What the index is built of when it is first asked for.
  std::vector<ModuleRecord::Operator> first;
  bool built = false;
  uint64_t seen = 0;
  /// NodeIndex::moves() when the index was built.
  uint64_t moves = 0;
  struct OfCode {
    /// Some may have gone, or be of another code by now.
    std::vector<uint64_t> ids;
    /// Some came after the index was built, and may stand anywhere.
    bool isMixed = false;
  };
  std::vector<OfCode> byCode;
  /// By id.
  std::vector<uint32_t> codes;
};

/// The occurrences of one entry's pattern. What edits have not touched is not searched again; what comes out is what a
/// search of the whole graph would find.
class RuleSearch {
public:
  RuleSearch(const ClikaRT::graph::Pattern &pattern, bool always)
      : plan(pattern), always(always || plan.hasWhere), found(plan) {}

  /// Brings the occurrences up to date and returns their roots in the block's order.
  std::vector<uint64_t> search(Matcher &matcher, GraphCore &core, RootIndex &index, uint64_t newIds,
                               RegionTally &regions);
  Occurrence occurrence(uint64_t root) { return *found.find(root); }
  /// So many turns ahead of its own an occurrence is to be fetched.
  size_t turnsAhead() const { return std::max<size_t>(1, 12 / plan.nodes().size()); }
  /// Asks for the memory of what an occurrence consists of.
  void fetch(GraphCore &core, uint64_t root);
  /// Whether anything that a search from `root` looks at may have been touched since the last one.
  bool isStale(GraphCore &core, uint64_t root);
  /// Takes note of what was touched since the last search.
  void noteTouched(GraphCore &core);
  /// Whether the operation of this id may have been, by what was noted last.
  bool mayBeTouched(uint64_t id) const { return allTouched || (id < touched.size() && touched[id]); }
  /// Whether nothing that the occurrence consists of or reads was. Costs the pattern's size.
  bool isUntouched(GraphCore &core, const Occurrence &occurrence) const;
  /// The roots whose last search took too long to be ended.
  const llvm::DenseSet<uint64_t> &unfinished() const { return cut; }
  uint64_t position() const { return seen; }
  /// How many roots were searched: what it has cost.
  uint64_t searched = 0;

  const PatternPlan plan;

private:
  void fetchSearched(GraphCore &core, mlir::Operation *root) const;
  void update(GraphCore &core);
  void spread(GraphCore &core, std::vector<mlir::Operation *> level);
  void searchFrom(Matcher &matcher, GraphCore &core, mlir::Operation *root);
  void forget(uint64_t root);

  const bool always;
  bool whole = true;
  uint64_t seen = 0;
  size_t graphSize = 0;
  OccurrenceTable found;
  /// The roots of the occurrences that have a node. Where a root is computed from all the rest, the nodes that read
  /// what was touched lead there.
  llvm::DenseMap<uint64_t, llvm::SmallVector<uint64_t, 2>> rootsByNode;
  llvm::DenseSet<uint64_t> stale, cut;
  /// By id, as far as the touches were looked at since the last search.
  std::vector<bool> touched;
  /// It cannot be told what was touched.
  bool allTouched = false;
  uint64_t lookedAt = 0;
  std::vector<uint64_t> order;
};

/// What a run of optimize() keeps of its rules: one search per entry.
class RuleSearches {
public:
  explicit RuleSearches(bool always) : always(always) {}
  RuleSearch &of(size_t entry, const ClikaRT::graph::Pattern &pattern);
  /// Lets go of what every search has taken note of.
  void trim(GraphCore &core);
  RootIndex index;

private:
  const bool always;
  std::unordered_map<size_t, std::unique_ptr<RuleSearch>> searches;
};

} // namespace clika

#endif
