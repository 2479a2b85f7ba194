// RUN: clika-opt %s --split-input-file | clika-opt --split-input-file | FileCheck %s
// RUN: clika-opt %s --split-input-file --convert-clika-to-linalg | FileCheck %s --check-prefix=LOWERED
// RUN: clika-opt %s --split-input-file --canonicalize | FileCheck %s --check-prefix=FOLDED

// Out of range becomes the nearest value, NaN becomes 0: the conversion itself only sees what fits.
// CHECK-LABEL: func.func @to_int8
// LOWERED-LABEL: func.func @to_int8
func.func @to_int8(%x: tensor<2xf32>) -> tensor<2xi8> {
  // CHECK: %y = clika.cast %{{.*}} to i8 : (tensor<2xf32>) -> tensor<2xi8>
  // LOWERED: %[[SAFE:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
  // LOWERED: arith.fptosi %[[SAFE]] : f32 to i8
  %y = clika.cast %x to i8 : (tensor<2xf32>) -> tensor<2xi8>
  return %y : tensor<2xi8>
}

// -----

// NaN is true.
// LOWERED-LABEL: func.func @to_bool
func.func @to_bool(%x: tensor<2xf32>) -> tensor<2xi1> {
  // LOWERED: %[[TRUE:.*]] = arith.cmpf une
  // LOWERED: arith.extui %[[TRUE]] : i1 to i8
  %y = clika.cast %x to i1 : (tensor<2xf32>) -> tensor<2xi1>
  return %y : tensor<2xi1>
}

// -----

// One rounding from f64 to f16.
// LOWERED-LABEL: func.func @to_half
func.func @to_half(%x: tensor<2xf64>) -> tensor<2xf16> {
  // LOWERED: arith.truncf %{{.*}} : f64 to f16
  %y = clika.cast %x to f16 : (tensor<2xf64>) -> tensor<2xf16>
  return %y : tensor<2xf16>
}

// -----

// FOLDED-LABEL: func.func @no_change
func.func @no_change(%x: tensor<2xui8>) -> tensor<2xui8> {
  // FOLDED-NOT: clika.cast
  %y = clika.cast %x to ui8 : (tensor<2xui8>) -> tensor<2xui8>
  return %y : tensor<2xui8>
}
