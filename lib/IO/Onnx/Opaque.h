// Nodes that are not covered, kept to be looked at.
#pragma once
#include "IO/Onnx/Importer.h"

namespace clika::onnx {

/// What `error` says of `node`, without its name.
std::string reasonOf(const ClikaRT::Error &error, const Node &node);

} // namespace clika::onnx
