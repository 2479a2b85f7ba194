#include "Dialect/Axes.h"

#include "Runtime/Counted.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace clika {

FailureOr<int64_t> readAxis(std::optional<Location> location, StringRef op, int64_t axis, int64_t rank) {
  int64_t count = std::max<int64_t>(rank, 1);
  if (axis < -count || axis >= count)
    return emitOptionalError(location, op, ": axis ", axis, " is out of range, x has ", counted(rank, "dimension"));
  return axis < 0 ? axis + count : axis;
}

FailureOr<SmallVector<int64_t>> readAxes(std::optional<Location> location, StringRef op, ArrayRef<int64_t> axes,
                                         int64_t rank) {
  SmallVector<int64_t> result;
  if (axes.empty())
    result.assign(llvm::seq<int64_t>(0, rank).begin(), llvm::seq<int64_t>(0, rank).end());
  for (int64_t axis : axes) {
    FailureOr<int64_t> position = readAxis(location, op, axis, rank);
    if (failed(position))
      return failure();
    if (llvm::is_contained(result, *position))
      return emitOptionalError(location, op, ": axis ", *position, " is named twice");
    result.push_back(*position);
  }
  llvm::sort(result);
  if (rank == 0)
    result.clear();
  return result;
}

Dims reducedDims(MLIRContext *context, ArrayRef<Dim> dims, ArrayRef<int64_t> axes, bool keep) {
  Dims result;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (!llvm::is_contained(axes, int64_t(i)))
      result.push_back(dim);
    else if (keep)
      result.push_back(constantDim(context, 1));
  }
  return result;
}

} // namespace clika
