// add_node makes one operator by its code: here a product with a reciprocal becomes a quotient.
#include "show.h"

using namespace ClikaRT;
using namespace ClikaRT::graph;

namespace {

Result<void> reciprocal_to_div(ModelGraph& graph) {
    for (const Node& product : graph.find_nodes(OpCode::Mul)) {
        const auto inverse = product.input(1)->producer();
        if (!inverse || inverse->op_code() != OpCode::Reciprocal) continue;
        const Node quotient = graph.add_node(OpCode::Div, {product.input(0), inverse->input(0)});
        graph.replace_all_uses_with(*product.output(0), *quotient.output(0));
        graph.remove_node(product);
        if (inverse->out_degree() == 0) graph.remove_node(*inverse);
    }
    return {};
}

}  // namespace

int main() {
    ModelGraph graph = show::trace(
        [](const std::vector<Tensor>& in) { return std::vector<Tensor>{ops::mul(in[0], ops::reciprocal(in[1]))}; },
        {"a", "b"});
    std::cout << show::text(graph) << '\n';
    const Transform divide = Transform::from_function("reciprocal_to_div", reciprocal_to_div);
    std::cout << show::applied(show::optimize(graph, {divide})) << '\n' << show::text(graph) << '\n';

    // The op's own checks apply, settings have the names a node reports, and nothing is added where one fails.
    const Value a = graph.inputs().at(0);
    const Node low = graph.add_node(OpCode::Clamp, {a}, {{"min", Scalar(0)}, {"max", Scalar(1.5)}});
    for (const Attr& setting : low.attributes()) std::cout << setting.name << ' ';
    std::cout << '\n';
    for (const auto& [code, settings] :
         {std::pair<OpCode, std::vector<Attr>>{OpCode::Clamp, {{"floor", Scalar(0)}}}, {OpCode::Topk, {}}}) {
        try {
            graph.add_node(code, {a}, settings);
        } catch (const Error& error) {
            std::cout << error.code_name() << '\n';
        }
    }
    std::cout << graph.find_nodes(OpCode::Clamp).size() << " Clamp\n";
}
