#include "GraphTesting.h"

#include <ClikaRT/profile.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace testing_graphs;
using ClikaRT::graph::Profile;
using ClikaRT::graph::ProfileOptions;
using ClikaRT::graph::ProfileRow;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using Names = std::vector<std::string>;

namespace {

Tensor ones(ClikaRT::Shape shape) { return Tensor::full(std::move(shape), 1.0, DataType::Float32); }

ProfileRow rowOf(const Profile &profile, const Names &nodes) {
  std::vector<ProfileRow> found;
  std::ranges::copy_if(profile.rows, std::back_inserter(found), [&](auto &row) { return row.nodes == nodes; });
  EXPECT_EQ(found.size(), 1U) << profile;
  return found.empty() ? ProfileRow() : found.front();
}

ModelGraph product() {
  ModelGraph graph = traced(
      [](const Tensors &in) -> Tensors { return {ops::matmul(in[0], ones({48, 20})), ops::exp(ops::neg(in[0]))}; },
      {{"x", DataType::Float32, {"n", 48}}});
  graph.finalize();
  return graph;
}

TEST(Profile, countsWithTheSizesOfTheRun) {
  ModelGraph graph = product();
  for (int64_t n : {1, 7, 100}) {
    Profile profile = graph.profile({ones({n, 48})});
    ProfileRow row = rowOf(profile, {"matmul_1"});
    EXPECT_EQ(row.calls, 1);
    EXPECT_EQ(row.flops, 2 * n * 48 * 20);
    EXPECT_EQ(row.bytes, 4 * (n * 48 + 48 * 20 + n * 20));
    EXPECT_THAT(row.kernel, StartsWith("clika_kernel_"));
    ProfileRow chain = rowOf(profile, {"neg_1", "exp_1"});
    EXPECT_EQ(chain.label(), "neg_1 + exp_1");
    EXPECT_EQ(chain.flops, 2 * n * 48);
    EXPECT_EQ(chain.bytes, 2 * 4 * n * 48);
  }
}

TEST(Profile, countsAConvolution) {
  ModelGraph graph =
      traced([](const Tensors &in) -> Tensors { return {ops::conv(in[0], ones({8, 4, 3, 3}), std::nullopt, {2, 2})}; },
             {{"x", DataType::Float32, {2, 4, 9, 12}}});
  graph.finalize();
  Profile profile = graph.profile({ones({2, 4, 9, 12})});
  ProfileRow row = *std::ranges::max_element(profile.rows, {}, &ProfileRow::flops);
  EXPECT_EQ(row.nodes, (Names{"conv_1"}));
  EXPECT_EQ(row.flops, 2LL * (2 * 8 * 4 * 5) * (4 * 3 * 3));
  // Of 12 columns the windows come to 11.
  EXPECT_EQ(row.bytes, 4LL * (2 * 4 * 9 * 11 + 8 * 4 * 3 * 3 + 2 * 8 * 4 * 5));
}

TEST(Profile, rowsAddUpAndRunStaysAsItIs) {
  ModelGraph graph = product();
  std::vector<float> values;
  for (int i = 0; i < 33 * 48; ++i)
    values.push_back(static_cast<float>(i % 17) * 0.1F - 0.7F);
  Tensor x = floats(values, {33, 48});
  Tensors before = graph.run({x});
  ProfileOptions options;
  options.runs = 4;
  options.warmup = 0;
  Profile profile = graph.profile({x}, options);
  Tensors after = graph.run({x});
  for (size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(before[i].item_as_vec<float>(), after[i].item_as_vec<float>());
  EXPECT_EQ(profile.runs, 4);
  double sum = 0;
  int64_t calls = 0;
  for (const ProfileRow &row : profile.rows) {
    sum += row.time_us;
    calls += row.calls;
  }
  EXPECT_DOUBLE_EQ(sum, profile.total_us);
  EXPECT_EQ(profile.rows.back().kernel, "other");
  EXPECT_EQ(profile.events.size(), static_cast<size_t>(calls - 1));
  for (const auto &event : profile.events) {
    EXPECT_LT(event.row, profile.rows.size() - 1);
    EXPECT_LE(event.start_us + event.time_us, profile.run_us);
  }
}

TEST(Profile, isWritten) {
  Profile profile = product().profile({ones({2, 48})});
  EXPECT_THAT(profile.to_string(), AllOf(StartsWith("kernel "), HasSubstr("  matmul_1\n"), HasSubstr("\nother ")));
  std::ostringstream stream;
  stream << profile;
  EXPECT_EQ(stream.str(), profile.to_string());
  EXPECT_THAT(profile.to_json(), AllOf(StartsWith("{"), HasSubstr("\"neg_1\"")));
  std::string path =
      (std::filesystem::temp_directory_path() / ("clika_profile_" + std::to_string(getpid()) + ".json")).string();
  profile.to_chrome_trace(path);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  std::filesystem::remove(path);
  size_t events = 0;
  for (size_t at = 0; (at = text.str().find("\"ph\":\"X\"", at)) != std::string::npos; ++at)
    ++events;
  EXPECT_EQ(events, 1 + profile.events.size());
  EXPECT_THAT(refusal([&] { profile.to_chrome_trace("/no such folder/x"); }),
              HasSubstr("to_chrome_trace: the file '/no such folder/x' cannot be written: "));
}

TEST(Profile, refuses) {
  ModelGraph graph = pageGraph();
  EXPECT_THAT(refusal([&] { graph.profile({}); }),
              StartsWith("FAILED_PRECONDITION | profile: the graph has not been finalized; call finalize() first"));
  graph.finalize();
  EXPECT_THAT(refusal([&] { graph.profile({}); }), HasSubstr("profile: 0 inputs were given; the graph has 1: 'x'"));
  ProfileOptions none;
  none.runs = 0;
  EXPECT_THAT(refusal([&] { graph.profile({ones({2, 3})}, none); }),
              "INVALID_ARGUMENT | profile: runs is 0; it takes 1 to 100000");
}

} // namespace
