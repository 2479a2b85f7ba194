// Runs compiled graphs on memory whose neighbours may not be touched.
#pragma once
#include <ClikaRT/graph.h>

#include <string>
#include <vector>

namespace clika::test {

/// Where the page that faults lies: right behind a buffer's last byte, or right before its first.
enum class Guard { Behind, Before };

struct GuardedRun {
  Guard guard = Guard::Behind;
  /// What every byte of results and temporaries is before the code writes it.
  unsigned char fill = 0;
};

struct GuardedCase {
  /// Printed when the code faults.
  std::string name;
  ClikaRT::graph::TraceFunction fn;
  std::vector<ClikaRT::Tensor> inputs;
  /// How many of the last inputs are constants of the program.
  std::size_t constants = 0;
  /// Per input and dimension: the name of one that is known at run time only; empty for one that is fixed. May be
  /// short.
  std::vector<std::vector<std::string>> dims = {};
  bool relaxed = false;
  unsigned threads = 1;
  /// Whether the numbers are the same without a fused multiply-add, which the functions' polynomials use.
  bool sameWithoutFusing = true;
};

/// The bytes of each result.
using Results = std::vector<std::string>;

/// Compiles the case for `cpu` and runs it as each of `runs` says. `separate`: every temporary has guards of its own;
/// else the block that they share has. Inputs and constants can be read only.
std::vector<Results> runGuarded(const GuardedCase &test, const std::string &cpu, bool separate,
                                const std::vector<GuardedRun> &runs);

/// Instructions of a case's code in the LLVM dialect.
struct Instructions {
  std::size_t entry = 0, largestKernel = 0;
};
Instructions countInstructions(const GuardedCase &test, const std::string &cpu);

/// For each CPU that this machine can be: no buffer is left, none is read before it is written, and the results are the
/// same everywhere, as far as the case says.
void expectGuarded(const GuardedCase &test);

} // namespace clika::test
