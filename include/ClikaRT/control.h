// Control flow: computations that a condition chooses, and that a loop repeats. The functions given are recorded into
// the operator they make; they read the tensors around them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <ClikaRT/detail/call_op.h>
#include <ClikaRT/tensor.h>

namespace ClikaRT::ops {

/// A branch: no parameters, the results out.
using BranchFunction = std::function<std::vector<Tensor>()>;

/// What `then_fn` returns where `condition`, one bool, is true, else what `else_fn` does: as many tensors, of equal
/// dtypes and ranks. Where the condition is traced both are recorded and only the one taken is computed; else the one
/// taken is called at once.
std::vector<Tensor> if_(const detail::Operand& condition, const BranchFunction& then_fn, const BranchFunction& else_fn);

/// What the body of a loop returns.
struct LoopStep {
    /// Whether there is a next iteration, one bool; an undefined tensor: there is, as long as the trip count allows.
    Tensor condition;
    /// The next carried values.
    std::vector<Tensor> carried;
    /// Values to keep of every iteration.
    std::vector<Tensor> scans;
};

/// The body of a loop: the number of the iteration, an int64 of rank 0, and the carried values.
using LoopFunction = std::function<LoopStep(const Tensor& i, const std::vector<Tensor>& carried)>;

struct LoopResult {  ///< What a loop gives.
    /// The carried values after the last iteration.
    std::vector<Tensor> carried;
    /// The values that every iteration kept, each stacked along a new axis 0.
    std::vector<Tensor> scans;
};

/// Repeats `body` at most `trip_count` times (nothing: without a limit) and while its condition holds. `condition`:
/// whether to begin (nothing: it does). A carried value keeps its dtype and rank; a dimension that the body changes is
/// dynamic. Inside a trace the body is recorded, and called again where a dimension turns out to change; a loop that
/// reads no traced tensor is run at once.
LoopResult loop(const detail::Operand& trip_count, const detail::Operand& condition, const std::vector<Tensor>& carried,
                const LoopFunction& body);

/// What the graph's private function `callee` (ModelGraph::add_function) returns for `inputs`, recorded as a call of
/// it. Only inside of a trace that a graph with that function records: insert, replace, add_function, a rule.
std::vector<Tensor> call(const std::string& callee, const std::vector<Tensor>& inputs);

}  // namespace ClikaRT::ops
