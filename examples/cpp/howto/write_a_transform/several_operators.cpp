// insert and replace take a function over the public ops. Both transforms below write x * sigmoid(x) as one Silu.
#include "show.h"

using namespace ClikaRT;
using namespace ClikaRT::graph;

namespace {

/// The Sigmoid of a product x * sigmoid(x).
std::optional<Node> gate_of(const Node& product) {
    const auto gate = product.input(1)->producer();
    if (!gate || gate->op_code() != OpCode::Sigmoid || *gate->input(0) != *product.input(0)) return std::nullopt;
    return gate;
}

std::vector<Tensor> silu(const std::vector<Tensor>& in) { return {ops::silu(in[0])}; }

Result<void> by_insert(ModelGraph& graph) {
    for (const Node& product : graph.find_nodes(OpCode::Mul)) {
        const auto gate = gate_of(product);
        if (!gate) continue;
        const Value value = graph.insert(silu, {*product.input(0)}).at(0);  // nothing reads it yet
        graph.replace_all_uses_with(*product.output(0), value);
        graph.remove_node(product);
        graph.remove_node(*gate);
        return {};
    }
    return {};
}

Result<void> by_replace(ModelGraph& graph) {
    for (const Node& product : graph.find_nodes(OpCode::Mul)) {
        if (!gate_of(product)) continue;
        graph.replace({*product.output(0)}, silu, {*product.input(0)});
        return {};
    }
    return {};
}

std::vector<Tensor> twice_gated(const std::vector<Tensor>& in) {
    const Tensor once = ops::mul(in[0], ops::sigmoid(in[0]));
    return {ops::mul(once, ops::sigmoid(once))};
}

}  // namespace

int main() {
    for (const Transform& transform :
         {Transform::from_function("by_insert", by_insert), Transform::from_function("by_replace", by_replace)}) {
        ModelGraph graph = show::trace(twice_gated, {"x"});
        const OptimizeReport report = show::optimize(graph, {transform});
        std::cout << show::text(graph) << " | " << show::applied(report) << '\n';
    }
}
