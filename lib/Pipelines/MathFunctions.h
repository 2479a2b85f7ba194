// Elementary functions of f32 scalars and vectors, as arithmetic. Bounds are in ulp of the exact result, over every
// float; they hold with and without fused multiply-add. One formula serves scalars and vectors of any shape.
#ifndef CLIKA_PIPELINES_MATHFUNCTIONS_H
#define CLIKA_PIPELINES_MATHFUNCTIONS_H

#include "Pipelines/MathBuilder.h"

namespace clika {

mlir::Value buildExp(MathBuilder &b, mlir::Value x);
mlir::Value buildExpM1(MathBuilder &b, mlir::Value x);
mlir::Value buildLog(MathBuilder &b, mlir::Value x);
mlir::Value buildLog1p(MathBuilder &b, mlir::Value x);
mlir::Value buildTanh(MathBuilder &b, mlir::Value x);
mlir::Value buildErf(MathBuilder &b, mlir::Value x);
mlir::Value buildSin(MathBuilder &b, mlir::Value x);
mlir::Value buildCos(MathBuilder &b, mlir::Value x);
mlir::Value buildPow(MathBuilder &b, mlir::Value x, mlir::Value y);

} // namespace clika

#endif
