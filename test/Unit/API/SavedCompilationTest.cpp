// Files whose compiled code does not suit: the graph is compiled anew and runs right.
#include "API/CompiledGraph.h"
#include "API/Core.h"
#include "API/SavedFile.h"
#include "GraphTesting.h"
#include "Runtime/Program.h"

#include <filesystem>
#include <functional>
#include <list>
#include <unistd.h>

using namespace testing_graphs;

namespace {

/// The lines of a section; `change` may replace the text, or empty it to leave the section out.
using Change = std::function<void(std::string &)>;

std::string scratch() {
  return (std::filesystem::temp_directory_path() / ("clika_saved_compilation_" + std::to_string(getpid()))).string();
}

void changeSection(const std::string &path, const std::string &name, const Change &change) {
  std::list<std::string> texts;
  std::vector<clika::Section> sections;
  clika::SavedFile saved = clika::readSections(path);
  for (const auto &[each, bytes] : saved.sections) {
    std::string &text = texts.emplace_back(bytes);
    if (each == name)
      change(text);
    if (!text.empty() || bytes.empty())
      sections.push_back({each, text});
  }
  clika::writeSections(path, sections);
}

Change replacing(const std::string &old, const std::string &next) {
  return [=](std::string &text) {
    size_t at = text.find(old);
    ASSERT_NE(at, std::string::npos) << text;
    text.replace(at, old.size(), next);
  };
}

ModelGraph product() {
  std::vector<float> weights(64 * 64);
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = static_cast<float>(i % 13) - 6.0F;
  return traced([&](const Tensors &in) -> Tensors { return {ops::matmul(in[0], floats(weights, {64, 64}))}; },
                {{"x", DataType::Float32, {3, 64}}});
}

const void *entryOf(const ModelGraph &graph) {
  return reinterpret_cast<const void *>(graph.core()->compiled->compiledProgram().parts().entry);
}

struct Case {
  const char *section;
  Change change;
};

TEST(SavedCompilation, whatDoesNotSuitIsCompiledAnew) {
  const std::vector<Case> cases = {
      {"program", replacing("identity ", "identity another ")},
      {"program", replacing("cpu ", "cpu nosuch")},
      {"program", replacing("features ", "features +avx10.2-512,+amx-fp8,")},
      {"program", replacing("input 4 3 64", "input 4 3 65")},
      {"program", replacing("input 4 3 64", "input 8 3 64")},
      {"program", replacing("input 4 3 64\n", "")},
      {"program", replacing("input 4 3 64", "input four")},
      {"program", replacing("threads ", "something ")},
      {"constants", [](std::string &text) { text = "\n"; }},
      {"constants", [](std::string &text) { text = "graph\n"; }},
      {"code", [](std::string &text) { text.resize(text.size() / 2); }},
      {"code", [](std::string &text) { text = "?"; }},
  };
  ModelGraph graph = product();
  graph.finalize();
  std::vector<float> numbers(3 * 64);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<float>(i % 7) * 0.5F;
  const Tensor x = floats(numbers, {3, 64});
  const auto expected = graph.run({x})[0].item_as_vec<float>();
  const std::string path = scratch();
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    graph.save(path);
    changeSection(path, cases[i].section, cases[i].change);
    ModelGraph loaded = ModelGraph::load(path);
    EXPECT_TRUE(loaded.is_finalized());
    EXPECT_EQ(loaded.run({x})[0].item_as_vec<float>(), expected);
    // The code made anew can be saved.
    loaded.save(path);
    EXPECT_EQ(ModelGraph::load(path).run({x})[0].item_as_vec<float>(), expected);
  }
  std::filesystem::remove(path);
}

TEST(SavedCompilation, whatSuitsIsNotCompiled) {
  ModelGraph graph = product();
  graph.finalize();
  const std::string path = scratch();
  graph.save(path);
  ModelGraph loaded = ModelGraph::load(path);
  const auto &saved = graph.core()->compiled->compiledProgram().parts(),
             &read = loaded.core()->compiled->compiledProgram().parts();
  EXPECT_NE(entryOf(loaded), entryOf(graph));
  EXPECT_EQ(read.image->code, saved.image->code);
  EXPECT_EQ(read.image->constantSizes, saved.image->constantSizes);
  EXPECT_EQ(read.plannedBytes, saved.plannedBytes);
  EXPECT_EQ(read.threads, saved.threads);
  std::filesystem::remove(path);
}

} // namespace
