// A transform is a function over the graph's edits. This one knows that |-v| is |v|; beside it runs one that only
// looks.
#include <algorithm>

#include "show.h"

using namespace ClikaRT;
using namespace ClikaRT::graph;

namespace {

Result<void> drop_negs_under_abs(ModelGraph& graph) {
    for (const Node& neg : graph.find_nodes(OpCode::Neg)) {
        const std::vector<Node> users = neg.output(0)->users();
        const auto is_abs = [](const Node& user) { return user.op_code() == OpCode::Abs; };
        if (std::all_of(users.begin(), users.end(), is_abs)) graph.bypass_node(neg);  // the Abs reads what the Neg read
    }
    return {};
}

}  // namespace

int main() {
    ModelGraph graph = show::mixer();
    std::string seen;
    const Transform count_negs = Transform::from_function("count_negs", [&seen](ModelGraph& g) -> Result<void> {
        seen += " " + std::to_string(g.find_nodes(OpCode::Neg).size());
        return {};
    });
    const Transform unsigned_abs = Transform::from_function("drop_negs_under_abs", drop_negs_under_abs);
    const OptimizeReport report = show::optimize(graph, {count_negs, unsigned_abs});
    std::cout << show::text(graph) << '\n' << show::applied(report) << '\n';
    std::cout << "Negs at the start of each iteration:" << seen << '\n';
    std::cout << "the report holds the handle given: " << (report.transforms.at(1).transform == unsigned_abs) << '\n';
}
