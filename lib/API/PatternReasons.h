// What a pattern asks of settings and constants, and how it is said that a graph has none of it.
#ifndef CLIKA_API_PATTERNREASONS_H
#define CLIKA_API_PATTERNREASONS_H

#include "API/Core.h"

#include <ClikaRT/pattern.h>

#include <string>

namespace clika {

/// As in "Add 'add_1'".
std::string nodeText(GraphCore &core, mlir::Operation *op);
/// As in "Relu 'relu_1'", "output 1 of Split 'split_1'", "the graph input 'x'", "the constant 'c'", "left out".
std::string valueText(GraphCore &core, mlir::Value value);

/// How a setting of `op` differs from what a pattern asks for, as in "2 and not 1"; empty where it does not.
std::string settingDiffers(mlir::Operation *op, const ClikaRT::graph::Attr &wanted, double tolerance);
/// How `value`, which `consumer` reads, differs from a literal, as in "is 2 and not 1"; empty where it does not.
std::string literalDiffers(mlir::Value value, const ClikaRT::graph::Pattern::Leaf &wanted, mlir::Operation *consumer);

} // namespace clika

#endif
