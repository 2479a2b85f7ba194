// What clika-run feeds a graph: .npy files and random data of the right types and shapes.
#ifndef CLIKA_TOOLS_CLIKARUN_INPUTS_H
#define CLIKA_TOOLS_CLIKARUN_INPUTS_H

#include "ClikaRT/graph.h"
#include "clika-run/Options.h"

namespace clika::run {

struct Input {
  std::string name;
  ClikaRT::Tensor tensor;
  /// Where the data is from, for people.
  std::string source;
};

/// One per input of the graph, in its order. A dimension's size is the one of --dim, else that of a file, else 1.
std::vector<Input> makeInputs(const ClikaRT::graph::ModelGraph &graph, const Options &options);

} // namespace clika::run

#endif
