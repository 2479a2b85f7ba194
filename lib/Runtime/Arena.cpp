#include "Runtime/Arena.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
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

static std::atomic<ArenaMemory *> usedMemory = nullptr;

void ArenaMemory::use(ArenaMemory &memory) { usedMemory = &memory; }

Arena::Arena(std::size_t plannedBytes) : memory(usedMemory.load(std::memory_order_relaxed)) {
  if (plannedBytes)
    block = take(plannedBytes);
}

Arena::~Arena() {
  give(block);
  for (const Chunk &chunk : chunks)
    give(chunk.data);
  for (const Slot &slot : slots)
    for (const Room &room : slot.rooms)
      give(room.data);
}

void *Arena::take(std::size_t bytes) const { return memory ? memory->take(bytes) : allocateAligned(bytes); }

void Arena::give(void *data) const {
  if (!memory)
    std::free(data);
  else if (data)
    memory->give(data);
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
  chunks.push_back({take(bytes), bytes, true});
  return chunks.back().data;
}

void Arena::release(void *pointer) {
  for (Chunk &chunk : chunks)
    if (chunk.data == pointer)
      chunk.used = false;
  giveReleased();
}

void Arena::giveReleased() {
  if (!memory)
    return;
  std::erase_if(chunks, [&](const Chunk &chunk) {
    if (!chunk.used)
      give(chunk.data);
    return !chunk.used;
  });
}

void Arena::releaseAll() {
  for (Chunk &chunk : chunks)
    chunk.used = false;
  giveReleased();
}

Arena::Slot &Arena::slotAt(std::size_t slot) {
  if (slot >= slots.size())
    slots.resize(slot + 1);
  return slots[slot];
}

void Arena::widen(Room &room, std::size_t bytes, std::size_t kept) const {
  if (room.data && room.bytes >= bytes)
    return;
  std::size_t wanted = std::max(bytes, room.bytes + room.bytes / 2);
  void *data = take(wanted);
  if (kept != 0)
    std::memcpy(data, room.data, kept);
  give(room.data);
  room = {data, wanted};
}

void Arena::storeInSlot(std::size_t slot, const void *data, std::size_t bytes) {
  Slot &own = slotAt(slot);
  own.current ^= 1;
  Room &room = own.rooms[own.current];
  widen(room, bytes, 0);
  if (bytes != 0)
    std::memcpy(room.data, data, bytes);
}

void Arena::beginSlot(std::size_t slot) {
  Slot &own = slotAt(slot);
  own.filled = 0;
  widen(own.rooms[own.current], 1, 0);
}

void Arena::appendToSlot(std::size_t slot, const void *data, std::size_t bytes) {
  Slot &own = slotAt(slot);
  Room &room = own.rooms[own.current];
  if (bytes > std::numeric_limits<std::size_t>::max() - own.filled)
    throw std::bad_alloc();
  widen(room, own.filled + bytes, own.filled);
  if (bytes != 0)
    std::memcpy(static_cast<char *>(room.data) + own.filled, data, bytes);
  own.filled += bytes;
}

void *Arena::slotData(std::size_t slot) const {
  return slot < slots.size() ? slots[slot].rooms[slots[slot].current].data : nullptr;
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
  if (!arena->canStay())
    return;
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
