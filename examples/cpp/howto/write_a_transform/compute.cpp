// The default list with a rule at its end, then compiled and run, against plain C++ and against the graph left alone.
#include <cmath>

#include "show.h"

using namespace ClikaRT;
using namespace ClikaRT::graph;

int main() {
    ModelGraph plain = show::mixer();
    ModelGraph rewritten = show::mixer();
    std::vector<Transform> list = rewritten.default_transforms();
    list.push_back(transforms::rewrite(
        "abs_of_neg", Pattern::chain({OpCode::Neg, OpCode::Abs}),
        [](const RewriteMatch&, const std::vector<Tensor>& in) { return std::vector<Tensor>{ops::abs(in[0])}; }));
    show::optimize(rewritten, list);
    std::cout << show::text(rewritten) << '\n';
    plain.finalize();
    rewritten.finalize();

    const std::vector<float> signal = {-1.5F, 0.0F, 2.0F, -4.0F}, gain = {2.0F, 1.0F, 0.5F, -1.0F};
    const std::vector<Tensor> inputs = {Tensor::from_data(signal.data(), {4}, DataType::Float32),
                                        Tensor::from_data(gain.data(), {4}, DataType::Float32)};
    const std::vector<float> y = rewritten.run(inputs).at(0).item_as_vec<float>();
    bool equal = true;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const float loud = std::abs(signal[i]) * gain[i];  // a product rounded, then a sum rounded
        equal = equal && y[i] == loud + std::abs(signal[i]);
        std::cout << y[i] << ' ';
    }
    std::cout << "\nas plain C++: " << equal << '\n';
    std::cout << "as without transforms: " << (y == plain.run(inputs).at(0).item_as_vec<float>()) << '\n';
    try {
        rewritten.optimize();
    } catch (const Error& error) {
        std::cout << error.code_name() << " | a finalized graph takes no edits\n";
    }
}
