// Pattern classes, and what transforms declare of themselves.
#include "GraphTesting.h"

#include <cmath>

using namespace testing_graphs;
using ClikaRT::Device;
using ClikaRT::graph::Exactness;
using ClikaRT::graph::MatchResult;
using ClikaRT::graph::Order;
using ClikaRT::graph::PatternTransform;
using ClikaRT::graph::Traits;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

using Matcher = std::function<MatchResult(const ModelGraph &, const Node &)>;
using Applier = std::function<Tensors(ModelGraph &, const RewriteMatch &, const Tensors &)>;

/// A pattern class whose methods are given.
class Given : public PatternTransform {
public:
  Given(std::vector<OpCode> codes, Matcher matcher, Applier applier, Traits traits = {}, const char *name = "given")
      : PatternTransform(name, std::move(traits)), codes(std::move(codes)), matcher(std::move(matcher)),
        applier(std::move(applier)) {}
  std::vector<OpCode> root_op_codes() const override { return codes; }
  MatchResult match(const ModelGraph &graph, const Node &node) const override { return matcher(graph, node); }
  Tensors apply(ModelGraph &graph, const RewriteMatch &match, const Tensors &in) const override {
    return applier(graph, match, in);
  }
  using PatternTransform::no_match;
  using PatternTransform::result;
  using PatternTransform::value;

private:
  const std::vector<OpCode> codes;
  const Matcher matcher;
  const Applier applier;
};

/// Two Negs in a row are none.
class NegNeg : public PatternTransform {
public:
  NegNeg() : PatternTransform("NegNeg") {}
  std::vector<OpCode> root_op_codes() const override { return {OpCode::Neg}; }
  MatchResult match(const ModelGraph &, const Node &node) const override {
    std::optional<Node> previous = node.input(0)->producer();
    if (!previous || previous->op_code() != OpCode::Neg)
      return no_match(node, "the input is not produced by Neg"); // the line that the report names
    return result({previous, node}, node);
  }
  Tensors apply(ModelGraph &, const RewriteMatch &, const Tensors &in) const override { return {in[0]}; }
};
constexpr int kNoMatchLine = __LINE__ - 5;

MatchResult itself(const ModelGraph &, const Node &node) { return Given::result({node}); }

Tensors same(ModelGraph &, const RewriteMatch &, const Tensors &in) { return {in[0]}; }

ModelGraph negs(int count) {
  return traced([count](const Tensors &in) -> Tensors {
    Tensor value = in[0];
    for (int i = 0; i < count; ++i)
      value = ops::neg(value);
    return {value};
  });
}

TEST(PatternTransforms, standInAListBesideFunctionsAndRules) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    return {ops::relu(ops::relu(ops::neg(ops::neg(ops::abs(ops::abs(in[0]))))))};
  });
  const OpCode relus[] = {OpCode::Relu, OpCode::Relu};
  Transform rule = transforms::rewrite("collapse", Pattern::chain(relus), [](const RewriteMatch &, const Tensors &in) {
    return Tensors{ops::relu(in[0])};
  });
  Transform function = transform("abs_once", [](ModelGraph &g) {
    for (const Node &node : g.find_nodes(OpCode::Abs))
      if (auto below = node.input(0)->producer(); below && below->op_code() == OpCode::Abs)
        g.bypass_node(node);
  });
  auto negNeg = std::make_shared<NegNeg>();
  OptimizeReport report = optimizeWith(graph, {rule, negNeg, function});
  EXPECT_EQ(formulas(graph), "Relu(Abs(x))");
  EXPECT_EQ(report.iterations, 2);
  EXPECT_EQ(report.transforms[1].transform, Transform(negNeg));
  EXPECT_EQ(report.transforms[1].transform.name(), "NegNeg");
  EXPECT_EQ(report.transforms[1].applications, 1);
  EXPECT_EQ(report.transforms[1].rewrites, 1);
  EXPECT_EQ(report.rewrites, 2);
  graph.verify();
}

TEST(PatternTransforms, anOddNumberLeavesOne) {
  for (int count = 0; count < 8; ++count) {
    ModelGraph graph = negs(count);
    optimizeWith(graph, {std::make_shared<NegNeg>()});
    EXPECT_EQ(formulas(graph), count % 2 ? "Neg(x)" : "x") << count;
  }
}

TEST(PatternTransforms, aReasonHasTheFileAndLineThatGaveIt) {
  ModelGraph graph = negs(3);
  OptimizeReport report = optimizeWith(graph, {std::make_shared<NegNeg>()});
  // The search of each of the two iterations asks about the first Neg.
  const auto &reasons = report.transforms[0].reasons;
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0].reason, "the input is not produced by Neg");
  EXPECT_THAT(reasons[0].file, EndsWith("PatternTransformTest.cpp"));
  EXPECT_EQ(reasons[0].line, kNoMatchLine);
  EXPECT_EQ(reasons[0].count, 2);
  EXPECT_EQ(reasons[0].nodes.size(), 2u);
}

TEST(PatternTransforms, occurrencesThatOverlapAreSkipped) {
  ModelGraph graph = negs(3);
  OptimizeReport report = optimizeWith(graph, {std::make_shared<NegNeg>()});
  EXPECT_EQ(formulas(graph), "Neg(x)");
  EXPECT_EQ(report.transforms[0].occurrences, 2);
  EXPECT_EQ(report.transforms[0].skipped, 1);
  EXPECT_EQ(report.transforms[0].skipped_by.removed, 1);
  EXPECT_EQ(report.transforms[0].rewrites, 1);
}

TEST(PatternTransforms, whatCannotBeReplacedIsSkipped) {
  // The path through the Relu leaves {Neg, Add} and comes back.
  ModelGraph looped = traced([](const Tensors &in) -> Tensors {
    Tensor n = ops::neg(in[0]);
    return {ops::add(ops::relu(n), n)};
  });
  int applied = 0;
  auto pair = std::make_shared<Given>(
      std::vector<OpCode>{OpCode::Add},
      [](const ModelGraph &, const Node &node) { return Given::result({node, node.input(1)->producer()}); },
      [&](ModelGraph &, const RewriteMatch &, const Tensors &in) {
        ++applied;
        return Tensors{in[0]};
      });
  std::string before = everything(looped);
  OptimizeReport report = optimizeWith(looped, {pair});
  EXPECT_EQ(report.transforms[0].skipped_by.not_convex, 1);
  // Nothing reads the Abs.
  ModelGraph unread = traced([](const Tensors &in) -> Tensors {
    ops::abs(in[0]);
    return {in[0]};
  });
  report = optimizeWith(unread, {std::make_shared<Given>(std::vector<OpCode>{OpCode::Abs}, itself, same)});
  EXPECT_EQ(report.transforms[0].skipped_by.unread, 1);
  EXPECT_EQ(applied, 0);
  EXPECT_EQ(everything(looped), before);
}

TEST(PatternTransforms, anOptionalRoleMayLack) {
  auto absNeg = std::make_shared<Given>(
      std::vector<OpCode>{OpCode::Abs},
      [](const ModelGraph &, const Node &node) {
        std::optional<Node> below = node.input(0)->producer();
        bool relu = below && below->op_code() == OpCode::Relu;
        std::optional<Node> neg = relu ? below->input(0)->producer() : below;
        if (!neg || neg->op_code() != OpCode::Neg)
          return Given::no_match(node, "no Neg");
        return Given::result({neg, relu ? below : std::nullopt, node});
      },
      [](ModelGraph &, const RewriteMatch &match, const Tensors &in) {
        return Tensors{match.nodes[1] ? ops::relu(in[0]) : ops::exp(in[0])};
      });
  ModelGraph with = traced([](const Tensors &in) -> Tensors { return {ops::abs(ops::relu(ops::neg(in[0])))}; });
  ModelGraph without = traced([](const Tensors &in) -> Tensors { return {ops::abs(ops::neg(in[0]))}; });
  optimizeWith(with, {absNeg});
  optimizeWith(without, {absNeg});
  EXPECT_EQ(formulas(with), "Relu(x)");
  EXPECT_EQ(formulas(without), "Exp(x)");
}

TEST(PatternTransforms, withoutCodesEveryOperatorIsAskedAbout) {
  ModelGraph graph = pageGraph();
  std::vector<std::string> asked;
  auto look = std::make_shared<Given>(
      std::vector<OpCode>{},
      [&](const ModelGraph &, const Node &node) {
        asked.push_back(std::string(op_code_name(node.op_code())));
        return MatchResult();
      },
      same);
  OptimizeReport report = optimizeWith(graph, {look});
  EXPECT_THAT(asked, ElementsAre("Relu", "Relu", "Neg", "Add"));
  EXPECT_EQ(report.transforms[0].attempts, 4);
  EXPECT_TRUE(report.transforms[0].reasons.empty());
}

/// The codes of the operators in the graph's order.
std::vector<std::string> order(const ModelGraph &graph) {
  std::vector<std::string> codes;
  for (const Node &node : graph.nodes())
    if (node.kind() == NodeKind::Operator)
      codes.emplace_back(op_code_name(node.op_code()));
  return codes;
}

TEST(PatternTransforms, insertAtPicksThePlace) {
  for (bool early : {false, true}) {
    ModelGraph graph = traced([](const Tensors &in) -> Tensors {
      Tensor a = ops::abs(in[0]), e = ops::exp(in[0]), n = ops::neg(a);
      return {n, e};
    });
    auto fuse = std::make_shared<Given>(
        std::vector<OpCode>{OpCode::Neg},
        [early](const ModelGraph &, const Node &node) {
          std::optional<Node> abs = node.input(0)->producer();
          return Given::result({abs, node}, early ? abs : std::nullopt);
        },
        [](ModelGraph &, const RewriteMatch &, const Tensors &in) { return Tensors{ops::relu(in[0])}; });
    optimizeWith(graph, {fuse});
    EXPECT_EQ(formulas(graph), "Relu(x); Exp(x)");
    if (early)
      EXPECT_THAT(order(graph), ElementsAre("Relu", "Exp"));
    else
      EXPECT_THAT(order(graph), ElementsAre("Exp", "Relu"));
    graph.verify();
  }
}

TEST(PatternTransforms, applyMayAddConstantsAndReadOtherValues) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::neg(in[0]), ops::exp(in[0])}; });
  auto scale = std::make_shared<Given>(std::vector<OpCode>{OpCode::Neg}, itself,
                                       [](ModelGraph &g, const RewriteMatch &, const Tensors &in) {
                                         Value factor = g.add_constant(floats({1, 2, 3}, {3}), "factor");
                                         Value other = g.outputs()[1];
                                         return Tensors{ops::add(ops::mul(in[0], Given::value(factor)),
                                                                 ops::mul(Given::value(other), Given::value(factor)))};
                                       });
  optimizeWith(graph, {scale});
  EXPECT_EQ(formulas(graph), "Add(Mul(x, c), Mul(Exp(x), c)); Exp(x)");
  for (const Node &mul : graph.find_nodes(OpCode::Mul))
    EXPECT_EQ(mul.input(1)->name(), "factor");
  graph.verify();
}

TEST(PatternTransforms, aValueComputedFromWhatIsReplacedIsRefused) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::exp(ops::neg(in[0]))}; });
  auto wrong = std::make_shared<Given>(std::vector<OpCode>{OpCode::Neg}, itself,
                                       [](ModelGraph &g, const RewriteMatch &, const Tensors &) {
                                         return Tensors{ops::abs(Given::value(g.outputs()[0]))};
                                       });
  std::string before = everything(graph);
  EXPECT_THAT(refusal([&] { optimizeWith(graph, {wrong}); }),
              AllOf(StartsWith("INVALID_ARGUMENT | optimize: transforms[0] (given) failed: "), HasSubstr("cycle")));
  EXPECT_EQ(everything(graph), before);
  EXPECT_THAT(refusal([&] { Given::value(graph.inputs()[0]); }), StartsWith("FAILED_PRECONDITION | value: "));
}

TEST(PatternTransforms, otherEditsAreRefusedInTheirMethods) {
  Node kept;
  auto edit = [&](ModelGraph &graph) { graph.rename_node(kept, "renamed"); };
  auto inMatch = std::make_shared<Given>(
      std::vector<OpCode>{},
      [&](const ModelGraph &graph, const Node &) {
        edit(const_cast<ModelGraph &>(graph));
        return MatchResult();
      },
      same);
  auto inApply = std::make_shared<Given>(std::vector<OpCode>{}, itself,
                                         [&](ModelGraph &graph, const RewriteMatch &, const Tensors &in) {
                                           edit(graph);
                                           return Tensors{in[0]};
                                         });
  auto constantInMatch = std::make_shared<Given>(
      std::vector<OpCode>{},
      [&](const ModelGraph &graph, const Node &) {
        const_cast<ModelGraph &>(graph).add_constant(floats({1}, {1}));
        return MatchResult();
      },
      same);
  for (const auto &[pattern, who] : {std::pair(inMatch, "match() of 'given'"), std::pair(inApply, "apply() of 'given'"),
                                     std::pair(constantInMatch, "match() of 'given'")}) {
    ModelGraph graph = negs(2);
    kept = graph.find_nodes(OpCode::Neg)[0];
    std::string before = everything(graph);
    EXPECT_THAT(refusal([&] { optimizeWith(graph, {pattern}); }),
                AllOf(StartsWith("FAILED_PRECONDITION | optimize: transforms[0] (given) failed: "), HasSubstr(who)));
    EXPECT_EQ(everything(graph), before);
  }
}

TEST(PatternTransforms, aResultThatIsNoneIsRefused) {
  ModelGraph other = negs(1), graph = negs(2);
  Node foreign = other.find_nodes(OpCode::Neg)[0];
  std::string before = everything(graph);
  auto refused = [&](Matcher matcher) {
    std::string text = refusal(
        [&] { optimizeWith(graph, {std::make_shared<Given>(std::vector<OpCode>{}, std::move(matcher), same)}); });
    EXPECT_EQ(everything(graph), before);
    return text;
  };
  EXPECT_THAT(refused([&](const ModelGraph &, const Node &) { return Given::result({foreign}); }),
              HasSubstr("failed: match: the node given is of another graph"));
  EXPECT_THAT(refused([&](const ModelGraph &g, const Node &) { return Given::result({g.nodes()[0]}); }),
              HasSubstr("failed: match: node 0 of the result at 'neg_1' is the graph's input 'x'"));
  EXPECT_THAT(refused([&](const ModelGraph &, const Node &node) { return Given::result({node, node}); }),
              HasSubstr("'neg_1' has two roles"));
  EXPECT_THAT(refused([&](const ModelGraph &, const Node &) { return Given::result({std::nullopt}); }),
              HasSubstr("every role of the result at 'neg_1' is lacking"));
  EXPECT_THAT(refused([&](const ModelGraph &, const Node &) { return Given::result({}); }),
              HasSubstr("failed: result: there are no nodes"));
}

TEST(PatternTransforms, aFailureAnywhereUndoesTheRun) {
  for (int fatal = 1; fatal <= 4; ++fatal) {
    ModelGraph graph = negs(8);
    std::string before = everything(graph);
    int calls = 0;
    auto breaks = std::make_shared<Given>(std::vector<OpCode>{OpCode::Neg}, itself,
                                          [&](ModelGraph &, const RewriteMatch &, const Tensors &in) {
                                            if (++calls == fatal)
                                              throw std::runtime_error("on purpose");
                                            return Tensors{ops::abs(in[0])};
                                          });
    EXPECT_EQ(refusal([&] { optimizeWith(graph, {breaks}); }),
              "INTERNAL | optimize: transforms[0] (given) failed: on purpose");
    EXPECT_EQ(everything(graph), before);
  }
}

TEST(PatternTransforms, aWrongReplacementIsRefused) {
  ModelGraph graph = negs(1);
  std::string before = everything(graph);
  auto two =
      std::make_shared<Given>(std::vector<OpCode>{}, itself, [](ModelGraph &, const RewriteMatch &, const Tensors &in) {
        return Tensors{in[0], in[0]};
      });
  EXPECT_THAT(refusal([&] { optimizeWith(graph, {two}); }),
              HasSubstr("failed: apply: apply() of 'given' stands for 1 output, 2 values returned"));
  EXPECT_EQ(everything(graph), before);
}

TEST(PatternTransforms, whatTheyMakeWaitsForTheNextIteration) {
  ModelGraph graph = negs(1);
  auto grow = std::make_shared<Given>(std::vector<OpCode>{OpCode::Neg}, itself,
                                      [](ModelGraph &, const RewriteMatch &, const Tensors &in) {
                                        return Tensors{ops::neg(ops::neg(ops::neg(in[0])))};
                                      });
  OptimizeOptions options;
  options.transforms = std::vector<Transform>{grow};
  options.max_iterations = 2;
  OptimizeReport report = graph.optimize(options);
  EXPECT_EQ(report.transforms[0].rewrites, 1 + 3);
  EXPECT_EQ(graph.find_nodes(OpCode::Neg).size(), 9u);
}

TEST(PatternTransforms, namesAndPointersAreChecked) {
  EXPECT_THAT(refusal([] { Transform::from_pattern(nullptr); }),
              HasSubstr("from_pattern: the pattern is an empty pointer"));
  auto named = [](const char *name) {
    return std::make_shared<Given>(std::vector<OpCode>{}, itself, same, Traits(), name);
  };
  EXPECT_THAT(refusal([&] { Transform(named("")); }), HasSubstr("from_pattern: the transform's name is empty"));
  EXPECT_THAT(refusal([&] { Transform(named("clamp_to_relu")); }), HasSubstr("one of the runtime's transforms"));
  auto one = named("p"), two = named("p");
  EXPECT_EQ(Transform(one), Transform(one));
  EXPECT_NE(Transform(one), Transform(two));
  ModelGraph graph = negs(1);
  EXPECT_THAT(refusal([&] { optimizeWith(graph, {one, two}); }), HasSubstr("different transforms of one name"));
  EXPECT_EQ(optimizeWith(graph, {std::make_shared<NegNeg>()}).transforms.size(), 1u);
}

TEST(PatternTransforms, aGraphDestroyedByAMethodIsRefused) {
  auto graph = std::make_unique<ModelGraph>(negs(2));
  auto destroy = std::make_shared<Given>(
      std::vector<OpCode>{},
      [&](const ModelGraph &, const Node &) {
        graph.reset();
        return MatchResult();
      },
      same);
  OptimizeOptions options;
  options.transforms = std::vector<Transform>{destroy};
  EXPECT_THAT(refusal([&] { graph->optimize(options); }), HasSubstr("the transform has destroyed the graph"));
}

TEST(Traits, withChangesWhatIsGiven) {
  Transform plain = transform("mine", [](ModelGraph &) {});
  EXPECT_EQ(plain.priority(), 1);
  EXPECT_EQ(plain.device(), Device::any);
  EXPECT_EQ(plain.exactness(), Exactness::exact());
  Traits traits;
  traits.priority = 3;
  Transform later = plain.with(traits);
  EXPECT_EQ(later.priority(), 3);
  EXPECT_EQ(later.name(), "mine");
  EXPECT_NE(later, plain);
  EXPECT_EQ(later, plain.with(traits));
  EXPECT_EQ(plain.with(Traits()), plain);
  traits = Traits();
  traits.device = Device{"gpu", 1};
  traits.exactness = Exactness::bounded(1e-3, 0.0);
  traits.runs_after = std::vector<Transform>{transforms::remove_double_neg()};
  Transform all = later.with(traits);
  EXPECT_EQ(all.priority(), 3);
  EXPECT_EQ(all.device().to_string(), "gpu:1");
  EXPECT_EQ(all.exactness().rtol, 1e-3);
  EXPECT_EQ(all.runs_after().size(), 1u);
  EXPECT_EQ(plain.with(all.traits()), all);
  ModelGraph graph = negs(1);
  EXPECT_THAT(refusal([&] { optimizeWith(graph, {plain, later}); }), HasSubstr("different transforms of one name"));
}

TEST(Traits, badOnesAreRefused) {
  Transform plain = transform("mine", [](ModelGraph &) {});
  auto refused = [&](const Transform &of, std::function<void(Traits &)> set) {
    Traits traits;
    set(traits);
    return refusal([&] { (void)of.with(traits); });
  };
  EXPECT_THAT(refused(plain, [](Traits &t) { t.priority = -1; }), HasSubstr("with: the priority of 'mine' is -1"));
  EXPECT_THAT(refused(plain, [](Traits &t) { t.device = Device{"", 0}; }), HasSubstr("with: the device's kind is ''"));
  EXPECT_THAT(refused(plain, [](Traits &t) { t.device = Device{"gpu", -2}; }), HasSubstr("there is no device"));
  EXPECT_THAT(refused(plain, [](Traits &t) { t.exactness = Exactness::bounded(-1.0, 0.0); }), HasSubstr("rtol"));
  EXPECT_THAT(refused(plain, [](Traits &t) { t.exactness = Exactness::bounded(0.0, std::nan("")); }),
              HasSubstr("atol"));
  EXPECT_THAT(refused(plain, [](Traits &t) { t.exactness = Exactness{Exactness::Kind::Exact, 0.1, 0.0}; }),
              HasSubstr("keeps every bit"));
  EXPECT_THAT(refused(transforms::clamp_to_relu(), [](Traits &t) { t.exactness = Exactness::bounded(1.0, 1.0); }),
              HasSubstr("whose exactness the runtime declares"));
}

TEST(Traits, orderHoldsForEveryVariantOfATransform) {
  Traits late;
  late.priority = 5;
  Transform first = transform("first", [](ModelGraph &) {});
  Traits follows;
  follows.runs_after = std::vector<Transform>{first};
  Transform second = transform("second", [](ModelGraph &) {}).with(follows);
  ModelGraph graph = negs(1);
  EXPECT_THAT(refusal([&] { optimizeWith(graph, {second, first.with(late)}); }),
              HasSubstr("transforms[0] (second) must run after first, which the list places later, at transforms[1]"));
  OptimizeOptions options;
  options.transforms = std::vector<Transform>{first.with(late), second};
  EXPECT_EQ(graph.optimize(options).iterations, 1);
  options.order = Order::Priority;
  EXPECT_THAT(refusal([&] { graph.optimize(options); }),
              HasSubstr("transforms[1] (second) must run after first, whose priority 5 comes after its own, 1"));
}

TEST(Traits, checkHoldsATransformToWhatItDeclares) {
  auto shift = [](double by) {
    return std::make_shared<Given>(std::vector<OpCode>{OpCode::Exp}, itself,
                                   [by](ModelGraph &, const RewriteMatch &, const Tensors &in) {
                                     return Tensors{ops::add(ops::neg(ops::neg(ops::exp(in[0]))), by)};
                                   });
  };
  auto run = [&](const Transform &entry) {
    ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::exp(in[0])}; });
    OptimizeOptions options;
    options.transforms = std::vector<Transform>{entry};
    options.check.emplace();
    options.max_iterations = 1;
    std::string before = everything(graph);
    std::string text = refusal([&] { graph.optimize(options); });
    if (text != "nothing was thrown")
      EXPECT_EQ(everything(graph), before);
    return text;
  };
  auto declaring = [](const Transform &entry, Exactness exactness) {
    Traits traits;
    traits.exactness = exactness;
    return entry.with(traits);
  };
  Transform off = Transform(shift(1e-3));
  EXPECT_THAT(run(off), StartsWith("CHECK_FAILED | optimize: the check failed after transforms[0] (given)"));
  EXPECT_EQ(run(declaring(off, Exactness::bounded(0.0, 1e-2))), "nothing was thrown");
  EXPECT_EQ(run(declaring(off, Exactness::approximate(0.0, 1e-2))), "nothing was thrown");
  EXPECT_THAT(run(declaring(off, Exactness::bounded(0.0, 1e-5))), StartsWith("CHECK_FAILED"));
}

/// A run of three entries that rename the one operator; what ran, in order.
std::string trail(Order order, std::vector<int> priorities) {
  ModelGraph graph = negs(1);
  std::string text;
  std::vector<Transform> list;
  for (size_t i = 0; i < priorities.size(); ++i) {
    Traits traits;
    traits.priority = priorities[i];
    char letter = static_cast<char>('a' + i);
    list.push_back(transform(std::string(1, letter), [&text, letter, left = 1](ModelGraph &g) mutable {
                     text += letter;
                     if (left-- > 0)
                       g.rename_node(g.find_nodes(OpCode::Neg)[0], std::string("by_") + letter);
                   }).with(traits));
  }
  OptimizeOptions options;
  options.transforms = list;
  options.order = order;
  OptimizeReport report = graph.optimize(options);
  return text + (report.converged ? " " : " not ") + std::to_string(report.iterations);
}

TEST(Priority, levelsAscendAndTheListOrderStaysTheDefault) {
  EXPECT_EQ(trail(Order::List, {2, 0, 1}), "abcabc 2");
  // b alone until it changes nothing; then b and c, then all, from front to back.
  EXPECT_EQ(trail(Order::Priority, {2, 0, 1}), "bb"
                                               "bcbc"
                                               "abcabc 6");
  EXPECT_EQ(trail(Order::Priority, {1, 1, 1}), "abcabc 2");
  EXPECT_THAT(refusal([&] { trail(static_cast<Order>(77), {1, 1, 1}); }),
              StartsWith("INVALID_ARGUMENT | optimize: order is 77, which is none of Order's"));
  EXPECT_EQ(trail(Order::Priority, {}), " 1");
}

TEST(Keep, noRuleConsumesWhatIsKept) {
  const OpCode pair[] = {OpCode::Neg, OpCode::Neg};
  Transform rule = transforms::rewrite("pair", Pattern::chain(pair),
                                       [](const RewriteMatch &, const Tensors &in) { return Tensors{in[0]}; });
  for (const Transform &entry : {rule, Transform(std::make_shared<NegNeg>())}) {
    ModelGraph graph = negs(4);
    Node second = graph.find_nodes(OpCode::Neg)[1];
    OptimizeOptions options;
    options.transforms = std::vector<Transform>{entry};
    options.keep = {second};
    OptimizeReport report = graph.optimize(options);
    EXPECT_TRUE(second.is_valid());
    EXPECT_EQ(formulas(graph), "Neg(Neg(x))");
    EXPECT_EQ(report.transforms[0].skipped_by.kept,
              report.transforms[0].skipped - report.transforms[0].skipped_by.removed);
    EXPECT_GT(report.transforms[0].skipped_by.kept, 0);
    options.keep.clear();
    graph.optimize(options);
    EXPECT_EQ(formulas(graph), "x");
  }
  ModelGraph graph = negs(2), other = negs(1);
  OptimizeOptions options;
  options.transforms = std::vector<Transform>{rule};
  options.keep = {graph.nodes()[0]};
  EXPECT_THAT(refusal([&] { graph.optimize(options); }), HasSubstr("optimize: keep[0]: 'x' is an input of the graph"));
  options.keep = {other.nodes()[1]};
  EXPECT_THAT(refusal([&] { graph.optimize(options); }),
              HasSubstr("optimize: keep[0]: the node given is of another graph"));
  EXPECT_EQ(formulas(graph), "Neg(Neg(x))");
}

} // namespace
