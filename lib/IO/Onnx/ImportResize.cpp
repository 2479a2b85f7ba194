// Resize, and Upsample before it.
#include "IO/Onnx/Call.h"

using namespace mlir;

namespace clika::onnx {
namespace {

std::string resizeMode(Call &call) {
  return call.choiceAttr("mode", "nearest",
                         {{"nearest", "Nearest"}, {"linear", "Linear"}, {"bilinear", "Linear"}, {"cubic", "Cubic"}});
}

bool isEmpty(Call &call, size_t i) {
  if (!call.has(i))
    return true;
  if (const Tensor *tensor = call.entry(i)->tensor)
    return llvm::is_contained(tensor->dims, 0);
  return call.type(call.in(i)).getNumElements() == 0;
}

/// Before opset 11 element i lay at i / scale; a nearest one was cut off, or rounded up where the axis shrinks.
void resizeOld(Call &call, Value scales, const std::optional<std::vector<double>> &factors) {
  std::string mode = resizeMode(call);
  bool grows = false, shrinks = false;
  for (double factor : factors.value_or(std::vector<double>())) {
    grows |= factor > 1;
    shrinks |= factor < 1;
  }
  if (mode == "Nearest" && (grows == shrinks) && (grows || !factors))
    call.unsupported("nearest in opset 10 or before is covered where constant scales all grow or all shrink");
  call.out(call.op("resize")
               .in(call.in(0))
               .in(Value())
               .in(scales)
               .set("mode", StringRef(mode))
               .set("coordinate_transformation_mode", "Asymmetric")
               .set("nearest_mode", shrinks ? "Ceil" : "Floor")
               .result());
}

void buildUpsample(Call &call) { resizeOld(call, call.in(1), call.constantNumbers(1)); }

std::string coordinateMode(Call &call) {
  return call.choiceAttr("coordinate_transformation_mode", "half_pixel",
                         {{"half_pixel", "HalfPixel"},
                          {"half_pixel_symmetric", "HalfPixelSymmetric"},
                          {"pytorch_half_pixel", "PytorchHalfPixel"},
                          {"align_corners", "AlignCorners"},
                          {"asymmetric", "Asymmetric"},
                          {"tf_half_pixel_for_nn", "TfHalfPixelForNn"},
                          {"tf_crop_and_resize", "TfCropAndResize"}});
}

std::string nearestMode(Call &call) {
  return call.choiceAttr("nearest_mode", "round_prefer_floor",
                         {{"round_prefer_floor", "RoundPreferFloor"},
                          {"round_prefer_ceil", "RoundPreferCeil"},
                          {"floor", "Floor"},
                          {"ceil", "Ceil"}});
}

std::string aspectPolicy(Call &call) {
  return call.choiceAttr("keep_aspect_ratio_policy", "stretch",
                         {{"stretch", "Stretch"}, {"not_larger", "NotLarger"}, {"not_smaller", "NotSmaller"}});
}

void buildResize(Call &call) {
  std::string coordinates = coordinateMode(call);
  OpMaker op = call.op("resize");
  op.in(call.in(0)).in(coordinates == "TfCropAndResize" ? call.in(1) : Value());
  bool hasScales = !isEmpty(call, 2), hasSizes = !isEmpty(call, 3);
  if (hasScales == hasSizes)
    call.fail("takes either scales or sizes");
  op.in(hasScales ? call.in(2) : Value());
  std::optional<Call::Ints> sizes = hasSizes ? call.constantInts(3) : std::nullopt;
  op.in(hasSizes && !sizes ? call.in(3) : Value());
  if (sizes)
    op.set("sizes", ArrayRef<int64_t>(*sizes));
  if (auto axes = call.intsAttr("axes"))
    op.set("axes", ArrayRef<int64_t>(*axes));
  call.out(op.set("mode", StringRef(resizeMode(call)))
               .set("coordinate_transformation_mode", StringRef(coordinates))
               .set("nearest_mode", StringRef(nearestMode(call)))
               .set("antialias", call.intAttr("antialias", 0) != 0)
               .set("keep_aspect_ratio_policy", StringRef(aspectPolicy(call)))
               .set("exclude_outside", call.intAttr("exclude_outside", 0) != 0)
               .set("extrapolation_value", call.floatAttr("extrapolation_value", 0))
               .set("cubic_coeff_a", call.floatAttr("cubic_coeff_a", -0.75))
               .result());
}

} // namespace

void addResize(Operators &operators) {
  operators.add("Resize", buildUpsample, 10, 10);
  operators.add("Resize", buildResize, 11);
  operators.add("Upsample", buildUpsample, 9, 9);
}

} // namespace clika::onnx
