// The settings of window operators (convolutions, pools), read and checked, and the sizes that follow from them.
#ifndef CLIKA_DIALECT_WINDOW_H
#define CLIKA_DIALECT_WINDOW_H

#include "Dialect/Shape.h"

namespace clika {

enum class PadMode { Explicit, SameUpper, SameLower, Valid };
PadMode padModeOf(llvm::StringRef enumerator);

/// One entry per spatial dimension.
struct Window {
  llvm::SmallVector<int64_t, 3> strides, dilations, padBegin, padEnd;
  PadMode mode = PadMode::Explicit;
  bool ceil = false;

  unsigned rank() const { return strides.size(); }
};

/// What an op's settings say; `strides` empty stands for `defaultStrides`. Errors begin with the op's mnemonic `op`.
mlir::FailureOr<Window> readWindow(std::optional<mlir::Location> location, llvm::StringRef op, unsigned rank,
                                   llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> defaultStrides,
                                   llvm::ArrayRef<int64_t> pads, llvm::ArrayRef<int64_t> dilations,
                                   llvm::StringRef autoPad, bool ceil);

/// How many elements a window of `kernel` elements reaches over: (kernel - 1) * dilation + 1.
Dim windowReach(Dim kernel, int64_t dilation);

/// How many windows there are along spatial dimension `i` of x. In ceil mode none starts in the padding at the end.
mlir::FailureOr<Dim> windowCount(std::optional<mlir::Location> location, llvm::StringRef op, Dim size, Dim kernel,
                                 const Window &window, unsigned i);

} // namespace clika

#endif
