// Serves editors that open .mlir files of our dialect: diagnostics, hovers, go to definition.
#include "Dialect/Dialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/thread.h"
#include <optional>

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<clika::ClikaDialect>();
  bool failed = false;
  // The parser calls itself for each bracket, and nobody sees a document before it: deep ones get a deep stack.
  constexpr std::optional<unsigned> stackBytes = 1U << 30;
  llvm::thread server(stackBytes, [&] { failed = mlir::failed(mlir::MlirLspServerMain(argc, argv, registry)); });
  server.join();
  return failed ? 1 : 0;
}
