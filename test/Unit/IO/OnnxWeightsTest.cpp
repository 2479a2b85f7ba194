#include "IO/Onnx/Weights.h"
#include "OnnxWriter.h"

#include <gmock/gmock.h>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace {

using namespace clika::onnx;
namespace w = onnx_writer;
using testing::ElementsAre;
using testing::HasSubstr;

/// A folder of its own that goes with the test.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "clika-onnx-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string &name, const std::string &bytes) const {
    std::ofstream(path / name, std::ios::binary) << bytes;
    return (path / name).string();
  }
};

struct Loaded {
  std::string file;
  Weights weights;
};

Loaded load(const std::string &encoded, const std::string &path = "m.onnx") {
  Loaded loaded;
  loaded.file = w::model({{}, {encoded}, {}, {}, {}});
  Model model = parseModel({path, loaded.file});
  const Tensor &tensor = model.graph->initializers.at(0);
  loaded.weights = WeightReader(path, nullptr).read(tensor, "initializer '" + std::string(tensor.name) + "'");
  return loaded;
}

template <class T>
std::vector<T> values(const std::string &encoded, const std::string &path = "m.onnx") {
  Loaded loaded = load(encoded, path);
  std::vector<T> result(loaded.weights.bytes.size() / sizeof(T));
  if (!result.empty())
    std::memcpy(result.data(), loaded.weights.bytes.data(), loaded.weights.bytes.size());
  return result;
}

std::string errorOf(const std::string &encoded, const std::string &path = "m.onnx") {
  try {
    load(encoded, path);
  } catch (const ClikaRT::Error &error) {
    return error.what();
  }
  return "no error";
}

template <class T>
w::Fill packedInts(unsigned field, std::vector<T> list) {
  return [field, list](auto &p) { p.add_packed_int64(field, list.begin(), list.end()); };
}

TEST(OnnxWeights, RawData) {
  EXPECT_THAT(values<float>(w::tensor("c", 1, {2}, w::raw<float>({1.5, -2}))), ElementsAre(1.5, -2));
  EXPECT_THAT(values<int64_t>(w::tensor("c", 7, {}, w::raw<int64_t>({-9}))), ElementsAre(-9));
  EXPECT_THAT(values<float>(w::tensor("c", 1, {0, 3}, [](auto &) {})), ElementsAre());
}

TEST(OnnxWeights, TypedFields) {
  std::vector<float> floats = {1, 2, 3};
  EXPECT_THAT(
      values<float>(w::tensor("c", 1, {3}, [&](auto &p) { p.add_packed_float(4, floats.begin(), floats.end()); })),
      ElementsAre(1, 2, 3));
  EXPECT_THAT(values<float>(w::tensor("c", 1, {2},
                                      [](auto &p) {
                                        p.add_float(4, 7);
                                        p.add_float(4, 8);
                                      })),
              ElementsAre(7, 8));
  std::vector<double> doubles = {0.5};
  EXPECT_THAT(values<double>(
                  w::tensor("c", 11, {1}, [&](auto &p) { p.add_packed_double(10, doubles.begin(), doubles.end()); })),
              ElementsAre(0.5));
  EXPECT_THAT(values<int64_t>(w::tensor("c", 7, {2}, packedInts<int64_t>(7, {-1, 1ll << 40}))),
              ElementsAre(-1, 1ll << 40));
  EXPECT_THAT(values<int32_t>(w::tensor("c", 6, {2}, packedInts<int64_t>(5, {-1, 70000}))), ElementsAre(-1, 70000));
  EXPECT_THAT(values<int8_t>(w::tensor("c", 3, {2}, packedInts<int64_t>(5, {-128, 127}))), ElementsAre(-128, 127));
  EXPECT_THAT(values<uint16_t>(w::tensor("c", 10, {2}, packedInts<int64_t>(5, {0x3C00, 0xFC00}))),
              ElementsAre(0x3C00, 0xFC00));
  EXPECT_THAT(values<uint8_t>(w::tensor("c", 9, {2}, packedInts<int64_t>(5, {1, 0}))), ElementsAre(1, 0));
  EXPECT_THAT(values<uint32_t>(w::tensor("c", 12, {1}, packedInts<int64_t>(11, {0xFFFFFFFFll}))),
              ElementsAre(0xFFFFFFFFu));
}

TEST(OnnxWeights, ATrueIsOne) {
  EXPECT_THAT(values<uint8_t>(w::tensor("c", 9, {3}, w::raw<uint8_t>({0, 1, 255}))), ElementsAre(0, 1, 1));
}

TEST(OnnxWeights, DataIsNotCopiedWhereverItLies) {
  for (size_t padding = 0; padding < 4; ++padding) {
    Loaded loaded = load(w::tensor(std::string(1 + padding, 'c'), 1, {2}, w::raw<float>({1, 2})));
    EXPECT_FALSE(loaded.weights.copied);
    EXPECT_EQ(loaded.weights.bytes.data(), loaded.file.data() + loaded.file.size() - 8);
  }
}

TEST(OnnxWeights, RefusesWrongCounts) {
  EXPECT_EQ(errorOf(w::tensor("c", 1, {3}, w::raw<float>({1, 2}))),
            "from_onnx: initializer 'c' is float32[3] and needs 12 bytes, the file holds 8");
  EXPECT_EQ(errorOf(w::tensor("c", 7, {3}, packedInts<int64_t>(7, {1}))),
            "from_onnx: initializer 'c' is int64[3] and needs 3 elements, the file holds 1");
  EXPECT_EQ(errorOf(w::tensor("c", 1, {1}, [](auto &) {})),
            "from_onnx: initializer 'c' is float32[1] and needs 4 bytes, the file holds 0");
}

TEST(OnnxWeights, RefusesImpossibleShapes) {
  EXPECT_EQ(errorOf(w::tensor("c", 1, {-1}, w::raw<float>({}))),
            "from_onnx: initializer 'c' has the negative size -1 in its shape [-1]");
  EXPECT_THAT(errorOf(w::tensor("c", 1, {1ll << 40, 1ll << 40}, w::raw<float>({}))),
              HasSubstr("is more than memory can hold"));
  EXPECT_THAT(errorOf(w::tensor("c", 1, {1ll << 61}, w::raw<float>({}))), HasSubstr("is more than memory can hold"));
}

TEST(OnnxWeights, RefusesWrongTypes) {
  EXPECT_EQ(errorOf(w::tensor("c", 8, {1}, w::raw<float>({1}))),
            "from_onnx: initializer 'c' has elements of string, which is not covered");
  EXPECT_EQ(errorOf(w::tensor("c", 99, {1}, w::raw<float>({1}))),
            "from_onnx: initializer 'c' has elements of unknown type 99, which is not covered");
  EXPECT_EQ(errorOf(w::tensor("c", 1, {1}, packedInts<int64_t>(7, {1}))),
            "from_onnx: initializer 'c' has its elements in a field that does not hold float32");
  EXPECT_EQ(errorOf(w::tensor("c", 2, {1}, packedInts<int64_t>(5, {256}))),
            "from_onnx: initializer 'c': element 0 is no uint8");
}

TEST(OnnxWeights, ExternalDataStaysInTheMappedFile) {
  Folder folder;
  std::string data(64, '\0');
  float numbers[2] = {3, 4};
  std::memcpy(data.data() + 16, numbers, 8);
  folder.write("w.bin", data);
  std::string path = (folder.path / "m.onnx").string();
  std::string encoded = w::tensor("c", 1, {2}, w::external({{"location", "w.bin"}, {"offset", "16"}, {"length", "8"}}));
  EXPECT_THAT(values<float>(encoded, path), ElementsAre(3, 4));
  EXPECT_FALSE(load(encoded, path).weights.copied);
  EXPECT_FALSE(
      load(w::tensor("c", 1, {2}, w::external({{"location", "w.bin"}, {"offset", "17"}})), path).weights.copied);
}

TEST(OnnxWeights, ExternalDataIsChecked) {
  Folder folder;
  folder.write("w.bin", std::string(8, '\0'));
  std::string path = (folder.path / "m.onnx").string();
  auto error = [&](const std::vector<std::pair<std::string, std::string>> &entries) {
    return errorOf(w::tensor("c", 1, {2}, w::external(entries)), path);
  };
  EXPECT_EQ(error({{"location", "w.bin"}}), "no error");
  EXPECT_THAT(error({{"location", "w.bin"}, {"offset", "4"}}), HasSubstr("lies at 4 and is 8 long"));
  EXPECT_THAT(error({{"location", "w.bin"}, {"offset", "18446744073709551615"}}), HasSubstr("has 8 bytes"));
  EXPECT_THAT(error({{"location", "w.bin"}, {"length", "4"}}), HasSubstr("needs 8 bytes, the file holds 4"));
  EXPECT_THAT(error({{"location", "w.bin"}, {"offset", "-1"}}), HasSubstr("offset '-1', expected a number"));
  EXPECT_THAT(error({{"location", "gone.bin"}}), HasSubstr("No such file"));
  EXPECT_THAT(error({{"offset", "0"}}), HasSubstr("external data has no location"));
  EXPECT_THAT(error({{"location", "../w.bin"}}), HasSubstr("may only be beside the model, not at '../w.bin'"));
  EXPECT_THAT(error({{"location", "a/../../w.bin"}}), HasSubstr("may only be beside the model"));
  EXPECT_THAT(error({{"location", "/etc/hosts"}}), HasSubstr("may only be beside the model"));
}

} // namespace
