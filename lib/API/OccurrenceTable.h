// The occurrences of one pattern, as a search has found them.
#ifndef CLIKA_API_OCCURRENCETABLE_H
#define CLIKA_API_OCCURRENCETABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace clika {

struct PatternPlan;

/// An occurrence by ids, which stay good when its operations go: the first assignment that was found from its root.
/// Good until the table changes.
struct Occurrence {
  uint64_t root;
  /// By pattern node; 0 where an optional one is lacking.
  llvm::MutableArrayRef<uint64_t> ids;
  /// See Matcher::portsFound.
  llvm::ArrayRef<uint32_t> ports;
  /// Where there are no ports, what stands for each input of a traced pattern: an id and the number of the result.
  llvm::ArrayRef<std::pair<uint64_t, uint32_t>> values;
  /// There is no other assignment of this root.
  uint8_t &alone;
};

/// One occurrence a root. Those found one after the other lie side by side, as a walk over a large graph waits for
/// memory more than for anything else.
class OccurrenceTable {
public:
  explicit OccurrenceTable(const PatternPlan &plan);

  /// Of a root that has none. `ports`: all, or none.
  Occurrence add(uint64_t root, llvm::ArrayRef<uint32_t> ports);
  void setValues(uint64_t root, std::vector<std::pair<uint64_t, uint32_t>> of) { values[root] = std::move(of); }
  bool contains(uint64_t root) const { return rows.contains(root); }
  std::optional<Occurrence> find(uint64_t root);
  void erase(uint64_t root);
  void clear();

private:
  Occurrence at(uint64_t root, size_t row);

  const size_t nodeCount, portCount;
  llvm::DenseMap<uint64_t, uint32_t> rows;
  std::vector<uint32_t> freeRows;
  // By row.
  std::vector<uint64_t> ids;
  std::vector<uint32_t> ports;
  std::vector<uint8_t> hasPorts, alone;
  /// By root.
  llvm::DenseMap<uint64_t, std::vector<std::pair<uint64_t, uint32_t>>> values;
};

} // namespace clika

#endif
