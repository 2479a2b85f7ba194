// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%x: tensor<?x3xf32, #clika.dims<n, 3>>, %w: tensor<5x3xf32>, %b: tensor<5xf32>) {
  // CHECK: clika.linear %{{.*}}, %{{.*}} bias %{{.*}} {activation = "Relu"}
  %0 = clika.linear %x, %w bias %b {activation = "Relu"}
    : (tensor<?x3xf32, #clika.dims<n, 3>>, tensor<5x3xf32>, tensor<5xf32>) -> tensor<?x5xf32, #clika.dims<n, 5>>
  return
}

// -----

func.func @features(%x: tensor<2x3xf32>, %w: tensor<5x4xf32>) {
  // expected-error @+2 {{linear: x has 3 features, weight expects 4}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.linear %x, %w : (tensor<2x3xf32>, tensor<5x4xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @weight(%x: tensor<2x3xf32>, %w: tensor<5xf32>) {
  // expected-error @+2 {{linear: weight has shape [5]; it must be [out features, in features]}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.linear %x, %w : (tensor<2x3xf32>, tensor<5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @bias(%x: tensor<2x3xf32>, %w: tensor<5x3xf32>, %b: tensor<1xf32>) {
  // expected-error @+2 {{linear: bias has shape [1], the 5 out features take one number each}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.linear %x, %w bias %b : (tensor<2x3xf32>, tensor<5x3xf32>, tensor<1xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @scalar(%x: tensor<f32>, %w: tensor<5x3xf32>) {
  // expected-error @+2 {{linear: x is a scalar; its last dimension must hold the features}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.linear %x, %w : (tensor<f32>, tensor<5x3xf32>) -> tensor<5xf32>
  return
}
