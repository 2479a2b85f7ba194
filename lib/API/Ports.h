// The inputs and outputs of a graph: their names and types, and the check of tensors given for them.
#ifndef CLIKA_API_PORTS_H
#define CLIKA_API_PORTS_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include <ClikaRT/tensor.h>

#include <string>
#include <vector>

namespace clika {

class GraphCore;

struct GraphPort {
  std::string name;
  ClikaRT::DataType dtype;
  /// One per dimension: a constant, an expression of dimension names, or null.
  std::vector<mlir::AffineExpr> dims;
};

std::vector<GraphPort> inputPortsOf(GraphCore &core, std::string_view call);
std::vector<GraphPort> outputPortsOf(GraphCore &core, std::string_view call);

/// The port's shape for messages, as in "[batch, 3]".
std::string shapeOf(const GraphPort &port);
std::string listNames(llvm::ArrayRef<GraphPort> ports);

/// Refuses tensors that do not fit: their count, dtype and shape, equal dimension names being equal sizes. Errors begin
/// with `call`.
void checkInputs(llvm::ArrayRef<GraphPort> ports, const std::vector<ClikaRT::Tensor> &inputs, std::string_view call);

} // namespace clika

#endif
