// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%a: tensor<?x2x3xf32, #clika.dims<n, 2, 3>>, %b: tensor<4x3xf32>) {
  // CHECK: clika.matmul %{{.*}}, %{{.*}} {transpose_b = true}
  %0 = clika.matmul %a, %b {transpose_b = true}
    : (tensor<?x2x3xf32, #clika.dims<n, 2, 3>>, tensor<4x3xf32>) -> tensor<?x2x4xf32, #clika.dims<n, 2, 4>>
  return
}

// -----

func.func @vectors(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<f32>'}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.matmul %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @batches(%a: tensor<?x1x2x3xf32, #clika.dims<n, 1, 2, 3>>, %b: tensor<5x3x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x5x2x4xf32, #clika.dims<n, 5, 2, 4>>'}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.matmul %a, %b
    : (tensor<?x1x2x3xf32, #clika.dims<n, 1, 2, 3>>, tensor<5x3x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @inner(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  // expected-error @+2 {{matmul: a [2, 3] has 3 columns, b [4, 5] has 4 rows}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.matmul %a, %b : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @batch_sizes(%a: tensor<2x3x4xf32>, %b: tensor<3x4x5xf32>) {
  // expected-error @+2 {{matmul: the batch dimensions [2] and [3] do not broadcast}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.matmul %a, %b : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @scalar(%a: tensor<f32>, %b: tensor<4x5xf32>) {
  // expected-error @+2 {{matmul: a is a scalar; use mul}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.matmul %a, %b : (tensor<f32>, tensor<4x5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @dtypes(%a: tensor<2x3xf32>, %b: tensor<3x5xf16>) {
  // expected-error @+2 {{matmul: the operands have dtypes float32 and float16; cast one of them}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.matmul %a, %b : (tensor<2x3xf32>, tensor<3x5xf16>) -> tensor<2x5xf32>
  return
}

// -----

func.func @activation(%a: tensor<2x3xi32>, %b: tensor<3x5xi32>) {
  // expected-error @+1 {{activation Gelu needs a float dtype}}
  %0 = clika.matmul %a, %b {activation = "Gelu"} : (tensor<2x3xi32>, tensor<3x5xi32>) -> tensor<2x5xi32>
  return
}
