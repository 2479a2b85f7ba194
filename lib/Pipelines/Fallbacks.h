// What is left to loops over single elements.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace clika {

/// On a linalg op that was not emitted on vectors, a text: why not.
inline constexpr llvm::StringLiteral kFallbackAttr = "clika.fallback";

struct Fallback {
  /// The nodes that it computes, as far as locations name them.
  std::vector<std::string> nodes;
  std::string reason;
};

/// Of a module that went through TileAndVectorize: its linalg ops that are left, and loops that compute without them.
std::vector<Fallback> fallbacksIn(mlir::ModuleOp module);

} // namespace clika
