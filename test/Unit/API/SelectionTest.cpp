// Registration, selection, target devices, and what the report says in its other forms.
#include "GraphTesting.h"

#include <cstdio>
#include <fstream>
#include <regex>
#include <sstream>

using namespace testing_graphs;
using ClikaRT::Device;
using ClikaRT::graph::Traits;
using ClikaRT::graph::transforms::Selector;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

std::vector<std::string> names(const std::vector<Transform> &list) {
  std::vector<std::string> result;
  for (const Transform &transform : list)
    result.push_back(transform.name());
  return result;
}

Transform idle(const std::string &name) {
  return transform(name, [](ModelGraph &) {});
}

Transform on(const std::string &name, const Device &device) {
  Traits traits;
  traits.device = device;
  return idle(name).with(traits);
}

class Selection : public testing::Test {
protected:
  void TearDown() override { transforms::reset_registered(); }
  ModelGraph graph = pageGraph();
};

TEST_F(Selection, theRegistryHoldsTheRuntimesNamesAtFirst) {
  std::vector<std::string> first = transforms::registered_names();
  EXPECT_EQ(first, names(transforms::catalogue()));
  transforms::register_transform("mine", [] { return idle("mine"); });
  EXPECT_EQ(transforms::registered_names().size(), first.size() + 1);
  EXPECT_EQ(transforms::registered_names().back(), "mine");
  EXPECT_EQ(transforms::get("mine").name(), "mine");
  EXPECT_THAT(names(graph.default_transforms()), Not(Contains("mine")));
  EXPECT_TRUE(transforms::unregister_transform("mine"));
  EXPECT_FALSE(transforms::unregister_transform("mine"));
  EXPECT_THAT(refusal([] { transforms::get("mine"); }),
              AllOf(StartsWith("NOT_FOUND | get: "), HasSubstr("clamp_to_relu")));
  transforms::clear_registered();
  EXPECT_TRUE(transforms::registered_names().empty());
  EXPECT_TRUE(transforms::available(graph).empty());
  // A name of the runtime's is found all the same, and the default list is what it was.
  EXPECT_THAT(names(transforms::select(graph, {"clamp_to_relu"})), ElementsAre("clamp_to_relu"));
  EXPECT_FALSE(graph.default_transforms().empty());
  transforms::reset_registered();
  EXPECT_EQ(transforms::registered_names(), first);
}

TEST_F(Selection, aGraphsOwnGoBeforeGlobalOnes) {
  transforms::register_transform("mine", [] { return idle("mine"); });
  Traits traits;
  traits.priority = 7;
  graph.register_transform(idle("mine").with(traits));
  graph.register_transform(idle("other"));
  EXPECT_EQ(transforms::select(graph, {"mine"})[0].priority(), 7);
  ModelGraph fresh = pageGraph();
  EXPECT_EQ(transforms::select(fresh, {"mine"})[0].priority(), 1);
  EXPECT_THAT(graph.registered_names(), ElementsAre("mine", "other"));
  EXPECT_THAT(graph.clone().registered_names(), ElementsAre("mine", "other"));
  std::vector<std::string> all = names(transforms::available(graph));
  EXPECT_EQ(all.size(), transforms::catalogue().size() + 2);
  EXPECT_EQ(all.back(), "other");
  EXPECT_TRUE(graph.unregister_transform("mine"));
  EXPECT_FALSE(graph.unregister_transform("mine"));
  EXPECT_EQ(transforms::select(graph, {"mine"})[0].priority(), 1);
  graph.register_transform(idle("other").with(traits));
  EXPECT_EQ(transforms::select(graph, {"other"})[0].priority(), 7);
}

TEST_F(Selection, theRuntimesNamesAreNotForOthers) {
  EXPECT_THAT(refusal([] { transforms::register_transform("clamp_to_relu", [] { return idle("x"); }); }),
              HasSubstr("register_transform: 'clamp_to_relu' is the name of one of the runtime's"));
  EXPECT_THAT(refusal([] { transforms::register_transform("", [] { return idle("x"); }); }),
              HasSubstr("name is empty"));
  EXPECT_THAT(refusal([] { transforms::register_transform("x", nullptr); }), HasSubstr("the factory of 'x' is empty"));
  EXPECT_THAT(refusal([&] { graph.register_transform(transforms::clamp_to_relu()); }),
              HasSubstr("register_transform: 'clamp_to_relu' is one of the runtime's"));
  transforms::register_transform("said", [] { return idle("made"); });
  EXPECT_THAT(refusal([&] { transforms::select(graph, {"said"}); }),
              HasSubstr("select: the factory registered as 'said' made 'made'"));
  // The others are not made.
  EXPECT_THAT(names(transforms::select(graph, {"clamp_to_relu"})), ElementsAre("clamp_to_relu"));
}

TEST_F(Selection, namesHandlesAndExpressions) {
  Transform mine = idle("mine");
  EXPECT_THAT(names(transforms::select(graph, {"remove_unused", mine, "remove_unused"})),
              ElementsAre("remove_unused", "mine", "remove_unused"));
  EXPECT_THAT(names(transforms::select(graph, "remove_(unused|double_neg|duplicates)")),
              ElementsAre("remove_unused", "remove_double_neg", "remove_duplicates"));
  EXPECT_THAT(names(transforms::select(graph, std::string("clamp."))), ElementsAre());
  EXPECT_THAT(names(transforms::select(graph, "clamp_to_relu")), ElementsAre("clamp_to_relu"));
  EXPECT_THAT(refusal([&] { transforms::select(graph, "clamp"); }), HasSubstr("transforms[0] is the name 'clamp'"));
  EXPECT_THAT(names(transforms::select(graph, std::regex("clamp_.*"))), ElementsAre("clamp_to_relu"));
  transforms::register_transform("clamp_mine", [] { return on("clamp_mine", Device{"gpu", 0}); });
  EXPECT_THAT(names(transforms::select(graph, "clamp_.*")), ElementsAre("clamp_to_relu", "clamp_mine"));
  EXPECT_THAT(refusal([&] { transforms::select(graph, "("); }),
              StartsWith("INVALID_ARGUMENT | select: '(' is no regular"));
  EXPECT_THAT(
      refusal([&] { transforms::select(graph, {"remove_unused", "remove_unsued"}); }),
      AllOf(StartsWith("NOT_FOUND | select: transforms[1] is the name 'remove_unsued'"), HasSubstr("remove_unused")));
  EXPECT_TRUE(transforms::select(graph, std::vector<Selector>()).empty());
}

TEST_F(Selection, cleanupIsWhatTidiesUp) {
  ModelGraph untidy = traced([](const Tensors &in) -> Tensors {
    ops::exp(in[0]);
    Tensor a = ops::relu(in[0]), b = ops::relu(in[0]);
    return {ops::add(ops::reshape(a, {2, 3}), ops::mul(b, ops::add(floats({1}, {1}), floats({2}, {1}))))};
  });
  optimizeWith(untidy, transforms::cleanup());
  EXPECT_EQ(formulas(untidy), "Add(Relu(x), Mul(Relu(x), c))");
  EXPECT_EQ(untidy.nodes().size(), 4u);
}

TEST_F(Selection, aDeviceChoosesWhatSuitsIt) {
  for (const char *kind : {"gpu", "npu"})
    graph.register_transform(on(std::string("for_") + kind, Device{kind, 0}));
  graph.register_transform(on("for_gpu_1", Device{"gpu", 1}));
  graph.register_transform(idle("for_any"));
  std::vector<std::string> gpu = names(transforms::select(graph, Device{"gpu", 0}));
  EXPECT_THAT(gpu, AllOf(Contains("for_gpu"), Contains("for_any"), Contains("fuse_activation")));
  EXPECT_THAT(gpu, AllOf(Not(Contains("for_npu")), Not(Contains("for_gpu_1"))));
  EXPECT_EQ(gpu.size(), graph.default_transforms().size() + 2);
  EXPECT_EQ(graph.target_device(), Device::any);
  graph.set_target_device(Device{"gpu", 1});
  EXPECT_THAT(refusal([&] { transforms::select(graph, Device{"gpu", 0}); }),
              AllOf(StartsWith("INVALID_ARGUMENT | select: the device 'gpu'"), HasSubstr("target device is 'gpu:1'")));
  EXPECT_THAT(names(transforms::select(graph, Device{"gpu", 1})), Contains("for_gpu_1"));
  EXPECT_THAT(refusal([&] { transforms::select(graph, Device::any); }), HasSubstr("'any' is no device"));
}

TEST_F(Selection, theTargetDeviceIsTheGraphs) {
  graph.set_target_device(Device{"gpu", 2});
  EXPECT_EQ(graph.target_device(), (Device{"gpu", 2}));
  EXPECT_EQ(graph.clone().target_device(), (Device{"gpu", 2}));
  EXPECT_EQ(ModelGraph::from_mlir(graph.to_mlir()).target_device(), (Device{"gpu", 2}));
  std::string path = testing::TempDir() + "target.clika";
  graph.save(path);
  EXPECT_EQ(ModelGraph::load(path).target_device(), (Device{"gpu", 2}));
  std::remove(path.c_str());
  EXPECT_THAT(refusal([&] { graph.set_target_device(Device{"a b", 0}); }),
              HasSubstr("set_target_device: the device's kind is 'a b'"));
  EXPECT_EQ(graph.inputs()[0].device(), Device());
  graph.set_target_device(Device::any);
  EXPECT_EQ(graph.to_mlir(), pageGraph().to_mlir());
}

TEST_F(Selection, aRunSetsTheTargetIfItSucceeds) {
  OptimizeOptions options;
  options.transforms = std::vector<Transform>{transforms::remove_redundant_relu()};
  options.target_device = Device{"gpu", 0};
  ModelGraph failing = pageGraph();
  OptimizeOptions fails = options;
  fails.transforms->push_back(transform("fails", [](ModelGraph &) { throw std::runtime_error("on purpose"); }));
  std::string before = everything(failing);
  EXPECT_THAT(refusal([&] { failing.optimize(fails); }), HasSubstr("on purpose"));
  EXPECT_EQ(failing.target_device(), Device::any);
  EXPECT_EQ(everything(failing), before);
  graph.optimize(options);
  EXPECT_EQ(graph.target_device(), (Device{"gpu", 0}));
  EXPECT_EQ(formulas(graph), "Add(Relu(x), Neg(x))");
  options.target_device = Device{"gpu", 1};
  before = everything(graph);
  EXPECT_THAT(refusal([&] { graph.optimize(options); }), HasSubstr("optimize: the device 'gpu:1' was asked for"));
  EXPECT_EQ(everything(graph), before);
  graph.finalize();
}

TEST_F(Selection, regionsAndFunctionsHaveTheGraphsDevice) {
  ModelGraph nested("nested");
  nested.add_function("inner", [](const Tensors &in) -> Tensors { return {ops::neg(in[0])}; },
                      {{"a", DataType::Float32, {2}}});
  Value x = nested.add_input({"x", DataType::Float32, {2}});
  auto branches = [](const Tensors &in) {
    return ops::if_(
        ops::greater(ops::reduce_sum(in[0]), 0), [&]() -> Tensors { return {ops::neg(in[0])}; },
        [&]() -> Tensors { return ops::call("inner", in); });
  };
  nested.add_output(nested.insert(branches, {x})[0], "y");
  Traits traits;
  traits.device = Device{"gpu", 1};
  nested.register_transform(
      transforms::rewrite("here", Pattern::chain({OpCode::Neg}), [](const RewriteMatch &, const Tensors &in) {
        return Tensors{ops::abs(in[0])};
      }).with(traits));
  OptimizeOptions options;
  options.target_device = Device{"gpu", 0};
  options.transforms = transforms::select(nested, Device{"gpu", 0});
  EXPECT_THAT(names(*options.transforms), Not(Contains("here")));
  nested.set_target_device(Device{"gpu", 1});
  std::string before = everything(nested);
  EXPECT_THAT(refusal([&] { nested.optimize(options); }),
              HasSubstr("optimize: the device 'gpu' was asked for, and the graph's target device is 'gpu:1'"));
  EXPECT_EQ(everything(nested), before);
  options.target_device = Device{"gpu", 1};
  options.transforms = transforms::select(nested, Device{"gpu", 1});
  OptimizeReport report = nested.optimize(options);
  EXPECT_EQ(report.transforms.back().transform.name(), "here");
  EXPECT_EQ(report.transforms.back().rewrites, 2);
  EXPECT_THAT(nested.to_mlir(), Not(HasSubstr("clika.neg")));
}

TEST_F(Selection, insideOptimizeItIsRefused) {
  for (const auto &call :
       std::vector<std::function<void(ModelGraph &)>>{[](ModelGraph &g) { g.register_transform(idle("late")); },
                                                      [](ModelGraph &g) { g.unregister_transform("late"); },
                                                      [](ModelGraph &g) { g.set_target_device(Device{"gpu", 0}); }})
    EXPECT_THAT(refusal([&] { optimizeWith(graph, {transform("registers", call)}); }),
                StartsWith("FAILED_PRECONDITION | "));
}

TEST(Report, itsOtherFormsSayTheSame) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    Tensor unused = ops::exp(in[0]);
    return {ops::relu(ops::relu(in[0]))};
  });
  OptimizeOptions options;
  options.transforms = std::vector<Transform>{transforms::remove_redundant_relu(), transforms::remove_unused(),
                                              transforms::fold_constants()};
  options.explain = true;
  OptimizeReport report = graph.optimize(options);
  EXPECT_EQ(report.rewrites, 2);
  EXPECT_EQ(report.nodes_before, 4);
  EXPECT_EQ(report.nodes_after, 2);
  EXPECT_GT(report.phases.rewrite, 0.0);
  EXPECT_GT(report.phases.cleanup, 0.0);
  EXPECT_GT(report.phases.fold, 0.0);
  EXPECT_EQ(report.phases.match, 0.0);
  EXPECT_LE(report.phases.rewrite + report.phases.cleanup + report.phases.fold, report.seconds);
  ASSERT_FALSE(report.transforms[1].reasons.empty());
  EXPECT_EQ(report.transforms[1].reasons[0].reason, "something reads it");
  std::string json = report.to_json();
  for (const char *part : {"\"iterations\": 2", "\"converged\": true", "\"rewrites\": 2", "\"nodes_before\": 4",
                           "\"transform\": \"remove_redundant_relu\"", "\"not_convex\": 0", "\"something reads it\""})
    EXPECT_THAT(json, HasSubstr(part));
  options.explain = false;
  EXPECT_TRUE(graph.optimize(options).transforms[1].reasons.empty());
}

TEST(Report, aPageNeedsNothingElse) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::relu(ops::relu(ops::mul(in[0], 2.0)))}; });
  graph.rename_node(graph.find_nodes(OpCode::Mul)[0], "a<b>&\"c\"");
  OptimizeReport report = optimizeWith(graph, {transforms::remove_redundant_relu()});
  std::string path = testing::TempDir() + "report.html";
  report.to_html(path);
  std::ifstream file(path);
  std::stringstream read;
  read << file.rdbuf();
  std::string page = read.str();
  std::remove(path.c_str());
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr("a&lt;b&gt;&amp;&quot;c&quot;"));
  EXPECT_THAT(page, Not(HasSubstr("a<b>")));
  EXPECT_THAT(page, HasSubstr("class=\"operator changed\""));
  for (const char *outside : {"src=", "href=", "url(", "@import", "<script"})
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  EXPECT_THAT(refusal([&] { report.to_html(testing::TempDir() + "no/such/folder/x.html"); }),
              StartsWith("IO | to_html: "));
}

TEST(Verify, itIsAnOption) {
  for (bool verify : {false, true}) {
    ModelGraph graph = pageGraph();
    OptimizeOptions options;
    options.verify = verify;
    EXPECT_TRUE(graph.optimize(options).converged);
    graph.verify();
  }
}

TEST_F(Selection, aRegularExpressionTooLongForTheLibraryIsRefused) {
  ModelGraph graph = pageGraph();
  std::string deep = std::string(100000, '(') + "a" + std::string(100000, ')');
  EXPECT_THAT(refusal([&] { transforms::select(graph, deep); }),
              testing::HasSubstr("has 200001 characters, and 2048 are the most"));
  EXPECT_EQ(transforms::select(graph, std::string(500, '(') + "remove_unused" + std::string(500, ')')).size(), 1u);
}

} // namespace
