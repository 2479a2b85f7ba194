// Tensors that are views of constants, and constants made of them.
#pragma once
#include "Pipelines/Compile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace clika {

/// Element (i0, i1, …) of a tensor is the constant's element offset + Σ steps[d]·i_d.
struct View {
  mlir::BlockArgument constant;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> steps;
};

/// A part of a new constant: its elements of `shape`, of which (i0, i1, …) is that of `view` and lies at element
/// offset + Σ steps[d]·i_d.
struct ConstantPart {
  View view;
  llvm::SmallVector<int64_t> shape;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> steps;
};

/// The steps of elements that lie side by side in the order of their places.
llvm::SmallVector<int64_t> denseSteps(llvm::ArrayRef<int64_t> shape);

/// The constants of a function are its last arguments.
class ConstantViews {
public:
  ConstantViews(mlir::func::FuncOp main, std::vector<ConstantArgument> &constants)
      : main(main), first(main.getNumArguments() - constants.size()), constants(constants) {}

  /// None for what is no view of a constant, or not known to be one. A copy in another order is one too.
  std::optional<View> of(mlir::Value value);
  /// The elements of the constant that `view` is one of, at any address.
  const void *dataOf(const View &view) const { return constants[view.constant.getArgNumber() - first].data; }
  /// A new constant of `type` that holds what `view` shows; null where there is no memory for it, or no type.
  mlir::Value materialize(const View &view, mlir::RankedTensorType type);
  /// The same of several views; what is in no part is zero.
  mlir::Value assemble(llvm::ArrayRef<ConstantPart> parts, mlir::RankedTensorType type);
  /// Lets go of the data that nothing reads any more.
  void release();

private:
  std::optional<View> ofCopy(mlir::linalg::LinalgOp op);
  /// Of all of the constant.
  size_t sizeOf(const View &view, unsigned elementBytes) const;
  std::optional<View> ofSlice(mlir::tensor::ExtractSliceOp slice);

  mlir::func::FuncOp main;
  unsigned first;
  std::vector<ConstantArgument> &constants;
};

/// Erases `value`'s op if nothing uses it, and the ops that only it used.
void eraseViews(mlir::Value value);

} // namespace clika
