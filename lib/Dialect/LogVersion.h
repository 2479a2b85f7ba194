#ifndef CLIKA_DIALECT_LOGVERSION_H
#define CLIKA_DIALECT_LOGVERSION_H

#include "llvm/ADT/StringRef.h"

namespace clika {

/// On a module that is a log of rewrites, and no graph: what calls name in it is in the graph that it is replayed on.
inline constexpr llvm::StringLiteral kLogVersionAttr = "clika.log_version";

} // namespace clika

#endif
