// A trace records a function as a graph, just as it is written; then one of the runtime's transforms rewrites it.
#include "show.h"

int main() {
    show::ModelGraph graph = show::mixer();
    std::cout << show::text(graph) << '\n';
    const auto report = show::optimize(graph, {ClikaRT::graph::transforms::remove_double_neg()});
    std::cout << show::text(graph) << '\n';
    std::cout << show::applied(report) << " in " << report.iterations << " iterations\n";
}
