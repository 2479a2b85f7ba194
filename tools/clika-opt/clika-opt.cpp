// Runs passes over .mlir files: upstream's and ours, the runtime's transforms among them.
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Dialect/Dialect.h"
#include "Dialect/TextDepth.h"
#include "Pipelines/Compile.h"
#include "Transforms/RewriteLog.h"
#include "Transforms/RuntimeTransforms.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

namespace {

/// Whether the parser and the printer have the stack for the file.
bool isReadable(const llvm::MemoryBuffer &file) {
  if (mlir::isBytecode(file))
    return true;
  const auto problem = clika::depthProblem({file.getBufferStart(), file.getBufferSize()});
  if (problem)
    llvm::errs() << file.getBufferIdentifier() << ":" << problem->line << ": error: " << problem->message << "\n";
  return !problem;
}

mlir::LogicalResult processFile(const std::string &input, const std::string &output, mlir::DialectRegistry &registry,
                                const mlir::MlirOptMainConfig &config) {
  std::string message;
  auto file = mlir::openInputFile(input, &message);
  auto result = file ? mlir::openOutputFile(output, &message) : nullptr;
  if (!result) {
    llvm::errs() << message << "\n";
    return mlir::failure();
  }
  if (!isReadable(*file) || mlir::failed(mlir::MlirOptMain(result->os(), std::move(file), registry, config)))
    return mlir::failure();
  result->keep();
  return mlir::success();
}

} // namespace

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  clika::registerConversionPasses();
  clika::registerTransformPasses();
  clika::registerReplayPass();
  clika::registerCodegenPasses();
  registry.insert<clika::ClikaDialect>();
  auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, "ClikaRT optimizer driver\n", registry);
  const auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
  llvm::InitLLVM handlers(argc, argv);
  return mlir::asMainReturnCode(processFile(input, output, registry, config));
}
