#include "Pipelines/BufferLifetimes.h"
#include "Runtime/Arena.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;

namespace clika {

int64_t elementBytes(MemRefType type) {
  Type element = type.getElementType();
  return element.isIndex() ? 8 : std::max<int64_t>(1, llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
}

/// Returned buffers belong to the caller; a static one inside a region is placed only if it stays there.
static bool isShareable(memref::AllocOp alloc, const BufferViewFlowAnalysis::ValueSetT &aliases, Block &body) {
  if (!alloc.getType().hasStaticShape() || alloc->hasAttr("clika.result"))
    return false;
  if (alloc->getBlock() == &body)
    return true;
  // Handed out of its iteration, it needs new memory in each.
  Region *region = alloc->getParentRegion();
  for (Value alias : aliases) {
    if (!region->isAncestor(alias.getParentRegion()))
      return false;
    for (Operation *user : alias.getUsers())
      if (user->hasTrait<OpTrait::IsTerminator>() && user->getParentRegion() == region)
        return false;
  }
  return true;
}

namespace {

/// Numbers all operations in their order, those of a region after the one that holds it.
class Positions {
public:
  explicit Positions(func::FuncOp function) {
    for (Operation &op : function.getBody().front())
      number(&op);
  }
  int64_t firstOf(Operation *op) const { return range.lookup(op).first; }
  /// Of what is inside it.
  int64_t lastOf(Operation *op) const { return range.lookup(op).second; }

private:
  void number(Operation *op) {
    int64_t first = next++;
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        number(&inner);
    range[op] = {first, next - 1};
  }

  int64_t next = 0;
  llvm::DenseMap<Operation *, std::pair<int64_t, int64_t>> range;
};

} // namespace

BufferLifetimes::BufferLifetimes(func::FuncOp function) {
  BufferViewFlowAnalysis flow(function);
  Block &body = function.getBody().front();
  Positions positions(function);

  function.walk([&](memref::AllocOp alloc) {
    Buffer buffer;
    buffer.alloc = alloc;
    BufferViewFlowAnalysis::ValueSetT aliases = flow.resolve(alloc);
    // Used within the block it is made in, it is in use from there on; else for all of what the block is in.
    Operation *from = alloc;
    bool local = true;
    for (Value alias : aliases)
      for (Operation *user : alias.getUsers())
        if (!alloc->getBlock()->findAncestorOpInBlock(*user))
          from = body.findAncestorOpInBlock(*alloc);
    buffer.first = positions.firstOf(from);
    buffer.last = positions.lastOf(from);
    for (Value alias : aliases) {
      for (Operation *user : alias.getUsers()) {
        buffer.last = std::max(buffer.last, positions.lastOf(from->getBlock()->findAncestorOpInBlock(*user)));
        Operation *inBlock = alloc->getBlock()->findAncestorOpInBlock(*user);
        if (!inBlock || (inBlock == alloc->getBlock()->getTerminator() && alloc->getBlock() != &body)) {
          local = false;
        } else if (!buffer.lastUse || buffer.lastUse->isBeforeInBlock(inBlock)) {
          buffer.lastUse = inBlock;
        }
      }
    }
    if (!buffer.lastUse)
      buffer.lastUse = alloc;
    if (!local)
      buffer.lastUse = nullptr;
    buffer.bytes =
        isShareable(alloc, aliases, body) ? alloc.getType().getNumElements() * elementBytes(alloc.getType()) : -1;
    all.push_back(buffer);
  });
}

namespace {

/// Free ranges of a growing block, merged with their neighbours.
class FreeRanges {
public:
  int64_t take(int64_t bytes) {
    auto best = ranges.end();
    for (auto it = ranges.begin(); it != ranges.end(); ++it)
      if (it->second >= bytes && (best == ranges.end() || it->second < best->second))
        best = it;
    if (best == ranges.end())
      return grow(bytes);
    auto [start, length] = *best;
    ranges.erase(best);
    if (length > bytes)
      ranges[start + bytes] = length - bytes;
    return start;
  }

  void give(int64_t start, int64_t bytes) {
    auto after = ranges.lower_bound(start);
    if (after != ranges.end() && start + bytes == after->first) {
      bytes += after->second;
      after = ranges.erase(after);
    }
    if (after != ranges.begin()) {
      auto before = std::prev(after);
      if (before->first + before->second == start) {
        before->second += bytes;
        return;
      }
    }
    ranges[start] = bytes;
  }

  int64_t size() const { return end; }

private:
  int64_t grow(int64_t bytes) {
    int64_t start = end;
    if (!ranges.empty()) {
      auto last = std::prev(ranges.end());
      if (last->first + last->second == end) {
        start = last->first;
        ranges.erase(last);
      }
    }
    end = start + bytes;
    return start;
  }

  std::map<int64_t, int64_t> ranges;
  int64_t end = 0;
};

} // namespace

int64_t BufferLifetimes::plan() {
  std::vector<Buffer *> order;
  for (Buffer &buffer : all)
    if (buffer.bytes >= 0)
      order.push_back(&buffer);
  llvm::sort(order.begin(), order.end(),
             [](const Buffer *a, const Buffer *b) { return std::pair(a->first, a) < std::pair(b->first, b); });

  FreeRanges free;
  std::multimap<int64_t, Buffer *> inUse;
  for (Buffer *buffer : order) {
    while (!inUse.empty() && inUse.begin()->first < buffer->first) {
      Buffer *done = inUse.begin()->second;
      free.give(done->offset, done->bytes);
      inUse.erase(inUse.begin());
    }
    buffer->bytes = llvm::alignTo(std::max<int64_t>(buffer->bytes, 1), kBufferAlignment);
    buffer->offset = free.take(buffer->bytes);
    inUse.emplace(buffer->last, buffer);
  }
  return free.size();
}

} // namespace clika
