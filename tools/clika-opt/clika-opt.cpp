// Runs passes over .mlir files: upstream's and ours, the runtime's transforms among them.
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Dialect/Dialect.h"
#include "Pipelines/Compile.h"
#include "Transforms/RuntimeTransforms.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  clika::registerConversionPasses();
  clika::registerTransformPasses();
  clika::registerCodegenPasses();
  registry.insert<clika::ClikaDialect>();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "ClikaRT optimizer driver\n", registry));
}
