// Integer tensors whose elements the importer knows while it reads: constants, and sizes by their symbolic expression.
#pragma once
#include "Dialect/Shape.h"

#include <optional>
#include <vector>

namespace clika::onnx {

class Call;

/// A rank-0 or rank-1 integer or bool tensor; an element is null where nothing is known of it.
struct KnownInts {
  Dims elements;
  bool isScalar = false;
  mlir::Type element;

  /// The elements, where all are constants.
  std::optional<std::vector<int64_t>> constants() const;
};

/// What the node's result holds, as far as its inputs' known elements tell; nothing where they do not.
std::optional<KnownInts> evaluateInts(Call &call);

} // namespace clika::onnx
