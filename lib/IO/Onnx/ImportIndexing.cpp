// Elements addressed by index tensors, and their order.
#include "IO/Onnx/Call.h"

using namespace mlir;

namespace clika::onnx {
namespace {

void gather(Call &call, StringRef mnemonic) {
  call.out(call.op(mnemonic).in(call.in(0)).in(call.in(1)).set("axis", call.intAttr("axis", 0)).result());
}
void buildGather(Call &call) { gather(call, "gather"); }
void buildGatherElements(Call &call) { gather(call, "gather_elements"); }

void buildGatherNd(Call &call) {
  call.out(
      call.op("gather_nd").in(call.in(0)).in(call.in(1)).set("batch_dims", call.intAttr("batch_dims", 0)).result());
}

std::string reduction(Call &call) {
  return call.choiceAttr("reduction", "none",
                         {{"none", "Replace"}, {"add", "Add"}, {"mul", "Mul"}, {"max", "Max"}, {"min", "Min"}});
}

void buildScatterElements(Call &call) {
  call.out(call.op("scatter_elements")
               .in(call.in(0))
               .in(call.in(1))
               .in(call.in(2))
               .set("axis", call.intAttr("axis", 0))
               .set("reduction", StringRef(reduction(call)))
               .result());
}

void buildScatterNd(Call &call) {
  call.out(call.op("scatter_nd")
               .in(call.in(0))
               .in(call.in(1))
               .in(call.in(2))
               .set("reduction", StringRef(reduction(call)))
               .result());
}

void buildOneHot(Call &call) {
  OpMaker op = call.op("one_hot");
  op.in(call.in(0)).in(call.in(2)).set("axis", call.intAttr("axis", -1));
  std::optional<std::vector<double>> depth = call.constantNumbers(1);
  if (depth && depth->size() == 1)
    op.in(Value()).set("depth", static_cast<int64_t>((*depth)[0]));
  else
    op.in(call.in(1));
  call.out(op.result());
}

/// Before opset 10 k is an attribute.
std::optional<Call::Ints> countOf(Call &call) {
  return call.opset < 10 ? Call::Ints{call.requireIntAttr("k")} : call.constantInts(1);
}

void buildTopK(Call &call) {
  Value x = call.in(0);
  OpMaker op = call.op("topk");
  op.in(x)
      .set("axis", call.axis(call.intAttr("axis", -1), call.rank(x)))
      .set("largest", call.intAttr("largest", 1) != 0)
      .set("sorted", call.intAttr("sorted", 1) != 0);
  std::optional<Call::Ints> count = countOf(call);
  if (count && count->size() == 1)
    op.in(Value()).set("k", (*count)[0]);
  else
    op.in(call.in(1));
  Operation *built = op.build();
  call.out(0, built->getResult(0));
  call.out(1, built->getResult(1));
}

void buildNonZero(Call &call) { call.out(call.unary("non_zero", call.in(0))); }

} // namespace

void addIndexing(Operators &operators) {
  operators.add("Gather", buildGather);
  operators.add("GatherElements", buildGatherElements);
  operators.add("GatherND", buildGatherNd);
  operators.add("NonZero", buildNonZero);
  operators.add("OneHot", buildOneHot);
  operators.add("Scatter", buildScatterElements, 9, 10);
  operators.add("ScatterElements", buildScatterElements);
  operators.add("ScatterND", buildScatterNd);
  operators.add("TopK", buildTopK);
}

} // namespace clika::onnx
