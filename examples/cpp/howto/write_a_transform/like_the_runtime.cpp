// A rule of your own can do what one of the runtime's transforms does; then the two graphs are equal.
#include "show.h"

using namespace ClikaRT;
using namespace ClikaRT::graph;

namespace {

std::vector<Tensor> what_it_reads(const RewriteMatch&, const std::vector<Tensor>& in) { return {in[0]}; }

}  // namespace

int main() {
    const Pattern pair = Pattern::chain({OpCode::Neg, OpCode::Neg});
    const Transform own = transforms::rewrite("neg_of_neg", pair, what_it_reads);
    ModelGraph by_runtime = show::mixer();
    ModelGraph by_rule = show::mixer();
    std::cout << show::applied(show::optimize(by_runtime, {transforms::remove_double_neg()})) << '\n';
    std::cout << show::applied(show::optimize(by_rule, {own})) << '\n' << show::text(by_rule) << '\n';
    std::cout << "equal: " << (show::text(by_rule) == show::text(by_runtime)) << '\n';

    // The runtime's names are taken.
    try {
        transforms::rewrite("remove_double_neg", pair, what_it_reads);
    } catch (const Error& error) {
        std::cout << error.code_name() << '\n';
    }
}
