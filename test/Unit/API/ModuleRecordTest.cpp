// A module made again of its record.
#include "GraphTesting.h"

#include "API/Core.h"
#include "API/ModuleRecord.h"
#include "Dialect/NodeFacts.h"
#include "Dialect/NodeIdentity.h"
#include "mlir/Parser/Parser.h"

using namespace testing_graphs;

namespace {

std::string textOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, mlir::OpPrintingFlags().printGenericOpForm());
  return text;
}

std::vector<uint64_t> idsOf(mlir::ModuleOp module) {
  std::vector<uint64_t> ids;
  module.walk([&](mlir::Operation *op) {
    if (clika::NodeIdentity *identity = clika::identityOf(op))
      ids.push_back(identity->id);
  });
  return ids;
}

TEST(ModuleRecord, buildsTheModuleWithItsIdsAndNames) {
  std::vector<float> many(4096, 1.5F);
  ModelGraph graph = traced([&](const Tensors &in) -> Tensors {
    Tensor large = ops::reduce_sum(Tensor::from_data(many.data(), {4096}, ClikaRT::DataType::Float32), {0}, false);
    Tensors branches = ops::if_(
        ops::is_nan(ops::reduce_max(in[0], {}, false)), [&]() -> Tensors { return {ops::neg(in[0])}; },
        [&]() -> Tensors { return {ops::add(in[0], large)}; });
    return {branches[0], ops::split(in[0], {1, 1})[1]};
  });
  const auto &core = graph.core();
  clika::ConstantPin pin(core->mlir());
  clika::ModuleRecord record(core->module());
  const std::string before = textOf(core->module());
  const std::vector<uint64_t> ids = idsOf(core->module());
  EXPECT_GT(ids.size(), 6u);
  graph.optimize();
  for (int i = 0; i < 2; ++i) {
    mlir::OwningOpRef<mlir::ModuleOp> built = record.build();
    EXPECT_EQ(textOf(*built), before);
    EXPECT_EQ(idsOf(*built), ids);
  }
}

TEST(ModuleRecord, keepsModulesThatAreNoGraphs) {
  mlir::MLIRContext context;
  context.allowUnregisteredDialects();
  const char *text = R"(
    "test.op"() ({
      "test.jump"()[^next] : () -> ()
    ^next:
      "test.use"(%late) : (i32) -> ()
      %late = "test.make"() {value = 3 : i32} : () -> i32
      "test.end"() : () -> ()
    }) : () -> ()
  )";
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context, /*verifyAfterParse=*/false));
  ASSERT_TRUE(module);
  EXPECT_EQ(textOf(*clika::ModuleRecord(*module).build()), textOf(*module));
}

} // namespace
