// Attributes of modules.
#ifndef CLIKA_DIALECT_MODULEATTRIBUTES_H
#define CLIKA_DIALECT_MODULEATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace clika {

/// On a module that is a log of rewrites, and no graph: what calls name in it is in the graph that it is replayed on.
inline constexpr llvm::StringLiteral kLogVersionAttr = "clika.log_version";

/// On a graph: the device that transforms are chosen for, as "gpu:1"; absent: any. On a log: that of the graph after
/// it.
inline constexpr llvm::StringLiteral kTargetDeviceAttr = "clika.target_device";

} // namespace clika

#endif
