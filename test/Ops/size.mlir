// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @count(
// CHECK: clika.size %arg0 :
func.func @count(%x: tensor<2x?xf32>) -> tensor<i64> {
  %r = clika.size %x : (tensor<2x?xf32>) -> tensor<i64>
  return %r : tensor<i64>
}
