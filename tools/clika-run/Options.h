// The command line of clika-run.
#ifndef CLIKA_TOOLS_CLIKARUN_OPTIONS_H
#define CLIKA_TOOLS_CLIKARUN_OPTIONS_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace clika::run {

extern const char *const usage;

struct Options {
  std::string file;
  /// .npy files by the input they are for.
  std::map<std::string, std::string> inputs;
  /// Sizes by the dimension they are for.
  std::map<std::string, int64_t> sizes;
  uint64_t seed = 0;
  int repeat = 10;
  std::optional<int> threads;
  bool optimize = true;
  std::string outputFolder;
  bool help = false;
};

/// An Error (InvalidArgument) names the option that is wrong and what it takes.
Options parseOptions(const std::vector<std::string> &arguments);

} // namespace clika::run

#endif
