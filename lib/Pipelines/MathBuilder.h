// Straight-line arithmetic on scalars or vectors: what MathFunctions.h is written in.
#ifndef CLIKA_PIPELINES_MATHBUILDER_H
#define CLIKA_PIPELINES_MATHBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace clika {

/// Builds ops on scalars, or on vectors of one shape; types are named by their element.
class MathBuilder {
public:
  /// `like`: a scalar type or a vector type. `fma`: whether the target has a fused multiply-add.
  MathBuilder(mlir::OpBuilder &builder, mlir::Location location, mlir::Type like, bool fma)
      : builder(builder), location(location), shape(mlir::dyn_cast<mlir::VectorType>(like)), fma(fma) {}

  using Value = mlir::Value;
  using Floats = mlir::arith::CmpFPredicate;
  using Integers = mlir::arith::CmpIPredicate;

  mlir::Type typeOf(mlir::Type element) { return shape ? mlir::Type(shape.clone(element)) : element; }
  mlir::Type f32() { return typeOf(builder.getF32Type()); }
  mlir::Type f64() { return typeOf(builder.getF64Type()); }
  mlir::Type i32() { return typeOf(builder.getI32Type()); }
  mlir::Type i64() { return typeOf(builder.getI64Type()); }

  /// A constant of the type of `like`.
  Value number(Value like, double value) { return constant(builder.getFloatAttr(elementOf(like), value)); }
  Value integer(Value like, int64_t value) { return constant(builder.getIntegerAttr(elementOf(like), value)); }

  Value add(Value a, Value b) { return create<mlir::arith::AddFOp>(a, b); }
  Value sub(Value a, Value b) { return create<mlir::arith::SubFOp>(a, b); }
  Value mul(Value a, Value b) { return create<mlir::arith::MulFOp>(a, b); }
  Value div(Value a, Value b) { return create<mlir::arith::DivFOp>(a, b); }
  Value add(Value a, double b) { return add(a, number(a, b)); }
  Value sub(Value a, double b) { return sub(a, number(a, b)); }
  Value mul(Value a, double b) { return mul(a, number(a, b)); }
  Value abs(Value a) { return create<mlir::math::AbsFOp>(a); }
  Value neg(Value a) { return create<mlir::arith::NegFOp>(a); }
  Value copySign(Value a, Value sign) { return create<mlir::math::CopySignOp>(a, sign); }
  Value roundEven(Value a) { return create<mlir::math::RoundEvenOp>(a); }

  /// a * b + c, with one rounding where the target can, else with two.
  Value mulAdd(Value a, Value b, Value c) { return fma ? create<mlir::math::FmaOp>(a, b, c) : add(mul(a, b), c); }
  Value mulAdd(Value a, double b, Value c) { return mulAdd(a, number(a, b), c); }
  Value mulAdd(Value a, Value b, double c) { return mulAdd(a, b, number(a, c)); }
  /// The polynomial of these coefficients, the constant term first.
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients) {
    Value sum = number(x, coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = mulAdd(sum, x, coefficient);
    return sum;
  }

  Value is(Floats predicate, Value a, Value b) { return create<mlir::arith::CmpFOp>(predicate, a, b); }
  Value is(Floats predicate, Value a, double b) { return is(predicate, a, number(a, b)); }
  Value is(Integers predicate, Value a, int64_t b) { return create<mlir::arith::CmpIOp>(predicate, a, integer(a, b)); }
  Value both(Value a, Value b) { return create<mlir::arith::AndIOp>(a, b); }
  Value either(Value a, Value b) { return create<mlir::arith::OrIOp>(a, b); }
  Value select(Value condition, Value yes, Value no) { return create<mlir::arith::SelectOp>(condition, yes, no); }
  Value select(Value condition, double yes, Value no) { return select(condition, number(no, yes), no); }
  /// The smaller or larger of a and a bound; a NaN stays.
  Value atMost(Value a, double bound) { return select(is(Floats::OGT, a, bound), bound, a); }
  Value atLeast(Value a, double bound) { return select(is(Floats::OLT, a, bound), bound, a); }

  Value iadd(Value a, Value b) { return create<mlir::arith::AddIOp>(a, b); }
  Value isub(Value a, Value b) { return create<mlir::arith::SubIOp>(a, b); }
  Value iadd(Value a, int64_t b) { return iadd(a, integer(a, b)); }
  Value iand(Value a, int64_t b) { return create<mlir::arith::AndIOp>(a, integer(a, b)); }
  Value shiftLeft(Value a, int64_t b) { return create<mlir::arith::ShLIOp>(a, integer(a, b)); }
  Value shiftRight(Value a, int64_t b) { return create<mlir::arith::ShRSIOp>(a, integer(a, b)); }

  Value bits(mlir::Type type, Value a) { return create<mlir::arith::BitcastOp>(type, a); }
  Value widen(Value a) { return create<mlir::arith::ExtFOp>(f64(), a); }
  Value narrow(Value a) { return create<mlir::arith::TruncFOp>(f32(), a); }
  Value truncate(Value a) { return create<mlir::arith::TruncIOp>(i32(), a); }
  Value toFloat(mlir::Type type, Value a) { return create<mlir::arith::SIToFPOp>(type, a); }
  Value toInteger(mlir::Type type, Value a) { return create<mlir::arith::FPToSIOp>(type, a); }

  mlir::OpBuilder &builder;
  mlir::Location location;

private:
  template <typename Op, typename... Args>
  Value create(Args &&...args) {
    return Op::create(builder, location, std::forward<Args>(args)...);
  }
  static mlir::Type elementOf(Value value) { return mlir::getElementTypeOrSelf(value.getType()); }
  Value constant(mlir::TypedAttr attr) {
    if (shape)
      attr = mlir::SplatElementsAttr::get(shape.clone(attr.getType()), mlir::Attribute(attr));
    return create<mlir::arith::ConstantOp>(attr);
  }

  mlir::VectorType shape;
  bool fma;
};

} // namespace clika

#endif
