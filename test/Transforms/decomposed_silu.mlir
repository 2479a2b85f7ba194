// RUN: clika-opt --decomposed-silu --split-input-file %s | FileCheck %s -enable-var-scope

// Either order, and the quotient with exp.
// CHECK-LABEL: func.func @fires(
// CHECK-NEXT: %a = clika.silu %arg0
// CHECK-NEXT: %b = clika.silu %a
// CHECK: %c = clika.silu %b
// CHECK-NEXT: return %c
func.func @fires(%x: tensor<2xf32>) -> tensor<2xf32> {
  %s = clika.sigmoid %x : tensor<2xf32>
  %a = clika.mul %s, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %t = clika.sigmoid %a : tensor<2xf32>
  %b = clika.mul %a, %t : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %one = clika.constant dense<1.0> : tensor<f32>
  %n = clika.neg %b : tensor<2xf32>
  %e = clika.exp %n : tensor<2xf32>
  %d = clika.add %one, %e : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %c = clika.div %b, %d : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

// Near misses: another factor, a sigmoid with another reader, an activation.
// CHECK-LABEL: func.func @near_misses(
// CHECK-NOT: clika.silu
// CHECK: return
func.func @near_misses(%x: tensor<2xf32>, %z: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %s = clika.sigmoid %x : tensor<2xf32>
  %a = clika.mul %s, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %b = clika.mul %s, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %t = clika.sigmoid %z : tensor<2xf32>
  %c = clika.mul %t, %z {activation = "Relu"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
