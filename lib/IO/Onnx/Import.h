// ONNX files as modules of the clika dialect.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace clika {

struct OnnxOptions {
  /// Reads operators that are not covered as `clika.opaque`, which can be looked at but not compiled.
  bool allowUnknown = false;
};

/// The model at `path` as a module with one function `main`, whose argument and result names are `clika.name`
/// attributes. Weights stay in the mapped file where they are aligned. Throws ClikaRT::Error.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(const std::string &path, mlir::MLIRContext &context,
                                             const OnnxOptions &options = {});

} // namespace clika
