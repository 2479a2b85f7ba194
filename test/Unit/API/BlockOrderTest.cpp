// The order labels of a graph's block: right after any edit, and cheap, counted in labels given.
#include "GraphTesting.h"

#include "API/Core.h"
#include "API/Order.h"

#include <random>

using namespace testing_graphs;
using clika::GraphCore;

namespace {

/// Any two neighbours, and random pairs, are told apart as a walk tells them.
void expectOrder(GraphCore &core, unsigned seed) {
  std::vector<mlir::Operation *> ops;
  for (mlir::Operation &op : core.block())
    ops.push_back(&op);
  std::mt19937 random(seed);
  size_t pairs = 0;
  for (size_t i = 0; i + 1 < ops.size(); ++i) {
    size_t j = i + 1 + random() % (ops.size() - i - 1);
    pairs += core.index.isBefore(ops[i], ops[i + 1]) && !core.index.isBefore(ops[i + 1], ops[i]) &&
             core.index.isBefore(ops[i], ops[j]) && !core.index.isBefore(ops[j], ops[i]);
  }
  EXPECT_EQ(pairs + 1, ops.size()) << "seed " << seed;
}

ModelGraph chainOf(size_t length) {
  return traced([&](const Tensors &in) -> Tensors {
    Tensor value = in[0];
    for (size_t i = 0; i < length; ++i)
      value = ops::neg(value);
    return {value};
  });
}

/// Labels given for one of `times` edits on average, on a chain of `length` whose order has been asked for.
double labelsPerEdit(size_t length, size_t times,
                     const std::function<void(ModelGraph &, const std::vector<Node> &)> &edit) {
  ModelGraph graph = chainOf(length);
  GraphCore &core = *graph.core();
  std::vector<Node> nodes = graph.nodes();
  core.index.isBefore(&core.block().front(), core.terminator());
  uint64_t before = core.index.blockOrder().given();
  for (size_t i = 0; i < times; ++i)
    edit(graph, nodes);
  expectOrder(core, 1);
  graph.verify();
  return static_cast<double>(core.index.blockOrder().given() - before) / static_cast<double>(times);
}

TEST(BlockOrder, holdsAfterRandomEdits) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    ModelGraph graph = chainOf(1 + seed * 3);
    std::vector<Node> nodes = graph.nodes();
    auto any = [&] { return nodes[random() % nodes.size()]; };
    for (int i = 0; i < 400; ++i) {
      Node a = any(), b = any();
      try {
        switch (random() % 5) {
        case 0:
        case 1:
          nodes.push_back(graph.add_node(OpCode::Relu, {a.output(0)}));
          break;
        case 2:
          graph.replace_all_uses_with(*a.output(0), *b.output(0));
          break;
        case 3:
          graph.set_input(a, 0, b.output(0));
          break;
        default:
          graph.remove_node(a);
          std::erase(nodes, a);
        }
      } catch (const Error &) {
      }
      if (random() % 8 == 0)
        expectOrder(*graph.core(), seed);
    }
    graph.verify();
    expectOrder(*graph.clone().core(), seed);
  }
}

TEST(BlockOrder, isRestoredByUndo) {
  ModelGraph graph = chainOf(50);
  std::string before = everything(graph);
  expectOrder(*graph.core(), 1);
  Transform fails = transform("fails", [](ModelGraph &g) {
    for (const Node &node : g.find_nodes(OpCode::Neg)) {
      Node added = g.add_node(OpCode::Relu, {g.inputs()[0]});
      g.set_input(node, 0, added.output(0));
    }
    throw std::runtime_error("over");
  });
  EXPECT_THAT(refusal([&] { optimizeWith(graph, {fails}); }), testing::HasSubstr("over"));
  EXPECT_EQ(everything(graph), before);
  expectOrder(*graph.core(), 2);
}

// Each of these had the whole block numbered anew, every second time, by mlir::Operation::isBeforeInBlock.
TEST(BlockOrder, anEditCostsFewLabelsWhereverItIs) {
  for (size_t length : {1000u, 20000u}) {
    auto wired = [](size_t reader) {
      return [reader](ModelGraph &graph, const std::vector<Node> &nodes) {
        Node added = graph.add_node(OpCode::Relu, {nodes[0].output(0)});
        graph.set_input(nodes[reader], 0, added.output(0));
      };
    };
    EXPECT_LT(labelsPerEdit(length, 3000, wired(length / 2)), 30);
    EXPECT_LT(labelsPerEdit(length, 3000, wired(1)), 30);
    auto behindOne = [&](ModelGraph &graph, const std::vector<Node> &nodes) {
      Node added = graph.add_node(OpCode::Relu, {nodes[length / 2].output(0)});
      graph.set_input(nodes[length / 2 + 1], 0, added.output(0));
    };
    EXPECT_LT(labelsPerEdit(length, 3000, behindOne), 30);
    auto replaced = [&](ModelGraph &graph, const std::vector<Node> &nodes) {
      graph.replace({*nodes[length / 2].output(0)}, [](const Tensors &in) -> Tensors { return {ops::exp(in[0])}; },
                    {*nodes[length / 2].output(0)});
    };
    EXPECT_LT(labelsPerEdit(length, 3000, replaced), 30);
    auto moved = [&](ModelGraph &graph, const std::vector<Node> &nodes) {
      Node late = graph.add_node(OpCode::Relu, {nodes[length / 2].output(0)});
      Node early = graph.add_node(OpCode::Relu, {nodes[0].output(0)});
      graph.set_input(late, 0, nodes[0].output(0));
      graph.set_input(early, 0, late.output(0));
    };
    EXPECT_LT(labelsPerEdit(length, 1000, moved), 30);
  }
}

} // namespace
