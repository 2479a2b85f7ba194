// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @blocks(
// CHECK: clika.depth_to_space %arg0 {mode = "Crd"}
func.func @blocks(%x: tensor<?x8x2x3xf32, #clika.dims<n, 8, 2, 3>>) -> tensor<?x2x4x6xf32, #clika.dims<n, 2, 4, 6>> {
  %r = clika.depth_to_space %x {mode = "Crd"} : (tensor<?x8x2x3xf32, #clika.dims<n, 8, 2, 3>>) -> tensor<?x2x4x6xf32, #clika.dims<n, 2, 4, 6>>
  return %r : tensor<?x2x4x6xf32, #clika.dims<n, 2, 4, 6>>
}

// -----

// C1
func.func @bad(%x: tensor<8x2x3xf32>) {
  // expected-error @below {{depth_to_space: x is float32[8, 2, 3]; it must have rank 4}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.depth_to_space %x : (tensor<8x2x3xf32>) -> tensor<2x4x6xf32>
  return
}

// -----

// C2
func.func @bad(%x: tensor<1x6x2x3xf32>) {
  // expected-error @below {{depth_to_space: dimension 1 has size 6, which 4 does not divide}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.depth_to_space %x : (tensor<1x6x2x3xf32>) -> tensor<1x1x4x6xf32>
  return
}
