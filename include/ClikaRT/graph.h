// ModelGraph: a graph of public ops to query, edit, optimize, compile and run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ClikaRT/attribute.h>
#include <ClikaRT/op_code.h>
#include <ClikaRT/spec.h>
#include <ClikaRT/tensor.h>

namespace clika {
class GraphCore;
}

namespace ClikaRT::ops {
enum class Activation;
}

namespace ClikaRT::graph {

class ModelGraph;
class Node;
class Pattern;
class RewriteLog;
class Transform;
struct OptimizeOptions;
struct OptimizeReport;
struct Profile;
struct ProfileOptions;
struct RewriteMatch;

enum class NodeKind { Input, Operator };  ///< An input of the graph, or an operator.

/// The code of that name, as in "Relu".
std::optional<OpCode> op_code_from_name(std::string_view name) noexcept;

/// What an input, a constant or an operator's output stands for. A small handle, good until its node goes.
class Value {
public:
    /// A handle of nothing.
    Value() = default;

    /// Whether it stands for a value that is in its graph; anything else asked of one that does not is NOT_FOUND.
    bool is_valid() const;
    /// The node that makes it; none for a constant.
    std::optional<Node> producer() const;
    /// The nodes that read it, each once, in the graph's order.
    std::vector<Node> users() const;
    /// The input's or constant's name, else the node's, with ":i" where it has several outputs.
    std::string name() const;
    DataType dtype() const;  ///< The type of the elements.
    /// Sizes; where a size depends on the inputs, an expression over dimension names, as in "batch * 2".
    std::vector<spec::Dim> shape() const;
    Device device() const;         ///< Where it will live.
    bool is_graph_input() const;   ///< Whether it is an input of the graph.
    bool is_graph_output() const;  ///< Whether it is an output of the graph.
    bool is_constant() const;      ///< Whether it is a constant.
    /// The data of a constant, without a copy; none of another value.
    std::optional<Tensor> constant() const;
    /// The number that every element of a constant equals; none where they differ, there are none, it is no constant,
    /// or the number is an integer above the largest int64_t, which no Scalar holds.
    std::optional<Scalar> constant_scalar() const;
    /// Whether it is a constant of which every element is `number`, give or take `tolerance` times the larger of 1 and
    /// |number|; NaN is NaN.
    bool is_constant_scalar(double number, double tolerance = 0.0) const;
    /// What it comes to whatever the inputs: the data of a constant, or what constants and known sizes make of it. None
    /// where it depends on more, takes over 16 MiB on the way, or cannot be computed here. Computed anew at each call.
    std::optional<Tensor> folded_constant() const;
    /// The ports and graph outputs that read it, counted, those inside regions too.
    std::size_t out_degree() const;
    /// Whether an operator inside a region reads it from around that.
    bool is_read_in_region() const;
    /// As in "relu_1: float32[batch, 3]".
    std::string to_string() const;

    friend bool operator==(const Value& a, const Value& b) noexcept {
        return a.core_ == b.core_ && a.id_ == b.id_ && a.index_ == b.index_;
    }
    friend bool operator!=(const Value& a, const Value& b) noexcept { return !(a == b); }
    friend bool operator<(const Value& a, const Value& b) noexcept {
        return a.core_ != b.core_ ? a.core_ < b.core_ : a.id_ != b.id_ ? a.id_ < b.id_ : a.index_ < b.index_;
    }
    std::size_t hash() const noexcept { return std::hash<std::uint64_t>()(id_ * 31 + index_); }  ///< For std::hash.

    /// For the runtime's own use.
    Value(std::shared_ptr<clika::GraphCore> core, std::uint64_t id, std::uint32_t index) noexcept
        : core_(std::move(core)), id_(id), index_(index) {}
    const std::shared_ptr<clika::GraphCore>& core() const noexcept { return core_; }  ///< Likewise.
    std::uint64_t id() const noexcept { return id_; }                                 ///< Likewise.
    std::uint32_t index() const noexcept { return index_; }                           ///< Likewise.

private:
    std::shared_ptr<clika::GraphCore> core_;
    std::uint64_t id_ = 0;
    std::uint32_t index_ = 0;
};

/// An input of the graph or an operator. A small handle, good until its node goes.
class Node {
public:
    /// A handle of nothing.
    Node() = default;

    /// Whether it stands for a node that is in its graph; anything else asked of one that does not is NOT_FOUND.
    bool is_valid() const;
    NodeKind kind() const;     ///< Whether it is an input of the graph or an operator.
    std::string name() const;  ///< Unique in the graph.
    /// OpCode::Input for an input.
    OpCode op_code() const;
    /// The operands present.
    std::vector<Value> inputs() const;
    std::vector<Value> outputs() const;  ///< The values it makes.
    /// The operand at port `i` of the op's order; none where it was left out. A port the op does not have is an Error.
    std::optional<Value> input(std::size_t i) const;
    std::optional<Value> output(std::size_t i) const;  ///< An output the op does not have is an Error.
    /// A setting by name; none where the op has no such setting.
    std::optional<Attr> attribute(std::string_view name) const;
    /// Every setting, those at their defaults included.
    std::vector<Attr> attributes() const;
    /// The function the operator applies to its result; Identity where it has no such setting.
    ops::Activation fused_activation() const;
    /// The operands present, counted.
    std::size_t in_degree() const;
    /// The ports and graph outputs that read its outputs, counted.
    std::size_t out_degree() const;
    /// Its place in nodes(), counted from 0; in a region or a function, its place among their operators. Counting costs
    /// what stands before it.
    std::size_t position() const;
    /// How many regions it has: then and else of an If, the body of a Loop.
    std::size_t region_count() const;
    /// The operators of region `i`, in a topological order.
    std::vector<Node> region_nodes(std::size_t i) const;
    /// What region `i` is given: of a loop's body the iteration and the carried values.
    std::vector<Value> region_inputs(std::size_t i) const;
    /// What region `i` hands out: of a loop's body the condition, where it has one, the next carried values, and what
    /// is kept.
    std::vector<Value> region_outputs(std::size_t i) const;
    /// The values that its regions read from around it, each once.
    std::vector<Value> captures() const;
    /// The operator in whose region it lies; none for a node of the graph itself.
    std::optional<Node> owner() const;
    /// The private function it lies in; none for a node of the graph itself and of its regions.
    std::optional<std::string> function() const;
    /// As in "relu_1 = Relu(x): float32[2, 3]".
    std::string to_string() const;

    friend bool operator==(const Node& a, const Node& b) noexcept { return a.core_ == b.core_ && a.id_ == b.id_; }
    friend bool operator!=(const Node& a, const Node& b) noexcept { return !(a == b); }
    friend bool operator<(const Node& a, const Node& b) noexcept {
        return a.core_ != b.core_ ? a.core_ < b.core_ : a.id_ < b.id_;
    }
    std::size_t hash() const noexcept { return std::hash<std::uint64_t>()(id_); }  ///< For std::hash.

    /// For the runtime's own use.
    Node(std::shared_ptr<clika::GraphCore> core, std::uint64_t id) noexcept : core_(std::move(core)), id_(id) {}
    const std::shared_ptr<clika::GraphCore>& core() const noexcept { return core_; }  ///< Likewise.
    std::uint64_t id() const noexcept { return id_; }                                 ///< Likewise.

private:
    std::shared_ptr<clika::GraphCore> core_;
    std::uint64_t id_ = 0;
};

/// A function over the public ops: one traced tensor per input in, the results out.
using TraceFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// The name of a stage of finalize(), and how much is done when it begins.
struct FinalizeStage : std::string {
    FinalizeStage(std::string name, double done) : std::string(std::move(name)), done(done) {}  ///< Of these.
    /// The share of the whole time that the stages before it usually take: 0 for the first, then rising, below 1.
    double done;
};

/// What compiled code computes by loops over single elements, many times as slow as vectors are.
struct Fallback {
    std::vector<std::string>
        nodes;           ///< The names of the nodes that it is for; "@f/relu_1" is of the private function f.
    std::string reason;  ///< Why vectors do not do it.
};

struct FinalizeOptions {  ///< What finalize() may be told.
    /// How many threads one run may use, 1 to 256; unset: one per CPU that the process may use.
    std::optional<int> threads;
    /// An LLVM CPU name; empty: this machine's CPU.
    std::string target_cpu;
    /// "full", or "relaxed": 3x3 convolutions use Winograd's F(4x4, 3x3), which is faster and rounds differently.
    std::string precision = "full";
    /// Where compiled code is kept between processes; empty: nowhere.
    std::string cache_dir;
    /// Called with each stage before it runs. A function over a string's reference will do.
    std::function<void(const FinalizeStage&)> progress;
    /// Called, once the code is made, with each piece of work that was left to loops over single elements.
    std::function<void(const Fallback&)> fallback;
};

struct EmitOptions {  ///< What emit_object() may be told.
    /// The C function's name; empty: the file's, with '_' for what a C name cannot hold.
    std::string name;
    /// Where the object runs, "x86_64-linux-gnu" or "aarch64-linux-gnu"; empty: this machine's kind.
    std::string target_triple;
    /// An LLVM CPU name; empty: this machine's CPU, or with another kind of machine its plainest.
    std::string target_cpu;
    /// As of FinalizeOptions.
    std::string precision = "full";
};

struct OnnxOptions {  ///< What from_onnx() may be told.
    /// Reads an operator that is not covered as a node to look at, which finalize refuses.
    bool allow_unknown = false;
};

/// A graph. It is moved, not copied; clone() makes a second one. Handles follow a move.
class ModelGraph {
public:
    /// An empty graph, to be built by edits.
    explicit ModelGraph(std::string name = "graph");
    /// Throws FAILED_PRECONDITION while a transform runs on the graph inside optimize(), and leaves both graphs as
    /// they were. A moved-from graph refuses everything.
    ModelGraph(ModelGraph&& other) noexcept(false);
    ModelGraph& operator=(ModelGraph&& other) noexcept(false);
    ModelGraph(const ModelGraph&) = delete;
    ModelGraph& operator=(const ModelGraph&) = delete;
    ~ModelGraph();

    /// A second graph of equal nodes, names and settings that shares the weights; as editable as this one was before
    /// it was finalized.
    ModelGraph clone() const;

    // Queries.
    std::string name() const;  ///< The graph's name.
    /// Inputs first, then operators in a topological order.
    std::vector<Node> nodes() const;
    std::vector<Value> inputs() const;                ///< In order.
    std::vector<Value> outputs() const;               ///< In order.
    std::vector<std::string> input_names() const;     ///< In order.
    std::vector<std::string> output_names() const;    ///< In order; an output's name is its own.
    std::vector<Node> find_nodes(OpCode code) const;  ///< Not of Input and Constant, which no operator has.
    std::vector<Node> find_nodes(const std::function<bool(const Node&)>& predicate) const;  ///< In their order.
    /// The node of that name, if there is one.
    std::optional<Node> find_node(std::string_view name) const;
    /// What a rule of this pattern would ask its condition about, on the graph as it is.
    std::vector<RewriteMatch> find_occurrences(const Pattern& pattern) const;
    /// Why the rule does not replace an occurrence that `node` is part of, as the graph is: the first thing that is not
    /// as its pattern asks, or its condition's own reason. None where it would replace one.
    std::optional<std::string> why_not(const Transform& rule, const Node& node) const;
    /// Whether no path leaves `nodes` and comes back.
    bool is_convex(const std::vector<Node>& nodes) const;
    /// Checks every invariant; throws Internal with what is broken.
    void verify() const;
    bool is_finalized() const;  ///< Whether it runs, and refuses edits.
    /// The device that transforms are chosen for, apart from where the graph runs; Device::any unless it was set.
    Device target_device() const;
    std::string to_string() const;  ///< The graph's MLIR, to be read; to_mlir() gives it whole.
    std::string to_dot() const;     ///< A picture, as text for Graphviz.

    // Edits. Each is checked before anything changes.
    /// Adds one operator, built the way its public op builds it; nothing reads its outputs yet.
    Node add_node(OpCode code, const std::vector<std::optional<Value>>& inputs,
                  const std::vector<Attr>& attributes = {}, const std::string& name = "");
    /// Adds the operators `fn` records over `inputs`; returns the values it returns, which nothing reads yet.
    std::vector<Value> insert(const TraceFunction& fn, const std::vector<Value>& inputs);
    /// insert, then every read of old_outputs[i] reads new value i, and what only the old outputs needed goes.
    std::vector<Value> replace(const std::vector<Value>& old_outputs, const TraceFunction& fn,
                               const std::vector<Value>& inputs);
    /// Every reader of `old_value`, graph outputs included, reads `new_value`.
    void replace_all_uses_with(const Value& old_value, const Value& new_value);
    /// Node `node` reads `value` at `port`; nothing there: the operand is left out, where the op allows that.
    void set_input(const Node& node, std::size_t port, const std::optional<Value>& value);
    void set_attribute(const Node& node, std::string_view name, const AttrValue& value);  ///< Dtype and shape stay.
    /// Removes an operator that nothing reads.
    void remove_node(const Node& node);
    /// The readers of `node` read what it reads, and it goes.
    void bypass_node(const Node& node);
    void rename_node(const Node& node, const std::string& name);           ///< An operator; the name must be free.
    Value add_constant(const Tensor& data, const std::string& name = "");  ///< Shares the data.
    Value add_input(const spec::TensorSpec& input);                        ///< At the end of the inputs.
    void add_output(const Value& value, const std::string& name);          ///< At the end of the outputs.
    /// Removes an input that nothing reads.
    void remove_input(const std::string& name);
    void remove_output(const std::string& name);                         ///< The value behind it stays.
    void rename_input(const std::string& from, const std::string& to);   ///< The new name must be free.
    void rename_output(const std::string& from, const std::string& to);  ///< No other output may have it.

    // Private functions, which operators of the graph call (ops::call).
    /// Records `fn` over `inputs` as a private function. It may call others; dimension names are its own, and stand for
    /// the sizes that each call gives.
    void add_function(const std::string& name, const TraceFunction& fn, const std::vector<spec::TensorSpec>& inputs);
    void remove_function(const std::string& name);                       ///< One that nothing calls.
    std::vector<std::string> function_names() const;                     ///< Those that a function calls before it.
    std::vector<Node> function_nodes(const std::string& name) const;     ///< Its operators, in a topological order.
    std::vector<Value> function_inputs(const std::string& name) const;   ///< What it is given.
    std::vector<Value> function_outputs(const std::string& name) const;  ///< What it returns.
    /// Puts in the place of every call what its function holds, and removes the functions.
    void inline_functions();

    // Optimize, compile, run.
    /// Runs default_transforms().
    OptimizeReport optimize();
    OptimizeReport optimize(const OptimizeOptions& options);  ///< Runs what it is told to, all or nothing.
    /// Does to the graph what a run recorded by OptimizeOptions::record did, without matching: the text of the graph
    /// is that of the recorded one, byte by byte. An Error (InvalidArgument), and no change, where it is another graph.
    void replay(const RewriteLog& log);
    /// The runtime's transforms, in a sound order.
    std::vector<Transform> default_transforms() const;
    /// Device::any unsets it.
    void set_target_device(const Device& device);
    /// Makes it one of those that selection on this graph chooses from, ahead of a global one of its name; replaces one
    /// that was registered here under its name. A clone has it too; a saved file does not.
    void register_transform(const Transform& transform);
    /// Whether there was one.
    bool unregister_transform(const std::string& name);
    /// What is registered here, in order.
    std::vector<std::string> registered_names() const;
    /// Drops what nothing reads, compiles, and refuses edits from then on.
    void finalize();
    void finalize(const FinalizeOptions& options);  ///< The same, as told.
    /// Runs a finalized graph, one tensor per input. Many threads may.
    std::vector<Tensor> run(const std::vector<Tensor>& inputs);
    /// The same by names.
    std::map<std::string, Tensor> run_named(const std::map<std::string, Tensor>& inputs);
    /// Runs into tensors made with Tensor::empty.
    void run_into(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs);
    /// Runs a finalized graph some times and measures its kernels, each with the nodes that it computes. The first call
    /// compiles code that reads the clock around them; run() stays as it is.
    Profile profile(const std::vector<Tensor>& inputs);
    Profile profile(const std::vector<Tensor>& inputs, const ProfileOptions& options);  ///< The same, as told.
    /// Where the graph runs from here on; "cpu" is served.
    void to(const Device& device);

    // Files and text.
    /// Writes the graph and its weights into one file, and the compiled code where it is finalized.
    void save(const std::string& path) const;
    /// Compiles the graph for one thread and writes an ELF object with its weights, and beside it a C header that says
    /// how to call it and what to link. The path ends in ".o"; all shapes are static.
    void emit_object(const std::string& path) const;
    void emit_object(const std::string& path, const EmitOptions& options) const;  ///< The same, as told.
    /// Reads what save() wrote, and checks the file whole before that; finalized if it was. Code that this machine or
    /// release cannot run is compiled anew, with the options it was compiled with. The code in the file is trusted.
    static ModelGraph load(const std::string& path);
    std::string to_mlir() const;  ///< The graph's text whole, weights included.
    /// Reads what to_mlir writes: a module with one function of clika operators.
    static ModelGraph from_mlir(const std::string& text);
    static ModelGraph from_onnx(const std::string& path);  ///< External data included; weights are memory-mapped.
    static ModelGraph from_onnx(const std::string& path, const OnnxOptions& options);  ///< The same.

    /// For the runtime's own use.
    explicit ModelGraph(std::shared_ptr<clika::GraphCore> core) noexcept;
    const std::shared_ptr<clika::GraphCore>& core() const noexcept { return core_; }  ///< Likewise.

private:
    std::shared_ptr<clika::GraphCore> core_;
};

/// Records `fn` over one traced tensor per entry of `signature`; the graph as built. Without output names: "output_0"
/// ….
ModelGraph trace(const TraceFunction& fn, const std::vector<spec::TensorSpec>& signature,
                 const std::string& name = "graph", const std::vector<std::string>& output_names = {});

std::ostream& operator<<(std::ostream& os, const ModelGraph& graph);

}  // namespace ClikaRT::graph

template <>
struct std::hash<ClikaRT::graph::Value> {
    std::size_t operator()(const ClikaRT::graph::Value& value) const noexcept { return value.hash(); }
};
template <>
struct std::hash<ClikaRT::graph::Node> {
    std::size_t operator()(const ClikaRT::graph::Node& node) const noexcept { return node.hash(); }
};
