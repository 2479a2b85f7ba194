#pragma once

namespace llvm {
class Function;
}

namespace clika {

/// Moves the inside of each very long block of `function` to functions of its own, which it calls one after the other:
/// the time to generate code for a block grows with the square of its length.
void splitLongBlocks(llvm::Function &function);

} // namespace clika
