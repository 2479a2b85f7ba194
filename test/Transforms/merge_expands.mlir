// RUN: clika-opt --merge-expands --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --merge-expands=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @merges(
// CHECK-NEXT: %b = clika.expand %arg0 {shape = array<i64: 5, 1, 2, 3>}
// CHECK-NEXT: return %b
func.func @merges(%x: tensor<?x1x1xf32, #clika.dims<n, 1, 1>>) -> tensor<5x?x2x3xf32, #clika.dims<5, n, 2, 3>> {
  %a = clika.expand %x {shape = array<i64: 1, 2, 1>} : (tensor<?x1x1xf32, #clika.dims<n, 1, 1>>) -> tensor<?x2x1xf32, #clika.dims<n, 2, 1>>
  %b = clika.expand %a {shape = array<i64: 5, 1, 1, 3>} : (tensor<?x2x1xf32, #clika.dims<n, 2, 1>>) -> tensor<5x?x2x3xf32, #clika.dims<5, n, 2, 3>>
  return %b : tensor<5x?x2x3xf32, #clika.dims<5, n, 2, 3>>
}

// -----

// Near misses: one alone, a size that only a run knows, a size by name.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.expand 
// CHECK: clika.expand 
// CHECK: clika.shape 
// CHECK: clika.expand 
// CHECK: clika.expand 
func.func @near_misses(%x: tensor<1x1xf32>, %z: tensor<?xf32, #clika.dims<n>>, %s: tensor<2xi64>) -> (tensor<?x?xf32>, tensor<3x?xf32, #clika.dims<3, n>>) {
  // expected-remark @+1 {{does not read an expand}}
  %a = clika.expand %x {shape = array<i64: 2, 1>} : (tensor<1x1xf32>) -> tensor<2x1xf32>
  // expected-remark @+1 {{a shape is known only at run time, where it may be refused}}
  %b = clika.expand %a shape %s : (tensor<2x1xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %t = clika.shape %z : (tensor<?xf32, #clika.dims<n>>) -> tensor<1xi64>
  // expected-remark @+1 {{does not read an expand}}
  %c = clika.expand %x shape %t : (tensor<1x1xf32>, tensor<1xi64>) -> tensor<1x?xf32, #clika.dims<1, n>>
  // expected-remark @+1 {{a size that they add is not known}}
  %d = clika.expand %c {shape = array<i64: 3, 1>} : (tensor<1x?xf32, #clika.dims<1, n>>) -> tensor<3x?xf32, #clika.dims<3, n>>
  return %b, %d : tensor<?x?xf32>, tensor<3x?xf32, #clika.dims<3, n>>
}
