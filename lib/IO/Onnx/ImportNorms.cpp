// Normalizations and softmax.
#include "IO/Onnx/Call.h"
#include "Runtime/Counted.h"

using namespace mlir;

namespace clika::onnx {
namespace {

void buildBatchNorm(Call &call) {
  call.ignoreAttr("momentum");
  if (call.intAttr("training_mode", 0) != 0)
    call.unsupported("training_mode = 1 is not covered");
  call.out(call.op("batch_norm")
               .in(call.in(0))
               .in(call.in(3))
               .in(call.in(4))
               .in(call.in(1))
               .in(call.in(2))
               .set("epsilon", call.floatAttr("epsilon", 1e-5f))
               .result());
}

void buildInstanceNorm(Call &call) {
  call.out(call.op("instance_norm")
               .in(call.in(0))
               .in(call.in(1))
               .in(call.in(2))
               .set("epsilon", call.floatAttr("epsilon", 1e-5f))
               .result());
}

/// A number per group as one per channel.
Value spreadGroups(Call &call, Value perGroup, int64_t groups, int64_t channels) {
  Value column = call.reshape(perGroup, {groups, 1});
  Value spread =
      call.op("expand").in(column).in(Value()).set("shape", ArrayRef<int64_t>({groups, channels / groups})).result();
  return call.reshape(spread, {channels});
}

void buildGroupNorm(Call &call) {
  call.ignoreAttr("stash_type");
  Value x = call.in(0), scale = call.in(1), bias = call.in(2);
  int64_t groups = call.requireIntAttr("num_groups");
  if (call.opset < 21) {
    int64_t channels = call.staticSize(x, 1, "its channels");
    if (groups <= 0 || channels % groups != 0)
      call.fail("its " + counted(channels, "channel does", "channels do") + " not divide into " +
                counted(groups, "group"));
    scale = spreadGroups(call, scale, groups, channels);
    bias = spreadGroups(call, bias, groups, channels);
  }
  call.out(call.op("group_norm")
               .in(x)
               .in(scale)
               .in(bias)
               .set("groups", groups)
               .set("epsilon", call.floatAttr("epsilon", 1e-5f))
               .result());
}

/// The statistics that layer normalization can hand out beside its result.
void layerStatistics(Call &call, Value x, int64_t axis, double epsilon) {
  Call::Ints axes;
  for (int64_t i = axis; i < call.rank(x); ++i)
    axes.push_back(i);
  auto mean = [&](Value value) {
    return call.op("reduce_mean").in(value).set("axes", ArrayRef<int64_t>(axes)).set("keepdims", true).result();
  };
  Value wide = call.castTo(x, call.importer.builder.getF32Type());
  Value center = mean(wide);
  call.out(1, center);
  if (!call.wants(2))
    return;
  Value difference = call.binary("sub", wide, center);
  Value variance = mean(call.binary("mul", difference, difference));
  call.out(2, call.unary("reciprocal", call.unary("sqrt", call.withNumber("add", variance, epsilon))));
}

void buildLayerNorm(Call &call) {
  if (call.intAttr("stash_type", 1) != 1)
    call.unsupported("a stash_type other than 1 is not covered");
  Value x = call.in(0);
  int64_t axis = call.axis(call.intAttr("axis", -1), call.rank(x));
  double epsilon = call.floatAttr("epsilon", 1e-5f);
  call.out(call.op("layer_norm")
               .in(x)
               .in(call.in(1))
               .in(call.optional(2))
               .set("axis", axis)
               .set("epsilon", epsilon)
               .result());
  if (call.wants(1) || call.wants(2))
    layerStatistics(call, x, axis, epsilon);
}

void buildRmsNorm(Call &call) {
  if (call.intAttr("stash_type", 1) != 1)
    call.unsupported("a stash_type other than 1 is not covered");
  Value x = call.in(0);
  call.out(call.op("rms_norm")
               .in(x)
               .in(call.in(1))
               .set("axis", call.axis(call.intAttr("axis", -1), call.rank(x)))
               .set("epsilon", call.floatAttr("epsilon", 1e-5f))
               .result());
}

void buildLrn(Call &call) {
  call.out(call.op("lrn")
               .in(call.in(0))
               .set("size", call.requireIntAttr("size"))
               .set("alpha", call.floatAttr("alpha", 1e-4f))
               .set("beta", call.floatAttr("beta", 0.75f))
               .set("bias", call.floatAttr("bias", 1.0f))
               .result());
}

void buildMeanVarianceNorm(Call &call) {
  Value x = call.in(0);
  Call::Ints axes = call.intsAttr("axes").value_or(Call::Ints{0, 2, 3});
  auto mean = [&](Value value) {
    return call.op("reduce_mean").in(value).set("axes", ArrayRef<int64_t>(axes)).set("keepdims", true).result();
  };
  Value center = mean(x), squares = mean(call.binary("mul", x, x));
  Value variance = call.binary("sub", squares, call.binary("mul", center, center));
  Value deviation = call.withNumber("add", call.unary("sqrt", variance), 1e-9);
  call.out(call.binary("div", call.binary("sub", x, center), deviation));
}

/// Before opset 13 the dimensions from the axis on are normalized as one.
void softmax(Call &call, StringRef mnemonic) {
  Value x = call.in(0);
  auto along = [&](Value value, int64_t axis) { return call.op(mnemonic).in(value).set("axis", axis).result(); };
  int64_t rank = call.rank(x), axis = call.intAttr("axis", call.opset < 13 ? 1 : -1);
  if (call.opset >= 13)
    return call.out(along(x, call.axis(axis, rank)));
  // There the axis may also stand behind the last dimension, but no row of one element is meant by it.
  axis = call.axis(axis, rank);
  ArrayRef<int64_t> rest = call.type(x).getShape().drop_front(static_cast<size_t>(axis) + 1);
  if (llvm::all_of(rest, [](int64_t size) { return size == 1; }))
    return call.out(along(x, axis));
  call.out(call.reshapeLike(along(call.flatten(x, axis), 1), x));
}

void buildSoftmax(Call &call) { softmax(call, "softmax"); }
void buildLogSoftmax(Call &call) { softmax(call, "log_softmax"); }

} // namespace

void addNorms(Operators &operators) {
  operators.add("BatchNormalization", buildBatchNorm);
  operators.add("GroupNormalization", buildGroupNorm);
  operators.add("InstanceNormalization", buildInstanceNorm);
  operators.add("LayerNormalization", buildLayerNorm);
  operators.add("LogSoftmax", buildLogSoftmax);
  operators.add("LRN", buildLrn);
  operators.add("MeanVarianceNormalization", buildMeanVarianceNorm);
  operators.add("RMSNormalization", buildRmsNorm);
  operators.add("Softmax", buildSoftmax);
}

} // namespace clika::onnx
