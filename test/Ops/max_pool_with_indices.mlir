// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%x: tensor<1x2x8xf32>) {
  // CHECK: clika.max_pool_with_indices %{{.*}} {kernel = array<i64: 2>}
  %0:2 = clika.max_pool_with_indices %x {kernel = array<i64: 2>} : (tensor<1x2x8xf32>) -> (tensor<1x2x4xf32>, tensor<1x2x4xi64>)
  return
}

// -----

func.func @shapes(%x: tensor<1x2x8xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<1x2x4xf32>', 'tensor<1x2x4xi64>'}}
  // expected-error @+1 {{failed to infer}}
  %0:2 = clika.max_pool_with_indices %x {kernel = array<i64: 2>} : (tensor<1x2x8xf32>) -> (tensor<1x2x4xf32>, tensor<1x2x5xi64>)
  return
}

// -----

func.func @reach(%x: tensor<1x2x2xf32>) {
  // expected-error @+2 {{max_pool_with_indices: the window reaches over 3 elements of spatial dimension 0, x with its padding has 2}}
  // expected-error @+1 {{failed to infer}}
  %0:2 = clika.max_pool_with_indices %x {kernel = array<i64: 3>} : (tensor<1x2x2xf32>) -> (tensor<1x2x4xf32>, tensor<1x2x4xi64>)
  return
}
