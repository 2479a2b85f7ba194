// Graphs as MLIR text.
#ifndef CLIKA_API_TEXT_H
#define CLIKA_API_TEXT_H

#include "API/Core.h"

namespace clika {

/// The module with the data of its constants.
std::string toMlir(GraphCore &core);
/// What an operator is: its code, or what the file it was read from calls it.
std::string kindText(mlir::Operation *op);

} // namespace clika

#endif
