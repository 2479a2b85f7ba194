// clika-run FILE: reads a model, optimizes and compiles it, runs it on .npy files or random inputs, and prints shapes
// and times. It knows no more than the public API.
#include "ClikaRT/clika_rt.h"
#include "clika-run/Inputs.h"
#include "clika-run/Npy.h"
#include "clika-run/Options.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>

using clika::run::Options;
using ClikaRT::Error;
using ClikaRT::Status;
using ClikaRT::Tensor;
using ClikaRT::graph::ModelGraph;

namespace {

/// Milliseconds that `work` takes.
template <class Work>
double timed(Work &&work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

ModelGraph readModel(const std::string &path) {
  std::string extension = std::filesystem::path(path).extension();
  std::ranges::transform(extension, extension.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (extension == ".onnx")
    return ModelGraph::from_onnx(path);
  if (extension != ".mlir")
    return ModelGraph::load(path);
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path))
    throw Error(Status::Io, "clika-run: '" + path + "' cannot be opened; check its name");
  return ModelGraph::from_mlir({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
}

size_t operators(const ModelGraph &graph) { return graph.nodes().size() - graph.inputs().size(); }

std::string typeOf(const Tensor &tensor) {
  return std::string(ClikaRT::data_type_name(tensor.dtype())) + ClikaRT::shape_string(tensor.shape());
}

/// A file name for an output: names may hold anything, a '/' too.
std::string fileName(std::string name) {
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return c == '/' || c < ' '; }, '_');
  return name + ".npy";
}

void makeFolder(const std::string &folder) {
  std::error_code problem;
  if (!folder.empty() && !std::filesystem::is_directory(folder, problem) &&
      !std::filesystem::create_directories(folder, problem))
    throw Error(Status::Io, "--outputs: the folder '" + folder + "' cannot be made: " + problem.message());
}

/// A time in the unit that leaves most of its digits before the point.
std::string timeText(double milliseconds) {
  char text[32];
  if (milliseconds < 1)
    std::snprintf(text, sizeof text, "%.1f us", milliseconds * 1e3);
  else if (milliseconds < 1e3)
    std::snprintf(text, sizeof text, "%.2f ms", milliseconds);
  else
    std::snprintf(text, sizeof text, "%.2f s", milliseconds / 1e3);
  return text;
}

void run(const Options &options) {
  makeFolder(options.outputFolder);
  std::optional<ModelGraph> read;
  double readTime = timed([&] { read.emplace(readModel(options.file)); });
  ModelGraph &graph = *read;
  std::printf("%s: %zu operators, read in %s\n", options.file.c_str(), operators(graph), timeText(readTime).c_str());
  // What was saved with its code runs as it is; other options ask for other code.
  if (graph.is_finalized() && options.threads)
    graph = graph.clone();
  if (options.optimize && !graph.is_finalized()) {
    double time = timed([&] { graph.optimize(); });
    std::printf("optimized in %s: %zu operators\n", timeText(time).c_str(), operators(graph));
  }
  std::vector<clika::run::Input> inputs = clika::run::makeInputs(graph, options);
  if (!graph.is_finalized()) {
    ClikaRT::graph::FinalizeOptions finalize;
    finalize.threads = options.threads;
    std::printf("compiled in %s\n", timeText(timed([&] { graph.finalize(finalize); })).c_str());
  }

  std::vector<Tensor> tensors, outputs;
  for (const clika::run::Input &input : inputs) {
    std::printf("input  %s: %s, %s\n", input.name.c_str(), typeOf(input.tensor).c_str(), input.source.c_str());
    tensors.push_back(input.tensor);
  }
  std::vector<double> times;
  for (int i = 0; i <= options.repeat; ++i)
    times.push_back(timed([&] { outputs = graph.run(tensors); }));
  std::vector<std::string> names = graph.output_names();
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::printf("output %s: %s\n", names[i].c_str(), typeOf(outputs[i]).c_str());
    if (!options.outputFolder.empty())
      clika::run::writeNpy(options.outputFolder + "/" + fileName(names[i]), outputs[i]);
  }
  double first = times.front();
  std::sort(times.begin() + 1, times.end());
  std::printf("first run %s, then of %d runs the fastest %s, the median %s\n", timeText(first).c_str(), options.repeat,
              timeText(times[1]).c_str(), timeText(times[1 + options.repeat / 2]).c_str());
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  try {
    options = clika::run::parseOptions({argv + 1, argv + argc});
  } catch (const Error &error) {
    std::fprintf(stderr, "%s\n%s", error.what(), clika::run::usage);
    return 2;
  }
  if (options.help) {
    std::fputs(clika::run::usage, stdout);
    return 0;
  }
  try {
    run(options);
  } catch (const std::bad_alloc &) {
    std::fflush(stdout);
    std::fprintf(stderr, "clika-run: there is no memory left for '%s'\n", options.file.c_str());
    return 1;
  } catch (const std::exception &error) {
    std::fflush(stdout);
    std::fprintf(stderr, "clika-run: %s\n", error.what());
    return 1;
  }
  return 0;
}
