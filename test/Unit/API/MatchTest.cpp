// The search that takes the first operand that will do, against the one that goes back on its choices: what a matcher
// explains itself by.
#include "GraphTesting.h"

#include "API/Match.h"

#include <random>

using namespace testing_graphs;
using clika::Assignment;
using clika::Matcher;

namespace {

constexpr OpCode kCodes[] = {OpCode::Add, OpCode::Add, OpCode::Mul, OpCode::Relu};

/// Few inputs and short steps, so that operands are shared and swapped operands make a difference.
ModelGraph randomGraph(std::mt19937 &random) {
  return traced([&](const Tensors &in) -> Tensors {
    Tensors values = {in[0], ops::exp(in[0])};
    for (int i = 0; i < 30; ++i) {
      const Tensor &a = values[values.size() - 1 - random() % std::min<size_t>(values.size(), 5)];
      const Tensor &b = values[values.size() - 1 - random() % std::min<size_t>(values.size(), 5)];
      switch (random() % 6) {
      case 0:
        values.push_back(ops::relu(a));
        break;
      case 1:
        values.push_back(ops::neg(a));
        break;
      case 2:
        values.push_back(ops::mul(a, random() % 2 ? 0.5 : 2.0));
        break;
      case 3:
        values.push_back(ops::mul(a, b));
        break;
      default:
        values.push_back(ops::add(a, b));
      }
    }
    return values;
  });
}

/// One that every node of is found through what reads it: each but the first feeds one before it.
Pattern randomTree(std::mt19937 &random) {
  Pattern pattern;
  size_t count = 1 + random() % 5;
  std::vector<bool> binary;
  for (size_t i = 0; i < count; ++i) {
    OpCode code = kCodes[random() % 4];
    binary.push_back(code == OpCode::Add || code == OpCode::Mul);
    ClikaRT::graph::PatternNodeOptions options;
    options.commutative = binary.back() && random() % 2;
    if (random() % 5 == 0)
      pattern.add_node({OpCode::Add, OpCode::Mul}, options), binary.back() = true;
    else
      pattern.add_node(code, options);
  }
  std::vector<size_t> ports(count, 0);
  for (size_t i = 1; i < count; ++i)
    for (size_t edges = 1 + random() % 5 / 4; edges > 0; --edges) {
      size_t reader = random() % i;
      if (ports[reader] < (binary[reader] ? 2 : 1) || edges == 1)
        pattern.add_edge(i, reader, 0, random() % 4 ? ports[reader]++ % 2 : ClikaRT::graph::any_operand);
    }
  return pattern;
}

Pattern tracedPattern(std::mt19937 &random) {
  double factor = random() % 2 ? 0.5 : 2.0;
  unsigned form = random() % 4;
  return Pattern::trace(
      [&](const Tensors &in) -> Tensors {
        Tensor scaled = ops::mul(in[0], factor);
        if (form == 0)
          return {ops::add(scaled, in[1])};
        if (form == 1)
          return {ops::mul(ops::add(scaled, in[0]), in[1])};
        if (form == 2)
          return {ops::add(ops::mul(in[0], in[1]), scaled)};
        return {ops::mul(ops::add(in[0], in[1]), in[1])};
      },
      2);
}

struct Searched {
  std::vector<Assignment> all;
  uint64_t attempts = 0;
};

/// Every assignment of `op`; `most`: the search is ended by the last.
Searched searched(Matcher &matcher, mlir::Operation *op, size_t most) {
  Searched found;
  uint64_t before = matcher.attempts;
  matcher.enumerate(op, false, [&](const Assignment &assignment) {
    found.all.push_back(assignment);
    return found.all.size() == most ? Matcher::Use::Stop : Matcher::Use::Next;
  });
  found.attempts = matcher.attempts - before;
  return found;
}

/// By pattern node.
llvm::SmallVector<bool, 8> each(const clika::PatternPlan &plan, bool isTouched) {
  return llvm::SmallVector<bool, 8>(plan.nodes().size(), isTouched);
}

TEST(Match, theFirstChoicesFindWhatTheWholeSearchFindsFirst) {
  size_t found = 0, missed = 0, several = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    ModelGraph graph = randomGraph(random);
    Pattern pattern;
    try {
      pattern = random() % 3 ? randomTree(random) : tracedPattern(random);
      graph.find_occurrences(pattern);
    } catch (const ClikaRT::Error &) {
      continue; // Not every tree is a pattern: a Neg has one port.
    }
    clika::PatternPlan plan(pattern);
    clika::Query query(graph.core(), "test");
    Matcher quick(query, plan, query->index.nextId(), "the pattern"), whole(query, plan, query->index.nextId(), "same");
    whole.explain = [](const Assignment &, size_t, const std::string &) {};
    for (mlir::Operation &op : query->block().without_terminator()) {
      if (!clika::isOperator(&op))
        continue;
      for (size_t most : {size_t{1}, size_t{1000}}) {
        std::vector<Assignment> expected = searched(whole, &op, most).all;
        ASSERT_EQ(searched(quick, &op, most).all, expected) << "seed " << seed;
        found += !expected.empty();
        missed += expected.empty();
        several += expected.size() > 1;
      }
      for (const Assignment &assignment : searched(whole, &op, 3).all) {
        for (bool isTouched : {false, true}) {
          Assignment again{assignment.ops, {}};
          ASSERT_TRUE(quick.stands(again, each(plan, isTouched))) << "seed " << seed;
          Assignment slowly{assignment.ops, {}};
          ASSERT_TRUE(whole.stands(slowly, each(plan, isTouched))) << "seed " << seed;
          EXPECT_EQ(again, slowly) << "seed " << seed;
        }
        Assignment swapped{assignment.ops, {}};
        std::swap(swapped.ops.front(), swapped.ops.back());
        Assignment same = swapped;
        EXPECT_EQ(quick.stands(swapped, each(plan, true)), whole.stands(same, each(plan, true))) << "seed " << seed;
        EXPECT_EQ(swapped, same) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(found, 5000u);
  EXPECT_GT(missed, 5000u);
  EXPECT_GT(several, 200u);
}

struct FoundAtPorts {
  Assignment assignment;
  llvm::SmallVector<uint32_t, 8> ports;
  /// Of the operators, which an edit may build anew.
  std::vector<uint64_t> ids;
};

/// The first assignment of each root whose ports are known.
std::vector<FoundAtPorts> foundAtPorts(clika::Query &query, Matcher &matcher) {
  std::vector<FoundAtPorts> found;
  for (mlir::Operation &op : query->block().without_terminator())
    if (clika::isOperator(&op))
      matcher.enumerate(&op, false, [&](const Assignment &assignment) {
        if (matcher.portsFound().empty())
          return Matcher::Use::Stop;
        found.push_back({assignment, llvm::SmallVector<uint32_t, 8>(matcher.portsFound()), {}});
        for (mlir::Operation *node : assignment.ops)
          found.back().ids.push_back(clika::identityOf(node)->id);
        return Matcher::Use::Stop;
      });
  return found;
}

/// Lets some operators read others, where types allow it.
void edit(ModelGraph &graph, std::mt19937 &random) {
  std::vector<Node> nodes = graph.nodes();
  for (int i = 0; i < 12; ++i)
    try {
      const Node &reader = nodes[random() % nodes.size()], &read = nodes[random() % nodes.size()];
      graph.set_input(reader, random() % 2, read.outputs().front());
    } catch (const ClikaRT::Error &) { // an input of the graph, say, or a cycle
    }
}

TEST(Match, whatStandsAtItsPortsStands) {
  size_t stood = 0, fell = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    ModelGraph graph = randomGraph(random);
    Pattern pattern;
    try {
      pattern = random() % 2 ? randomTree(random) : tracedPattern(random);
      graph.find_occurrences(pattern);
    } catch (const ClikaRT::Error &) {
      continue;
    }
    clika::PatternPlan plan(pattern);
    std::optional<clika::Query> query(std::in_place, graph.core(), "test");
    Matcher before(*query, plan, (*query)->index.nextId(), "the pattern");
    std::vector<FoundAtPorts> found = foundAtPorts(*query, before);
    for (const FoundAtPorts &one : found)
      for (bool isTouched : {false, true}) {
        Assignment again{one.assignment.ops, {}};
        ASSERT_TRUE(before.standsAt(again, one.ports, each(plan, isTouched))) << "seed " << seed;
        EXPECT_EQ(again, one.assignment) << "seed " << seed;
      }
    query.reset();
    edit(graph, random);
    query.emplace(graph.core(), "test");
    Matcher after(*query, plan, (*query)->index.nextId(), "the pattern");
    after.explain = [](const Assignment &, size_t, const std::string &) {};
    for (const FoundAtPorts &one : found) {
      Assignment quickly;
      for (uint64_t id : one.ids)
        quickly.ops.push_back((*query)->index.slot(id)->op);
      Assignment slowly = quickly;
      bool stands = after.stands(slowly, each(plan, true));
      bool standsThere = after.standsAt(quickly, one.ports, each(plan, true));
      EXPECT_TRUE(stands || !standsThere) << "seed " << seed;
      stood += standsThere;
      fell += !stands;
    }
  }
  EXPECT_GT(stood, 1000u);
  EXPECT_GT(fell, 100u);
}

TEST(Match, operatorsOfOtherCodesAreNoAttempts) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::neg(ops::relu(ops::exp(in[0])))}; });
  Pattern pattern = Pattern::chain({OpCode::Relu, OpCode::Neg});
  clika::PatternPlan plan(pattern);
  clika::Query query(graph.core(), "test");
  Matcher matcher(query, plan, query->index.nextId(), "the pattern");
  std::vector<uint64_t> attempts;
  for (mlir::Operation &op : query->block().without_terminator())
    attempts.push_back(searched(matcher, &op, 1).attempts);
  EXPECT_EQ(attempts, (std::vector<uint64_t>{0, 0, 2}));
}

} // namespace
