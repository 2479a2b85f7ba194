// Windows and whole channels: max, average and p-norm pools.
#include "IO/Onnx/Windows.h"

using namespace mlir;

namespace clika::onnx {
namespace {

OpMaker pool(Call &call, StringRef mnemonic) {
  Value x = call.in(0);
  int64_t spatialRank = spatialRankOf(call, x);
  std::optional<Call::Ints> kernel = call.intsAttr("kernel_shape");
  if (!kernel || static_cast<int64_t>(kernel->size()) != spatialRank)
    call.fail("its kernel_shape must have one size for each spatial dimension");
  OpMaker op = call.op(mnemonic);
  op.in(x).set("kernel", ArrayRef<int64_t>(*kernel)).set("ceil_mode", call.intAttr("ceil_mode", 0) != 0);
  setWindow(call, op, spatialRank);
  return op;
}

/// The size of an axis as an int64 tensor: a literal where it is static.
Value sizeOf(Call &call, Value x, int64_t axis) {
  int64_t size = call.type(x).getDimSize(static_cast<unsigned>(axis));
  if (!ShapedType::isDynamic(size))
    return call.importer.ints({size});
  return call.op("shape").in(x).set("start", axis).set("end", axis + 1).result();
}

/// Indices count the elements of x in row-major order. Here each is counted anew with the first spatial axis innermost;
/// batch and channel count as before.
Value inColumnMajor(Call &call, Value indices) {
  Value x = call.in(0), rest = indices, place, stride = call.importer.ints({1});
  SmallVector<Value> sizes, positions;
  for (int64_t axis = 2; axis < call.rank(x); ++axis)
    sizes.push_back(sizeOf(call, x, axis));
  for (Value size : llvm::reverse(sizes)) {
    positions.push_back(call.binary("remainder", rest, size));
    rest = call.binary("floor_div", rest, size);
  }
  for (auto [position, size] : llvm::zip_equal(llvm::reverse(positions), sizes)) {
    Value steps = call.binary("mul", position, stride);
    place = place ? call.binary("add", place, steps) : steps;
    stride = call.binary("mul", stride, size);
  }
  return place ? call.binary("add", place, call.binary("mul", rest, stride)) : indices;
}

void buildMaxPool(Call &call) {
  bool isColumnMajor = call.intAttr("storage_order", 0) != 0;
  if (!call.wants(1))
    return call.out(pool(call, "max_pool").result());
  Operation *op = pool(call, "max_pool_with_indices").build();
  Value indices = op->getResult(1);
  call.out(0, op->getResult(0));
  call.out(1, isColumnMajor ? inColumnMajor(call, indices) : indices);
}

void buildAveragePool(Call &call) {
  call.out(pool(call, "avg_pool").set("count_include_pad", call.intAttr("count_include_pad", 0) != 0).result());
}

void buildLpPool(Call &call) {
  call.out(pool(call, "lp_pool").set("p", static_cast<double>(call.intAttr("p", 2))).result());
}

void buildGlobalAveragePool(Call &call) { call.out(call.unary("global_avg_pool", call.in(0))); }
void buildGlobalMaxPool(Call &call) { call.out(call.unary("global_max_pool", call.in(0))); }
void buildGlobalLpPool(Call &call) {
  call.out(call.op("global_lp_pool").in(call.in(0)).set("p", static_cast<double>(call.intAttr("p", 2))).result());
}

} // namespace

void addPools(Operators &operators) {
  operators.add("AveragePool", buildAveragePool);
  operators.add("GlobalAveragePool", buildGlobalAveragePool);
  operators.add("GlobalLpPool", buildGlobalLpPool);
  operators.add("GlobalMaxPool", buildGlobalMaxPool);
  operators.add("LpPool", buildLpPool);
  operators.add("MaxPool", buildMaxPool);
}

} // namespace clika::onnx
