// RUN: clika-opt --literal-shapes --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --literal-shapes=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @reshape(
// CHECK-NEXT: %y = clika.reshape %arg0 {allow_zero = true, shape = array<i64: -1, 2, 3>}
// CHECK-NEXT: return %y
func.func @reshape(%x: tensor<?x6xf32, #clika.dims<n, 6>>) -> tensor<?x2x3xf32, #clika.dims<n, 2, 3>> {
  %k = clika.constant dense<[2, 3]> : tensor<2xi64>
  %s = clika.shape %x {end = 1 : i64} : (tensor<?x6xf32, #clika.dims<n, 6>>) -> tensor<1xi64>
  %t = clika.concat %s, %k {axis = 0 : i64} : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
  %y = clika.reshape %x shape %t : (tensor<?x6xf32, #clika.dims<n, 6>>, tensor<3xi64>) -> tensor<?x2x3xf32, #clika.dims<n, 2, 3>>
  return %y : tensor<?x2x3xf32, #clika.dims<n, 2, 3>>
}

// -----

// Sizes that stay in their places are copied; one of the others is found.
// CHECK-LABEL: func.func @copied(
// CHECK-NEXT: %y = clika.reshape %arg0 {shape = array<i64: 0, -1, 2>}
// CHECK-NEXT: return %y
func.func @copied(%x: tensor<?x?x6xf32, #clika.dims<n, m, 6>>) -> tensor<?x?x2xf32, #clika.dims<n, m * 3, 2>> {
  %k = clika.constant dense<[-1, 2]> : tensor<2xi64>
  %s = clika.shape %x {end = 1 : i64} : (tensor<?x?x6xf32, #clika.dims<n, m, 6>>) -> tensor<1xi64>
  %t = clika.concat %s, %k {axis = 0 : i64} : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
  %y = clika.reshape %x shape %t : (tensor<?x?x6xf32, #clika.dims<n, m, 6>>, tensor<3xi64>) -> tensor<?x?x2xf32, #clika.dims<n, m * 3, 2>>
  return %y : tensor<?x?x2xf32, #clika.dims<n, m * 3, 2>>
}

// -----

// A size that an expand leaves as it is is 1 in its shape.
// CHECK-LABEL: func.func @expand(
// CHECK-NEXT: %y = clika.expand %arg0 {shape = array<i64: 2, 1, 3>}
// CHECK-NEXT: return %y
func.func @expand(%x: tensor<?x1xf32, #clika.dims<n, 1>>) -> tensor<2x?x3xf32, #clika.dims<2, n, 3>> {
  %k = clika.constant dense<2> : tensor<1xi64>
  %l = clika.constant dense<3> : tensor<1xi64>
  %s = clika.shape %x {end = 1 : i64} : (tensor<?x1xf32, #clika.dims<n, 1>>) -> tensor<1xi64>
  %t = clika.concat %k, %s, %l {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %y = clika.expand %x shape %t : (tensor<?x1xf32, #clika.dims<n, 1>>, tensor<3xi64>) -> tensor<2x?x3xf32, #clika.dims<2, n, 3>>
  return %y : tensor<2x?x3xf32, #clika.dims<2, n, 3>>
}

// -----

// Near misses: a shape of a run, a literal, two sizes that are neither known nor in their places, a size that is
// added.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.reshape 
// CHECK: clika.reshape 
// CHECK: clika.expand 
// CHECK: clika.shape 
// CHECK: clika.gather 
// CHECK: clika.reshape 
// CHECK: clika.shape 
// CHECK: clika.concat 
// CHECK: clika.expand 
func.func @near_misses(%x: tensor<?x?xf32, #clika.dims<n, m>>, %s: tensor<2xi64>) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32, #clika.dims<m, n>>, tensor<?x1x?x?xf32>) {
  %i = clika.constant dense<[1, 0]> : tensor<2xi64>
  %o = clika.constant dense<1> : tensor<1xi64>
  // expected-remark @+1 {{a shape is known only at run time, where it may be refused}}
  %a = clika.reshape %x shape %s : (tensor<?x?xf32, #clika.dims<n, m>>, tensor<2xi64>) -> tensor<?x?xf32>
  // expected-remark @+1 {{its shape is a literal}}
  %b = clika.reshape %x {shape = array<i64: -1>} : (tensor<?x?xf32, #clika.dims<n, m>>) -> tensor<?xf32>
  // expected-remark @+1 {{a shape is known only at run time, where it may be refused}}
  %c = clika.expand %x shape %s : (tensor<?x?xf32, #clika.dims<n, m>>, tensor<2xi64>) -> tensor<?x?xf32>
  %t = clika.shape %x : (tensor<?x?xf32, #clika.dims<n, m>>) -> tensor<2xi64>
  %u = clika.gather %t, %i : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  // expected-remark @+1 {{several of its sizes are neither known nor those of its operand}}
  %d = clika.reshape %x shape %u : (tensor<?x?xf32, #clika.dims<n, m>>, tensor<2xi64>) -> tensor<?x?xf32, #clika.dims<m, n>>
  %v = clika.shape %x {end = 1 : i64} : (tensor<?x?xf32, #clika.dims<n, m>>) -> tensor<1xi64>
  %w = clika.concat %v, %o, %o, %o {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  // expected-remark @+1 {{a size that it adds is not known}}
  %e = clika.expand %x shape %w : (tensor<?x?xf32, #clika.dims<n, m>>, tensor<4xi64>) -> tensor<?x1x?x?xf32>
  return %a, %b, %c, %d, %e : tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32, #clika.dims<m, n>>, tensor<?x1x?x?xf32>
}
