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

void buildMaxPool(Call &call) {
  bool isColumnMajor = call.intAttr("storage_order", 0) != 0;
  if (!call.wants(1))
    return call.out(pool(call, "max_pool").result());
  if (isColumnMajor)
    call.unsupported("indices in column-major order (storage_order = 1) are not covered");
  Operation *op = pool(call, "max_pool_with_indices").build();
  call.out(0, op->getResult(0));
  call.out(1, op->getResult(1));
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
