// Constants of a program as arguments of `main` after its inputs, so that their data stays out of the code.
#pragma once
#include "Pipelines/Compile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace clika {

/// Adds an argument to `main` for each of its large dense constants. The data is used where it lies when
/// `dataOutlivesProgram`, else copied once.
void hoistConstants(mlir::func::FuncOp main, bool dataOutlivesProgram, std::vector<ConstantArgument> &constants);

/// Copies of constants, which are the last arguments of `main`, are made now instead of in every run: weights are read
/// in another order than they are kept in. Lets go of the constants that nothing reads then.
void foldCopies(mlir::func::FuncOp main, std::vector<ConstantArgument> &constants);

/// Convolutions of stride 1 by constant 3x3 kernels multiply a quarter as often, by Winograd's F(4x4, 3x3), and round
/// differently.
void useWinograd(mlir::func::FuncOp main, std::vector<ConstantArgument> &constants);

/// Puts the constant weights of contractions into panels, each as wide as a register tile, that are read from one end
/// to the other: [.., results] becomes [panel, .., result in it].
void packWeights(mlir::func::FuncOp main, std::vector<ConstantArgument> &constants, int64_t vectorBytes);

/// Appends an argument to `main`.
mlir::Value addConstant(mlir::func::FuncOp main, mlir::Type type, ConstantArgument constant,
                        std::vector<ConstantArgument> &constants);
/// Null when there is no memory.
std::shared_ptr<void> allocateConstant(size_t bytes);

} // namespace clika
