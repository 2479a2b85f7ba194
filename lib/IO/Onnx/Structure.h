// What an ONNX graph must satisfy before anything is built: every name defined once and before its use.
#pragma once
#include "IO/Onnx/Model.h"

#include <unordered_set>

namespace clika::onnx {

/// The nodes, each after the producers of what it reads; file order where that already holds. `known` are the names
/// defined outside the nodes. Throws ClikaRT::Error for a name defined twice, one never defined, and a cycle.
std::vector<const Node *> orderNodes(const std::vector<Node> &nodes, const std::vector<std::string_view> &known,
                                     const std::vector<std::string_view> &outputs, const std::string &where);

/// Names that the graphs among a node's attributes read from around it.
std::vector<std::string_view> capturedNames(const Node &node);

/// Checks what concerns the whole file: opsets, one graph, names of initializers, inputs and functions, functions that
/// call themselves.
void checkModel(const Model &model);

} // namespace clika::onnx
