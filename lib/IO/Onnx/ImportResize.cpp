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

Value resizeOldBy(Call &call, Value x, Value scales, StringRef mode, StringRef nearest) {
  return call.op("resize")
      .in(x)
      .in(Value())
      .in(scales)
      .set("mode", mode)
      .set("coordinate_transformation_mode", "Asymmetric")
      .set("nearest_mode", nearest)
      .result();
}

/// The scales with those left out that grow an axis, or those that shrink one: 1 in their place.
Value onlyScales(Call &call, Value scales, bool growing) {
  std::optional<std::vector<double>> factors = call.constantNumbers(1);
  Value one = call.importer.scalar(call.element(scales), 1);
  if (!factors)
    return call.binary(growing ? "maximum" : "minimum", scales, one);
  SmallVector<float> chosen;
  for (double factor : *factors)
    chosen.push_back(static_cast<float>(growing ? std::max(factor, 1.0) : std::min(factor, 1.0)));
  auto type = RankedTensorType::get(static_cast<int64_t>(chosen.size()), call.importer.builder.getF32Type());
  return call.importer.constant(DenseElementsAttr::get(type, ArrayRef<float>(chosen)));
}

/// Before opset 11 element i lay at i / scale; a nearest one was cut off, or rounded up where the axis shrinks. Axes
/// are independent, so those that grow and those that shrink take a step each.
void buildUpsample(Call &call) {
  std::string mode = resizeMode(call);
  Value x = call.in(0), scales = call.in(1);
  if (mode != "Nearest")
    return call.out(resizeOldBy(call, x, scales, mode, "Floor"));
  bool grows = false, shrinks = false;
  std::optional<std::vector<double>> factors = call.constantNumbers(1);
  for (double factor : factors.value_or(std::vector<double>())) {
    grows |= factor > 1;
    shrinks |= factor < 1;
  }
  if (factors && !(grows && shrinks))
    return call.out(resizeOldBy(call, x, scales, mode, shrinks ? "Ceil" : "Floor"));
  Value smaller = resizeOldBy(call, x, onlyScales(call, scales, false), mode, "Ceil");
  call.out(resizeOldBy(call, smaller, onlyScales(call, scales, true), mode, "Floor"));
}

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
               .set("extrapolation_value", call.floatAttr("extrapolation_value", 0, call.element(call.in(0))))
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
