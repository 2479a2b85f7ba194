// emit_object: the graph as an object file and a C header.
#include "Pipelines/EmitObject.h"
#include "API/CompileModule.h"
#include "API/Core.h"
#include "API/Fail.h"
#include "API/Ports.h"
#include "IO/FileWriter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <new>

using namespace clika;
using ClikaRT::DataType;
using ClikaRT::graph::EmitOptions;

namespace clika {
namespace {

constexpr std::string_view kCall = "emit_object";

/// What neither C nor C++ takes as a name, and names that are somebody else's.
constexpr llvm::StringLiteral kTakenWords =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t "
    "char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr "
    "constinit continue decltype default delete do double else errno enum explicit export extern false "
    "float for friend goto if inline int int16_t int32_t int64_t int8_t linux long main mutable namespace "
    "new noexcept not not_eq nullptr operator or or_eq private protected public register requires "
    "restrict return short signed stderr stdin stdout sizeof static struct switch template this throw "
    "true try typedef typeid typename typeof uint16_t uint32_t uint64_t uint8_t union unix unsigned using "
    "static_assert virtual void volatile wchar_t while xor xor_eq thread_local dynamic_cast static_cast "
    "reinterpret_cast";

bool isTaken(llvm::StringRef name) {
  static const llvm::StringSet<> words = [] {
    llvm::StringSet<> all;
    for (llvm::StringRef word : llvm::split(kTakenWords, ' '))
      all.insert(word);
    return all;
  }();
  return words.contains(name);
}

/// `text` with '_' for what a C name cannot hold.
std::string nameFrom(llvm::StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) ? c : '_';
  // The runtime's own names begin so.
  if (name.empty() || llvm::isDigit(name.front()) || llvm::StringRef(name).starts_with("clika_"))
    name.insert(0, "_");
  return isTaken(name) ? name + "_" : name;
}

std::string functionName(const EmitOptions &options, llvm::StringRef path) {
  if (options.name.empty())
    return nameFrom(path.rsplit('/').second.empty() ? path.drop_back(2) : path.rsplit('/').second.drop_back(2));
  if (nameFrom(options.name) != options.name)
    invalid(kCall, "name is " + quote(options.name) + ", which cannot be a C function's; give one such as " +
                       quote(nameFrom(options.name)));
  return options.name;
}

std::string_view cTypeOf(DataType dtype) {
  switch (dtype) {
  case DataType::Bool:
    return "bool";
  case DataType::Float32:
    return "float";
  case DataType::Float64:
    return "double";
  case DataType::Float16:
  case DataType::BFloat16:
  case DataType::UInt16:
    return "uint16_t";
  case DataType::Int8:
    return "int8_t";
  case DataType::Int16:
    return "int16_t";
  case DataType::Int32:
    return "int32_t";
  case DataType::Int64:
    return "int64_t";
  case DataType::UInt8:
    return "uint8_t";
  case DataType::UInt32:
    return "uint32_t";
  case DataType::UInt64:
    return "uint64_t";
  }
  llvm_unreachable("every DataType has a C type");
}

void refuseDynamic(llvm::ArrayRef<GraphPort> ports, const std::string &kind) {
  for (const GraphPort &port : ports)
    for (auto [index, dim] : llvm::enumerate(port.dims))
      if (!mlir::isa_and_nonnull<mlir::AffineConstantExpr>(dim))
        fail(Status::Unsupported, kCall,
             "the " + kind + " " + quote(port.name) + " has the shape " + shapeOf(port) + ", whose dimension " +
                 std::to_string(index) +
                 " is not fixed; an object has fixed shapes: build or export the graph with a size there");
}

/// As part of a comment.
std::string commented(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '*' || c == '/' || c == '\\' || static_cast<unsigned char>(c) < ' ' ? '?' : c;
  return result;
}

class Header {
public:
  Header(const std::string &name, const std::vector<GraphPort> &inputs, const std::vector<GraphPort> &outputs)
      : name(name) {
    names.insert(name);
    addPorts(inputs, "in ", "const ", inputNames);
    addPorts(outputs, "out", "", outputNames);
  }

  std::string text(llvm::StringRef object, const ObjectTarget &target) const {
    std::string guard = llvm::StringRef(name).upper() + "_H";
    std::string needs = llvm::join(target.features, ", ");
    return "/* Written by ClikaRT's emit_object() with " + commented(object) + ", for " +
           target.machine->getTargetTriple().str() + ". To link:\n *   cc program.c " + commented(object) +
           " -lclika_static -lm\n * libclika_static.a is part of ClikaRT; for another kind of machine compile its "
           "source, "
           "clika_static.c. */\n#ifndef " +
           guard + "\n#define " + guard +
           "\n\n#include <stdbool.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n/*" + ports +
           "\n *\n * Tensors are dense and row-major, aligned to their elements; an output at a multiple of 64 bytes "
           "saves "
           "a copy.\n * Outputs overlap neither inputs nor each other. Any number of threads may call at a time.\n"
           " * Returns 0; where it fails another number, and " +
           name + "_error() says why, for the thread's last call.\n * The CPU needs " +
           (needs.empty() ? "nothing beyond the plainest of its kind" : needs) +
           "; on one without, the call fails. */\nint " + name + "(" + (parameters.empty() ? "void" : parameters) +
           ");\n\nconst char *" + name + "_error(void);\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  }

  std::vector<std::string> inputNames, outputNames;

private:
  std::string freshName(llvm::StringRef wanted) {
    std::string base = nameFrom(wanted), fresh = base;
    for (unsigned count = 2; !names.insert(fresh).second; ++count)
      fresh = base + "_" + std::to_string(count);
    return fresh;
  }

  void addPorts(const std::vector<GraphPort> &all, llvm::StringRef kind, const std::string &qualifier,
                std::vector<std::string> &into) {
    for (const GraphPort &port : all) {
      std::string fresh = freshName(port.name);
      ports += (ports.empty() ? " " : "\n * ") + kind.str() + " " + fresh + ": " +
               std::string(ClikaRT::data_type_name(port.dtype)) + shapeOf(port);
      if (fresh != port.name)
        ports += ", in the graph '" + commented(port.name) + "'";
      if (port.dtype == DataType::Float16 || port.dtype == DataType::BFloat16)
        ports += ", as its bits";
      parameters += (parameters.empty() ? "" : ", ") + qualifier + std::string(cTypeOf(port.dtype)) + " *" + fresh;
      into.push_back(std::move(fresh));
    }
  }

  const std::string &name;
  llvm::StringSet<> names;
  std::string ports, parameters;
};

void writeBoth(const std::string &path, std::string_view object, std::string_view header) {
  FileWriter objectFile(path, std::string(kCall));
  FileWriter headerFile(path.substr(0, path.size() - 1) + "h", std::string(kCall));
  objectFile.write(object);
  headerFile.write(header);
  objectFile.finish();
  headerFile.finish();
}

void emitObject(GraphCore &core, const std::string &path, const EmitOptions &options) {
  llvm::StringRef file = llvm::StringRef(path).rsplit('/').second;
  if (file.empty())
    file = path;
  if (!file.ends_with(".o") || file == ".o")
    invalid(kCall, "the path is " + quote(path) + "; give one that ends in '.o', beside which the header is put");
  if (options.precision != "full" && options.precision != "relaxed")
    invalid(kCall, "precision is " + quote(options.precision) + "; it takes 'full' or 'relaxed'");
  struct Work {
    ObjectTarget target;
    ObjectFunction function;
    ObjectCode object;
  };
  auto work = std::make_shared<Work>();
  work->function.name = functionName(options, path);
  llvm::Expected<ObjectTarget> target =
      makeObjectTarget(options.target_triple, options.target_cpu == "host" ? "" : options.target_cpu);
  if (!target)
    invalid(kCall, llvm::toString(target.takeError()));
  work->target = std::move(*target);
  std::vector<GraphPort> inputs = inputPortsOf(core, kCall), outputs = outputPortsOf(core, kCall);
  refuseDynamic(inputs, "input");
  refuseDynamic(outputs, "output");
  Header header(work->function.name, inputs, outputs);
  work->function.inputs = header.inputNames;
  work->function.results = header.outputNames;
  ModuleToCompile module = moduleToCompile(core, kCall);
  ProgramOptions how;
  how.relaxed = options.precision == "relaxed";
  how.constants = module.constants;
  compileAside(std::move(module), how, kCall, [work](mlir::ModuleOp module, const ProgramOptions &how) {
    work->object = compileGraphObject(module, how, work->target, work->function, kCall);
  });
  writeBoth(path, {work->object.data(), work->object.size()}, header.text(file, work->target));
}

} // namespace
} // namespace clika

namespace ClikaRT::graph {

void ModelGraph::emit_object(const std::string &path) const { emit_object(path, EmitOptions()); }

void ModelGraph::emit_object(const std::string &path, const EmitOptions &options) const {
  Query query(core_, kCall);
  refuseInsideOptimize(*query, query.call);
  try {
    emitObject(*query, path, options);
  } catch (const std::bad_alloc &) {
    fail(Status::OutOfMemory, query.call, "there is not enough memory to compile the graph; free some");
  }
}

} // namespace ClikaRT::graph
