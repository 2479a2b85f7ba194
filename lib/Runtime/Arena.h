// Memory for the temporaries of one invocation of a compiled program.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace clika {

inline constexpr std::size_t kBufferAlignment = 64;

/// One planned block plus buffers whose sizes are known only at run time. Used by one invocation at a
/// time; keeps what it has allocated for the next one.
class Arena {
public:
  explicit Arena(std::size_t plannedBytes);
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  void *planned() const { return block; }
  /// Throws std::bad_alloc.
  void *allocate(std::size_t bytes);
  void release(void *pointer);
  /// Takes back every buffer that is still handed out.
  void releaseAll();

private:
  struct Chunk {
    void *data;
    std::size_t bytes;
    bool used;
  };
  void *block = nullptr;
  std::vector<Chunk> chunks;
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
