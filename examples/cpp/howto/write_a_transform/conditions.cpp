// A condition sees every occurrence that can be replaced: not one whose nodes went, not one that is not convex.
#include <cmath>

#include "show.h"

using namespace ClikaRT;
using namespace ClikaRT::graph;

namespace {

/// The divisor of a Div, where it is a constant that is one number.
std::optional<double> divisor(const RewriteMatch& match) {
    const auto number = match.nodes.at(0)->input(1)->constant_scalar();
    return number ? std::optional<double>(number->to_double()) : std::nullopt;
}

std::vector<Tensor> halves(const std::vector<Tensor>& in) {
    const Tensor half = ops::div(in[0], Tensor::scalar(2.0, DataType::Float32));
    const Tensor third = ops::div(in[0], Tensor::scalar(3.0, DataType::Float32));
    return {ops::add(ops::add(half, third), ops::div(in[0], in[1]))};
}

std::vector<Tensor> loop(const std::vector<Tensor>& in) {
    const Tensor size = ops::abs(in[0]);
    return {ops::mul(size, ops::exp(size))};
}

}  // namespace

int main() {
    // Div(v, c) with a power of two for c: the reciprocal is exact.
    Pattern quotient;
    quotient.add_node(OpCode::Div);
    int asked = 0;
    const Transform exact = transforms::rewrite(
        "div_to_mul", std::move(quotient),
        [](const RewriteMatch& match, const std::vector<Tensor>& in) {
            return std::vector<Tensor>{ops::mul(in[0], Tensor::scalar(1.0 / *divisor(match), DataType::Float32))};
        },
        [&asked](const RewriteMatch& match) {
            ++asked;
            int exponent = 0;
            const auto number = divisor(match);
            return number && std::abs(std::frexp(*number, &exponent)) == 0.5;
        });
    ModelGraph graph = show::trace(halves, {"x", "y"});
    const OptimizeReport report = show::optimize(graph, {exact});
    std::cout << show::text(graph) << '\n' << show::applied(report) << " | asked " << asked << " times\n";

    // Abs and Mul are not convex here: between them lies an Exp that is no part of the pattern.
    Pattern around;
    const Pattern::NodeId inner = around.add_node(OpCode::Abs);
    const Pattern::NodeId outer = around.add_node(OpCode::Mul);
    around.add_edge(inner, outer);
    asked = 0;
    const Transform never = transforms::rewrite(
        "abs_mul", std::move(around),
        [](const RewriteMatch&, const std::vector<Tensor>& in) { return std::vector<Tensor>{in[0]}; },
        [&asked](const RewriteMatch&) { return ++asked > 0; });
    ModelGraph looped = show::trace(loop, {"x"});
    const TransformReport row = show::optimize(looped, {never}).transforms.at(0);
    std::cout << show::text(looped) << '\n'
              << "occurrences " << row.occurrences << " skipped " << row.skipped << " declined " << row.declined
              << " asked " << asked << '\n';
    const std::vector<Node> pair = {looped.find_nodes(OpCode::Abs).at(0), looped.find_nodes(OpCode::Mul).at(0)};
    std::cout << "convex: " << looped.is_convex(pair) << '\n';
}
