// When each buffer of `main` is in use, and where in one shared block the statically sized ones lie.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <vector>

namespace clika {

/// On the module, a unit: no temporary shares the planned block. Tests see each one's ends so.
inline constexpr llvm::StringLiteral kSeparateBuffersAttr = "clika.separate_buffers";

int64_t elementBytes(mlir::MemRefType type);

class BufferLifetimes {
public:
  struct Buffer {
    mlir::memref::AllocOp alloc;
    int64_t bytes = 0;
    int64_t first = 0, last = 0;        // positions of ops in the function's block
    int64_t offset = -1;                // in the shared block; -1: allocated while running
    mlir::Operation *lastUse = nullptr; // of a buffer allocated while running, in its own block; null: unknown
  };

  explicit BufferLifetimes(mlir::func::FuncOp function);

  /// Gives every buffer that can share the block its offset; returns the block's size.
  int64_t plan();
  const std::vector<Buffer> &buffers() const { return all; }

private:
  std::vector<Buffer> all;
};

} // namespace clika
