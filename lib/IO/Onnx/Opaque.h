// The attributes of a node that is not covered, kept to be looked at.
#pragma once
#include "IO/Onnx/Importer.h"

namespace clika::onnx {

/// Numbers, texts and lists as they are; tensors as constants; a graph by its name and size.
mlir::DictionaryAttr opaqueSettings(const Node &node, Importer &importer);

} // namespace clika::onnx
