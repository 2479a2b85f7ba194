// Changed bytes of a whole model, carried on into the import: an error of ours or a module that verifies, never a
// crash.
#include "ClikaRT/error.h"
#include "IO/Onnx/Importer.h"
#include "OnnxWriter.h"

#include "mlir/IR/Verifier.h"

#include <gmock/gmock.h>

namespace {

using namespace clika::onnx;
namespace w = onnx_writer;

std::string ints(const std::string &name, const std::vector<int64_t> &list) {
  return w::attribute(name, 7, [&](auto &p) { p.add_packed_int64(8, list.begin(), list.end()); });
}

std::string integer(const std::string &name, int64_t value) {
  return w::attribute(name, 2, [&](auto &p) { p.add_int64(3, value); });
}

/// A small network with sizes computed from its input.
std::string network() {
  std::vector<std::string> nodes = {
      w::node("Conv", {"x", "k", "b"}, {"c"}, "conv", {ints("pads", {1, 1, 1, 1}), ints("strides", {1, 1})}),
      w::node("Relu", {"c"}, {"r"}, "relu"),
      w::node("MaxPool", {"r"}, {"p"}, "pool", {ints("kernel_shape", {2, 2}), ints("strides", {2, 2})}),
      w::node("Shape", {"p"}, {"s"}, "shape"),
      w::node("Gather", {"s", "zero"}, {"n"}, "first", {integer("axis", 0)}),
      w::node("Unsqueeze", {"n", "axes"}, {"n1"}, "unsqueeze"),
      w::node("Concat", {"n1", "rest"}, {"to"}, "concat", {integer("axis", 0)}),
      w::node("Reshape", {"p", "to"}, {"flat"}, "reshape"),
      w::node("Gemm", {"flat", "weight"}, {"g"}, "gemm", {integer("transB", 1)}),
      w::node("ReduceSum", {"g", "axes1"}, {"sum"}, "reduce", {integer("keepdims", 1)}),
      w::node("Split", {"g"}, {"left", "right"}, "split", {integer("axis", 1)}),
      w::node("Concat", {"right", "left"}, {"turned"}, "turn", {integer("axis", -1)}),
      w::node("Sub", {"turned", "sum"}, {"y"}, "sub"),
  };
  std::vector<std::string> initializers = {
      w::tensor("k", 1, {2, 1, 3, 3}, w::raw<float>(std::vector<float>(18, 0.5f))),
      w::tensor("b", 1, {2}, w::raw<float>({1, 2})),
      w::tensor("zero", 7, {}, w::raw<int64_t>({0})),
      w::tensor("axes", 7, {1}, w::raw<int64_t>({0})),
      w::tensor("axes1", 7, {1}, w::raw<int64_t>({1})),
      w::tensor("rest", 7, {1}, w::raw<int64_t>({-1})),
      w::tensor("weight", 1, {2, 8}, w::raw<float>(std::vector<float>(16, 0.25f))),
  };
  return w::model({nodes, initializers, {w::valueInfo("x", 1, {-1, 1, 4, 4})}, {w::valueInfo("y", 1, {-1, 2})}, {}},
                  17);
}

bool isImported(const std::string &bytes, bool allowUnknown) {
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  try {
    Model model = parseModel({"m.onnx", bytes});
    WeightReader weights("m.onnx", nullptr);
    clika::OnnxOptions options{allowUnknown};
    mlir::OwningOpRef<mlir::ModuleOp> module = Importer(context, model, weights, options).run();
    EXPECT_TRUE(succeeded(mlir::verify(*module)));
    return true;
  } catch (const ClikaRT::Error &error) {
    EXPECT_THAT(error.what(), testing::StartsWith("from_onnx: "));
    EXPECT_NE(error.status(), ClikaRT::Status::Internal) << error.what();
    return false;
  }
}

TEST(OnnxImportDamage, TheWholeNetworkIsRead) { EXPECT_TRUE(isImported(network(), false)); }

TEST(OnnxImportDamage, EveryChangedByte) {
  std::string file = network();
  size_t refused = 0;
  for (size_t at = 0; at < file.size(); ++at) {
    char old = file[at];
    for (int change : {0x01, 0x02, 0x04, 0x10, 0x40, 0x80, 0xFF}) {
      file[at] = static_cast<char>(old ^ change);
      refused += !isImported(file, at % 2 == 0);
    }
    file[at] = old;
  }
  EXPECT_GT(refused, file.size());
}

} // namespace
