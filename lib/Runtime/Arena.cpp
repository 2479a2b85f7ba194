#include "Runtime/Arena.h"
#include <cstdlib>
#include <limits>
#include <new>

namespace clika {

static std::size_t roundUp(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() / 2)
    throw std::bad_alloc();
  // Neighbouring buffers of equal power-of-two sizes would fight for the same cache sets; the extra line avoids that.
  std::size_t rounded = (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
  return rounded + kBufferAlignment;
}

static void *allocateAligned(std::size_t bytes) {
  void *data = std::aligned_alloc(kBufferAlignment, roundUp(bytes));
  if (!data)
    throw std::bad_alloc();
  return data;
}

Arena::Arena(std::size_t plannedBytes) {
  if (plannedBytes)
    block = allocateAligned(plannedBytes);
}

Arena::~Arena() {
  std::free(block);
  for (const Chunk &chunk : chunks)
    std::free(chunk.data);
}

void *Arena::allocate(std::size_t bytes) {
  Chunk *best = nullptr;
  for (Chunk &chunk : chunks)
    if (!chunk.used && chunk.bytes >= bytes && (!best || chunk.bytes < best->bytes))
      best = &chunk;
  // A chunk far too large is left for the request it was made for.
  if (best && best->bytes / 4 <= bytes + 4096) {
    best->used = true;
    return best->data;
  }
  chunks.reserve(chunks.size() + 1);
  chunks.push_back({allocateAligned(bytes), bytes, true});
  return chunks.back().data;
}

void Arena::release(void *pointer) {
  for (Chunk &chunk : chunks)
    if (chunk.data == pointer)
      chunk.used = false;
}

void Arena::releaseAll() {
  for (Chunk &chunk : chunks)
    chunk.used = false;
}

ArenaPool::~ArenaPool() {
  for (std::atomic<Arena *> &slot : idle)
    delete slot.load();
}

std::unique_ptr<Arena> ArenaPool::take() {
  for (std::atomic<Arena *> &slot : idle)
    if (slot.load(std::memory_order_relaxed))
      if (Arena *arena = slot.exchange(nullptr, std::memory_order_acquire))
        return std::unique_ptr<Arena>(arena);
  return std::make_unique<Arena>(plannedBytes);
}

void ArenaPool::give(std::unique_ptr<Arena> arena) {
  arena->releaseAll();
  for (std::atomic<Arena *> &slot : idle) {
    Arena *none = nullptr;
    if (!slot.load(std::memory_order_relaxed) &&
        slot.compare_exchange_strong(none, arena.get(), std::memory_order_release)) {
      (void)arena.release();
      return;
    }
  }
}

} // namespace clika
