// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @found(
// CHECK: clika.non_zero %arg0 :
func.func @found(%x: tensor<4x6xi1>) -> tensor<2x?xi64> {
  %r = clika.non_zero %x : (tensor<4x6xi1>) -> tensor<2x?xi64>
  return %r : tensor<2x?xi64>
}
