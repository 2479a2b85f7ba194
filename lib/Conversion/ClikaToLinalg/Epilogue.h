// The end of an op that accumulates: bias, rounding, activation.
#ifndef CLIKA_CONVERSION_CLIKATOLINALG_EPILOGUE_H
#define CLIKA_CONVERSION_CLIKATOLINALG_EPILOGUE_H

#include "Conversion/ClikaToLinalg/TensorBuilder.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"

namespace clika {

/// `sums`, of the type that dtype `element` is computed in, plus `bias` (may be null; a vector along dimension
/// `along`), rounded to the stored type and handed to `activation`.
mlir::Value finish(TensorBuilder &t, mlir::Value sums, mlir::Value bias, unsigned along, llvm::StringRef activation,
                   mlir::Type element);

} // namespace clika

#endif
