// The head: a line per fact, a word and its values. A line that is not known is an error: another release wrote it.
#include "Pipelines/SavedProgram.h"
#include "Pipelines/CompiledCode.h"
#include "Pipelines/Jit.h"
#include "Runtime/Program.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/xxhash.h"
#include <limits>

namespace clika {
namespace {

/// Raised whenever generated code and the library would not fit each other any more, though the names of the functions
/// that it calls are the same.
constexpr unsigned kCodeVersion = 1;

/// Tells releases apart whose code calls the library in different ways.
std::string codeIdentity() {
  std::string names;
  for (const RuntimeSymbol &symbol : runtimeSymbols())
    names += std::string(symbol.name) + " ";
  return std::to_string(kCodeVersion) + " " CLIKA_VERSION " " LLVM_VERSION_STRING " " +
         llvm::utohexstr(llvm::xxh3_64bits(names));
}

std::string bufferLine(llvm::StringRef word, const BufferType &buffer) {
  std::string line = word.str() + " " + std::to_string(buffer.elementBytes);
  for (std::int64_t size : buffer.shape)
    line += " " + std::to_string(size);
  return line + "\n";
}

bool readBuffer(llvm::StringRef values, std::vector<BufferType> &buffers) {
  BufferType buffer;
  llvm::SmallVector<llvm::StringRef> words;
  values.split(words, ' ');
  if (words.front().getAsInteger(10, buffer.elementBytes) || buffer.elementBytes == 0 || buffer.elementBytes > 16)
    return false;
  for (llvm::StringRef word : llvm::drop_begin(words)) {
    std::int64_t size;
    if (word.getAsInteger(10, size) || size < kDynamicSize)
      return false;
    buffer.shape.push_back(size);
  }
  buffers.push_back(std::move(buffer));
  return true;
}

struct Head {
  std::string identity, cpu, features;
  ProgramCode code;
  std::vector<size_t> constantSizes;
};

std::optional<Head> readHead(llvm::StringRef text) {
  Head head;
  bool good = true;
  while (good && !text.empty()) {
    llvm::StringRef line, word, values;
    std::tie(line, text) = text.split('\n');
    std::tie(word, values) = line.split(' ');
    if (word == "identity") {
      head.identity = values.str();
    } else if (word == "cpu") {
      head.cpu = values.str();
    } else if (word == "features") {
      head.features = values.str();
    } else if (word == "threads") {
      good = !values.getAsInteger(10, head.code.threads) && head.code.threads > 0;
    } else if (word == "input") {
      good = readBuffer(values, head.code.inputs);
    } else if (word == "result") {
      good = readBuffer(values, head.code.results);
    } else if (word == "constant") {
      good = !values.getAsInteger(10, head.constantSizes.emplace_back());
    } else {
      good = false;
    }
  }
  return good ? std::optional(std::move(head)) : std::nullopt;
}

llvm::Error unreadable() { return llvm::createStringError("its compiled code is of another release"); }

} // namespace

std::string savedHead(const Program &program) {
  const ProgramCode &code = program.parts();
  const ProgramImage &image = *code.image;
  std::string text = "identity " + codeIdentity() + "\ncpu " + image.cpu + "\nfeatures " + image.features +
                     "\nthreads " + std::to_string(code.threads) + "\n";
  for (const BufferType &input : code.inputs)
    text += bufferLine("input", input);
  for (const BufferType &result : code.results)
    text += bufferLine("result", result);
  for (size_t bytes : image.constantSizes)
    text += "constant " + std::to_string(bytes) + "\n";
  return text;
}

llvm::Expected<std::vector<size_t>> savedConstantSizes(llvm::StringRef head) {
  std::optional<Head> read = readHead(head);
  if (!read)
    return unreadable();
  return std::move(read->constantSizes);
}

llvm::Expected<std::shared_ptr<Program>> loadProgram(llvm::StringRef text, llvm::StringRef bytes,
                                                     std::vector<ConstantArgument> constants) {
  std::optional<Head> head = readHead(text);
  if (!head || head->identity != codeIdentity() || head->constantSizes.size() != constants.size())
    return unreadable();
  if (std::string problem = codeProblem(head->cpu, head->features); !problem.empty())
    return llvm::createStringError(problem);
  std::optional<CompiledCode> compiled = CompiledCode::read(bytes);
  if (!compiled)
    return unreadable();
  ProgramCode code = std::move(head->code);
  auto image = std::make_shared<ProgramImage>();
  image->cpu = std::move(head->cpu);
  image->features = std::move(head->features);
  image->code = bytes.str();
  image->constantSizes = std::move(head->constantSizes);
  code.image = std::move(image);
  code.plannedBytes = compiled->plannedBytes;
  for (ConstantArgument &constant : constants) {
    code.constants.push_back(constant.data);
    code.owners.push_back(std::move(constant.owner));
  }
  if (llvm::Error error = loadCode(*compiled, code))
    return std::move(error);
  return std::make_shared<Program>(std::move(code));
}

} // namespace clika
