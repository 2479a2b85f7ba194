// RUN: clika-opt --merge-reshapes --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --merge-reshapes=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

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

// Near misses: one reshape alone, and a shape known only at run time.
// CHECK-LABEL: func.func @near_misses(
// CHECK-COUNT-2: clika.reshape
func.func @near_misses(%x: tensor<?xf32, #clika.dims<n>>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  // expected-remark @+1 {{does not read a reshape, squeeze or unsqueeze}}
  %a = clika.reshape %x {shape = array<i64: -1, 2>} : (tensor<?xf32, #clika.dims<n>>) -> tensor<?x2xf32>
  // expected-remark @+1 {{a shape is known only at run time, where it may be refused}}
  %b = clika.reshape %a shape %s : (tensor<?x2xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %b : tensor<?x?xf32>
}

// -----

// Near miss: two sizes that only names are known of cannot be literals.
// CHECK-LABEL: func.func @two_names(
// CHECK: clika.squeeze
// CHECK: clika.unsqueeze
func.func @two_names(%x: tensor<1x?x?xf32, #clika.dims<1, n, m>>) -> tensor<?x1x?xf32, #clika.dims<n, 1, m>> {
  %a = clika.squeeze %x {axes = array<i64: 0>} : (tensor<1x?x?xf32, #clika.dims<1, n, m>>) -> tensor<?x?xf32, #clika.dims<n, m>>
  // expected-remark @+1 {{its shape cannot be given as literal sizes}}
  %b = clika.unsqueeze %a {axes = array<i64: 1>} : (tensor<?x?xf32, #clika.dims<n, m>>) -> tensor<?x1x?xf32, #clika.dims<n, 1, m>>
  return %b : tensor<?x1x?xf32, #clika.dims<n, 1, m>>
}
