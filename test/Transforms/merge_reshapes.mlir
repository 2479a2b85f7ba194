// RUN: clika-opt --merge-reshapes --split-input-file %s | FileCheck %s -enable-var-scope

// CHECK-LABEL: func.func @merges(
// CHECK-NEXT: %b = clika.reshape %arg0 {allow_zero = true, shape = array<i64: 2, 6>}
// CHECK-NEXT: return %b
func.func @merges(%x: tensor<3x4xf32>) -> tensor<2x6xf32> {
  %a = clika.reshape %x {shape = array<i64: -1>} : (tensor<3x4xf32>) -> tensor<12xf32>
  %b = clika.reshape %a {shape = array<i64: 2, -1>} : (tensor<12xf32>) -> tensor<2x6xf32>
  return %b : tensor<2x6xf32>
}

// -----

// A size that is 0 stays one, and a squeeze undone leaves nothing.
// CHECK-LABEL: func.func @empty_and_undone(
// CHECK-NEXT: %b = clika.reshape %arg0 {allow_zero = true, shape = array<i64: 0, 5>}
// CHECK-NEXT: return %b, %arg1
func.func @empty_and_undone(%x: tensor<3x0xf32>, %z: tensor<1x?xf32, #clika.dims<1, n>>)
    -> (tensor<0x5xf32>, tensor<1x?xf32, #clika.dims<1, n>>) {
  %a = clika.reshape %x {shape = array<i64: 0>, allow_zero = true} : (tensor<3x0xf32>) -> tensor<0xf32>
  %b = clika.reshape %a {shape = array<i64: 0, 5>, allow_zero = true} : (tensor<0xf32>) -> tensor<0x5xf32>
  %c = clika.squeeze %z {axes = array<i64: 0>} : (tensor<1x?xf32, #clika.dims<1, n>>) -> tensor<?xf32, #clika.dims<n>>
  %d = clika.unsqueeze %c {axes = array<i64: 0>} : (tensor<?xf32, #clika.dims<n>>) -> tensor<1x?xf32, #clika.dims<1, n>>
  return %b, %d : tensor<0x5xf32>, tensor<1x?xf32, #clika.dims<1, n>>
}

// -----

// Near misses: one reshape alone, and a shape of two unknown sizes.
// CHECK-LABEL: func.func @near_misses(
// CHECK-COUNT-2: clika.reshape
func.func @near_misses(%x: tensor<?xf32, #clika.dims<n>>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  %a = clika.reshape %x {shape = array<i64: -1, 2>} : (tensor<?xf32, #clika.dims<n>>) -> tensor<?x2xf32>
  %b = clika.reshape %a shape %s : (tensor<?x2xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %b : tensor<?x?xf32>
}
