// Where a block of a graph lies.
#ifndef CLIKA_TRANSFORMS_REGIONPATH_H
#define CLIKA_TRANSFORMS_REGIONPATH_H

#include "mlir/IR/Block.h"

#include <string>

namespace clika {

/// As in "loop_1.body/if_2.then", or "@f" of a private function; empty of the graph's own block.
std::string regionPath(mlir::Block &block);

} // namespace clika

#endif
