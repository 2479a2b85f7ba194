// RUN: clika-opt --add-neg-to-sub --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --add-neg-to-sub=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// Fires with alpha and activation kept, and for a Neg in front.
// CHECK-LABEL: func.func @fires(
// CHECK-NEXT: %s = clika.sub %arg0, %arg1 {activation = "Relu", alpha = 2.000000e+00 : f64}
// CHECK-NEXT: %t = clika.sub %s, %arg1 {activation = "Tanh"}
// CHECK-NEXT: return %t
func.func @fires(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %n = clika.neg %b : tensor<2xf32>
  %s = clika.add %a, %n {alpha = 2.0 : f64, activation = "Relu"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %t = clika.add %n, %s {activation = "Tanh"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %t : tensor<2xf32>
}

// -----

// The Neg stays for its other reader; the result keeps its symbolic size.
// CHECK-LABEL: func.func @broadcast(
// CHECK: %n = clika.neg
// CHECK-NEXT: %s = clika.sub %arg0, %arg1 : ({{.*}}) -> tensor<?x3xf32, #clika.dims<batch, 3>>
// CHECK-NEXT: return %s, %n
func.func @broadcast(%a: tensor<?x3xf32, #clika.dims<batch, 3>>, %b: tensor<3xf32>)
    -> (tensor<?x3xf32, #clika.dims<batch, 3>>, tensor<3xf32>) {
  %n = clika.neg %b : tensor<3xf32>
  %s = clika.add %a, %n : (tensor<?x3xf32, #clika.dims<batch, 3>>, tensor<3xf32>) -> tensor<?x3xf32, #clika.dims<batch, 3>>
  return %s, %n : tensor<?x3xf32, #clika.dims<batch, 3>>, tensor<3xf32>
}

// -----

// Near misses: a Neg in front of an Add with another alpha, and no Neg.
// CHECK-LABEL: func.func @near_misses(
// CHECK-NOT: clika.sub
// CHECK: return
func.func @near_misses(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %n = clika.neg %b : tensor<2xf32>
  // expected-remark @+1 {{alpha would multiply the minuend}}
  %s = clika.add %n, %a {alpha = 2.0 : f64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{neither operand is a Neg}}
  %t = clika.add %s, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %t : tensor<2xf32>
}
