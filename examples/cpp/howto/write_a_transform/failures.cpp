// Whatever goes wrong inside optimize(), the graph is afterwards as it was before.
#include <stdexcept>
#include <thread>

#include "show.h"

using namespace ClikaRT;
using namespace ClikaRT::graph;

namespace {

void report_failure(ModelGraph& graph, std::vector<Transform> list) {
    try {
        show::optimize(graph, std::move(list));
    } catch (const Error& error) {
        std::cout << error.code_name() << " | " << error.what() << '\n';
    }
}

}  // namespace

int main() {
    ModelGraph graph = show::mixer();
    const std::string before = show::text(graph);
    const Transform bypass_everything =
        Transform::from_function("bypass_everything", [](ModelGraph& g) -> Result<void> {
            for (const Node& node : g.find_nodes(OpCode::Neg)) g.bypass_node(node);
            return {};
        });
    // A transform fails by returning a failed Result or by throwing; a code name of its own comes back.
    const Transform gives_up = Transform::from_function("gives_up", [](ModelGraph&) {
        return Result<void>(Status::OutOfMemory, "the target has no room for this graph", "NO_ROOM");
    });
    const Transform throws = Transform::from_function(
        "throws", [](ModelGraph&) -> Result<void> { throw std::out_of_range("looked past the last node"); });
    report_failure(graph, {bypass_everything, gives_up});
    report_failure(graph, {bypass_everything, throws});
    std::cout << "as before: " << (show::text(graph) == before) << '\n';

    // On its own graph a transform may edit and ask, but not start over.
    report_failure(graph, {Transform::from_function("optimizes", [](ModelGraph& g) -> Result<void> {
                       g.optimize();
                       return {};
                   })});
    // Nor may another thread edit the graph meanwhile, nor the graph be moved away.
    const Transform meddles = Transform::from_function("meddles", [](ModelGraph& g) -> Result<void> {
        std::thread([&g] {
            try {
                g.rename_input("gain", "volume");
            } catch (const Error& error) {
                std::cout << error.code_name() << " | from another thread\n";
            }
        }).join();
        const ModelGraph stolen = std::move(g);
        return {};
    });
    report_failure(graph, {meddles});
    std::cout << "as before: " << (show::text(graph) == before) << '\n';
}
