// What finalize and emit_object compile: a copy of the graph in a context of its own.
#ifndef CLIKA_API_COMPILEMODULE_H
#define CLIKA_API_COMPILEMODULE_H

#include "Pipelines/Evaluator.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>

namespace clika {

class GraphCore;

/// The last arguments of `main` are its constants.
struct ModuleToCompile {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<ClikaRT::Tensor> constants;
};

/// Without what nothing reads and without calls. `named`: each operator's location is its node. Throws ClikaRT::Error
/// that begins with `call`.
ModuleToCompile moduleToCompile(GraphCore &core, std::string_view call, bool named = false);

/// Where the caller may be interrupted, `compile` runs on a thread of its own, which owns the module and is left behind
/// then: it must own all else that it uses.
void compileAside(ModuleToCompile module, const ProgramOptions &options, std::string_view call,
                  std::function<void(mlir::ModuleOp, const ProgramOptions &)> compile);

} // namespace clika

#endif
