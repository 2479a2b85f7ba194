// Serves editors that open .mlir files of our dialect: diagnostics, hovers, go to definition.
#include "Dialect/Dialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<clika::ClikaDialect>();
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
