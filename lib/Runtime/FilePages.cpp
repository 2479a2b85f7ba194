#include "Runtime/FilePages.h"

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

void releaseFilePages(const void *start, std::size_t size) {
  if (size < kFewBytes)
    return;
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(start), end = begin + size;
  const std::uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
  // Locked throughout, so that the file is not unmapped, and other memory mapped there, in between.
  std::lock_guard lock(mappings().mutex);
  auto after = mappings().ends.upper_bound(begin);
  if (after == mappings().ends.begin() || std::prev(after)->second < end || first >= last)
    return;
  madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED);
}

} // namespace clika
