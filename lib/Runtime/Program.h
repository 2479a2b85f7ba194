// A compiled program: native code of one graph and how to call it. No MLIR or LLVM headers here.
#pragma once
#include "Runtime/Arena.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace clika {

inline constexpr std::int64_t kDynamicSize = -1;

/// The memory layout of one input or result: dense, row-major.
struct BufferType {
  unsigned elementBytes = 0;
  std::vector<std::int64_t> shape; // kDynamicSize where only an invocation knows
};

/// One input of an invocation. `sizes` holds one entry per dimension and may be null when the shape is
/// static. `data` is read only; it need not be aligned beyond its element (a constant: not at all) and may be null for
/// a tensor of no elements.
struct ProgramInput {
  const void *data = nullptr;
  const std::int64_t *sizes = nullptr;
};

/// Receives the results of one invocation. Called on the invoking thread.
class ResultSink {
public:
  virtual ~ResultSink() = default;
  /// Memory for result `index`, aligned to kBufferAlignment, at least `bytes` long. Called once per
  /// result, at any time during the invocation. May throw: the exception comes out of invoke.
  virtual void *allocate(std::size_t index, std::size_t bytes) = 0;
  /// The sizes of result `index`. Called for every result after the code has finished; not after a failure.
  virtual void shape(std::size_t index, const std::int64_t *sizes, std::size_t rank) = 0;
};

/// What the generated code is called with; see lib/Pipelines/EntryPoint.cpp.
/// `resultSizes` receives the dynamic sizes of all results, in order.
using ProgramEntry = void (*)(const void *const *inputs, const std::int64_t *const *sizes, void *planned,
                              std::int64_t *resultSizes);

/// A part of the generated code that runs for ranges of numbers on several threads at once.
using ParallelBody = void (*)(void *context, std::int64_t first, std::int64_t last, std::int64_t part);

/// What a program can be saved with.
struct ProgramImage {
  /// What it runs on, as LLVM names it.
  std::string cpu, features;
  std::string code;
  std::vector<std::size_t> constantSizes; // in bytes
};

/// One of the kernels of a program that was compiled to be profiled.
struct ProfiledKernel {
  std::string name;
  std::vector<std::string> nodes; // that it computes
};

struct ProgramCode {
  ProgramEntry entry = nullptr;
  std::size_t plannedBytes = 0;
  /// Threads that one invocation may use; the code has parallel parts only where it was compiled for more than one.
  unsigned threads = 1;
  std::vector<BufferType> inputs, results;
  std::vector<const void *> constants;       // further arguments of the entry, after the inputs
  std::vector<std::shared_ptr<void>> owners; // of the machine code and of the constants
  /// Null where it was not compiled to be saved.
  std::shared_ptr<const ProgramImage> image;
  /// By the numbers in a ProfileRecorder's marks; empty where it was not compiled to be profiled.
  std::vector<ProfiledKernel> kernels;
};

class Program {
public:
  explicit Program(ProgramCode code);

  const ProgramCode &parts() const { return code; }
  const std::vector<BufferType> &inputs() const { return code.inputs; }
  const std::vector<BufferType> &results() const { return code.results; }
  /// Bytes of the block that all statically sized temporaries of one invocation share.
  std::size_t plannedBytes() const { return code.plannedBytes; }

  /// Runs the program on `inputs().size()` inputs. Thread-safe. Throws ClikaRT::Error (InvalidArgument)
  /// with the message of a check in the graph that failed, or what `sink` threw; temporaries are freed by then.
  void invoke(const ProgramInput *inputs, ResultSink &sink) const;

private:
  ProgramCode code;
  std::size_t dynamicSizes = 0;
  mutable ArenaPool arenas;
};

/// A function that generated code calls, with the symbol it calls it by.
struct RuntimeSymbol {
  const char *name;
  void *address;
};
std::vector<RuntimeSymbol> runtimeSymbols();

} // namespace clika
