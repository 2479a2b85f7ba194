// Transforms given as text: pass pipelines, PDL and PDLL.
#include "GraphTesting.h"

#include <cstdlib>

using namespace testing_graphs;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

// Relu(Relu(x)) -> Relu(x)
const std::string kCollapse = R"(
pdl.pattern @collapse : benefit(1) {
  %x = operand
  %t0 = type
  %t1 = type
  %inner = operation "clika.relu"(%x : !pdl.value) -> (%t0 : !pdl.type)
  %value = result 0 of %inner
  %outer = operation "clika.relu"(%value : !pdl.value) -> (%t1 : !pdl.type)
  rewrite %outer {
    %new = operation "clika.relu"(%x : !pdl.value)
    replace %outer with %new
  }
})";

/// One pattern with a Neg as its root, `%n` of operand `%x`, and this rewrite.
std::string negTo(const std::string &rewrite) {
  return "pdl.pattern @p : benefit(1) {\n%x = operand\n%t = type\n%n = operation \"clika.neg\"(%x : !pdl.value) -> "
         "(%t : !pdl.type)\nrewrite %n {\n" +
         rewrite + "\n}\n}";
}

ModelGraph negGraph() {
  return traced([](const Tensors &in) -> Tensors { return {ops::relu(ops::neg(in[0]))}; });
}

std::string refusalOf(const std::string &text) {
  return refusal([&] { Transform::from_pdl("rule", text); });
}

/// What optimize() says of a rule that fails while it runs; the graph is as it was.
std::string failureOf(const std::string &rewrite) {
  ModelGraph graph = negGraph();
  std::string before = everything(graph);
  std::string message = refusal([&] { optimizeWith(graph, {Transform::from_pdl("rule", negTo(rewrite))}); });
  EXPECT_EQ(everything(graph), before);
  graph.verify();
  return message;
}

TEST(PdlTransform, itsRewritesAreCountedAndKeepNames) {
  ModelGraph graph = pageGraph();
  std::string outer = graph.find_nodes(OpCode::Relu)[1].name();
  OptimizeReport report = optimizeWith(graph, {Transform::from_pdl("collapse", kCollapse)});
  EXPECT_EQ(formulas(graph), "Add(Relu(x), Neg(x))");
  EXPECT_EQ(report.transforms[0].rewrites, 1);
  EXPECT_EQ(report.transforms[0].applications, 1);
  EXPECT_EQ(report.iterations, 2);
  EXPECT_EQ(graph.find_nodes(OpCode::Relu)[0].name(), outer);
  graph.verify();
}

TEST(PdlTransform, itStandsInAListWithOthers) {
  ModelGraph graph = pageGraph();
  Transform collapse = Transform::from_pdl("collapse", kCollapse);
  Transform rule =
      transforms::rewrite("to_abs", Pattern::chain({OpCode::Neg}),
                          [](const RewriteMatch &, const Tensors &in) { return Tensors{ops::abs(in[0])}; });
  optimizeWith(graph, {rule, collapse, transforms::remove_unused(), Transform::from_pass_pipeline("cse", {collapse})});
  EXPECT_EQ(formulas(graph), "Add(Relu(x), Abs(x))");
  EXPECT_FALSE(collapse.is_runtime());
  EXPECT_EQ(collapse, Transform(collapse));
  EXPECT_NE(collapse, Transform::from_pdl("collapse", kCollapse));
}

TEST(PdlTransform, itMakesOperatorsWithSettingsAndTakesThemApart) {
  ModelGraph graph = negGraph();
  optimizeWith(graph, {Transform::from_pdl("to_scaled", negTo(R"(
    %two = attribute = 2.0 : f64
    %s = operation "clika.sub"(%x, %x : !pdl.value, !pdl.value) {"alpha" = %two}
    %r = result 0 of %s
    replace %n with (%r : !pdl.value))"))});
  EXPECT_EQ(formulas(graph), "Relu(Sub(x, x))");
  EXPECT_EQ(std::get<double>(graph.find_nodes(OpCode::Sub)[0].attribute("alpha")->value), 2.0);
}

TEST(PdlTransform, itMakesConstants) {
  auto adding = [](const std::string &value) {
    return negTo("%a = attribute = " + value + R"(
    %c = operation "clika.constant" {"value" = %a}
    %k = result 0 of %c
    %s = operation "clika.add"(%x, %k : !pdl.value, !pdl.value)
    replace %n with %s)");
  };
  ModelGraph graph = negGraph();
  optimizeWith(graph, {Transform::from_pdl("plus", adding("dense<1.5> : tensor<f32>"))});
  EXPECT_EQ(formulas(graph), "Relu(Add(x, c))");
  EXPECT_EQ(graph.find_nodes(OpCode::Add)[0].input(1)->constant()->item<float>(), 1.5F);
  graph.verify();
  EXPECT_EQ(ModelGraph::from_mlir(graph.to_mlir()).to_mlir(), graph.to_mlir());
  auto refused = [&](const std::string &value) {
    ModelGraph own = negGraph();
    std::string before = everything(own);
    std::string message = refusal([&] { optimizeWith(own, {Transform::from_pdl("plus", adding(value))}); });
    EXPECT_EQ(everything(own), before);
    return message;
  };
  EXPECT_THAT(refused("1.0 : f64"), HasSubstr("a Constant, which takes its 'value' alone"));
  EXPECT_THAT(refused("dense<1> : tensor<i7>"), StartsWith("INVALID_ARGUMENT | "));
  EXPECT_THAT(refused("dense_resource<nothing> : tensor<f32>"),
              HasSubstr("line 6, column 6: the elements of a constant are a resource"));
  EXPECT_THAT(failureOf("%a = operation \"clika.constant\"\n replace %n with %a"),
              HasSubstr("a Constant, which takes its 'value' alone"));
  EXPECT_THAT(failureOf("%u = type : tensor<9xf32>\n %v = attribute = dense<1.0> : tensor<8xf32>\n %a = operation "
                        "\"clika.constant\" {\"value\" = %v} -> (%u : !pdl.type)\n replace %n with %a"),
              HasSubstr("asks for a Constant that is float32[9], and its value is float32[8]"));
  EXPECT_THAT(refusalOf(negTo("%a = operation \"clika.constant\" {\"size\" = %s}\n replace %n with %a")),
              StartsWith("INVALID_ARGUMENT | from_pdl: "));
}

TEST(PdlTransform, aValueMayTakeAnOperatorsPlace) {
  ModelGraph graph = negGraph();
  optimizeWith(graph, {Transform::from_pdl("drop", negTo("replace %n with (%x : !pdl.value)"))});
  EXPECT_EQ(formulas(graph), "Relu(x)");
}

TEST(PdlTransform, textThatCannotBeReadIsRefusedWithItsPlace) {
  EXPECT_THAT(refusalOf("pdl.pattern @p : benefit(1) {\n  %x = operand\n  rewrite %y {\n  }\n}"),
              AllOf(StartsWith("INVALID_ARGUMENT | from_pdl: "), HasSubstr("line 3"), HasSubstr("column")));
  EXPECT_THAT(refusalOf("pdl.pattern @p : benefit(1) {"), HasSubstr("line 1"));
  EXPECT_THAT(refusalOf("pdl.pattern @p : benefit(1) {\n  %x = operand\n  rewrite {\n  }\n}"),
              StartsWith("INVALID_ARGUMENT | from_pdl: "));
  // Two pieces.
  EXPECT_THAT(refusalOf("pdl.pattern @p : benefit(1) {\n  %x = operand\n  %y = operand\n  %t = type\n  %u = type\n"
                        "  %a = operation \"clika.relu\"(%x : !pdl.value) -> (%t : !pdl.type)\n"
                        "  %b = operation \"clika.neg\"(%y : !pdl.value) -> (%u : !pdl.type)\n"
                        "  rewrite %a {\n    erase %b\n  }\n}"),
              StartsWith("INVALID_ARGUMENT | from_pdl: "));
  EXPECT_THAT(refusalOf("func.func @f() {\n  return\n}\n// pdl.pattern"),
              HasSubstr("line 1, column 1: 'func.func' stands beside the patterns"));
  for (const char *text : {"// pdl.pattern", "module {}", "", "hello"})
    EXPECT_THAT(refusalOf(text), StartsWith("INVALID_ARGUMENT | from_pdl: the text has no pattern; write one as "));
  EXPECT_THAT(refusal([] { Transform::from_pdl("", kCollapse); }), HasSubstr("the transform's name is empty"));
  EXPECT_THAT(refusal([] { Transform::from_pdl("remove_unused", kCollapse); }), HasSubstr("one of the runtime's"));
}

TEST(PdlTransform, textTooDeepForAStackIsRefused) {
  std::string deep(200000, '[');
  EXPECT_THAT(refusalOf("pdl.pattern @p : benefit(1) {\n%a = attribute = " + deep),
              StartsWith("INVALID_ARGUMENT | from_pdl: "));
}

TEST(PdlTransform, namesOfWhatThereIsNotAreRefused) {
  EXPECT_THAT(refusalOf(negTo("%new = operation \"clika.rely\"(%x : !pdl.value)\nreplace %n with %new")),
              HasSubstr("line 6, column 8: there is no operator 'clika.rely'"));
  EXPECT_THAT(refusalOf(negTo("%new = operation \"arith.negf\"(%x : !pdl.value)\nreplace %n with %new")),
              HasSubstr("there is no operator 'arith.negf'"));
  EXPECT_THAT(refusalOf(negTo("%new = operation \"clika.add\"(%x : !pdl.value)\nreplace %n with %new")),
              HasSubstr("line 6, column 8: Add is given 1 operand, and takes 2"));
  EXPECT_THAT(refusalOf(negTo("%new = operation \"clika.neg\"\nreplace %n with %new")),
              HasSubstr("line 6, column 8: Neg is given 0 operands, and takes 1"));
  // What would never match.
  EXPECT_THAT(refusalOf("pdl.pattern @p : benefit(1) {\n%t = type\n%n = operation \"clika.neg\" -> (%t : "
                        "!pdl.type)\nrewrite %n {\nerase %n\n}\n}"),
              HasSubstr("line 3, column 6: Neg is given 0 operands, and takes 1; whatever they are, write"));
  EXPECT_THAT(
      refusalOf("pdl.pattern @p : benefit(1) {\n%x = operand\n%n = operation \"clika.neg\"(%x : "
                "!pdl.value)\nrewrite %n {\nerase %n\n}\n}"),
      HasSubstr("line 3, column 6: Neg has 1 output, and is given the types of 0, so that it would never match"));
  EXPECT_THAT(refusalOf(negTo("%a = attribute = \"big\"\n%new = operation \"clika.relu\"(%x : !pdl.value) {\"size\" = "
                              "%a}\nreplace %n with %new")),
              HasSubstr("Relu has no setting 'size'; its settings are: none"));
  EXPECT_THAT(refusalOf(negTo("apply_native_rewrite \"mine\"(%n : !pdl.operation)")),
              HasSubstr("the native rewrite 'mine' is not to be had"));
  EXPECT_THAT(refusalOf("pdl.pattern @p : benefit(1) {\n%o = operands\n%t = types\n%n = operation \"clika.neg\"(%o : "
                        "!pdl.range<value>) -> (%t : !pdl.range<type>)\napply_native_constraint \"big\"(%n "
                        ": !pdl.operation)\nrewrite %n {\nerase %n\n}\n}"),
              HasSubstr("the native constraint 'big' is not to be had"));
  EXPECT_THAT(refusalOf("pdl.pattern @p : benefit(1) {\n%o = operands\n%t = types\n%n = operation \"clika.neg\"(%o : "
                        "!pdl.range<value>) -> (%t : !pdl.range<type>)\nrewrite %n with \"mine\"\n}"),
              HasSubstr("the rewrite 'mine' is not to be had"));
}

// MLIR's bytecode interpreter takes each of these on trust.
TEST(PdlTransform, rewritesThatMakeNoGraphEndTheRun) {
  auto prefixed = [](const char *text) {
    return AllOf(StartsWith("INVALID_ARGUMENT | optimize: transforms[0] (rule) failed: from_pdl: "), HasSubstr(text));
  };
  EXPECT_THAT(failureOf("%new = operation \"clika.matmul\"(%x, %x : !pdl.value, !pdl.value)\nreplace %n with %new"),
              StartsWith("INVALID_ARGUMENT | optimize: transforms[0] (rule) failed: from_pdl: "));
  EXPECT_THAT(failureOf("%new = operation \"clika.is_nan\"(%x : !pdl.value)\nreplace %n with %new"),
              prefixed("which is float32[2, 3], by a value that is bool[2, 3]"));
  EXPECT_THAT(failureOf("%a = attribute = \"big\"\n%new = operation \"clika.sub\"(%x, %x : !pdl.value, !pdl.value) "
                        "{\"alpha\" = %a}\nreplace %n with %new"),
              StartsWith("INVALID_ARGUMENT | optimize: transforms[0] (rule) failed: from_pdl: "));
  EXPECT_THAT(failureOf("replace %n with (%x, %x : !pdl.value, !pdl.value)"),
              prefixed("which has 1 output, by 2 values"));
  EXPECT_THAT(failureOf("replace %n with %n"), prefixed("which it replaces or erases too"));
  EXPECT_THAT(failureOf("erase %n"), prefixed("the rewrite erases 'neg_1', which is still read"));
  EXPECT_THAT(failureOf("replace %n with (%x : !pdl.value)\nerase %n"), prefixed("replaces or erases 'neg_1' twice"));
  EXPECT_THAT(
      failureOf("%new = operation \"clika.relu\"(%x : !pdl.value)\n%r = result 3 of %new\nreplace %n with (%r : "
                "!pdl.value)"),
      prefixed("is not there"));
  EXPECT_THAT(failureOf("%new = operation \"clika.relu\"(%x : !pdl.value)\n%r = result 3 of %new\n%o = operation "
                        "\"clika.abs\"(%r : !pdl.value)\nreplace %n with %o"),
              prefixed("an operand of 'clika.abs' is not there"));
}

TEST(PdlTransform, whatIsNoOperatorStays) {
  ModelGraph graph = negGraph();
  std::string before = everything(graph);
  std::string any = "pdl.pattern @p : benefit(1) {\n%n = operation\nrewrite %n {\nerase %n\n}\n}";
  EXPECT_THAT(refusal([&] { optimizeWith(graph, {Transform::from_pdl("any", any)}); }),
              AllOf(StartsWith("INVALID_ARGUMENT | optimize: transforms[0] (any) failed: from_pdl: "),
                    HasSubstr("what is no operator of the graph")));
  EXPECT_EQ(everything(graph), before);
}

TEST(PdlTransform, pdll) {
  const std::string pdll = R"(
Pattern {
  let root = op<clika.relu>(op<clika.relu>(x: Value));
  replace root with op<clika.relu>(x);
})";
  std::string made = refusal([&] { Transform::from_pdl("collapse", pdll); });
  if (made.find("mlir-pdll, which that needs, is not found") != std::string::npos)
    GTEST_SKIP() << made;
  ModelGraph graph = pageGraph();
  Transform collapse = Transform::from_pdl("collapse", pdll);
  Node first = graph.find_nodes(OpCode::Relu)[0];
  EXPECT_EQ(graph.why_not(collapse, first), std::nullopt);
  optimizeWith(graph, {collapse});
  // mlir-pdll keeps no names.
  EXPECT_THAT(graph.why_not(collapse, graph.find_nodes(OpCode::Relu)[0]),
              testing::Optional(testing::MatchesRegex(
                  "input 0 of Relu '.*' is the graph input 'x', and not pattern node 0 \\(Relu\\)")));
  EXPECT_EQ(formulas(graph), "Add(Relu(x), Neg(x))");
  EXPECT_THAT(refusalOf("Pattern {\n  let root = op<clika.relu>(y);\n  erase root;\n}"),
              AllOf(StartsWith("INVALID_ARGUMENT | from_pdl: line 2, column 29: "), HasSubstr("undefined reference")));
  EXPECT_THAT(refusalOf("Pattern nonsense"), StartsWith("INVALID_ARGUMENT | from_pdl: line 1, column "));
}

TEST(PassPipeline, itRunsAsAnEntry) {
  ModelGraph graph = traced(
      [](const Tensors &in) -> Tensors { return {ops::add(ops::neg(in[0]), ops::neg(in[0])), ops::relu(in[0])}; });
  Transform pipeline = Transform::from_pass_pipeline("canonicalize,cse");
  Node relu = graph.find_nodes(OpCode::Relu)[0];
  OptimizeReport report = optimizeWith(graph, {pipeline});
  EXPECT_EQ(pipeline.name(), "canonicalize,cse");
  EXPECT_EQ(report.transforms[0].applications, 1);
  EXPECT_EQ(report.iterations, 2);
  EXPECT_EQ(graph.find_nodes(OpCode::Neg).size(), 1u);
  EXPECT_EQ(relu.name(), "relu_1");
  graph.verify();
  EXPECT_EQ(optimizeWith(graph, {pipeline}).transforms[0].applications, 0);
}

TEST(PassPipeline, rulesGoOnFromWhatPassesLeave) {
  ModelGraph graph = traced(
      [](const Tensors &in) -> Tensors { return {ops::add(ops::relu(ops::neg(in[0])), ops::relu(ops::neg(in[0])))}; });
  int asked = 0;
  Transform rule = transforms::rewrite(
      "asks", Pattern::chain({OpCode::Neg, OpCode::Relu}), [](const RewriteMatch &, const Tensors &in) { return in; },
      [&](const RewriteMatch &) { return ++asked < 0; });
  optimizeWith(graph, {rule, Transform::from_pass_pipeline("cse")});
  EXPECT_EQ(asked, 3);
}

TEST(PassPipeline, ourPassesAndNestsAreServed) {
  ModelGraph graph = pageGraph();
  optimizeWith(graph, {Transform::from_pass_pipeline("func.func(canonicalize),remove-redundant-relu")});
  EXPECT_EQ(formulas(graph), "Add(Relu(x), Neg(x))");
  graph.verify();
}

TEST(PassPipeline, whatIsNonsenseIsRefused) {
  auto make = [](const std::string &text) { return refusal([&] { Transform::from_pass_pipeline(text); }); };
  EXPECT_THAT(make("no-such-pass"), AllOf(StartsWith("INVALID_ARGUMENT | from_pass_pipeline: 'no-such-pass' is no pass "
                                                     "pipeline"),
                                          HasSubstr("no-such-pass")));
  EXPECT_THAT(make("canonicalize,(("), StartsWith("INVALID_ARGUMENT | from_pass_pipeline: "));
  EXPECT_THAT(make("canonicalize{nothing=1}"), StartsWith("INVALID_ARGUMENT | from_pass_pipeline: "));
  EXPECT_THAT(make(""), HasSubstr("from_pass_pipeline: "));
  std::string nested;
  for (int i = 0; i < 100000; ++i)
    nested += "any(";
  EXPECT_THAT(make(nested), HasSubstr("nests more than 32 times"));
}

TEST(PassPipeline, whatAPassLeavesMustBeAGraph) {
  ModelGraph graph = pageGraph();
  std::string before = everything(graph);
  // It makes the function private to the module, or takes it away.
  EXPECT_THAT(
      refusal([&] { optimizeWith(graph, {Transform::from_pass_pipeline("strip-debuginfo,symbol-privatize")}); }),
      AllOf(StartsWith("INTERNAL | optimize: transforms[0] (strip-debuginfo,symbol-privatize) failed: "),
            HasSubstr("the passes left no public function")));
  EXPECT_EQ(everything(graph), before);
  graph.verify();
}

} // namespace
