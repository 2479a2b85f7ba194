// graph.h: ModelGraph, trace.
#include "Callbacks.h"
#include "GraphBindings.h"
#include "Interrupt.h"
#include "Runtime/ThreadPool.h"

#include <ClikaRT/profile.h>

#include <algorithm>

namespace clika::python {
namespace {

using ClikaRT::Tensor;
using ClikaRT::graph::Fallback;
using ClikaRT::graph::FinalizeOptions;
using ClikaRT::graph::FinalizeStage;
using ClikaRT::graph::ModelGraph;
using ClikaRT::graph::Node;
using ClikaRT::graph::OptimizeOptions;
using ClikaRT::graph::OptimizeReport;
using ClikaRT::graph::RewriteLog;
using ClikaRT::graph::Value;
using Class = py::class_<ModelGraph>;

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

/// find_nodes(code) or find_nodes(predicate).
py::list findNodes(const ModelGraph &graph, py::handle what) {
  if (!PyCallable_Check(what.ptr()) || PyType_Check(what.ptr()))
    return toList(graph.find_nodes(toOpCode(what, "find_nodes")));
  const HeldObject predicate = toCallable(what, "find_nodes", "the predicate");
  const auto asked = [&](const Node &node) {
    return withPython([&] { return py::cast<bool>(py::bool_(predicate.get()(py::cast(node)))); });
  };
  return toList(withoutGil([&] { return graph.find_nodes(asked); }));
}

std::vector<Node> toNodes(py::handle value, std::string_view call) {
  std::vector<Node> nodes;
  for (py::handle entry : toSequence(value, call, "the nodes"))
    nodes.push_back(toNode(entry, call));
  return nodes;
}

void bindQueries(Class &cls) {
  cls.def_property_readonly("name", &ModelGraph::name)
      .def("nodes", [](const ModelGraph &self) { return toList(self.nodes()); })
      .def("inputs", [](const ModelGraph &self) { return toList(self.inputs()); })
      .def("outputs", [](const ModelGraph &self) { return toList(self.outputs()); })
      .def("input_names", [](const ModelGraph &self) { return toList(self.input_names()); })
      .def("output_names", [](const ModelGraph &self) { return toList(self.output_names()); })
      .def("find_nodes", &findNodes, py::arg("what"))
      .def(
          "find_node", [](const ModelGraph &self, const Text &name) { return orNone(self.find_node(name)); },
          py::arg("name"))
      .def(
          "find_occurrences",
          [](const ModelGraph &self, const ClikaRT::graph::Pattern &pattern) {
            return toList(withoutGil([&] { return self.find_occurrences(pattern); }));
          },
          py::arg("pattern"))
      .def(
          "why_not",
          [](const ModelGraph &self, py::handle rule, py::handle node) {
            const ClikaRT::graph::Transform transform =
                py::isinstance<py::str>(rule) ? selectTransforms(self, py::make_tuple(rule), "why_not").front()
                                              : toTransform(rule, "why_not", "the rule is");
            const Node of = toNode(node, "why_not");
            return orNone(withGil([&] { return self.why_not(transform, of); }));
          },
          py::arg("rule"), py::arg("node"))
      .def(
          "is_convex",
          [](const ModelGraph &self, py::handle nodes) { return self.is_convex(toNodes(nodes, "is_convex")); },
          py::arg("nodes"))
      .def("verify", &ModelGraph::verify)
      .def("is_finalized", &ModelGraph::is_finalized)
      .def("to_string", &ModelGraph::to_string)
      .def("to_mlir", &ModelGraph::to_mlir)
      .def("to_dot", &ModelGraph::to_dot)
      .def("__str__", &ModelGraph::to_string)
      .def("__repr__",
           [](const ModelGraph &self) {
             return "<ModelGraph '" + self.name() + "' of " + std::to_string(self.nodes().size()) + " nodes>";
           })
      .def("__eq__",
           [](const ModelGraph &self, py::handle other) {
             return py::isinstance<ModelGraph>(other) && self.core() == py::cast<const ModelGraph &>(other).core();
           })
      .def("__hash__", [](const ModelGraph &self) { return std::hash<const void *>()(self.core().get()); });
}

//===----------------------------------------------------------------------===//
// Edits
//===----------------------------------------------------------------------===//

std::optional<Value> toOptionalValue(py::handle value, std::string_view call) {
  return value.is_none() ? std::nullopt : std::optional<Value>(toValue(value, call));
}

Node addNode(ModelGraph &graph, py::handle code, py::handle inputs, py::handle attributes, const Text &name) {
  std::vector<std::optional<Value>> operands;
  for (py::handle entry : toSequence(inputs, "add_node", "the inputs"))
    operands.push_back(toOptionalValue(entry, "add_node"));
  return graph.add_node(toOpCode(code, "add_node"), operands, toAttrs(attributes, "add_node"), name);
}

py::list insert(ModelGraph &graph, py::handle fn, py::handle inputs) {
  const auto function = toTraceFunction(fn, "insert");
  const std::vector<Value> values = toValues(inputs, "insert", "the inputs");
  return toList(withoutGil([&] { return graph.insert(function, values); }));
}

py::list replace(ModelGraph &graph, py::handle oldOutputs, py::handle fn, py::handle inputs) {
  const std::vector<Value> old = toValues(oldOutputs, "replace", "the old outputs");
  const auto function = toTraceFunction(fn, "replace");
  const std::vector<Value> values = toValues(inputs, "replace", "the inputs");
  return toList(withoutGil([&] { return graph.replace(old, function, values); }));
}

//===----------------------------------------------------------------------===//
// Private functions
//===----------------------------------------------------------------------===//

void addFunction(ModelGraph &graph, const Text &name, py::handle fn, py::handle specs) {
  const auto function = toTraceFunction(fn, "add_function");
  const std::vector<ClikaRT::spec::TensorSpec> inputs = toSpecs(specs, "add_function");
  withoutGil([&] { graph.add_function(name, function, inputs); });
}

void bindFunctions(Class &cls) {
  cls.def("add_function", &addFunction, py::arg("name"), py::arg("fn"), py::arg("specs"))
      .def(
          "remove_function", [](ModelGraph &self, const Text &name) { self.remove_function(name); }, py::arg("name"))
      .def("function_names", [](const ModelGraph &self) { return toList(self.function_names()); })
      .def(
          "function_nodes", [](const ModelGraph &self, const Text &name) { return toList(self.function_nodes(name)); },
          py::arg("name"))
      .def(
          "function_inputs",
          [](const ModelGraph &self, const Text &name) { return toList(self.function_inputs(name)); }, py::arg("name"))
      .def(
          "function_outputs",
          [](const ModelGraph &self, const Text &name) { return toList(self.function_outputs(name)); }, py::arg("name"))
      .def("inline_functions", &ModelGraph::inline_functions);
}

/// As clika_runtime.tensor makes it.
Tensor toConstantData(py::handle data) {
  if (isNumber(data) || isList(data))
    return toConstant(data, std::nullopt, "add_constant", "the data");
  return toTensor(data, "add_constant", "the data is");
}

void bindEdits(Class &cls) {
  cls.def("add_node", &addNode, py::arg("code"), py::arg("inputs"), py::arg("attributes") = py::none(), py::kw_only(),
          py::arg("name") = "")
      .def("insert", &insert, py::arg("fn"), py::arg("inputs"))
      .def("replace", &replace, py::arg("old_outputs"), py::arg("fn"), py::arg("inputs"))
      .def(
          "replace_all_uses_with",
          [](ModelGraph &self, py::handle oldValue, py::handle newValue) {
            self.replace_all_uses_with(toValue(oldValue, "replace_all_uses_with"),
                                       toValue(newValue, "replace_all_uses_with"));
          },
          py::arg("old_value"), py::arg("new_value"))
      .def(
          "set_input",
          [](ModelGraph &self, py::handle node, py::handle port, py::handle value) {
            self.set_input(toNode(node, "set_input"), toCount(port, "set_input", "the port"),
                           toOptionalValue(value, "set_input"));
          },
          py::arg("node"), py::arg("port"), py::arg("value"))
      .def(
          "set_attribute",
          [](ModelGraph &self, py::handle node, const Text &name, py::handle value) {
            self.set_attribute(toNode(node, "set_attribute"), name, toAttrValue(value, "set_attribute", name));
          },
          py::arg("node"), py::arg("name"), py::arg("value"))
      .def(
          "remove_node", [](ModelGraph &self, py::handle node) { self.remove_node(toNode(node, "remove_node")); },
          py::arg("node"))
      .def(
          "bypass_node", [](ModelGraph &self, py::handle node) { self.bypass_node(toNode(node, "bypass_node")); },
          py::arg("node"))
      .def(
          "rename_node",
          [](ModelGraph &self, py::handle node, const Text &name) {
            self.rename_node(toNode(node, "rename_node"), name);
          },
          py::arg("node"), py::arg("name"))
      .def(
          "add_constant",
          [](ModelGraph &self, py::handle data, const Text &name) {
            return self.add_constant(toConstantData(data), name);
          },
          py::arg("data"), py::arg("name") = "")
      .def("add_input", &ModelGraph::add_input, py::arg("spec"))
      .def(
          "add_output",
          [](ModelGraph &self, py::handle value, const Text &name) {
            self.add_output(toValue(value, "add_output"), name);
          },
          py::arg("value"), py::arg("name"))
      .def(
          "remove_input", [](ModelGraph &self, const Text &name) { self.remove_input(name); }, py::arg("name"))
      .def(
          "remove_output", [](ModelGraph &self, const Text &name) { self.remove_output(name); }, py::arg("name"))
      .def(
          "rename_input",
          [](ModelGraph &self, const Text &oldName, const Text &newName) { self.rename_input(oldName, newName); },
          py::arg("old_name"), py::arg("new_name"))
      .def(
          "rename_output",
          [](ModelGraph &self, const Text &oldName, const Text &newName) { self.rename_output(oldName, newName); },
          py::arg("old_name"), py::arg("new_name"));
}

//===----------------------------------------------------------------------===//
// Optimize, finalize, run
//===----------------------------------------------------------------------===//

/// Nodes, or names of nodes.
std::vector<Node> toKept(const ModelGraph &graph, py::handle value) {
  std::vector<Node> nodes;
  for (py::handle entry : toSequence(value, "optimize", "the nodes to keep")) {
    if (!py::isinstance<py::str>(entry)) {
      nodes.push_back(toNode(entry, "optimize: keep"));
      continue;
    }
    const std::string name = toText(entry, "optimize", "keep");
    const std::optional<Node> node = graph.find_node(name);
    if (!node)
      refuse("optimize", "keep names '" + name + "', and the graph has no node of that name",
             ClikaRT::Status::NotFound);
    nodes.push_back(*node);
  }
  return nodes;
}

const IntEnumTable *orders = nullptr;

OptimizeReport optimize(ModelGraph &graph, py::handle transforms, py::handle maxIterations, py::handle check,
                        py::handle foldLimit, py::handle foldExcluded, py::handle record, py::handle fullSearch,
                        py::handle order, py::handle keep, py::handle verify, py::handle explain,
                        py::handle targetDevice) {
  OptimizeOptions options;
  options.record = toFlag(record, "optimize", "record");
  if (!transforms.is_none())
    options.transforms = withGil([&] { return selectTransforms(graph, transforms, "optimize"); });
  if (py::isinstance<ClikaRT::Device>(transforms))
    options.target_device = py::cast<const ClikaRT::Device &>(transforms);
  if (!targetDevice.is_none())
    options.target_device = toDevice(targetDevice, "optimize: target_device");
  if (!maxIterations.is_none())
    options.max_iterations = toInteger(maxIterations, "optimize", "max_iterations");
  if (!foldLimit.is_none())
    options.fold_limit = toInteger(foldLimit, "optimize", "fold_limit");
  options.fold_excluded = toOpCodes(foldExcluded, "optimize");
  options.full_search = toFlag(fullSearch, "optimize", "full_search");
  if (!check.is_none() && check.ptr() != Py_False)
    options.check = toCheck(graph, check);
  if (!order.is_none()) {
    if (!orders->isMember(order))
      refuseType("optimize", "order is a member of clika_runtime.graph.Order, not " + typeName(order));
    options.order = static_cast<ClikaRT::graph::Order>(py::cast<long>(order));
  }
  if (!keep.is_none())
    options.keep = toKept(graph, keep);
  if (!verify.is_none())
    options.verify = toFlag(verify, "optimize", "verify");
  options.explain = toFlag(explain, "optimize", "explain");
  options.interrupted = SignalCheck();
  // Python entries are called thousands of times, and each wait for the GIL may last as long as another thread's turn.
  if (options.transforms &&
      !std::ranges::all_of(*options.transforms, [](const auto &transform) { return transform.is_runtime(); }))
    return interruptible([&] { return withGil([&] { return graph.optimize(options); }); });
  return interruptible([&] { return withoutGil([&] { return graph.optimize(options); }); });
}

int toThreads(py::handle value) {
  const std::int64_t threads = toInteger(value, "finalize", "threads");
  if (const std::string problem = threadsProblem(threads); !problem.empty())
    refuse("finalize", problem);
  return static_cast<int>(threads);
}

void finalize(ModelGraph &graph, py::handle threads, py::handle targetCpu, py::handle precision, py::handle cacheDir,
              py::handle progress, py::handle fallback) {
  FinalizeOptions options;
  if (!threads.is_none())
    options.threads = toThreads(threads);
  if (!targetCpu.is_none())
    options.target_cpu = toText(targetCpu, "finalize", "target_cpu");
  options.precision = toText(precision, "finalize", "precision");
  if (!cacheDir.is_none())
    options.cache_dir = toPath(cacheDir, "finalize", "cache_dir");
  HeldObject function;
  if (!progress.is_none())
    function = toCallable(progress, "finalize", "progress");
  options.progress = [function](const FinalizeStage &stage) {
    checkSignals();
    if (function) {
      withPython([&] {
        const py::object type = py::module_::import("clika_runtime.graph").attr("FinalizeStage");
        function.get()(type(static_cast<const std::string &>(stage), stage.done));
      });
      checkSignals();
    }
  };
  HeldObject onFallback;
  if (!fallback.is_none()) {
    onFallback = toCallable(fallback, "finalize", "fallback");
    options.fallback = [onFallback](const Fallback &found) {
      withPython([&] {
        const py::object type = py::module_::import("clika_runtime.graph").attr("Fallback");
        py::list nodes;
        for (const std::string &node : found.nodes)
          nodes.append(node);
        onFallback.get()(type(std::move(nodes), found.reason));
      });
    };
  }
  interruptible([&] { withoutGil([&] { graph.finalize(options); }); });
}

py::object run(ModelGraph &graph, py::handle inputs) {
  if (!py::isinstance<py::dict>(inputs) && !py::hasattr(inputs, "keys")) {
    const py::tuple values = toSequence(inputs, "run", "the inputs");
    const std::vector<Tensor> tensors = toInputs(graph, values, "run", "the inputs hold", /*share=*/true);
    return toList(withoutGil([&] { return graph.run(tensors); }));
  }
  const NamedObjects values = toItems(inputs, "run", "an input's name");
  const std::map<std::string, Tensor> byName = toInputs(graph, values, "run", "the inputs hold", /*share=*/true);
  const auto results = named("run", "run_named", [&] { return withoutGil([&] { return graph.run_named(byName); }); });
  py::list ordered;
  for (const std::string &name : graph.output_names())
    ordered.append(py::cast(results.at(name)));
  return ordered;
}

void runInto(ModelGraph &graph, py::handle inputs, py::handle outputs) {
  const std::vector<Tensor> in =
      toInputs(graph, toSequence(inputs, "run_into", "the inputs"), "run_into", "the inputs hold");
  std::vector<Tensor> out;
  for (py::handle entry : toSequence(outputs, "run_into", "the outputs")) {
    if (!py::isinstance<Tensor>(entry))
      refuseType("run_into", "the outputs hold " + typeName(entry) + "; make them with clika_runtime.empty");
    out.push_back(py::cast<Tensor>(entry));
  }
  withoutGil([&] { graph.run_into(in, out); });
}

/// The inputs of a run in their order, which a mapping gives by their names.
std::vector<Tensor> inputsInOrder(ModelGraph &graph, py::handle inputs, std::string_view call) {
  if (!py::isinstance<py::dict>(inputs) && !py::hasattr(inputs, "keys"))
    return toInputs(graph, toSequence(inputs, call, "the inputs"), call, "the inputs hold", /*share=*/true);
  const std::map<std::string, Tensor> byName =
      toInputs(graph, toItems(inputs, call, "an input's name"), call, "the inputs hold", /*share=*/true);
  const std::vector<std::string> names = graph.input_names();
  std::vector<Tensor> tensors;
  for (const std::string &name : names) {
    if (!byName.contains(name))
      refuse(call, "the input '" + name + "' is missing");
    tensors.push_back(byName.at(name));
  }
  for (const auto &[name, tensor] : byName)
    if (std::ranges::find(names, name) == names.end())
      refuse(call, "the graph has no input '" + name + "'");
  return tensors;
}

ClikaRT::graph::Profile profile(ModelGraph &graph, py::handle inputs, py::handle runs, py::handle warmup) {
  ClikaRT::graph::ProfileOptions options;
  options.runs = toInteger(runs, "profile", "runs");
  options.warmup = toInteger(warmup, "profile", "warmup");
  const std::vector<Tensor> tensors = inputsInOrder(graph, inputs, "profile");
  return interruptible([&] { return withoutGil([&] { return graph.profile(tensors, options); }); });
}

void bindCompute(Class &cls) {
  cls.def("optimize", &optimize, py::arg("transforms") = py::none(), py::kw_only(),
          py::arg("max_iterations") = py::none(), py::arg("check") = py::none(), py::arg("fold_limit") = py::none(),
          py::arg("fold_excluded") = py::tuple(), py::arg("record") = false, py::arg("full_search") = false,
          py::arg("order") = py::none(), py::arg("keep") = py::none(), py::arg("verify") = py::none(),
          py::arg("explain") = false, py::arg("target_device") = py::none())
      .def(
          "replay",
          [](ModelGraph &self, py::handle log) {
            if (!py::isinstance<RewriteLog>(log))
              refuseType("replay", "the log is a RewriteLog, not " + typeName(log));
            withoutGil([&] { self.replay(py::cast<const RewriteLog &>(log)); });
          },
          py::arg("log"))
      .def_property("target_device", &ModelGraph::target_device,
                    [](ModelGraph &self, py::handle device) {
                      self.set_target_device(device.is_none() ? ClikaRT::Device::any
                                                              : toDevice(device, "target_device"));
                    })
      .def(
          "register_transform",
          [](ModelGraph &self, py::handle transform) {
            self.register_transform(toTransform(transform, "register_transform", "it was given"));
          },
          py::arg("transform"))
      .def(
          "unregister_transform", [](ModelGraph &self, const Text &name) { return self.unregister_transform(name); },
          py::arg("name"))
      .def("registered_names", [](const ModelGraph &self) { return toList(self.registered_names()); })
      .def("default_transforms", [](const ModelGraph &self) { return toList(self.default_transforms()); })
      .def("finalize", &finalize, py::kw_only(), py::arg("threads") = py::none(), py::arg("target_cpu") = py::none(),
           py::arg("precision") = "full", py::arg("cache_dir") = py::none(), py::arg("progress") = py::none(),
           py::arg("fallback") = py::none())
      .def("run", &run, py::arg("inputs"))
      .def("run_into", &runInto, py::arg("inputs"), py::arg("outputs"))
      .def("profile", &profile, py::arg("inputs"), py::kw_only(), py::arg("runs") = 10, py::arg("warmup") = 3)
      .def("to", [](ModelGraph &self, py::handle device) { self.to(toDevice(device, "to")); }, py::arg("device"));
}

//===----------------------------------------------------------------------===//
// Copies, files, trace
//===----------------------------------------------------------------------===//

void emitObject(const ModelGraph &graph, py::handle path, py::handle name, py::handle targetTriple,
                py::handle targetCpu, py::handle precision) {
  const char *call = "emit_object";
  const std::string file = toPath(path, call);
  ClikaRT::graph::EmitOptions options;
  if (!name.is_none())
    options.name = toText(name, call, "name");
  if (!targetTriple.is_none())
    options.target_triple = toText(targetTriple, call, "target_triple");
  if (!targetCpu.is_none())
    options.target_cpu = toText(targetCpu, call, "target_cpu");
  options.precision = toText(precision, call, "precision");
  interruptible([&] { withoutGil([&] { graph.emit_object(file, options); }); });
}

void bindFiles(Class &cls) {
  cls.def("clone", [](const ModelGraph &self) { return withoutGil([&] { return self.clone(); }); })
      .def(
          "__deepcopy__", [](const ModelGraph &self, py::handle) { return withoutGil([&] { return self.clone(); }); },
          py::arg("memo"))
      .def("__copy__",
           [](const ModelGraph &) -> py::object {
             refuseType("copy", "a graph is copied whole or not at all; call clone() or copy.deepcopy");
           })
      .def(
          "__reduce_ex__",
          [](const ModelGraph &, py::handle) -> py::object {
            refuseType("pickle",
                       "a graph is not pickled; write it with save(path) and read it with ModelGraph.load(path)");
          },
          py::arg("protocol"))
      .def(
          "save",
          [](const ModelGraph &self, py::handle path) {
            const std::string file = toPath(path, "save");
            withoutGil([&] { self.save(file); });
          },
          py::arg("path"))
      .def("emit_object", &emitObject, py::arg("path"), py::kw_only(), py::arg("name") = py::none(),
           py::arg("target_triple") = py::none(), py::arg("target_cpu") = py::none(), py::arg("precision") = "full")
      .def_static(
          "load",
          [](py::handle path) {
            const std::string file = toPath(path, "load");
            return withoutGil([&] { return ModelGraph::load(file); });
          },
          py::arg("path"))
      .def_static(
          "from_mlir", [](const Text &text) { return ModelGraph::from_mlir(text); }, py::arg("text"))
      .def_static(
          "from_onnx",
          [](py::handle path, py::handle allowUnknown) {
            // How every model in ONNX's form begins: with its version.
            constexpr char version = '\b';
            const std::string file = toPath(path, "from_onnx");
            if (PyBytes_Check(path.ptr()) && !file.empty() && file.front() == version)
              refuseType("from_onnx",
                         "path is the bytes of a model, not a path; write them to a file and give its path");
            ClikaRT::graph::OnnxOptions options;
            options.allow_unknown = toFlag(allowUnknown, "from_onnx", "allow_unknown");
            return withoutGil([&] { return ModelGraph::from_onnx(file, options); });
          },
          py::arg("path"), py::kw_only(), py::arg("allow_unknown") = false);
}

ModelGraph trace(py::handle fn, py::handle specs, const Text &name, py::handle outputNames) {
  const auto function = toTraceFunction(fn, "trace");
  const std::vector<ClikaRT::spec::TensorSpec> signature = toSpecs(specs, "trace");
  std::vector<std::string> outputs;
  if (!outputNames.is_none())
    for (py::handle entry : toSequence(outputNames, "trace", "the output names"))
      outputs.push_back(toText(entry, "trace", "an output's name"));
  return withoutGil([&] { return ClikaRT::graph::trace(function, signature, name, outputs); });
}

} // namespace

std::vector<ClikaRT::spec::TensorSpec> toSpecs(py::handle specs, std::string_view call) {
  std::vector<ClikaRT::spec::TensorSpec> signature;
  for (py::handle entry : toSequence(specs, call, "the specs")) {
    if (!py::isinstance<ClikaRT::spec::TensorSpec>(entry))
      refuseType(call, "the specs hold " + typeName(entry) + " where a TensorSpec was expected");
    signature.push_back(py::cast<const ClikaRT::spec::TensorSpec &>(entry));
  }
  return signature;
}

py::object fromGraph(ModelGraph &graph) {
  // The object the user made, where this is its graph; else one of its own, which may outlive the callback.
  const auto *type = py::detail::get_type_info(typeid(ModelGraph));
  if (py::handle known = py::detail::get_object_handle(&graph, type))
    return py::reinterpret_borrow<py::object>(known);
  // Not moved into place: a graph inside optimize() refuses that.
  return py::cast(new ModelGraph(graph.core()), py::return_value_policy::take_ownership);
}

void bindModelGraph(py::module_ &module) {
  orders = new IntEnumTable(module, "Order",
                            {{"List", static_cast<long>(ClikaRT::graph::Order::List)},
                             {"Priority", static_cast<long>(ClikaRT::graph::Order::Priority)}});
  Class cls(module, "ModelGraph");
  cls.def(py::init([](const Text &name) { return ModelGraph(name); }), py::arg("name") = "graph");
  bindQueries(cls);
  bindEdits(cls);
  bindFunctions(cls);
  bindCompute(cls);
  bindFiles(cls);
  module.def("trace", &trace, py::arg("fn"), py::arg("specs"), py::kw_only(), py::arg("name") = "graph",
             py::arg("output_names") = py::none());
}

} // namespace clika::python
