// Inferred types, symbolic sizes included: each op of a text must be given exactly the result types its text states.
#include "Dialect/Dialect.h"
#include "Dialect/ShapeValues.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlir;

namespace {

class Inference : public testing::Test {
protected:
  Inference() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<clika::ClikaDialect, func::FuncDialect>();
  }

  static std::string text(TypeRange types) {
    std::string result;
    llvm::raw_string_ostream os(result);
    llvm::interleaveComma(types, os);
    return result;
  }

  // Infers again and compares with what `body` states.
  void expectStated(const std::string &body) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(body, &context);
    ASSERT_TRUE(module) << body;
    unsigned inferred = 0;
    module->walk([&](InferTypeOpInterface op) {
      SmallVector<Type> types;
      ASSERT_TRUE(succeeded(op.inferReturnTypes(&context, op->getLoc(), op->getOperands(), op->getAttrDictionary(),
                                                op->getPropertiesStorage(), op->getRegions(), types)));
      EXPECT_EQ(text(types), text(op->getResultTypes())) << op->getName().getStringRef().str();
      ++inferred;
    });
    EXPECT_GT(inferred, 0u);
  }

  MLIRContext context;
};

TEST_F(Inference, ReshapeDividesNamedSizes) {
  expectStated(R"(
    func.func @f(%x: tensor<?x?x768xf32, #clika.dims<b, s, 768>>) {
      %0 = clika.reshape %x {shape = array<i64: 0, 0, 12, -1>} : (tensor<?x?x768xf32, #clika.dims<b, s, 768>>) -> tensor<?x?x12x64xf32, #clika.dims<b, s, 12, 64>>
      %1 = clika.reshape %x {shape = array<i64: -1, 768>} : (tensor<?x?x768xf32, #clika.dims<b, s, 768>>) -> tensor<?x768xf32, #clika.dims<b * s, 768>>
      %2 = clika.reshape %x {shape = array<i64: 0, -1, 64>} : (tensor<?x?x768xf32, #clika.dims<b, s, 768>>) -> tensor<?x?x64xf32, #clika.dims<b, s * 12, 64>>
      %3 = clika.reshape %x {shape = array<i64: 0, -1, 7>} : (tensor<?x?x768xf32, #clika.dims<b, s, 768>>) -> tensor<?x?x7xf32, #clika.dims<b, ?, 7>>
      %4 = clika.reshape %1 {shape = array<i64: -1, 1, 768>} : (tensor<?x768xf32, #clika.dims<b * s, 768>>) -> tensor<?x1x768xf32, #clika.dims<b * s, 1, 768>>
      return
    })");
}

// What exporters write for x.reshape(b, s, heads, -1).
TEST_F(Inference, ShapesThatTheGraphComputes) {
  expectStated(R"(
    func.func @f(%x: tensor<?x?x768xf32, #clika.dims<b, s, 768>>) {
      %shape = clika.shape %x : (tensor<?x?x768xf32, #clika.dims<b, s, 768>>) -> tensor<3xi64>
      %zero = clika.constant dense<0> : tensor<i64>
      %heads = clika.constant dense<[12, -1]> : tensor<2xi64>
      %b = clika.gather %shape, %zero : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
      %b1 = clika.unsqueeze %b {axes = array<i64: 0>} : (tensor<i64>) -> tensor<1xi64>
      %s = clika.slice %shape {starts = array<i64: -2>, ends = array<i64: 2>} : (tensor<3xi64>) -> tensor<1xi64>
      %t = clika.concat %b1, %s, %heads : (tensor<1xi64>, tensor<1xi64>, tensor<2xi64>) -> tensor<4xi64>
      %r = clika.reshape %x shape %t : (tensor<?x?x768xf32, #clika.dims<b, s, 768>>, tensor<4xi64>) -> tensor<?x?x12x64xf32, #clika.dims<b, s, 12, 64>>
      %parts:2 = clika.split %t {num = 2 : i64} : (tensor<4xi64>) -> (tensor<2xi64>, tensor<2xi64>)
      %f = clika.full shape %parts#0 : (tensor<2xi64>) -> tensor<?x?xf32, #clika.dims<b, s>>
      %one = clika.constant dense<1> : tensor<1x1xi64>
      %e = clika.expand %one shape %parts#0 : (tensor<1x1xi64>, tensor<2xi64>) -> tensor<?x?xi64, #clika.dims<b, s>>
      %s0 = clika.squeeze %s {axes = array<i64: 0>} : (tensor<1xi64>) -> tensor<i64>
      %i = clika.range limit %s0 : (tensor<i64>) -> tensor<?xi64, #clika.dims<s>>
      %n = clika.size %i : (tensor<?xi64, #clika.dims<s>>) -> tensor<i64>
      return
    })");
}

// What exporters write for x.view(b * s, -1), x.expand(b, -1, -1) and pooling by half.
TEST_F(Inference, ArithmeticOnSizes) {
  expectStated(R"(
    func.func @f(%x: tensor<?x?x4xf32, #clika.dims<b, s, 4>>, %y: tensor<1x?x4xf32, #clika.dims<1, s, 4>>) {
      %shape = clika.shape %x : (tensor<?x?x4xf32, #clika.dims<b, s, 4>>) -> tensor<3xi64>
      %b = clika.slice %shape {starts = array<i64: 0>, ends = array<i64: 1>} : (tensor<3xi64>) -> tensor<1xi64>
      %s = clika.slice %shape {starts = array<i64: 1>, ends = array<i64: 2>} : (tensor<3xi64>) -> tensor<1xi64>
      %two = clika.constant dense<2> : tensor<1xi64>
      %rows = clika.mul %b, %s : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
      %left = clika.constant dense<-1> : tensor<1xi64>
      %flat = clika.concat %rows, %left : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
      %r = clika.reshape %x shape %flat : (tensor<?x?x4xf32, #clika.dims<b, s, 4>>, tensor<2xi64>) -> tensor<?x4xf32, #clika.dims<b * s, 4>>
      %half = clika.div %s, %two : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
      %more = clika.add %half, %two : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
      %f = clika.full shape %more : (tensor<1xi64>) -> tensor<?xf32, #clika.dims<s floordiv 2 + 2>>
      %wish = clika.concat %b, %left, %left : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
      %none = clika.constant dense<-1> : tensor<3xi64>
      %ones = clika.constant dense<1> : tensor<3xi64>
      %open = clika.equal %wish, %none : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %sizes = clika.where %open, %ones, %wish : (tensor<3xi1>, tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
      %e = clika.expand %y shape %sizes : (tensor<1x?x4xf32, #clika.dims<1, s, 4>>, tensor<3xi64>) -> tensor<?x?x4xf32, #clika.dims<b, s, 4>>
      return
    })");
}

TEST_F(Inference, SliceKeepsNamesOnlyWhereClampingCannotDiffer) {
  expectStated(R"(
    func.func @f(%x: tensor<?xf32, #clika.dims<n>>, %y: tensor<?xf32, #clika.dims<n + 4>>) {
      %0 = clika.slice %x {starts = array<i64: 0>, ends = array<i64: 9223372036854775807>} : (tensor<?xf32, #clika.dims<n>>) -> tensor<?xf32, #clika.dims<n>>
      %1 = clika.slice %x {starts = array<i64: 1>, ends = array<i64: 9223372036854775807>} : (tensor<?xf32, #clika.dims<n>>) -> tensor<?xf32>
      %2 = clika.slice %x {starts = array<i64: 0>, ends = array<i64: 3>} : (tensor<?xf32, #clika.dims<n>>) -> tensor<?xf32>
      %3 = clika.slice %y {starts = array<i64: 1>, ends = array<i64: -1>} : (tensor<?xf32, #clika.dims<n + 4>>) -> tensor<?xf32, #clika.dims<n + 2>>
      %4 = clika.slice %y {starts = array<i64: 1>, ends = array<i64: 4>} : (tensor<?xf32, #clika.dims<n + 4>>) -> tensor<3xf32>
      %5 = clika.slice %y {starts = array<i64: 0>, ends = array<i64: 9223372036854775807>, steps = array<i64: 2>} : (tensor<?xf32, #clika.dims<n + 4>>) -> tensor<?xf32, #clika.dims<(n + 4) ceildiv 2>>
      %6 = clika.slice %y {starts = array<i64: 5>, ends = array<i64: 9223372036854775807>} : (tensor<?xf32, #clika.dims<n + 4>>) -> tensor<?xf32>
      return
    })");
}

TEST_F(Inference, OtherOpsWithNamedSizes) {
  expectStated(R"(
    func.func @f(%x: tensor<?x4xf32, #clika.dims<n, 4>>, %i: tensor<?x2xi64, #clika.dims<m, 2>>) {
      %0 = clika.transpose %x : (tensor<?x4xf32, #clika.dims<n, 4>>) -> tensor<4x?xf32, #clika.dims<4, n>>
      %1 = clika.pad %x {pads = array<i64: 1, 0, 2, 0>} : (tensor<?x4xf32, #clika.dims<n, 4>>) -> tensor<?x4xf32, #clika.dims<n + 3, 4>>
      %2 = clika.tile %x {repeats = array<i64: 3, 2>} : (tensor<?x4xf32, #clika.dims<n, 4>>) -> tensor<?x8xf32, #clika.dims<n * 3, 8>>
      %3 = clika.gather %x, %i : (tensor<?x4xf32, #clika.dims<n, 4>>, tensor<?x2xi64, #clika.dims<m, 2>>) -> tensor<?x2x4xf32, #clika.dims<m, 2, 4>>
      %4 = clika.gather_nd %x, %i : (tensor<?x4xf32, #clika.dims<n, 4>>, tensor<?x2xi64, #clika.dims<m, 2>>) -> tensor<?xf32, #clika.dims<m>>
      %5:2 = clika.split %0 {num = 2 : i64} : (tensor<4x?xf32, #clika.dims<4, n>>) -> (tensor<2x?xf32, #clika.dims<2, n>>, tensor<2x?xf32, #clika.dims<2, n>>)
      %6 = clika.expand %x {shape = array<i64: 3, 1, 1>} : (tensor<?x4xf32, #clika.dims<n, 4>>) -> tensor<3x?x4xf32, #clika.dims<3, n, 4>>
      %half = clika.constant dense<[0.5, 2.0]> : tensor<2xf32>
      %7 = clika.resize %x scales %half : (tensor<?x4xf32, #clika.dims<n, 4>>, tensor<2xf32>) -> tensor<?x8xf32, #clika.dims<n floordiv 2, 8>>
      %8:2 = clika.topk %x {k = 3 : i64, axis = 0 : i64} : (tensor<?x4xf32, #clika.dims<n, 4>>) -> (tensor<3x4xf32>, tensor<3x4xi64>)
      return
    })");
}

TEST(ShapeValues, LeastSizeOfAnExpression) {
  MLIRContext context;
  context.loadDialect<clika::ClikaDialect>();
  auto least = [&](const char *text) {
    FailureOr<clika::Dim> dim = clika::parseDim(&context, text);
    EXPECT_TRUE(succeeded(dim)) << text;
    return clika::leastOf(*dim);
  };
  EXPECT_EQ(least("7"), 7);
  EXPECT_EQ(least("n"), 0);
  EXPECT_EQ(least("n * 2 + 3"), 3);
  EXPECT_EQ(least("(n + 5) floordiv 2"), 2);
  EXPECT_EQ(least("(n + 5) ceildiv 2"), 3);
  EXPECT_EQ(least("n * -1 + 3"), std::nullopt);
}

} // namespace
