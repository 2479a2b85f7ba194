// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%x: tensor<?x4x?x8xf32, #clika.dims<n, 4, s, 8>>, %h: tensor<2x?x24xf16>, %c: tensor<1x?x4xf32>,
                    %t: tensor<99x3xf16>, %p: tensor<2x?xi64>) {
  // CHECK: clika.rotary_embedding %{{.*}}, %{{.*}}, %{{.*}} {interleaved = true} : {{.*}} -> tensor<?x4x?x8xf32, #clika.dims<n, 4, s, 8>>
  %0 = clika.rotary_embedding %x, %c, %c {interleaved = true}
    : (tensor<?x4x?x8xf32, #clika.dims<n, 4, s, 8>>, tensor<1x?x4xf32>, tensor<1x?x4xf32>) -> tensor<?x4x?x8xf32, #clika.dims<n, 4, s, 8>>
  // CHECK: clika.rotary_embedding %{{.*}}, %{{.*}}, %{{.*}} at %{{.*}} {num_heads = 3 : i64, rotary_dim = 6 : i64}
  %1 = clika.rotary_embedding %h, %t, %t at %p {num_heads = 3, rotary_dim = 6}
    : (tensor<2x?x24xf16>, tensor<99x3xf16>, tensor<99x3xf16>, tensor<2x?xi64>) -> tensor<2x?x24xf16>
  return
}

// -----

func.func @dtypes(%x: tensor<1x1x1x2xf32>, %c: tensor<1x1x1xf16>) {
  // expected-error @+2 {{rotary_embedding: the operands have dtypes float32 and float16; cast one of them}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.rotary_embedding %x, %c, %c : (tensor<1x1x1x2xf32>, tensor<1x1x1xf16>, tensor<1x1x1xf16>) -> tensor<1x1x1x2xf32>
  return
}

// -----

func.func @without_heads(%x: tensor<1x5x8xf32>, %c: tensor<1x5x4xf32>) {
  // expected-error @+2 {{rotary_embedding: num_heads is 0; it must be at least 1 for x of 3 dimensions}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.rotary_embedding %x, %c, %c : (tensor<1x5x8xf32>, tensor<1x5x4xf32>, tensor<1x5x4xf32>) -> tensor<1x5x8xf32>
  return
}

// -----

func.func @other_heads(%x: tensor<1x5x1x8xf32>, %c: tensor<1x1x4xf32>) {
  // expected-error @+2 {{rotary_embedding: num_heads is 3, x has 5 heads}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.rotary_embedding %x, %c, %c {num_heads = 3} : (tensor<1x5x1x8xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<1x5x1x8xf32>
  return
}

// -----

func.func @undivided(%x: tensor<1x5x8xf32>, %c: tensor<1x5x4xf32>) {
  // expected-error @+2 {{rotary_embedding: 8 elements do not divide into 3 heads}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.rotary_embedding %x, %c, %c {num_heads = 3} : (tensor<1x5x8xf32>, tensor<1x5x4xf32>, tensor<1x5x4xf32>) -> tensor<1x5x8xf32>
  return
}

// -----

func.func @rank(%x: tensor<5x8xf32>, %c: tensor<1x5x4xf32>) {
  // expected-error @+2 {{rotary_embedding: x has 2 dimensions; it must be [batch, heads, sequence, head size] or [batch, sequence, heads * head size]}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.rotary_embedding %x, %c, %c : (tensor<5x8xf32>, tensor<1x5x4xf32>, tensor<1x5x4xf32>) -> tensor<5x8xf32>
  return
}

// -----

func.func @odd_part(%x: tensor<1x1x5x8xf32>, %c: tensor<1x5x4xf32>) {
  // expected-error @+2 {{rotary_embedding: rotary_dim is 3; it must be an even number of at least 0}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.rotary_embedding %x, %c, %c {rotary_dim = 3} : (tensor<1x1x5x8xf32>, tensor<1x5x4xf32>, tensor<1x5x4xf32>) -> tensor<1x1x5x8xf32>
  return
}

// -----

func.func @large_part(%x: tensor<1x1x5x8xf32>, %c: tensor<1x5x4xf32>) {
  // expected-error @+2 {{rotary_embedding: rotary_dim is 10, a head has 8 elements}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.rotary_embedding %x, %c, %c {rotary_dim = 10} : (tensor<1x1x5x8xf32>, tensor<1x5x4xf32>, tensor<1x5x4xf32>) -> tensor<1x1x5x8xf32>
  return
}

// -----

func.func @odd_head(%x: tensor<1x1x5x7xf32>, %c: tensor<1x5x3xf32>) {
  // expected-error @+2 {{rotary_embedding: a head has 7 elements, which are not whole pairs}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.rotary_embedding %x, %c, %c : (tensor<1x1x5x7xf32>, tensor<1x5x3xf32>, tensor<1x5x3xf32>) -> tensor<1x1x5x7xf32>
  return
}

// -----

func.func @whole_angles(%x: tensor<1x1x5x8xf32>, %c: tensor<1x5x4xf32>, %s: tensor<1x5x8xf32>) {
  // expected-error @+2 {{rotary_embedding: sin has shape [1, 5, 8]; it must be [batch, sequence, 4]}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.rotary_embedding %x, %c, %s : (tensor<1x1x5x8xf32>, tensor<1x5x4xf32>, tensor<1x5x8xf32>) -> tensor<1x1x5x8xf32>
  return
}

// -----

func.func @extends(%x: tensor<1x1x5x8xf32>, %c: tensor<2x5x4xf32>) {
  // expected-error @+2 {{rotary_embedding: cos has shape [2, 5, 4], which does not broadcast to [batch, sequence, pairs] [1, 5, 4]}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.rotary_embedding %x, %c, %c : (tensor<1x1x5x8xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<1x1x5x8xf32>
  return
}

// -----

func.func @rows(%x: tensor<1x1x5x8xf32>, %c: tensor<9x4xf32>, %s: tensor<8x4xf32>, %p: tensor<1x5xi64>) {
  // expected-error @+2 {{rotary_embedding: cos has 9 rows, sin has 8}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.rotary_embedding %x, %c, %s at %p : (tensor<1x1x5x8xf32>, tensor<9x4xf32>, tensor<8x4xf32>, tensor<1x5xi64>) -> tensor<1x1x5x8xf32>
  return
}

// -----

func.func @places(%x: tensor<1x1x5x8xf32>, %c: tensor<9x4xf32>, %p: tensor<1x4xi64>) {
  // expected-error @+2 {{rotary_embedding: positions has shape [1, 4], which does not broadcast to [batch, sequence] [1, 5]}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.rotary_embedding %x, %c, %c at %p : (tensor<1x1x5x8xf32>, tensor<9x4xf32>, tensor<9x4xf32>, tensor<1x4xi64>) -> tensor<1x1x5x8xf32>
  return
}
