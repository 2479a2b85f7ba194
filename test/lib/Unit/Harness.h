// Compiles MLIR text and runs it on plain arrays.
#pragma once
#include "Pipelines/Compile.h"
#include "Runtime/Program.h"
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace clika::test {

/// A dense array of any element type.
struct Array {
  std::vector<std::int64_t> shape;
  std::vector<char> bytes;

  template <typename T>
  static Array of(std::vector<std::int64_t> shape, const std::vector<T> &values) {
    Array array{std::move(shape), std::vector<char>(values.size() * sizeof(T))};
    if (!values.empty())
      std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
    return array;
  }
  template <typename T>
  std::vector<T> as() const {
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty())
      std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
};

/// Fails the current test and returns null when `text` does not compile.
std::shared_ptr<Program> compileText(const std::string &text, unsigned threads = 1,
                                     std::vector<ConstantArgument> constants = {});
/// How many linalg ops of the module the tile emitter leaves to plain loops; -1 when the module does not compile.
int opsLeftToLoops(const std::string &text, std::vector<ConstantArgument> constants = {});
/// The message of a compilation that fails; empty when it does not.
std::string compileError(const std::string &text, const std::string &cpu = "");
std::vector<Array> run(const Program &program, const std::vector<Array> &inputs);
/// Compiles and runs.
std::vector<Array> evaluate(const std::string &text, const std::vector<Array> &inputs);

/// Seeded numbers in [-1, 1].
std::vector<float> randomFloats(std::size_t count, unsigned seed = 1);

} // namespace clika::test
