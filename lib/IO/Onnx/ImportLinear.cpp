// Matrix products and convolutions.
#include "IO/Onnx/Windows.h"
#include "Runtime/Counted.h"

using namespace mlir;

namespace clika::onnx {

int64_t spatialRankOf(Call &call, Value input) {
  int64_t rank = call.rank(input);
  if (rank < 3)
    call.fail("its input has " + counted(rank, "dimension") + ", expected batch, channels and spatial ones");
  return rank - 2;
}

void setWindow(Call &call, OpMaker &op, int64_t spatialRank) {
  auto list = [&](const char *name, int64_t count, int64_t fallback) {
    Call::Ints values = call.intsAttr(name).value_or(Call::Ints(static_cast<size_t>(count), fallback));
    if (static_cast<int64_t>(values.size()) != count)
      call.fail(std::string("its attribute '") + name + "' has " + std::to_string(values.size()) +
                " numbers, expected " + std::to_string(count));
    return values;
  };
  std::string padding = call.choiceAttr(
      "auto_pad", "NOTSET",
      {{"NOTSET", "Explicit"}, {"SAME_UPPER", "SameUpper"}, {"SAME_LOWER", "SameLower"}, {"VALID", "Valid"}});
  Call::Ints pads = list("pads", 2 * spatialRank, 0);
  op.set("strides", ArrayRef<int64_t>(list("strides", spatialRank, 1)));
  op.set("dilations", ArrayRef<int64_t>(list("dilations", spatialRank, 1)));
  op.set("auto_pad", StringRef(padding));
  // With auto_pad the pads follow from it.
  if (padding == "Explicit")
    op.set("pads", ArrayRef<int64_t>(pads));
}

void checkKernel(Call &call, Value weight) {
  std::optional<Call::Ints> kernel = call.intsAttr("kernel_shape");
  if (!kernel)
    return;
  ArrayRef<int64_t> sizes = call.type(weight).getShape();
  if (sizes.size() != kernel->size() + 2)
    call.fail("its kernel_shape does not fit the weight");
  for (size_t i = 0; i < kernel->size(); ++i)
    if (!ShapedType::isDynamic(sizes[i + 2]) && sizes[i + 2] != (*kernel)[i])
      call.fail("its kernel_shape does not fit the weight");
}

Value centered(Call &call, size_t input, size_t zeroPoint, bool isPerRow) {
  mlir::Type wide = call.importer.builder.getI32Type();
  Value value = call.castTo(call.in(input), wide);
  if (!call.has(zeroPoint))
    return value;
  Value zero = call.castTo(call.in(zeroPoint), wide);
  if (isPerRow && call.rank(zero) == 1 && call.type(zero).getDimSize(0) != 1)
    zero = call.reshape(zero, {-1, 1});
  return call.binary("sub", value, zero);
}

Value centeredKernel(Call &call, size_t input, size_t zeroPoint) {
  mlir::Type wide = call.importer.builder.getI32Type();
  Value kernel = call.castTo(call.in(input), wide);
  if (!call.has(zeroPoint))
    return kernel;
  Value zero = call.castTo(call.in(zeroPoint), wide);
  if (call.rank(zero) == 1) {
    Call::Ints shape(static_cast<size_t>(call.rank(kernel)), 1);
    shape[0] = -1;
    zero = call.reshape(zero, shape);
  }
  return call.binary("sub", kernel, zero);
}

namespace {

void buildConv(Call &call) {
  Value x = call.in(0), weight = call.in(1);
  checkKernel(call, weight);
  OpMaker op = call.op("conv");
  op.in(x).in(weight).in(call.optional(2)).set("groups", call.intAttr("group", 1));
  setWindow(call, op, spatialRankOf(call, x));
  call.out(op.result());
}

void buildConvTranspose(Call &call) {
  Value x = call.in(0), weight = call.in(1);
  checkKernel(call, weight);
  OpMaker op = call.op("conv_transpose");
  op.in(x).in(weight).in(call.optional(2)).set("groups", call.intAttr("group", 1));
  int64_t spatialRank = spatialRankOf(call, x);
  setWindow(call, op, spatialRank);
  if (auto padding = call.intsAttr("output_padding"))
    op.set("output_padding", ArrayRef<int64_t>(*padding));
  if (auto shape = call.intsAttr("output_shape")) {
    // Some writers give the batch and channels too.
    if (static_cast<int64_t>(shape->size()) == spatialRank + 2)
      shape->erase(shape->begin(), shape->begin() + 2);
    op.set("output_shape", ArrayRef<int64_t>(*shape));
  }
  call.out(op.result());
}

void buildMatMul(Call &call) { call.out(call.binary("matmul", call.in(0), call.in(1))); }

void buildMatMulInteger(Call &call) {
  call.out(call.binary("matmul", centered(call, 0, 2, true), centered(call, 1, 3, false)));
}

void buildConvInteger(Call &call) {
  Value x = centered(call, 0, 2, false);
  checkKernel(call, call.in(1));
  OpMaker op = call.op("conv");
  op.in(x).in(centeredKernel(call, 1, 3)).in(Value()).set("groups", call.intAttr("group", 1));
  setWindow(call, op, spatialRankOf(call, x));
  call.out(op.result());
}

/// alpha * A' * B' + beta * C; a plain dense layer is one op.
void buildGemm(Call &call) {
  Value a = call.in(0), b = call.in(1), c = call.optional(2);
  if (call.rank(a) != 2 || call.rank(b) != 2)
    call.fail("its inputs must be matrices");
  bool transposeA = call.intAttr("transA", 0) != 0, transposeB = call.intAttr("transB", 0) != 0;
  double alpha = call.floatAttr("alpha", 1), beta = call.floatAttr("beta", 1);
  int64_t columns = call.type(b).getDimSize(transposeB ? 0 : 1);
  bool isBias = !c || (call.rank(c) == 1 && !ShapedType::isDynamic(columns) && call.type(c).getDimSize(0) == columns);
  if (!transposeA && transposeB && alpha == 1 && isBias && (!c || beta == 1))
    return call.out(call.op("linear").in(a).in(b).in(c).result());
  Value product = call.op("matmul").in(a).in(b).set("transpose_a", transposeA).set("transpose_b", transposeB).result();
  if (alpha != 1)
    product = call.withNumber("mul", product, alpha);
  if (c && beta != 0)
    product = call.op("add").in(product).in(c).set("alpha", beta).result();
  call.out(product);
}

} // namespace

void addLinear(Operators &operators) {
  operators.add("Conv", buildConv);
  operators.add("ConvInteger", buildConvInteger);
  operators.add("ConvTranspose", buildConvTranspose);
  operators.add("Gemm", buildGemm);
  operators.add("MatMul", buildMatMul);
  operators.add("MatMulInteger", buildMatMulInteger);
}

} // namespace clika::onnx
