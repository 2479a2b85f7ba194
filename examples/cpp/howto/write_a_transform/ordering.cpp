// A transform that needs another one's result says so, and a list that would run them the other way is refused.
#include "show.h"

using namespace ClikaRT;
using namespace ClikaRT::graph;

namespace {

/// Bypasses an Abs over an Abs.
Result<void> keep_one_abs(ModelGraph& graph) {
    for (const Node& node : graph.find_nodes(OpCode::Abs)) {
        const auto below = node.input(0)->producer();
        if (below && below->op_code() == OpCode::Abs) graph.bypass_node(node);
    }
    return {};
}

}  // namespace

int main() {
    ModelGraph graph = show::mixer();
    const Transform double_neg = transforms::remove_double_neg();
    const Transform single_abs = Transform::from_function("single_abs", keep_one_abs, {double_neg});
    try {
        show::optimize(graph, {single_abs, double_neg});
    } catch (const Error& error) {
        std::cout << error.code_name() << '\n' << error.what() << '\n';
    }
    std::cout << "untouched: " << show::text(graph) << '\n';
    std::cout << show::applied(show::optimize(graph, {double_neg, single_abs})) << '\n';
    std::cout << show::applied(show::optimize(graph, {single_abs})) << " (alone, it may stand anywhere)\n";
}
