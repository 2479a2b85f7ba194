// The rules of bench_rewrite.py in C++; loading the library registers them.
#include <ClikaRT/clika_rt.h>

#include <vector>

using ClikaRT::Tensor;
using ClikaRT::graph::OpCode;
using ClikaRT::graph::Pattern;
using ClikaRT::graph::RewriteMatch;
namespace ops = ClikaRT::ops;
namespace transforms = ClikaRT::graph::transforms;

namespace {

std::vector<Tensor> decomposed(const std::vector<Tensor> &in) {
  const Tensor root = ops::sqrt(ops::add(ops::reduce_mean(ops::pow(in[0], 2.0), {-1}, true), 1e-5));
  return {ops::mul(ops::div(in[0], root), in[1])};
}

std::vector<Tensor> fused(const RewriteMatch &, const std::vector<Tensor> &in) {
  return {ops::rms_norm(in[0], in[1], -1, 1e-5)};
}

std::vector<Tensor> times_one(const std::vector<Tensor> &in) { return {ops::mul(in[0], 1.0)}; }

std::vector<Tensor> unmoved(const std::vector<Tensor> &in) { return {ops::transpose(in[0], {0, 1})}; }

std::vector<Tensor> handed_on(const RewriteMatch &, const std::vector<Tensor> &in) { return {in[0]}; }

[[maybe_unused]] const bool registered = [] {
  transforms::register_transform("cpp_fuse_rms_norm", [] {
    return transforms::rewrite("cpp_fuse_rms_norm", Pattern::trace(decomposed, 2), fused);
  });
  transforms::register_transform("cpp_remove_identity", [] {
    return transforms::rewrite("cpp_remove_identity", Pattern::chain({OpCode::Identity}), handed_on);
  });
  transforms::register_transform("cpp_remove_times_one", [] {
    return transforms::rewrite("cpp_remove_times_one", Pattern::trace(times_one, 1), handed_on);
  });
  transforms::register_transform("cpp_remove_transpose", [] {
    return transforms::rewrite("cpp_remove_transpose", Pattern::trace(unmoved, 1), handed_on);
  });
  return true;
}();

} // namespace
