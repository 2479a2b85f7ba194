// save and load: the graph as bytecode, its weights as sections that are used in place, and its code.
#include "API/Core.h"
#include "API/Fail.h"
#include "API/SavedCompilation.h"
#include "API/SavedFile.h"
#include "Dialect/ConstantData.h"
#include "Dialect/ConstantStore.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Diagnostics.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSet.h"

#include <sstream>

using namespace mlir;
using namespace clika;

namespace clika {
namespace {

constexpr char kGraph[] = "graph", kNames[] = "names", kWeight[] = "weight:";

std::string graphBytes(ModuleOp module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  BytecodeWriterConfig config("ClikaRT");
  config.setElideResourceDataFlag();
  DiagnosticCapture capture(module.getContext());
  if (failed(writeBytecodeToFile(module, stream, config)))
    fail(Status::Internal, "save", capture.message("the graph cannot be written"));
  return bytes;
}

/// A count, then "base N" per line: the counters of fresh names.
std::string nameBytes(const GraphCore &core) {
  std::string text = std::to_string(core.dimensionCounter) + "\n";
  for (const auto &entry : core.index.nameCounters())
    text += std::to_string(entry.getValue()) + " " + entry.getKey().str() + "\n";
  return text;
}

void readNames(GraphCore &core, std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string line;
  if (std::getline(lines, line))
    core.dimensionCounter = std::strtoull(line.c_str(), nullptr, 10);
  while (std::getline(lines, line)) {
    size_t space = line.find(' ');
    if (space != std::string::npos)
      core.index.setNameCounter(line.substr(space + 1), std::strtoull(line.c_str(), nullptr, 10));
  }
}

/// Gives each resource of the module its section of the file.
void attachWeights(ModuleOp module, const SavedFile &saved) {
  auto attach = [&](DenseResourceElementsAttr resource) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (blob && !blob->getData().empty())
      return;
    std::string_view bytes = saved.section(kWeight + resource.getRawHandle().getKey().str());
    ConstantStore::of(module.getContext()).attach(resource, ArrayRef(bytes.data(), bytes.size()), saved.file);
  };
  module.walk([&](Operation *op) { forEachResource(op, attach); });
}

} // namespace
} // namespace clika

namespace ClikaRT::graph {

void ModelGraph::save(const std::string &path) const {
  Query query(core_, "save");
  std::string graph = graphBytes(query->module()), names = nameBytes(*query);
  std::vector<Section> sections = {{kGraph, graph}, {kNames, names}};
  WeightSections weights;
  llvm::StringSet<> written;
  auto write = [&](DenseResourceElementsAttr resource) {
    if (!written.insert(resource.getRawHandle().getKey()).second)
      return;
    ConstantData data = constantData(resource);
    sections.push_back({kWeight + resource.getRawHandle().getKey().str(), {data.bytes.data(), data.bytes.size()}});
    weights[data.bytes.data()] = sections.back();
  };
  query->module().walk([&](Operation *op) { forEachResource(op, write); });
  std::deque<std::string> texts;
  if (query->compiled)
    addCompilation(*query->compiled, weights, sections, texts);
  writeSections(path, sections);
}

ModelGraph ModelGraph::load(const std::string &path) {
  SavedFile saved = readSections(path);
  auto core = std::make_shared<GraphCore>(GraphContext::create(), "graph");
  std::string_view bytes = saved.section(kGraph);
  OwningOpRef<ModuleOp> module;
  {
    DiagnosticCapture capture(core->mlir());
    module = parseSourceString<ModuleOp>(StringRef(bytes.data(), bytes.size()), core->mlir());
    if (!module)
      fail(Status::Io, "load",
           "the file " + quote(path) +
               " does not hold a graph of this release: " + capture.message("its bytecode does not parse"));
  }
  attachWeights(*module, saved);
  core->adopt(std::move(module), "load");
  readNames(*core, saved.section(kNames));
  core->compiled = readCompilation(*core, saved);
  return ModelGraph(std::move(core));
}

} // namespace ClikaRT::graph
