#include "API/SavedCompilation.h"

#include "API/Fail.h"
#include "Pipelines/Jit.h"
#include "Pipelines/SavedProgram.h"
#include "Runtime/Program.h"
#include "llvm/ADT/StringRef.h"

using namespace clika;
using ClikaRT::graph::FinalizeOptions;

namespace clika {
namespace {

constexpr char kHead[] = "program", kCode[] = "code", kOptions[] = "finalize options", kConstants[] = "constants",
               kConstant[] = "constant:";
/// Of a constant that the code has no use for.
constexpr char kUnread[] = "unread";

std::string optionLines(const FinalizeOptions &options) {
  return (options.threads ? "threads " + std::to_string(*options.threads) + "\n" : std::string()) + "precision " +
         options.precision + "\ntarget_cpu " + options.target_cpu + "\n";
}

FinalizeOptions readOptions(std::string_view text) {
  FinalizeOptions options;
  llvm::StringRef rest(text.data(), text.size());
  while (!rest.empty()) {
    llvm::StringRef line, word, value;
    std::tie(line, rest) = rest.split('\n');
    std::tie(word, value) = line.split(' ');
    int threads = 0;
    if (word == "threads" && !value.getAsInteger(10, threads))
      options.threads = threads;
    else if (word == "precision")
      options.precision = value.str();
    else if (word == "target_cpu")
      options.target_cpu = value.str();
  }
  return options;
}

/// Each constant where it lies in the file; none where one is not there whole.
std::optional<std::vector<ConstantArgument>> constantsOf(const SavedFile &saved, llvm::ArrayRef<size_t> sizes) {
  std::vector<ConstantArgument> constants;
  std::string_view text = saved.section(kConstants);
  llvm::StringRef rest(text.data(), text.size());
  // The weights belong to the file that is mapped; nothing writes them.
  auto owner = std::shared_ptr<void>(saved.file, const_cast<MappedFile *>(saved.file.get()));
  for (size_t bytes : sizes) {
    llvm::StringRef name;
    std::tie(name, rest) = rest.split('\n');
    if (name == kUnread) {
      constants.push_back({});
      continue;
    }
    auto section = saved.sections.find(std::string_view(name.data(), name.size()));
    if (section == saved.sections.end() || section->second.size() != bytes)
      return std::nullopt;
    constants.push_back({section->second.data(), owner});
  }
  return constants;
}

std::shared_ptr<Program> readProgram(const SavedFile &saved) {
  auto sectionOf = [&](const char *name) {
    std::string_view bytes = saved.section(name);
    return llvm::StringRef(bytes.data(), bytes.size());
  };
  llvm::StringRef head = sectionOf(kHead);
  llvm::Expected<std::vector<size_t>> sizes = savedConstantSizes(head);
  if (!sizes) {
    llvm::consumeError(sizes.takeError());
    return nullptr;
  }
  std::optional<std::vector<ConstantArgument>> constants = constantsOf(saved, *sizes);
  if (!constants)
    return nullptr;
  llvm::Expected<std::shared_ptr<Program>> program = loadProgram(head, sectionOf(kCode), std::move(*constants));
  if (program)
    return *program;
  llvm::consumeError(program.takeError());
  return nullptr;
}

} // namespace

void addCompilation(const CompiledGraph &compiled, const WeightSections &weights, std::vector<Section> &sections,
                    std::deque<std::string> &texts) {
  const ProgramCode &program = compiled.compiledProgram().parts();
  std::string names;
  for (size_t i = 0; i < program.constants.size(); ++i) {
    if (!program.constants[i]) {
      names += std::string(kUnread) + "\n";
      continue;
    }
    size_t bytes = program.image->constantSizes[i];
    auto weight = weights.find(program.constants[i]);
    if (weight != weights.end() && weight->second.bytes.size() == bytes) {
      names += weight->second.name + "\n";
      continue;
    }
    std::string name = kConstant + std::to_string(i);
    names += name + "\n";
    sections.push_back({std::move(name), {static_cast<const char *>(program.constants[i]), bytes}});
  }
  auto add = [&](const char *name, std::string text) {
    sections.push_back({name, texts.emplace_back(std::move(text))});
  };
  add(kOptions, optionLines(compiled.finalizeOptions()));
  add(kConstants, std::move(names));
  add(kHead, savedHead(compiled.compiledProgram()));
  sections.push_back({kCode, program.image->code});
}

std::shared_ptr<CompiledGraph> readCompilation(GraphCore &core, const SavedFile &saved) {
  if (!saved.sections.contains(kHead))
    return nullptr;
  FinalizeOptions options = readOptions(saved.section(kOptions));
  if (std::shared_ptr<Program> program = readProgram(saved))
    if (std::shared_ptr<CompiledGraph> compiled = CompiledGraph::over(core, std::move(program), options, "load"))
      return compiled;
  if (options.target_cpu != "host" && !targetCpuProblem(options.target_cpu).empty())
    options.target_cpu = "host";
  return CompiledGraph::compile(core, options, "load");
}

} // namespace clika
