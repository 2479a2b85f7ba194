// Memory for the temporaries of one invocation of a compiled program.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace clika {

inline constexpr std::size_t kBufferAlignment = 64;

/// Where arenas have their memory from when that is not the heap: tests place and fill every temporary with it.
class ArenaMemory {
public:
  virtual ~ArenaMemory() = default;
  /// Throws std::bad_alloc. Thread-safe, as is `give`.
  virtual void *take(std::size_t bytes) = 0;
  virtual void give(void *data) = 0;
  /// For every arena made from now on, which gives a buffer back as soon as it is released and serves one invocation.
  /// To be set before the first of them, and to stay.
  static void use(ArenaMemory &memory);
};

/// One planned block plus buffers whose sizes are known only at run time. Used by one invocation at a
/// time; keeps what it has allocated for the next one.
class Arena {
public:
  explicit Arena(std::size_t plannedBytes);
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  void *planned() const { return block; }
  /// Whether a later invocation may have it.
  bool canStay() const { return memory == nullptr; }
  /// Throws std::bad_alloc.
  void *allocate(std::size_t bytes);
  void release(void *pointer);
  /// Takes back every buffer that is still handed out.
  void releaseAll();

  // Memory under numbers, for what leaves an iteration or a branch. Its size follows the largest need so far. All but
  // `slotData` throw std::bad_alloc.
  /// Keeps a copy; what slotData returned before stays good until the next but one.
  void storeInSlot(std::size_t slot, const void *data, std::size_t bytes);
  void beginSlot(std::size_t slot);
  /// Puts a copy behind what was appended since the slot was begun.
  void appendToSlot(std::size_t slot, const void *data, std::size_t bytes);
  /// What was stored last, or appended. Null for a slot never used.
  void *slotData(std::size_t slot) const;

private:
  struct Chunk {
    void *data;
    std::size_t bytes;
    bool used;
  };
  struct Room {
    void *data = nullptr;
    std::size_t bytes = 0;
  };
  struct Slot {
    Room rooms[2];
    unsigned current = 0;
    std::size_t filled = 0;
  };
  Slot &slotAt(std::size_t slot);
  /// Makes `room` at least `bytes` large; the first `kept` bytes stay.
  void widen(Room &room, std::size_t bytes, std::size_t kept) const;
  void *take(std::size_t bytes) const;
  void give(void *data) const;
  /// To other memory than the heap; on the heap they wait to be used again.
  void giveReleased();

  ArenaMemory *memory; // null: the heap
  void *block = nullptr;
  std::vector<Chunk> chunks;
  std::vector<Slot> slots;
};

/// Hands arenas to concurrent invocations and keeps them for later ones. Thread-safe; has no lock that a process forked
/// meanwhile could find taken.
class ArenaPool {
public:
  explicit ArenaPool(std::size_t plannedBytes) : plannedBytes(plannedBytes) {}
  ~ArenaPool();
  std::unique_ptr<Arena> take();
  void give(std::unique_ptr<Arena> arena);

private:
  std::size_t plannedBytes;
  std::array<std::atomic<Arena *>, 64> idle = {};
};

} // namespace clika
