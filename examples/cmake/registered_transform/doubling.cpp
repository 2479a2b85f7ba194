#include "doubling.h"

#include <ClikaRT/clika_rt.h>

#include <memory>
#include <optional>
#include <vector>

namespace doubling {
namespace {

using ClikaRT::Tensor;
using ClikaRT::graph::MatchResult;
using ClikaRT::graph::ModelGraph;
using ClikaRT::graph::Node;
using ClikaRT::graph::OpCode;
using ClikaRT::graph::PatternTransform;
using ClikaRT::graph::RewriteMatch;
using ClikaRT::graph::Traits;
using ClikaRT::graph::Transform;
namespace ops = ClikaRT::ops;
namespace transforms = ClikaRT::graph::transforms;

// x * 2 is x + x, bit by bit.
class DoubleToAdd final : public PatternTransform {
public:
    DoubleToAdd() : PatternTransform("double_to_add") {}

    std::vector<OpCode> root_op_codes() const override { return {OpCode::Mul}; }

    MatchResult match(const ModelGraph&, const Node& node) const override {
        const std::optional<ClikaRT::Scalar> factor = node.input(1)->constant_scalar();
        if (!factor.has_value()) return no_match(node, "the factor is no one constant number");
        if (factor->to_double() != 2.0) return no_match(node, "the factor is not 2");
        if (node.input(0)->shape() != node.output(0)->shape()) return no_match(node, "the factor broadcasts x");
        return result({node});
    }

    std::vector<Tensor> apply(ModelGraph&, const RewriteMatch&, const std::vector<Tensor>& in) const override {
        return {ops::add(in[0], in[0])};
    }
};

}  // namespace

void register_transforms() {
    transforms::register_transform("double_to_add", [] { return std::make_shared<DoubleToAdd>(); });
    transforms::register_transform("gpu_only", [] {
        Traits traits;
        traits.device = ClikaRT::Device{"gpu", 0};
        return Transform::from_function("gpu_only", [](ModelGraph&) { return ClikaRT::Result<void>(); }).with(traits);
    });
}

}  // namespace doubling
