// Tensors that are views of constants, and constants made of them.
#pragma once
#include "Pipelines/Compile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace clika {

/// Element (i0, i1, …) of a tensor is the constant's element offset + Σ steps[d]·i_d.
struct View {
  mlir::BlockArgument constant;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> steps;
};

/// The constants of a function are its last arguments.
class ConstantViews {
public:
  ConstantViews(mlir::func::FuncOp main, std::vector<ConstantArgument> &constants)
      : main(main), first(main.getNumArguments() - constants.size()), constants(constants) {}

  /// None for what is no view of a constant, or not known to be one.
  std::optional<View> of(mlir::Value value);
  /// The elements of the constant that `view` is one of, at any address.
  const void *dataOf(const View &view) const { return constants[view.constant.getArgNumber() - first].data; }
  /// A new constant of `type` that holds what `view` shows; null where there is no memory for it, or no type.
  mlir::Value materialize(const View &view, mlir::RankedTensorType type);
  /// Lets go of the data that nothing reads any more.
  void release();

private:
  std::optional<View> ofSlice(mlir::tensor::ExtractSliceOp slice);

  mlir::func::FuncOp main;
  unsigned first;
  std::vector<ConstantArgument> &constants;
};

/// Erases `value`'s op if nothing uses it, and the ops that only it used.
void eraseViews(mlir::Value value);

} // namespace clika
