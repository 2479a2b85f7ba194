// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @blocks(
// CHECK: clika.space_to_depth %arg0 :
func.func @blocks(%x: tensor<1x2x4x6xf32>) -> tensor<1x8x2x3xf32> {
  %r = clika.space_to_depth %x : (tensor<1x2x4x6xf32>) -> tensor<1x8x2x3xf32>
  return %r : tensor<1x8x2x3xf32>
}

// -----

// C2
func.func @bad(%x: tensor<1x2x5x6xf32>) {
  // expected-error @below {{space_to_depth: dimension 2 has size 5, which 2 does not divide}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.space_to_depth %x : (tensor<1x2x5x6xf32>) -> tensor<1x8x2x3xf32>
  return
}
