// emit_object in C++: an object linked with the static runtime and called from here.
#include "GraphTesting.h"
#include <ClikaRT/clika_rt.h>

#include <gmock/gmock.h>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

using namespace ClikaRT;
using namespace ClikaRT::graph;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing_graphs::refusal;

namespace {

using Tensors = std::vector<Tensor>;

ModelGraph affine() {
  return trace(
      [](const Tensors &in) {
        std::vector<float> weight(8 * 24);
        for (std::size_t i = 0; i != weight.size(); ++i)
          weight[i] = 0.25F * static_cast<float>(i % 13) - 1;
        Tensor product = ops::matmul(in[0], Tensor::from_data(weight.data(), {8, 24}, DataType::Float32));
        return Tensors{ops::relu(product), ops::add(product, in[1])};
      },
      {{"x", DataType::Float32, {2, 8}}, {"shift", DataType::Float32, {24}}}, "affine", {"y", "z"});
}

class EmitObject : public testing::Test {
protected:
  EmitObject() : folder(testing::TempDir() + "/clika_emit_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder);
  }
  ~EmitObject() override { std::filesystem::remove_all(folder); }

  std::string textOf(const std::string &name) const {
    std::ifstream file(folder + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string folder;
};

TEST_F(EmitObject, computesWhatRunComputes) {
  ModelGraph graph = affine();
  EmitOptions options;
  options.name = "affine_of";
  graph.emit_object(folder + "/affine.o", options);
  EXPECT_THAT(textOf("affine.h"), HasSubstr("int affine_of(const float *x, const float *shift, float *y, float *z);"));
  std::string library = folder + "/affine.so";
  std::string link =
      "cc -shared -o " + library + " " + folder + "/affine.o " + CLIKA_STATIC_LIBRARY + " -lm -Wl,-z,defs";
  ASSERT_EQ(std::system(link.c_str()), 0);
  void *loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(loaded, nullptr) << dlerror();
  auto call = reinterpret_cast<int (*)(const float *, const float *, float *, float *)>(dlsym(loaded, "affine_of"));
  auto error = reinterpret_cast<const char *(*)()>(dlsym(loaded, "affine_of_error"));
  ASSERT_TRUE(call && error);

  std::vector<float> x(16), shift(24), y(48), z(48);
  for (std::size_t i = 0; i != shift.size(); ++i)
    shift[i] = static_cast<float>(i) / 7;
  for (std::size_t i = 0; i != x.size(); ++i)
    x[i] = static_cast<float>(i % 5) / 3 - 1;
  ASSERT_EQ(call(x.data(), shift.data(), y.data(), z.data()), 0) << error();
  graph.finalize();
  Tensors expected = graph.run({Tensor::from_data(x.data(), {2, 8}, DataType::Float32),
                                Tensor::from_data(shift.data(), {24}, DataType::Float32)});
  EXPECT_EQ(expected[0].item_as_vec<float>(), y);
  EXPECT_EQ(expected[1].item_as_vec<float>(), z);
  EXPECT_NE(call(x.data(), nullptr, y.data(), z.data()), 0);
  EXPECT_STREQ(error(), "affine_of: the pointer 'shift' is null");
}

TEST_F(EmitObject, makesObjectsForOtherMachines) {
  EmitOptions options;
  options.target_triple = "aarch64-linux-gnu";
  affine().emit_object(folder + "/arm.o", options);
  constexpr unsigned kAArch64 = 183;
  std::string object = textOf("arm.o");
  ASSERT_GT(object.size(), 20u);
  EXPECT_EQ(static_cast<unsigned char>(object[18]), kAArch64);
  EXPECT_THAT(textOf("arm.h"), HasSubstr("aarch64"));
  options.target_cpu = "x86-64";
  EXPECT_THAT(
      refusal([&] { affine().emit_object(folder + "/arm.o", options); }),
      StartsWith("INVALID_ARGUMENT | emit_object: target_cpu is 'x86-64', which is no 64-bit CPU that LLVM knows for "
                 "aarch64"));
}

TEST_F(EmitObject, refusesByName) {
  ModelGraph open =
      trace([](const Tensors &in) { return Tensors{ops::neg(in[0])}; }, {{"x", DataType::Float32, {2, "batch"}}});
  EXPECT_THAT(refusal([&] { open.emit_object(folder + "/open.o"); }),
              AllOf(StartsWith("UNSUPPORTED | emit_object: the input 'x' has the shape [2, batch]"),
                    HasSubstr("dimension 1 is not fixed")));
  EXPECT_THAT(refusal([&] { affine().emit_object(folder + "/affine.obj"); }), HasSubstr("one that ends in '.o'"));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

} // namespace
