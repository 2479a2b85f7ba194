// The memory that mapped files take, and that of bytes which are written again when they are needed.
#ifndef CLIKA_RUNTIME_FILEPAGES_H
#define CLIKA_RUNTIME_FILEPAGES_H

#include <cstddef>

namespace clika {

/// `start` is a read-only mapping of a file, until it is forgotten.
void noteFileMapping(const void *start, std::size_t size);
void forgetFileMapping(const void *start);

/// Whether these bytes are of a mapped file, so that they need no memory while nobody reads them.
bool areFilePages(const void *start, std::size_t size);

/// Lets go of the memory of what was read of these bytes and will hardly be read again, as far as they are of a mapped
/// file: the system reads them anew where they are after all. Other memory is left alone.
void releaseFilePages(const void *start, std::size_t size);

/// Gives the memory of these bytes, which are of the heap, back to the system: what they hold is lost.
void dropContent(void *start, std::size_t size);

} // namespace clika

#endif
