#include "IO/Onnx/Structure.h"
#include "OnnxWriter.h"

#include <gmock/gmock.h>

namespace {

using namespace clika::onnx;
namespace w = onnx_writer;
using testing::ElementsAre;

struct Read {
  std::string file;
  Model model;
  explicit Read(std::string bytes) : file(std::move(bytes)), model(parseModel({"m.onnx", file})) {}
};

std::vector<std::string> order(const std::vector<std::string> &nodes) {
  Read read(w::model({nodes, {}, {}, {}, {}}));
  std::vector<std::string> names;
  for (const Node *node : orderNodes(read.model.graph->nodes, {"x"}, {}, "graph 'g'"))
    names.emplace_back(node->name);
  return names;
}

template <class Call>
std::string errorOf(Call call) {
  try {
    call();
  } catch (const ClikaRT::Error &error) {
    return error.what();
  }
  return "no error";
}

std::string checkError(const std::string &file) {
  Read read(file);
  return errorOf([&] { checkModel(read.model); });
}

TEST(OnnxStructure, KeepsTheOrderOfTheFile) {
  EXPECT_THAT(
      order({w::node("A", {"x"}, {"a"}, "1"), w::node("B", {"x"}, {"b"}, "2"), w::node("C", {"a"}, {"c"}, "3")}),
      ElementsAre("1", "2", "3"));
}

TEST(OnnxStructure, SortsWhatIsOutOfOrder) {
  EXPECT_THAT(
      order({w::node("C", {"b", "a"}, {"c"}, "3"), w::node("B", {"a"}, {"b"}, "2"), w::node("A", {"x"}, {"a"}, "1")}),
      ElementsAre("1", "2", "3"));
}

TEST(OnnxStructure, ASubgraphReadsFromAroundIt) {
  std::string body = w::graph({{w::node("Neg", {"late"}, {"out"})}, {}, {}, {w::valueInfo("out", 1, {})}, {}});
  std::string branch = w::attribute("then_branch", 5, [&](auto &p) { p.add_message(6, body); });
  EXPECT_THAT(order({w::node("If", {"x"}, {"y"}, "if", {branch}), w::node("A", {"x"}, {"late"}, "a")}),
              ElementsAre("a", "if"));
}

TEST(OnnxStructure, NamesACycle) {
  std::string error = errorOf([] {
    order({w::node("A", {"b"}, {"a"}, "first"), w::node("B", {"a"}, {"b"}, "second"), w::node("C", {"x"}, {"c"})});
  });
  EXPECT_THAT(error, testing::StartsWith("from_onnx: graph 'g': the nodes form a cycle: "));
  EXPECT_THAT(error, testing::HasSubstr("node 'first' (A) -> node 'second' (B) -> node 'first' (A)"));
}

TEST(OnnxStructure, NamesWhatIsMissing) {
  EXPECT_EQ(errorOf([] { order({w::node("A", {"gone"}, {"a"}, "n")}); }),
            "from_onnx: graph 'g': node 'n' (A) reads 'gone', which nothing defines");
  EXPECT_EQ(errorOf([] { order({w::node("A", {"gone"}, {"a"})}); }),
            "from_onnx: graph 'g': the A node that makes 'a' reads 'gone', which nothing defines");
}

TEST(OnnxStructure, NamesWhatIsDefinedTwice) {
  EXPECT_EQ(errorOf([] { order({w::node("A", {"x"}, {"a"}, "1"), w::node("B", {"x"}, {"a"}, "2")}); }),
            "from_onnx: graph 'g': 'a' is defined twice, by node '1' (A) and by node '2' (B)");
  EXPECT_EQ(errorOf([] { order({w::node("A", {"x"}, {"x"}, "1")}); }),
            "from_onnx: graph 'g': node '1' (A) defines 'x', which is an input or initializer");
}

TEST(OnnxStructure, AMissingOutputIsNamed) {
  Read read(w::model({{}, {}, {}, {}, {}}));
  EXPECT_EQ(errorOf([&] { orderNodes(read.model.graph->nodes, {"x"}, {"y"}, "graph 'g'"); }),
            "from_onnx: graph 'g': the output 'y' is defined by nothing");
}

TEST(OnnxStructure, AFileWithoutAGraphOrOpsetIsRefused) {
  EXPECT_EQ(checkError(""), "from_onnx: the file holds no graph; it is cut off or not an ONNX model");
  EXPECT_EQ(checkError(w::message([](auto &p) { p.add_message(7, w::graph({})); })),
            "from_onnx: the file imports no operator set; it is cut off or not an ONNX model");
}

TEST(OnnxStructure, DuplicateNamesAreRefused) {
  std::string x = w::valueInfo("x", 1, {1});
  EXPECT_EQ(checkError(w::model({{}, {}, {x, x}, {}, {}})), "from_onnx: graph: two inputs are named 'x'");
  EXPECT_EQ(checkError(w::model({{}, {}, {x}, {x, x}, {}})), "from_onnx: graph: two outputs are named 'x'");
  std::string c = w::tensor("c", 1, {1}, w::raw<float>({1}));
  EXPECT_EQ(checkError(w::model({{}, {c, c}, {}, {}, {}})), "from_onnx: graph: two initializers are named 'c'");
}

TEST(OnnxStructure, AFunctionMayNotCallItself) {
  auto function = [](const std::string &name, const std::string &callee) {
    return w::message([&](auto &p) {
      p.add_string(1, name);
      p.add_message(7, w::node(callee, {}, {}, "", {}, "local"));
      p.add_string(10, "local");
    });
  };
  EXPECT_EQ(checkError(w::model({{}, {}, {}, {}, {function("f", "g"), function("g", "f")}})),
            "from_onnx: the function 'f' calls itself");
  EXPECT_EQ(checkError(w::model({{}, {}, {}, {}, {function("f", "g"), function("f", "g")}})),
            "from_onnx: the function 'f' is defined twice");
  std::vector<std::string> chain;
  for (int i = 0; i < 5000; ++i)
    chain.push_back(function("f" + std::to_string(i), "f" + std::to_string(i + 1)));
  EXPECT_EQ(checkError(w::model({{}, {}, {}, {}, chain})), "from_onnx: functions call each other more than 256 deep");
}

} // namespace
