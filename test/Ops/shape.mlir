// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @part(
// CHECK: clika.shape %arg0 {start = -2 : i64}
func.func @part(%x: tensor<2x?x4xf32>) -> tensor<2xi64> {
  %r = clika.shape %x {start = -2 : i64} : (tensor<2x?x4xf32>) -> tensor<2xi64>
  %s = clika.shape %x {start = 1 : i64, end = 9 : i64} : (tensor<2x?x4xf32>) -> tensor<2xi64>
  return %r : tensor<2xi64>
}
