// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%x: tensor<0x2x3xf16>, %w: tensor<1x4x3xf16>, %r: tensor<1x4x4xf16>, %h: tensor<1x2x4xf16>) {
  // CHECK: clika.rnn %{{.*}}, %{{.*}}, %{{.*}} from %{{.*}} {hidden_function = "Relu"} {{.*}} -> (tensor<0x1x2x4xf16>, tensor<1x2x4xf16>)
  %0:2 = clika.rnn %x, %w, %r from %h {hidden_function = "Relu"}
    : (tensor<0x2x3xf16>, tensor<1x4x3xf16>, tensor<1x4x4xf16>, tensor<1x2x4xf16>) -> (tensor<0x1x2x4xf16>, tensor<1x2x4xf16>)
  return
}

// -----

func.func @clip(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @+2 {{rnn: clip is -1.000000e+00; it must be at least 0}}
  // expected-error @+1 {{failed to infer}}
  %0:2 = clika.rnn %x, %w, %r {clip = -1.0 : f64} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @lengths(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>, %l: tensor<3xi64>) {
  // expected-error @+2 {{rnn: sequence_lens has shape [3]; it must be [batch], here [2], as direction is Forward}}
  // expected-error @+1 {{failed to infer}}
  %0:2 = clika.rnn %x, %w, %r lengths %l : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<3xi64>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @direction(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @+1 {{one of Forward, Reverse, Bidirectional}}
  %0:2 = clika.rnn %x, %w, %r {direction = "Sideways"} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}
