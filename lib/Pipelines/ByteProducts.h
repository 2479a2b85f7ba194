// Products of int32 tensors that are widened bytes, as products of the bytes in groups of four.
#pragma once
#include "Pipelines/Compile.h"
#include "Pipelines/Nest.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace clika {

/// On a linalg.generic whose innermost loop sums groups of four products of an unsigned and a signed byte, both of
/// which lie side by side in fours.
inline constexpr llvm::StringLiteral kByteProductAttr = "clika.byte_product";

/// Constant weights, among the last arguments of `function`, are put into panels now.
void useByteProducts(mlir::func::FuncOp function, std::vector<ConstantArgument> &constants, int64_t vectorBytes);

/// Makes the four steps of a byte product's innermost loop one: its inputs are read in words of four bytes then. No
/// effect on another nest.
void groupBytes(mlir::OpBuilder &builder, Nest &nest);

} // namespace clika
