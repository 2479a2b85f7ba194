#include "API/OccurrenceTable.h"

#include "API/PatternPlan.h"

#include <algorithm>

namespace clika {

OccurrenceTable::OccurrenceTable(const PatternPlan &plan)
    : nodeCount(plan.nodes().size()), portCount(plan.order.size() + plan.leaves().size()) {}

Occurrence OccurrenceTable::at(uint64_t root, size_t row) {
  auto known = values.find(root);
  llvm::ArrayRef<uint32_t> own(ports.data() + row * portCount, hasPorts[row] ? portCount : 0);
  return {root, llvm::MutableArrayRef(ids.data() + row * nodeCount, nodeCount), own,
          known == values.end() ? llvm::ArrayRef<std::pair<uint64_t, uint32_t>>() : llvm::ArrayRef(known->second),
          alone[row]};
}

Occurrence OccurrenceTable::add(uint64_t root, llvm::ArrayRef<uint32_t> of) {
  size_t row = alone.size();
  if (freeRows.empty()) {
    ids.resize(ids.size() + nodeCount);
    ports.resize(ports.size() + portCount);
    hasPorts.push_back(0);
    alone.push_back(0);
  } else {
    row = freeRows.back();
    freeRows.pop_back();
  }
  hasPorts[row] = !of.empty();
  alone[row] = 0;
  std::ranges::copy(of, ports.begin() + static_cast<ptrdiff_t>(row * portCount));
  rows[root] = static_cast<uint32_t>(row);
  return at(root, row);
}

std::optional<Occurrence> OccurrenceTable::find(uint64_t root) {
  auto row = rows.find(root);
  return row == rows.end() ? std::nullopt : std::optional(at(root, row->second));
}

void OccurrenceTable::erase(uint64_t root) {
  auto row = rows.find(root);
  if (row == rows.end())
    return;
  freeRows.push_back(row->second);
  rows.erase(row);
  values.erase(root);
}

void OccurrenceTable::clear() {
  rows.clear();
  freeRows.clear();
  ids.clear();
  ports.clear();
  hasPorts.clear();
  alone.clear();
  values.clear();
}

} // namespace clika
