// What a graph holds by its index, against a walk over it.
#include "GraphTesting.h"

#include "API/GraphInventory.h"
#include "Dialect/CoreOps.h"

#include <random>

using namespace testing_graphs;
using clika::GraphInventory;
using clika::WalkedInventory;

namespace {

Tensors chains(const Tensors &in, std::mt19937 &random) {
  Tensors values = {in[0]};
  for (int i = 0; i < 25; ++i) {
    const Tensor &a = values[random() % values.size()], &b = values[random() % values.size()];
    switch (random() % 4) {
    case 0:
      values.push_back(ops::relu(a));
      break;
    case 1:
      values.push_back(ops::neg(a));
      break;
    case 2:
      values.push_back(ops::mul(a, 2.0));
      break;
    default:
      values.push_back(ops::add(a, b));
    }
  }
  return values;
}

ModelGraph flatGraph(std::mt19937 &random) {
  return traced([&](const Tensors &in) { return chains(in, random); });
}

ModelGraph nestedGraph(std::mt19937 &random) {
  return traced(
      [&](const Tensors &in) -> Tensors {
        Tensors values = chains(in, random);
        auto branch = [&]() -> Tensors { return {chains({values[3]}, random).back()}; };
        return {ops::if_(in[1], branch, branch)[0], values.back()};
      },
      {{"x", DataType::Float32, {2}}, {"c", DataType::Bool, {}}});
}

/// Adds, changes, moves and removes operators.
void edit(ModelGraph &graph, std::mt19937 &random) {
  std::vector<Node> nodes = graph.nodes();
  const Node &node = nodes[random() % nodes.size()], &other = nodes[random() % nodes.size()];
  try {
    switch (random() % 4) {
    case 0:
      graph.bypass_node(node);
      break;
    case 1:
      graph.set_input(node, 0, other.outputs().front());
      break;
    case 2:
      graph.replace_all_uses_with(node.outputs().front(), other.outputs().front());
      break;
    default:
      graph.replace(node.outputs(), [](const Tensors &in) -> Tensors { return {ops::neg(ops::relu(in[0]))}; },
                    {*node.input(0)});
    }
  } catch (const ClikaRT::Error &) { // a cycle, say, or an input of the graph
  }
}

std::vector<mlir::OperationName> kinds(clika::GraphCore &core) {
  std::vector<mlir::OperationName> names;
  for (const char *name : {"clika.relu", "clika.neg", "clika.mul", "clika.add", "clika.if", "clika.constant",
                           "func.func", "clika.exp", "clika.nothing"})
    names.emplace_back(name, core.mlir());
  return names;
}

void expectAsWalked(GraphInventory &inventory, clika::GraphCore &core, std::mt19937 &random) {
  WalkedInventory walked(core.module());
  EXPECT_EQ(inventory.all(), walked.all());
  std::vector<mlir::OperationName> names = kinds(core);
  for (mlir::OperationName name : names) {
    EXPECT_EQ(inventory.holds(name), walked.holds(name)) << name.getStringRef().str();
    EXPECT_EQ(inventory.of(name), walked.of(name)) << name.getStringRef().str();
  }
  std::shuffle(names.begin(), names.end(), random);
  llvm::ArrayRef some = llvm::ArrayRef(names).take_front(random() % 4);
  EXPECT_EQ(inventory.of(some), walked.of(some));
}

TEST(GraphInventory, isThatOfAWalkAfterEachEdit) {
  size_t changed = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    ModelGraph graph = seed % 4 == 0 ? nestedGraph(random) : flatGraph(random);
    clika::GraphCore &core = *graph.core();
    core.index.touchLog.start();
    clika::RootIndex index;
    if (seed % 2 == 0)
      index.start(core, clika::ModuleRecord(core.module(), &core.index).takeOperators());
    GraphInventory inventory(core, index);
    for (int i = 0; i < 10; ++i) {
      {
        clika::Query query(graph.core(), "test");
        expectAsWalked(inventory, core, random);
      }
      uint64_t before = core.changes;
      edit(graph, random);
      changed += core.changes != before;
    }
    core.index.touchLog.stop();
  }
  EXPECT_GT(changed, 1000u);
}

} // namespace
