#include "ClikaRT/error.h"
#include "Dialect/CoreOps.h"
#include "IO/Onnx/Import.h"
#include "OnnxWriter.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Verifier.h"

#include <gmock/gmock.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace {

namespace w = onnx_writer;
using testing::HasSubstr;
using testing::Not;

struct ModelFile {
  std::string path;
  explicit ModelFile(const std::string &bytes) {
    path = (std::filesystem::temp_directory_path() / "clika-onnx-XXXXXX").string();
    close(mkstemp(path.data()));
    std::ofstream(path, std::ios::binary) << bytes;
  }
  ~ModelFile() { std::filesystem::remove(path); }
};

std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

std::string importFile(const std::string &path, const clika::OnnxOptions &options) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module = clika::importOnnx(path, context, options);
  EXPECT_TRUE(succeeded(mlir::verify(*module)));
  return print(*module);
}

std::string import(const std::string &bytes, const clika::OnnxOptions &options = {}) {
  return importFile(ModelFile(bytes).path, options);
}

/// The error without the file, which each one names.
std::string errorOf(const std::string &bytes, const clika::OnnxOptions &options = {}) {
  ModelFile file(bytes);
  try {
    importFile(file.path, options);
  } catch (const ClikaRT::Error &error) {
    std::string text = error.what(), start = "from_onnx: '" + file.path + "': ";
    EXPECT_THAT(text, testing::StartsWith(start));
    return text.substr(std::min(text.size(), start.size()));
  }
  return "no error";
}

std::string x(std::vector<int64_t> dims = {-1, 3}) { return w::valueInfo("x", 1, dims); }
std::string y() { return w::valueInfo("y", 1, {-1, 3}); }

std::string oneNode(const std::string &node, int64_t opset = 17) {
  return w::model({{node}, {}, {x()}, {y()}, {}}, opset);
}

TEST(OnnxImport, NamesInputsNodesOutputsAndSizes) {
  std::string text = import(oneNode(w::node("Relu", {"x"}, {"y"}, "act")));
  EXPECT_THAT(text, HasSubstr("clika.name = \"x\""));
  EXPECT_THAT(text, HasSubstr("clika.name = \"y\""));
  EXPECT_THAT(text, HasSubstr("%act = clika.relu"));
  EXPECT_THAT(text, HasSubstr("tensor<?x3xf32, #clika.dims<batch, 3>>"));
}

TEST(OnnxImport, ANamelessNodeIsNamedAfterItsOutput) {
  EXPECT_THAT(import(oneNode(w::node("Relu", {"x"}, {"y"}))), HasSubstr("%y = clika.relu"));
}

TEST(OnnxImport, NamesAreUnique) {
  std::string text =
      import(w::model({{w::node("Relu", {"x"}, {"a"}, "x"), w::node("Neg", {"a"}, {"y"}, "x")}, {}, {x()}, {y()}, {}}));
  EXPECT_THAT(text, HasSubstr("%x_1 = clika.relu"));
  EXPECT_THAT(text, HasSubstr("%x_2 = clika.neg"));
}

TEST(OnnxImport, ConstantsTakeTheInitializersName) {
  std::string text = import(w::model({{w::node("Add", {"x", "bias"}, {"y"}, "sum")},
                                      {w::tensor("bias", 1, {3}, w::raw<float>({1, 2, 3}))},
                                      {x()},
                                      {y()},
                                      {}}));
  EXPECT_THAT(text, HasSubstr("%bias = clika.constant"));
  EXPECT_THAT(text, HasSubstr("%sum = clika.add %arg0, %bias"));
}

TEST(OnnxImport, WeightsStayWhereTheyAre) {
  std::string big = w::tensor("big", 1, {512}, w::raw<float>(std::vector<float>(512, 1.5f)));
  std::string bytes = w::model(
      {{w::node("Add", {"x", "big"}, {"y"})}, {big}, {w::valueInfo("x", 1, {512})}, {w::valueInfo("y", 1, {512})}, {}});
  ModelFile file(bytes);
  mlir::MLIRContext context;
  auto module = clika::importOnnx(file.path, context);
  module->walk([&](clika::ConstantOp constant) {
    auto data = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(constant.getValue());
    ASSERT_TRUE(data);
    llvm::ArrayRef<char> blob = data.getRawHandle().getBlob()->getData();
    EXPECT_EQ(blob.size(), 2048u);
    EXPECT_EQ(reinterpret_cast<const float *>(blob.data())[511], 1.5f);
  });
}

TEST(OnnxImport, AnInitializerIsAnInputsDefault) {
  std::string c = w::tensor("c", 1, {3}, w::raw<float>({1, 2, 3}));
  std::string text =
      import(w::model({{w::node("Add", {"x", "c"}, {"y"})}, {c}, {x(), w::valueInfo("c", 1, {3})}, {y()}, {}}));
  EXPECT_THAT(text, Not(HasSubstr("%arg1")));
}

TEST(OnnxImport, FunctionsAreInlined) {
  std::string function = w::message([](auto &p) {
    p.add_string(1, "Twice");
    p.add_string(4, "a");
    p.add_string(5, "b");
    p.add_message(7, w::node("Relu", {"a"}, {"inner"}, "r"));
    p.add_message(7, w::node("Add", {"inner", "a"}, {"b"}, "s"));
    p.add_message(9, w::opset(17));
    p.add_string(10, "local");
  });
  std::string bytes = w::model({{w::node("Twice", {"x"}, {"y"}, "call", {}, "local")}, {}, {x()}, {y()}, {function}});
  std::string text = import(bytes);
  EXPECT_THAT(text, HasSubstr("name \"call/r\""));
  EXPECT_THAT(text, HasSubstr("name \"call/s\""));
}

TEST(OnnxImport, AFunctionsNodesTakeTheCallsAttributes) {
  std::string body = w::node("Clip", {"a"}, {"b"}, "c",
                             {w::message([](auto &p) {
                                p.add_string(1, "min");
                                p.add_string(21, "low");
                                p.add_enum(20, 1);
                              }),
                              w::message([](auto &p) {
                                p.add_string(1, "max");
                                p.add_string(21, "high");
                                p.add_enum(20, 1);
                              })});
  std::string function = w::message([&](auto &p) {
    p.add_string(1, "Bounded");
    p.add_string(4, "a");
    p.add_string(5, "b");
    p.add_string(6, "low");
    p.add_string(6, "high");
    p.add_message(7, body);
    p.add_message(9, w::opset(10));
    p.add_string(10, "local");
  });
  std::string low = w::attribute("low", 1, [](auto &p) { p.add_float(2, -2); });
  std::string text =
      import(w::model({{w::node("Bounded", {"x"}, {"y"}, "call", {low}, "local")}, {}, {x()}, {y()}, {function}}));
  EXPECT_THAT(text, HasSubstr("min = -2.0"));
  EXPECT_THAT(text, Not(HasSubstr("max =")));
}

TEST(OnnxImport, EveryUncoveredOperatorIsNamed) {
  std::string bytes = w::model({{w::node("Frobnicate", {"x"}, {"a"}, "first"), w::node("Relu", {"a"}, {"b"}),
                                 w::node("Custom", {"b"}, {"y"}, "", {}, "vendor")},
                                {},
                                {x()},
                                {y()},
                                {}});
  EXPECT_EQ(errorOf(bytes), "not covered: node 'first' (Frobnicate), the vendor.Custom node that makes 'y'; read "
                            "the file with allow_unknown to look at it");
}

TEST(OnnxImport, UncoveredTypesAreNamed) {
  std::string bytes = w::model({{w::node("Relu", {"x"}, {"y"})},
                                {w::tensor("s", 8, {1}, [](auto &p) { p.add_bytes(6, "text"); })},
                                {w::valueInfo("x", 14, {1})},
                                {y()},
                                {}});
  EXPECT_THAT(errorOf(bytes),
              HasSubstr("not covered: the type complex64 of input 'x', the type string of initializer 's'"));
}

TEST(OnnxImport, UnknownOperatorsCanBeLookedAt) {
  std::string node =
      w::node("Frobnicate", {"x"}, {"y"}, "odd", {w::attribute("k", 2, [](auto &p) { p.add_int64(3, 7); })});
  std::string text = import(oneNode(node), {.allowUnknown = true});
  EXPECT_THAT(text, HasSubstr("%odd = clika.opaque \"Frobnicate\""));
  EXPECT_THAT(text, HasSubstr("k = 7"));
}

TEST(OnnxImport, OpsetsOutsideTheRangeAreRefused) {
  std::string node = w::node("Relu", {"x"}, {"y"});
  EXPECT_THAT(errorOf(oneNode(node, 8)), HasSubstr("imports version 8 of the operator set, covered are 9 to 24"));
  EXPECT_THAT(errorOf(oneNode(node, 25)), HasSubstr("imports version 25"));
  EXPECT_EQ(errorOf(oneNode(node, 24)), "no error");
}

TEST(OnnxImport, RefusalsNameTheNode) {
  std::string bytes = w::model(
      {{w::node("Add", {"x", "c"}, {"y"}, "sum")}, {w::tensor("c", 7, {1}, w::raw<int64_t>({1}))}, {x()}, {y()}, {}});
  EXPECT_THAT(errorOf(bytes), testing::StartsWith("node 'sum' (Add): "));
  EXPECT_THAT(errorOf(bytes), HasSubstr("int64"));
}

std::string intAttribute(const std::string &name, int64_t value) {
  return w::attribute(name, 2, [value](auto &p) { p.add_int64(3, value); });
}

TEST(OnnxImport, EveryNodeThatCannotBeReadIsTold) {
  // A string and a complex64, an operator of a vendor, what reads it, and a dtype that Exp lacks.
  std::string bytes = w::model(
      {{w::node("Cast", {"x"}, {"a"}, "c1", {intAttribute("to", 8)}),
        w::node("Cast", {"x"}, {"b"}, "c2", {intAttribute("to", 14)}), w::node("Foo", {"a"}, {"c"}, "f", {}, "my"),
        w::node("Relu", {"c"}, {"d"}, "r"), w::node("Exp", {"i"}, {"e"}, "power"),
        w::node("Relu", {"x"}, {"y"}, "act", {intAttribute("slope", 1)})},
       {},
       {x(), w::valueInfo("i", 6, {2})},
       {y()},
       {}});
  EXPECT_EQ(errorOf(bytes),
            "not covered: node 'f' (my.Foo); node 'c1' (Cast): the type string is not covered; node 'c2' (Cast): the "
            "type complex64 is not covered; node 'power' (Exp): Exp is given int32[2] as its operand 'x'; it takes a "
            "tensor of floating-point numbers; node 'act' (Relu): its attribute 'slope' is not covered; read the file "
            "with allow_unknown to look at it");
  EXPECT_THAT(import(bytes, {.allowUnknown = true}), HasSubstr("because \"the type complex64 is not covered\""));
}

TEST(OnnxImport, AListOfRefusalsIsBounded) {
  w::GraphParts parts{{}, {}, {x()}, {y()}, {}};
  for (int i = 0; i < 500; ++i)
    parts.nodes.push_back(w::node("Foo", {"x"}, {"f" + std::to_string(i)}, "", {}, "my"));
  parts.nodes.push_back(w::node("Relu", {"x"}, {"y"}, std::string(5000, 'n'), {intAttribute("slope", 1)}));
  std::string error = errorOf(w::model(parts));
  EXPECT_THAT(error, HasSubstr("that makes 'f19'; and 481 more; read the file"));
  EXPECT_LT(error.size(), 1500u);
}

TEST(OnnxImport, ContradictoryFilesAreRefused) {
  auto relu = [](const std::vector<std::string> &in, const std::vector<std::string> &out) {
    return oneNode(w::node("Relu", in, out, "act"));
  };
  EXPECT_EQ(errorOf(relu({"x", "x"}, {"y"})), "node 'act' (Relu): has 2 inputs, and Relu has at most 1");
  EXPECT_EQ(errorOf(relu({"x"}, {"y", "z"})), "node 'act' (Relu): has 2 outputs, and Relu has at most 1");
  EXPECT_EQ(errorOf(relu({"x", ""}, {"y", ""})), "no error");
  std::vector<std::string> twice = {intAttribute("axis", 0), intAttribute("axis", 1)};
  EXPECT_EQ(errorOf(oneNode(w::node("Softmax", {"x"}, {"y"}, "s", twice))),
            "node 's' (Softmax): has two attributes named 'axis'");
  EXPECT_EQ(errorOf(oneNode(w::node("Foo", {"x"}, {"y"}, "s", twice)), {.allowUnknown = true}),
            "node 's' (Foo): has two attributes named 'axis'");
  auto importing = [](int64_t other) {
    return w::model({{w::node("Relu", {"x"}, {"y"})}, {}, {x()}, {y()}, {}}) +
           w::message([&](auto &m) { m.add_message(8, w::opset(other, "ai.onnx")); });
  };
  EXPECT_EQ(errorOf(importing(18)), "the model imports versions 17 and 18 of the operator set 'ai.onnx'");
  EXPECT_EQ(errorOf(importing(17)), "no error");
}

TEST(OnnxImport, StatedDtypesMustBeTheTrueOnes) {
  std::string relu = w::node("Relu", {"x"}, {"y"}, "act");
  auto stating = [&](int type, std::vector<int64_t> dims) {
    return w::model({{relu}, {}, {x()}, {w::valueInfo("y", type, dims)}, {}});
  };
  EXPECT_EQ(errorOf(stating(7, {-1, 3})),
            "node 'act' (Relu): its output 'y' is float32, and the file states that it is int64");
  EXPECT_EQ(errorOf(stating(8, {-1, 3})),
            "node 'act' (Relu): its output 'y' is float32, and the file states that it is string");
  EXPECT_EQ(errorOf(stating(0, {-1, 3})), "no error");
  // Another shape is taken for a mistake of the writer's; the true one is kept.
  EXPECT_THAT(import(stating(1, {5, 7, 9})), testing::AllOf(HasSubstr("x3xf32"), Not(HasSubstr("5x7"))));
  EXPECT_EQ(errorOf(w::model({{}, {}, {x()}, {w::valueInfo("x", 6, {-1, 3})}, {}})),
            "'x' is float32, and the file states that it is int32");
}

TEST(OnnxImport, AttributesNobodyReadsAreRefused) {
  std::string node =
      w::node("Relu", {"x"}, {"y"}, "act", {w::attribute("slope", 1, [](auto &p) { p.add_float(2, 1); })});
  EXPECT_EQ(errorOf(oneNode(node)), "node 'act' (Relu): its attribute 'slope' is not covered");
}

TEST(OnnxImport, AnInputNeedsAShape) {
  std::string shapeless = w::message([](auto &p) {
    p.add_string(1, "x");
    p.add_message(2, w::message([](auto &t) { t.add_message(1, w::message([](auto &i) { i.add_int32(1, 1); })); }));
  });
  EXPECT_THAT(errorOf(w::model({{w::node("Relu", {"x"}, {"y"})}, {}, {shapeless}, {y()}, {}})),
              HasSubstr("the input 'x' has no shape"));
}

TEST(OnnxImport, AnInputMayBeAnOutput) {
  EXPECT_THAT(import(w::model({{}, {}, {x()}, {x()}, {}})), HasSubstr("return %arg0"));
}

TEST(OnnxImport, AMissingFileIsNamed) {
  mlir::MLIRContext context;
  try {
    clika::importOnnx("/no/such.onnx", context);
    FAIL();
  } catch (const ClikaRT::Error &error) {
    EXPECT_STREQ(error.what(), "from_onnx: cannot read '/no/such.onnx': No such file or directory");
    EXPECT_EQ(error.status(), ClikaRT::Status::Io);
  }
}

} // namespace
