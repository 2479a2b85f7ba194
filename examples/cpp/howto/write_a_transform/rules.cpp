// A rule is a pattern and what takes an occurrence's place. A match tells the nodes, and what crosses its border.
#include "show.h"

using namespace ClikaRT;
using namespace ClikaRT::graph;

int main() {
    std::string borders;
    const auto one_abs = [&borders](const RewriteMatch& match, const std::vector<Tensor>& in) {
        for (const auto& node : match.nodes) borders += std::string(op_code_name(node->op_code())) + " ";
        borders += "over " + show::expression(match.inputs.at(0)) + ", " + std::to_string(match.outputs.size()) +
                   " value read outside\n";
        return std::vector<Tensor>{ops::abs(in[0])};
    };
    const Transform abs_of_neg = transforms::rewrite("abs_of_neg", Pattern::chain({OpCode::Neg, OpCode::Abs}), one_abs);

    ModelGraph graph = show::mixer();
    std::cout << show::text(graph) << '\n';
    const OptimizeReport report = show::optimize(graph, {abs_of_neg});
    std::cout << borders << show::text(graph) << '\n';
    std::cout << show::applied(report) << " | rewrites: " << report.transforms.at(0).rewrites << '\n';
}
