#include "Pipelines/ByteDot.h"
#include "Pipelines/Jit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace clika {
namespace {

Value constant(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  TypedAttr number = b.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    number = DenseElementsAttr::get(vector, number);
  return arith::ConstantOp::create(b, number);
}

Value intrinsic(ImplicitLocOpBuilder &b, StringRef name, Type result, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, result, b.getStringAttr(name), operands)->getResult(0);
}

/// The number of bits of a vector that is as wide as a register; 0 for another type.
int64_t registerBits(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  int64_t bits = vector ? vector.getNumElements() * 32 : 0;
  return bits == 128 || bits == 256 || bits == 512 ? bits : 0;
}

Value asOneInstruction(ImplicitLocOpBuilder &b, Value x, Value y, Value sum) {
  int64_t bits = registerBits(sum.getType());
  auto bytes = VectorType::get({bits / 8}, b.getI8Type());
  x = vector::BitCastOp::create(b, bytes, x);
  y = vector::BitCastOp::create(b, bytes, y);
  return intrinsic(b, "llvm.x86.avx512.vpdpbusd." + std::to_string(bits), sum.getType(), {sum, x, y});
}

/// Products of pairs of 16-bit numbers, summed up in 32 bits: of the bytes at even places, then of those at odd ones.
Value asPairs(ImplicitLocOpBuilder &b, Value x, Value y, Value sum) {
  int64_t bits = registerBits(sum.getType());
  auto halves = VectorType::get({bits / 16}, b.getI16Type());
  StringRef name = bits == 128   ? "llvm.x86.sse2.pmadd.wd"
                   : bits == 256 ? "llvm.x86.avx2.pmadd.wd"
                                 : "llvm.x86.avx512.pmaddw.d.512";
  x = vector::BitCastOp::create(b, halves, x);
  y = vector::BitCastOp::create(b, halves, y);
  Value eight = constant(b, halves, 8), low = constant(b, halves, 255);
  Value even = intrinsic(
      b, name, sum.getType(),
      {arith::AndIOp::create(b, x, low), arith::ShRSIOp::create(b, arith::ShLIOp::create(b, y, eight), eight)});
  Value odd =
      intrinsic(b, name, sum.getType(), {arith::ShRUIOp::create(b, x, eight), arith::ShRSIOp::create(b, y, eight)});
  return arith::AddIOp::create(b, sum, arith::AddIOp::create(b, even, odd));
}

Value asArithmetic(ImplicitLocOpBuilder &b, Value x, Value y, Value sum) {
  Type type = sum.getType();
  Value low = constant(b, type, 255), top = constant(b, type, 24);
  for (int64_t shift : {0, 8, 16, 24}) {
    Value one = arith::AndIOp::create(b, arith::ShRUIOp::create(b, x, constant(b, type, shift)), low);
    Value other = arith::ShRSIOp::create(b, arith::ShLIOp::create(b, y, constant(b, type, 24 - shift)), top);
    sum = arith::AddIOp::create(b, sum, arith::MulIOp::create(b, one, other));
  }
  return sum;
}

} // namespace

Value emitByteDot(OpBuilder &builder, Location loc, StringRef how, Value x, Value y, Value sum) {
  ImplicitLocOpBuilder b(loc, builder);
  if (registerBits(sum.getType()) && how == kByteDotInstruction)
    return asOneInstruction(b, x, y, sum);
  if (registerBits(sum.getType()) && how == kByteDotPairs)
    return asPairs(b, x, y, sum);
  return asArithmetic(b, x, y, sum);
}

} // namespace clika
