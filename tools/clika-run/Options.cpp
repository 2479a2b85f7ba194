#include "clika-run/Options.h"

#include "ClikaRT/error.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <iterator>
#include <string_view>

using ClikaRT::Error;
using ClikaRT::Status;

namespace clika::run {

const char *const usage = R"(usage: clika-run [options] FILE
Runs an ONNX model (.onnx), a module of clika operators (.mlir) or a saved graph, and prints shapes and times.

  --input NAME=FILE.npy   the data of an input; an input without one gets random data
  --dim NAME=SIZE         the size of a named dimension; one that no input gives is 1
  --seed N                of the random data (0): numbers from -1 to 1, integers 0 or 1
  --repeat N              how many runs to time after the first (10)
  --threads N             how many threads a run may use (one per CPU)
  --no-optimize           compile the graph as it is read
  --outputs FOLDER        write each output to FOLDER/NAME.npy; the folder is made where there is none
)";

namespace {

[[noreturn]] void fail(const std::string &message) { throw Error(Status::InvalidArgument, "clika-run: " + message); }

int64_t number(const std::string &option, const std::string &text, int64_t least, int64_t most) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    fail(option + " takes a number from " + std::to_string(least) + " to " + std::to_string(most) + ", not '" + text +
         "'");
  return value;
}

/// NAME=VALUE; the name may hold a '=', so the last one splits.
std::pair<std::string, std::string> assignment(const std::string &option, const std::string &text) {
  size_t split = text.rfind('=');
  if (split == std::string::npos || split == 0 || split + 1 == text.size())
    fail(option + " takes NAME=VALUE, not '" + text + "'");
  return {text.substr(0, split), text.substr(split + 1)};
}

constexpr std::string_view kWithValue[] = {"--input", "--dim", "--seed", "--repeat", "--threads", "--outputs"};

void takeValue(Options &options, const std::string &option, const std::string &value) {
  if (option == "--input") {
    if (!options.inputs.insert(assignment(option, value)).second)
      fail("--input gives '" + assignment(option, value).first + "' twice");
  } else if (option == "--dim") {
    auto [name, size] = assignment(option, value);
    options.sizes[name] = number(option, size, 0, int64_t(1) << 40);
  } else if (option == "--seed") {
    options.seed = static_cast<uint64_t>(number(option, value, 0, INT64_MAX));
  } else if (option == "--repeat") {
    options.repeat = static_cast<int>(number(option, value, 1, 1000000));
  } else if (option == "--threads") {
    options.threads = static_cast<int>(number(option, value, INT_MIN, INT_MAX));
  } else {
    options.outputFolder = value;
  }
}

} // namespace

Options parseOptions(const std::vector<std::string> &arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      options.help = true;
      return options;
    }
    if (argument == "--no-optimize") {
      options.optimize = false;
    } else if (argument.size() > 1 && argument.front() == '-') {
      const size_t split = argument.find('=');
      const std::string option = argument.substr(0, split);
      if (std::ranges::find(kWithValue, option) == std::end(kWithValue))
        fail("there is no option " + option);
      if (split == std::string::npos && i + 1 == arguments.size())
        fail(option + " needs a value");
      takeValue(options, option, split == std::string::npos ? arguments[++i] : argument.substr(split + 1));
    } else if (!options.file.empty()) {
      fail("one FILE at a time, not '" + options.file + "' and '" + argument + "'");
    } else {
      options.file = argument;
    }
  }
  if (options.file.empty())
    fail("no FILE given");
  return options;
}

} // namespace clika::run
