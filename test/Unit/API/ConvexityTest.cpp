// Convexity against a search of all paths, and its cost, counted in operators looked at.
#include "GraphTesting.h"

#include "API/Convexity.h"

#include <algorithm>
#include <random>

using namespace testing_graphs;
using clika::Convexity;

namespace {

std::vector<mlir::Operation *> operatorsOf(clika::GraphCore &core) {
  std::vector<mlir::Operation *> ops;
  for (mlir::Operation &op : core.block().without_terminator())
    ops.push_back(&op);
  return ops;
}

/// Whether a path from `op`, which is outside of `set`, leads into it.
bool comesBack(mlir::Operation *op, const std::vector<mlir::Operation *> &set) {
  return llvm::any_of(op->getUsers(), [&](mlir::Operation *user) {
    return std::ranges::find(set, user) != set.end() || comesBack(user, set);
  });
}

bool convexByPaths(const std::vector<mlir::Operation *> &set) {
  for (mlir::Operation *op : set)
    for (mlir::Operation *user : op->getUsers())
      if (std::ranges::find(set, user) == set.end() && comesBack(user, set))
        return false;
  return true;
}

TEST(Convexity, isThatOfAllPaths) {
  int convex = 0, asked = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    // Long chains between few joints, so that paths are longer than what is looked at for one set alone.
    ModelGraph graph = traced([&](const Tensors &in) -> Tensors {
      Tensors values = {in[0]};
      for (int i = 0; i < 7; ++i) {
        Tensor value = ops::add(values[random() % values.size()], values[random() % values.size()]);
        for (unsigned length = random() % 2 ? 80 : 1; length > 0; --length)
          value = ops::relu(value);
        values.push_back(value);
      }
      return {values.back()};
    });
    std::vector<mlir::Operation *> ops = operatorsOf(*graph.core());
    Convexity convexity(*graph.core());
    for (int i = 0; i < 150; ++i) {
      std::vector<mlir::Operation *> set = {ops[random() % ops.size()]};
      for (unsigned more = 1 + random() % 3; more > 0; --more) {
        mlir::Operation *op = ops[random() % ops.size()];
        // Neighbours more often than not.
        if (random() % 3 != 0 && !set.front()->use_empty() && set.front()->user_begin()->getNextNode())
          op = *set.front()->user_begin();
        if (std::ranges::find(set, op) == set.end())
          set.push_back(op);
      }
      bool expected = convexByPaths(set);
      EXPECT_EQ(convexity.holds(set), expected) << "seed " << seed << ", set " << i;
      convex += expected;
      ++asked;
    }
  }
  EXPECT_GT(convex, asked / 5);
  EXPECT_LT(convex, asked * 4 / 5);
}

// Pairs of one Neg and an Add that also reads a chain: asked one by one, each answer would cost the chain up to there.
TEST(Convexity, ofManySetsThatShareAnOperatorCostsTheGraph) {
  constexpr int kPairs = 3000;
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    Tensor negated = ops::neg(in[0]), chain = in[0];
    Tensors sums;
    for (int i = 0; i < kPairs; ++i) {
      chain = ops::relu(chain);
      sums.push_back(ops::add(chain, negated));
    }
    return sums;
  });
  std::vector<mlir::Operation *> ops = operatorsOf(*graph.core());
  Convexity convexity(*graph.core());
  for (size_t i = 1; i < ops.size(); ++i)
    if (ops[i]->getNumOperands() == 2)
      EXPECT_TRUE(convexity.holds({ops[0], ops[i]}));
  EXPECT_LT(convexity.looked, 100u * ops.size());
}

} // namespace
