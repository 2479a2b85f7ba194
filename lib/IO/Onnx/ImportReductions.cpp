// One number for many: reductions, argmax and argmin, running sums.
#include "IO/Onnx/Call.h"

using namespace mlir;

namespace clika::onnx {
namespace {

/// Axes are an attribute before `inputSince`, an input from then on.
std::optional<Call::Ints> axesOf(Call &call, int64_t inputSince) {
  if (call.opset < inputSince)
    return call.intsAttr("axes");
  return call.has(1) ? std::optional(call.requireInts(1, "axes")) : std::nullopt;
}

/// Reduces over a dimension of size 1 that is added for it: what is left of a reduction over no axes.
Value overNothing(Call &call, StringRef mnemonic, Value x) {
  const int64_t last[] = {-1};
  Value wide = call.op("unsqueeze").in(x).set("axes", ArrayRef<int64_t>(last)).result();
  return call.op(mnemonic).in(wide).set("axes", ArrayRef<int64_t>(last)).result();
}

Value reduced(Call &call, StringRef mnemonic, int64_t inputSince) {
  Value x = call.in(0);
  Call::Ints axes = axesOf(call, inputSince).value_or(Call::Ints());
  bool keepsDims = call.intAttr("keepdims", 1) != 0, noop = call.intAttr("noop_with_empty_axes", 0) != 0;
  if (axes.empty() && noop)
    return overNothing(call, mnemonic, x);
  for (int64_t axis : axes)
    call.axis(axis, call.rank(x));
  return call.op(mnemonic).in(x).set("axes", ArrayRef<int64_t>(axes)).set("keepdims", keepsDims).result();
}

void buildSum(Call &call) { call.out(reduced(call, "reduce_sum", 13)); }
void buildMean(Call &call) { call.out(reduced(call, "reduce_mean", 18)); }
void buildMax(Call &call) { call.out(reduced(call, "reduce_max", 18)); }
void buildMin(Call &call) { call.out(reduced(call, "reduce_min", 18)); }
void buildProd(Call &call) { call.out(reduced(call, "reduce_prod", 18)); }
void buildL1(Call &call) { call.out(reduced(call, "reduce_l1", 18)); }
void buildL2(Call &call) { call.out(reduced(call, "reduce_l2", 18)); }
void buildSumSquare(Call &call) { call.out(reduced(call, "reduce_sumsq", 18)); }
void buildLogSumExp(Call &call) { call.out(reduced(call, "reduce_logsumexp", 18)); }
void buildLogSum(Call &call) { call.out(call.unary("log", reduced(call, "reduce_sum", 18))); }

void arg(Call &call, StringRef mnemonic) {
  Value x = call.in(0);
  call.out(call.op(mnemonic)
               .in(x)
               .set("axis", call.axis(call.intAttr("axis", 0), call.rank(x)))
               .set("keepdims", call.intAttr("keepdims", 1) != 0)
               .set("select_last", call.intAttr("select_last_index", 0) != 0)
               .result());
}
void buildArgMax(Call &call) { arg(call, "argmax"); }
void buildArgMin(Call &call) { arg(call, "argmin"); }

void buildCumSum(Call &call) {
  call.out(call.op("cumsum")
               .in(call.in(0))
               .set("axis", call.requireInt(1, "axis"))
               .set("exclusive", call.intAttr("exclusive", 0) != 0)
               .set("reverse", call.intAttr("reverse", 0) != 0)
               .result());
}

} // namespace

void addReductions(Operators &operators) {
  operators.add("ArgMax", buildArgMax);
  operators.add("ArgMin", buildArgMin);
  operators.add("CumSum", buildCumSum);
  operators.add("ReduceL1", buildL1);
  operators.add("ReduceL2", buildL2);
  operators.add("ReduceLogSum", buildLogSum);
  operators.add("ReduceLogSumExp", buildLogSumExp);
  operators.add("ReduceMax", buildMax);
  operators.add("ReduceMean", buildMean);
  operators.add("ReduceMin", buildMin);
  operators.add("ReduceProd", buildProd);
  operators.add("ReduceSum", buildSum);
  operators.add("ReduceSumSquare", buildSumSquare);
}

} // namespace clika::onnx
