#include "IO/Onnx/Model.h"
#include "OnnxWriter.h"

#include <gmock/gmock.h>

namespace {

using namespace clika::onnx;
namespace w = onnx_writer;
using testing::ElementsAre;
using testing::HasSubstr;

Model parse(const std::string &bytes) { return parseModel({"m.onnx", bytes}); }

std::string errorOf(const std::string &bytes) {
  try {
    parse(bytes);
  } catch (const ClikaRT::Error &error) {
    EXPECT_EQ(error.status(), ClikaRT::Status::Io);
    return error.what();
  }
  return "no error";
}

std::string withAttribute(const std::string &attribute) {
  return w::model({{w::node("Op", {"x"}, {"y"}, "n", {attribute})}, {}, {}, {}, {}});
}

Attribute attributeOf(const std::string &encoded, std::string &file) {
  file = withAttribute(encoded);
  return parse(file).graph->nodes.at(0).attributes.at(0);
}

TEST(OnnxParse, ReadsAGraph) {
  std::string file = w::model({{w::node("Relu", {"x"}, {"y"}, "act")},
                               {w::tensor("c", 1, {2}, w::raw<float>({1, 2}))},
                               {w::valueInfo("x", 1, {-1, 3})},
                               {w::valueInfo("y", 1, {-1, 3})},
                               {}},
                              17);
  Model model = parse(file);
  EXPECT_EQ(model.irVersion, 8);
  ASSERT_EQ(model.opsets.size(), 1u);
  EXPECT_EQ(model.opsets[0].version, 17);
  const Graph &graph = *model.graph;
  EXPECT_EQ(graph.nodes[0].name, "act");
  EXPECT_EQ(graph.nodes[0].opType, "Relu");
  EXPECT_THAT(graph.nodes[0].inputs, ElementsAre("x"));
  EXPECT_EQ(graph.initializers[0].name, "c");
  EXPECT_EQ(graph.initializers[0].raw->size(), 8u);
  const Type &type = graph.inputs[0].type;
  EXPECT_EQ(type.kind, Type::Kind::Tensor);
  EXPECT_EQ(type.element, ElementType::Float32);
  ASSERT_EQ(type.shape->size(), 2u);
  EXPECT_EQ((*type.shape)[0].param, "batch");
  EXPECT_FALSE((*type.shape)[0].size.has_value());
  EXPECT_EQ((*type.shape)[1].size, 3);
}

TEST(OnnxParse, StringsPointIntoTheFile) {
  std::string file = w::model({{w::node("Relu", {"x"}, {"y"}, "act")}, {}, {}, {}, {}});
  Model model = parse(file);
  const char *name = model.graph->nodes[0].name.data();
  EXPECT_GE(name, file.data());
  EXPECT_LT(name, file.data() + file.size());
}

TEST(OnnxParse, ReadsEveryKindOfAttribute) {
  std::string file;
  EXPECT_EQ(attributeOf(w::attribute("a", 1, [](auto &p) { p.add_float(2, 0.5f); }), file).f, 0.5f);
  EXPECT_EQ(attributeOf(w::attribute("a", 2, [](auto &p) { p.add_int64(3, -7); }), file).i, -7);
  EXPECT_EQ(attributeOf(w::attribute("a", 3, [](auto &p) { p.add_bytes(4, "SAME_UPPER"); }), file).s, "SAME_UPPER");
  std::vector<float> floats = {1, -2};
  EXPECT_THAT(
      attributeOf(w::attribute("a", 6, [&](auto &p) { p.add_packed_float(7, floats.begin(), floats.end()); }), file)
          .floats,
      ElementsAre(1, -2));
  std::vector<int64_t> ints = {-1, 300};
  EXPECT_THAT(
      attributeOf(w::attribute("a", 7, [&](auto &p) { p.add_packed_int64(8, ints.begin(), ints.end()); }), file).ints,
      ElementsAre(-1, 300));
  EXPECT_THAT(attributeOf(w::attribute("a", 8,
                                       [](auto &p) {
                                         p.add_bytes(9, "a");
                                         p.add_bytes(9, "b");
                                       }),
                          file)
                  .strings,
              ElementsAre("a", "b"));
  std::string value = w::tensor("t", 7, {1}, w::raw<int64_t>({9}));
  EXPECT_EQ(attributeOf(w::attribute("a", 4, [&](auto &p) { p.add_message(5, value); }), file).tensors.at(0).name, "t");
  std::string body = w::graph({{w::node("Relu", {"x"}, {"y"})}, {}, {}, {}, {}});
  EXPECT_EQ(
      attributeOf(w::attribute("a", 5, [&](auto &p) { p.add_message(6, body); }), file).graphs.at(0)->nodes.size(), 1u);
}

TEST(OnnxParse, ListsMayBePackedOrNot) {
  std::string file;
  Attribute unpacked = attributeOf(w::attribute("a", 7,
                                                [](auto &p) {
                                                  p.add_int64(8, 1);
                                                  p.add_int64(8, -2);
                                                }),
                                   file);
  EXPECT_THAT(unpacked.ints, ElementsAre(1, -2));
}

TEST(OnnxParse, AnAttributeWithoutATypeHasThatOfItsField) {
  std::string file;
  std::string encoded = w::message([](auto &p) {
    p.add_string(1, "a");
    p.add_int64(3, 5);
  });
  EXPECT_EQ(attributeOf(encoded, file).kind, Attribute::Kind::Int);
}

TEST(OnnxParse, ReadsFunctions) {
  std::string function = w::message([](auto &p) {
    p.add_string(1, "Twice");
    p.add_string(4, "x");
    p.add_string(5, "y");
    p.add_string(6, "alpha");
    p.add_message(7, w::node("Add", {"x", "x"}, {"y"}));
    p.add_message(9, w::opset(17));
    p.add_string(10, "local");
  });
  std::string file = w::model({{}, {}, {}, {}, {function}});
  Model model = parse(file);
  ASSERT_EQ(model.functions.size(), 1u);
  EXPECT_EQ(model.functions[0].name, "Twice");
  EXPECT_EQ(model.functions[0].domain, "local");
  EXPECT_THAT(model.functions[0].attributes, ElementsAre("alpha"));
  EXPECT_EQ(model.functions[0].nodes.size(), 1u);
}

TEST(OnnxParse, ErrorsNameTheByte) {
  std::string file = w::model({{w::node("Relu", {"x"}, {"y"}, "act")}, {}, {}, {}, {}});
  EXPECT_THAT(errorOf(file.substr(0, file.size() - 1)), testing::StartsWith("from_onnx: 'm.onnx', byte 6: "));
  EXPECT_THAT(errorOf("<html>"), HasSubstr("byte 0: field 7 has the unknown wire type 4"));
}

TEST(OnnxParse, RefusesALengthBeyondFourGigabytes) {
  std::string file = "\x3a"; // field 7, length-delimited
  file += std::string("\x85\x80\x80\x80\x10", 5) + "abcde";
  EXPECT_THAT(errorOf(file), HasSubstr("needs 4294967301 bytes, 5 are left"));
}

TEST(OnnxParse, RefusesWrongWireTypes) {
  EXPECT_THAT(errorOf(w::message([](auto &p) { p.add_int64(7, 1); })),
              HasSubstr("field 7 is a varint, expected a length-delimited value"));
  EXPECT_THAT(errorOf(w::message([](auto &p) { p.add_string(1, "x"); })), HasSubstr("expected a varint"));
}

TEST(OnnxParse, RefusesNamesThatAreNotText) {
  for (std::string bad : {"\xff", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "a\xe2\x82"})
    EXPECT_THAT(errorOf(w::model({{w::node("Relu", {bad}, {"y"})}, {}, {}, {}, {}})), HasSubstr("is not UTF-8 text"));
  EXPECT_EQ(errorOf(w::model({{w::node("Relu", {"ü€𝄞"}, {"y"})}, {}, {}, {}, {}})), "no error");
}

TEST(OnnxParse, RefusesBottomlessNesting) {
  std::string body = w::graph({});
  for (int i = 0; i < 40; ++i) {
    std::string attribute = w::attribute("body", 5, [&](auto &p) { p.add_message(6, body); });
    body = w::graph({{w::node("If", {}, {}, "", {attribute})}, {}, {}, {}, {}});
  }
  EXPECT_THAT(errorOf(w::message([&](auto &p) { p.add_message(7, body); })), HasSubstr("nested more than 100 deep"));
}

TEST(OnnxParse, RefusesATensorAttributeWithoutATensor) {
  EXPECT_THAT(errorOf(withAttribute(w::attribute("value", 4, [](auto &) {}))),
              HasSubstr("attribute 'value' lacks the value"));
}

} // namespace
