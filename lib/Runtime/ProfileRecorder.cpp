#include "Runtime/ProfileRecorder.h"
#include <new>

namespace clika {

static thread_local ProfileRecorder *current = nullptr;

ProfileRecorder::ProfileRecorder() : outer(current) { current = this; }
ProfileRecorder::~ProfileRecorder() { current = outer; }

// The clock is read last at the begin and first at the end: what recording costs is nobody's time.
void ProfileRecorder::begin(std::int64_t kernel, std::int64_t flops, std::int64_t bytes) {
  if (!current)
    return;
  if (current->depth++ > 0) {
    current->marks.back().flops += flops;
    current->marks.back().bytes += bytes;
    return;
  }
  try {
    current->marks.push_back({kernel, flops, bytes, 0, 0});
  } catch (const std::bad_alloc &) {
    --current->depth;
    current->complete = false;
    return;
  }
  current->marks.back().begin = current->now();
}

void ProfileRecorder::end(std::int64_t) {
  // The begin may have been one that there was no memory for.
  if (!current || current->depth == 0)
    return;
  if (current->depth == 1)
    current->marks.back().end = current->now();
  --current->depth;
}

} // namespace clika
