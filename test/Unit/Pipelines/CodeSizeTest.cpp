// Field case B23: neither the operations of the lowered graph nor its machine code grow with the batch.
#include "Pipelines/Evaluator.h"
#include "Runtime/Program.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace clika;

namespace {

struct CodeSize {
  std::size_t operations = 0, bytes = 0;
};

/// A network of a convolution, a pool, a product, a norm and a softmax over `batch` images.
std::string network(int batch) {
  const std::string b = std::to_string(batch);
  return "func.func @main(%x: tensor<" + b + "x3x9x9xf32>, %w: tensor<8x3x3x3xf32>, %m: tensor<10x8xf32>) -> tensor<" +
         b + "x10xf32> {\n" + "  %0 = clika.conv %x, %w {activation = \"Relu\"} : (tensor<" + b +
         "x3x9x9xf32>, tensor<8x3x3x3xf32>) -> tensor<" + b + "x8x7x7xf32>\n" +
         "  %1 = clika.global_avg_pool %0 : (tensor<" + b + "x8x7x7xf32>) -> tensor<" + b + "x8x1x1xf32>\n" +
         "  %2 = clika.reshape %1 {shape = array<i64: -1, 8>} : (tensor<" + b + "x8x1x1xf32>) -> tensor<" + b +
         "x8xf32>\n" + "  %3 = clika.linear %2, %m : (tensor<" + b + "x8xf32>, tensor<10x8xf32>) -> tensor<" + b +
         "x10xf32>\n" + "  %4 = clika.layer_norm %3 : (tensor<" + b + "x10xf32>) -> tensor<" + b + "x10xf32>\n" +
         "  %5 = clika.softmax %4 : (tensor<" + b + "x10xf32>) -> tensor<" + b + "x10xf32>\n" +
         "  return %5 : tensor<" + b + "x10xf32>\n}\n";
}

CodeSize sizeOf(const std::string &text) {
  CodeSize size;
  std::unique_ptr<mlir::MLIRContext> context = makeCompileContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
  EXPECT_TRUE(module) << text;
  if (!module)
    return size;
  ProgramOptions options;
  options.keepImage = true;
  // The module is of the LLVM dialect then, and consumed after that.
  options.progress = [&](const std::string &stage, double) {
    if (stage == "generate-code")
      module->walk([&](mlir::Operation *) { ++size.operations; });
  };
  std::shared_ptr<Program> program = compileGraphModule(*module, options, "test");
  EXPECT_TRUE(program);
  size.bytes = program ? program->parts().image->code.size() : 0;
  return size;
}

TEST(CodeSize, doesNotGrowWithTheBatch) {
  const CodeSize one = sizeOf(network(1)), many = sizeOf(network(2048)), more = sizeOf(network(4096));
  EXPECT_GT(one.operations, 100U);
  EXPECT_GT(one.bytes, 1000U);
  // Two lengths of the same loops.
  EXPECT_EQ(many.operations, more.operations);
  EXPECT_LE(more.bytes, many.bytes + 64);
  // A batch of one has no loop over the batch and none of its remainder, nothing more.
  EXPECT_LE(2 * many.operations, 3 * one.operations);
  EXPECT_LE(many.bytes, 2 * one.bytes);
}

} // namespace
