// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%x: tensor<?x?x?xf32, #clika.dims<s, n, i>>, %w: tensor<1x12x?xf32, #clika.dims<1, 12, i>>, %r: tensor<1x?x?xf32, #clika.dims<1, h * 3, h>>) {
  // The size of the state follows from w.
  // CHECK: clika.gru %{{.*}}, %{{.*}}, %{{.*}} {direction = "Reverse", linear_before_reset = true} {{.*}} -> (tensor<?x1x?x4xf32, #clika.dims<s, 1, n, 4>>, tensor<1x?x4xf32, #clika.dims<1, n, 4>>)
  %0:2 = clika.gru %x, %w, %r {direction = "Reverse", linear_before_reset = true}
    : (tensor<?x?x?xf32, #clika.dims<s, n, i>>, tensor<1x12x?xf32, #clika.dims<1, 12, i>>, tensor<1x?x?xf32, #clika.dims<1, h * 3, h>>)
    -> (tensor<?x1x?x4xf32, #clika.dims<s, 1, n, 4>>, tensor<1x?x4xf32, #clika.dims<1, n, 4>>)
  return
}

// -----

func.func @input(%x: tensor<5x2x3xf32>, %w: tensor<1x12x5xf32>, %r: tensor<1x12x4xf32>) {
  // expected-error @+2 {{gru: w has shape [1, 12, 5]; it must be [directions, gates * hidden, input], here [1, ?, 3], as direction is Forward}}
  // expected-error @+1 {{failed to infer}}
  %0:2 = clika.gru %x, %w, %r : (tensor<5x2x3xf32>, tensor<1x12x5xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rows(%x: tensor<5x2x3xf32>, %w: tensor<1x13x3xf32>, %r: tensor<1x?x?xf32>) {
  // expected-error @+2 {{gru: w has 13 rows; it must have a multiple of 3}}
  // expected-error @+1 {{failed to infer}}
  %0:2 = clika.gru %x, %w, %r : (tensor<5x2x3xf32>, tensor<1x13x3xf32>, tensor<1x?x?xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @bias(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %b: tensor<1x12xf32>) {
  // expected-error @+2 {{gru: b has 12 columns; with 4 hidden elements it must have 24}}
  // expected-error @+1 {{failed to infer}}
  %0:2 = clika.gru %x, %w, %r bias %b : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x12xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @function(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) {
  // expected-error @+2 {{gru: gate_function is Affine; give gate_alpha and gate_beta with it}}
  // expected-error @+1 {{failed to infer}}
  %0:2 = clika.gru %x, %w, %r {gate_function = "Affine", gate_alpha = 1.0 : f64} : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}
