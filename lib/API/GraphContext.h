// What a family of graphs (a graph, its clones and snapshots) shares: the MLIR context and the weights' memory.
#ifndef CLIKA_API_GRAPHCONTEXT_H
#define CLIKA_API_GRAPHCONTEXT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include <ClikaRT/tensor.h>

#include <memory>

namespace clika {

class PdlPool;

class GraphContext : public std::enable_shared_from_this<GraphContext> {
public:
  /// A context with the dialects of graphs loaded, on the process-wide thread pool.
  static std::shared_ptr<GraphContext> create();
  ~GraphContext();

  mlir::MLIRContext *mlir() { return &context; }

  /// The attribute that holds `tensor`; a large one shares its memory.
  mlir::ElementsAttr attributeOf(const ClikaRT::Tensor &tensor);
  /// The tensor a constant holds; a large one shares its memory.
  ClikaRT::Tensor tensorOf(mlir::ElementsAttr attribute, std::string_view call);
  /// The same for compiled code alone: see clika::codeTensorOf.
  ClikaRT::Tensor codeTensorOf(mlir::ElementsAttr attribute, std::string_view call);

  PdlPool &pdlPool() { return *pdl; }

private:
  GraphContext();

  mlir::MLIRContext context;
  /// Goes before the context.
  const std::unique_ptr<PdlPool> pdl;
};

mlir::Type typeOf(ClikaRT::DataType dtype, mlir::MLIRContext *context);
/// The dtype of an element type; an Error (Internal) that begins with `call` for one that has none.
ClikaRT::DataType dtypeOf(mlir::Type element, std::string_view call);

} // namespace clika

#endif
