#include "Runtime/FilePages.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace clika {
namespace {

/// Less is not worth the call.
constexpr std::size_t kFewBytes = std::size_t{1} << 16;

struct Mappings {
  std::mutex mutex;
  /// The end of each by its start.
  std::map<std::uintptr_t, std::uintptr_t> ends;

  /// Whether all from `begin` to `end` is of one.
  bool hold(std::uintptr_t begin, std::uintptr_t end) const {
    auto after = ends.upper_bound(begin);
    return after != ends.begin() && std::prev(after)->second >= end;
  }
};

Mappings &mappings() {
  // Never destroyed: graphs of static lifetime map files until the process ends.
  static auto *all = new Mappings;
  return *all;
}

} // namespace

void noteFileMapping(const void *start, std::size_t size) {
  std::lock_guard lock(mappings().mutex);
  auto at = reinterpret_cast<std::uintptr_t>(start);
  mappings().ends[at] = at + size;
}

void forgetFileMapping(const void *start) {
  std::lock_guard lock(mappings().mutex);
  mappings().ends.erase(reinterpret_cast<std::uintptr_t>(start));
}

bool areFilePages(const void *start, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(start);
  std::lock_guard lock(mappings().mutex);
  return mappings().hold(begin, begin + size);
}

namespace {

/// The whole pages from `begin` to `end`.
struct Pages {
  Pages(std::uintptr_t begin, std::uintptr_t end) {
    static const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    first = (begin + size - 1) / size * size;
    last = std::max(first, end / size * size);
  }
  void drop() const { madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED); }

  std::uintptr_t first, last;
};

} // namespace

void releaseFilePages(const void *start, std::size_t size) {
  if (size < kFewBytes)
    return;
  const auto begin = reinterpret_cast<std::uintptr_t>(start);
  // Locked throughout, so that the file is not unmapped, and other memory mapped there, in between.
  std::lock_guard lock(mappings().mutex);
  if (mappings().hold(begin, begin + size))
    Pages(begin, begin + size).drop();
}

void dropContent(void *start, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(start);
  Pages(begin, begin + size).drop();
}

} // namespace clika
