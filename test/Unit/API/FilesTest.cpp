#include "GraphTesting.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

using namespace testing_graphs;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

std::string scratch(const std::string &name) {
  return (std::filesystem::temp_directory_path() / ("clika_files_test_" + std::to_string(getpid()) + "_" + name))
      .string();
}

/// A folder of this test's own, which goes with it.
struct Folder {
  explicit Folder(const std::string &name) : path(scratch(name)) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directory(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string &name) const { return path + "/" + name; }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path), std::filesystem::directory_iterator()));
  }
  std::string path;
};

mode_t modeOf(const std::string &path) {
  struct stat info = {};
  EXPECT_EQ(lstat(path.c_str(), &info), 0);
  return info.st_mode;
}

std::string bytesOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string &path, const std::string &bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// y = (x + w) + c with a large w and a small c.
ModelGraph weighted() {
  std::vector<float> data(4096, 0.5F);
  data[7] = 3.0F;
  return traced(
      [&](const Tensors &in) -> Tensors { return {ops::add(ops::add(in[0], floats(data, {4096})), floats({1}, {1}))}; },
      {{"x", DataType::Float32, {"n", 1}}});
}

TEST(Files, saveAndLoadKeepGraphAndWeights) {
  ModelGraph graph = weighted();
  graph.remove_node(graph.add_node(OpCode::Relu, {graph.inputs()[0]}));
  std::string path = scratch("saved");
  graph.save(path);
  ModelGraph loaded = ModelGraph::load(path);
  EXPECT_EQ(loaded.to_mlir(), graph.to_mlir());
  EXPECT_EQ(loaded.name(), "test");
  loaded.verify();
  // The counters of names are kept.
  EXPECT_EQ(loaded.add_node(OpCode::Relu, {loaded.inputs()[0]}).name(), "relu_2");
  loaded.finalize();
  std::vector<float> result = loaded.run({floats({1}, {1, 1})})[0].item_as_vec<float>();
  EXPECT_EQ(result[7], 5.0F);
  EXPECT_EQ(result[8], 2.5F);
  std::remove(path.c_str());
}

TEST(Files, damageIsFoundBeforeAnythingIsParsed) {
  std::string path = scratch("damaged");
  weighted().save(path);
  std::string whole = bytesOf(path);
  ASSERT_GT(whole.size(), 16000u);
  for (std::size_t at = 0; at < whole.size(); at += at < 4096 ? 13 : 997) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
    write(path, bytes);
    std::string answer = refusal([&] { ModelGraph::load(path); });
    // Padding between sections is covered by nothing and read by nothing.
    if (answer != "nothing was thrown")
      EXPECT_THAT(answer, StartsWith("IO | load: the file '")) << at;
    else
      EXPECT_EQ(whole[at], '\0') << at;
  }
  for (std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{64}, whole.size() / 2, whole.size() - 1}) {
    write(path, whole.substr(0, size));
    EXPECT_THAT(refusal([&] { ModelGraph::load(path); }), StartsWith("IO | load: the file '")) << size;
  }
  std::remove(path.c_str());
  EXPECT_THAT(refusal([&] { ModelGraph::load(path); }), StartsWith("IO | load: "));
  EXPECT_THAT(refusal([&] { weighted().save("/no/such/folder/graph"); }), StartsWith("IO | save: "));
}

TEST(Files, saveFollowsLinks) {
  Folder folder("links");
  write(folder / "target", "old");
  std::filesystem::create_symlink("target", folder / "one");
  std::filesystem::create_symlink(folder / "one", folder / "two");
  std::filesystem::create_symlink("later", folder / "dangling");
  weighted().save(folder / "two");
  weighted().save(folder / "dangling");
  EXPECT_TRUE(S_ISLNK(modeOf(folder / "one")) && S_ISLNK(modeOf(folder / "two")) &&
              S_ISLNK(modeOf(folder / "dangling")));
  EXPECT_EQ(ModelGraph::load(folder / "target").to_mlir(), weighted().to_mlir());
  EXPECT_TRUE(S_ISREG(modeOf(folder / "later")));
  EXPECT_EQ(ModelGraph::load(folder / "dangling").to_mlir(), weighted().to_mlir());
  std::filesystem::create_symlink("circle", folder / "circle");
  EXPECT_EQ(refusal([&] { weighted().save(folder / "circle"); }),
            "IO | save: the file '" + (folder / "circle") + "' cannot be written: its symbolic links lead nowhere");
  EXPECT_EQ(folder.entries(), 6u);
}

TEST(Files, saveKeepsPermissions) {
  Folder folder("modes");
  write(folder / "private", "old");
  chmod((folder / "private").c_str(), 0600);
  mode_t before = umask(027);
  weighted().save(folder / "private");
  weighted().save(folder / "new");
  umask(before);
  EXPECT_EQ(modeOf(folder / "private") & 07777, 0600u);
  EXPECT_EQ(modeOf(folder / "new") & 07777, 0640u);
  EXPECT_EQ(folder.entries(), 2u);
}

TEST(Files, saveOverTheFileInUse) {
  Folder folder("inuse");
  weighted().save(folder / "graph");
  ModelGraph loaded = ModelGraph::load(folder / "graph");
  loaded.save(folder / "graph");
  EXPECT_EQ(ModelGraph::load(folder / "graph").to_mlir(), loaded.to_mlir());
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(Files, onlyRegularFiles) {
  Folder folder("irregular");
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  std::filesystem::create_symlink("fifo", folder / "link");
  for (const char *name : {"fifo", "link"}) {
    std::string path = folder / name;
    EXPECT_EQ(refusal([&] { weighted().save(path); }),
              "IO | save: the file '" + path + "' cannot be written: it is not a regular file");
    EXPECT_EQ(refusal([&] { ModelGraph::load(path); }),
              "IO | load: cannot read '" + path + "': it is not a regular file");
    EXPECT_EQ(refusal([&] { ModelGraph::from_onnx(path); }),
              "IO | from_onnx: cannot read '" + path + "': it is not a regular file");
  }
  EXPECT_TRUE(S_ISFIFO(modeOf(folder / "fifo")));
  EXPECT_THAT(refusal([&] { weighted().save(folder.path); }), HasSubstr("it is a directory"));
  EXPECT_THAT(refusal([&] { ModelGraph::load(folder.path); }), HasSubstr("it is a directory"));
  std::string cut = folder / "a";
  cut += std::string("\0b", 2);
  EXPECT_THAT(refusal([&] { weighted().save(cut); }),
              AllOf(StartsWith("IO | save: "), HasSubstr("the path holds a zero byte")));
  EXPECT_THAT(refusal([&] { ModelGraph::load(cut); }), HasSubstr("the path holds a zero byte"));
  EXPECT_EQ(folder.entries(), 2u);
}

TEST(Files, mlirTextGoesBothWays) {
  ModelGraph graph = weighted();
  ModelGraph read = ModelGraph::from_mlir(graph.to_mlir());
  EXPECT_EQ(read.to_mlir(), graph.to_mlir());
  EXPECT_EQ(read.input_names(), std::vector<std::string>{"x"});
  read.verify();
  EXPECT_THAT(refusal([] { ModelGraph::from_mlir("func.func @main("); }),
              StartsWith("INVALID_ARGUMENT | from_mlir: line 1"));
  EXPECT_THAT(refusal([] { ModelGraph::from_mlir("module {}"); }), HasSubstr("no public function"));
  EXPECT_THAT(refusal([] {
                ModelGraph::from_mlir("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { %y = clika.relu %z : "
                                      "tensor<2xf32> return %y : tensor<2xf32> }");
              }),
              HasSubstr("undeclared"));
}

TEST(Files, dotNamesNodesAndOutputs) {
  std::string dot = pageGraph().to_dot();
  EXPECT_THAT(dot, AllOf(StartsWith("digraph \"test\" {"), HasSubstr("\"neg_1\" -> \"add_1\""), HasSubstr("output_0")));
}

} // namespace
