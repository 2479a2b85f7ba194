// Asks for an operation's memory before it is looked at: walks over graphs larger than the caches wait for little else.
#ifndef CLIKA_DIALECT_FETCH_H
#define CLIKA_DIALECT_FETCH_H

#include "mlir/IR/Operation.h"

namespace clika {

/// Costs nothing where `op` is null or at hand already. Its results lie ahead of it, properties and operands behind it.
inline void fetch(const mlir::Operation *op) {
  if (!op)
    return;
  constexpr ptrdiff_t kLine = 64;
  const char *at = reinterpret_cast<const char *>(op);
  for (ptrdiff_t line : {-1, 0, 1, 2})
    __builtin_prefetch(at + line * kLine);
}

} // namespace clika

#endif
