// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%x: tensor<?x3xf32, #clika.dims<n, 3>>, %m: tensor<3xf32>, %v: tensor<3xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>) {
  // CHECK: clika.batch_norm %{{.*}}, %{{.*}}, %{{.*}} scale %{{.*}} bias %{{.*}} {epsilon = 1.000000e-03 : f64}
  %0 = clika.batch_norm %x, %m, %v scale %s bias %b {epsilon = 1.0e-3 : f64}
    : (tensor<?x3xf32, #clika.dims<n, 3>>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3xf32, #clika.dims<n, 3>>
  return
}

// -----

func.func @mean(%x: tensor<?x3xf32, #clika.dims<n, 3>>, %m: tensor<4xf32>, %v: tensor<3xf32>) {
  // expected-error @+2 {{batch_norm: mean has shape [4], x has 3 channels and takes one number each}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.batch_norm %x, %m, %v
    : (tensor<?x3xf32, #clika.dims<n, 3>>, tensor<4xf32>, tensor<3xf32>) -> tensor<?x3xf32, #clika.dims<n, 3>>
  return
}

// -----

func.func @bias(%x: tensor<?x3xf32, #clika.dims<n, 3>>, %m: tensor<3xf32>, %v: tensor<3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+2 {{batch_norm: bias has shape [1, 3], x has 3 channels and takes one number each}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.batch_norm %x, %m, %v bias %b
    : (tensor<?x3xf32, #clika.dims<n, 3>>, tensor<3xf32>, tensor<3xf32>, tensor<1x3xf32>) -> tensor<?x3xf32, #clika.dims<n, 3>>
  return
}

// -----

func.func @rank(%x: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error @+2 {{batch_norm: x has 1 dimension; it must be [batch, channels, ...]}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.batch_norm %x, %m, %v : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @dtypes(%x: tensor<?x3xf32, #clika.dims<n, 3>>, %m: tensor<3xf64>, %v: tensor<3xf32>) {
  // expected-error @+2 {{batch_norm: the operands have dtypes float32 and float64; cast one of them}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.batch_norm %x, %m, %v
    : (tensor<?x3xf32, #clika.dims<n, 3>>, tensor<3xf64>, tensor<3xf32>) -> tensor<?x3xf32, #clika.dims<n, 3>>
  return
}
