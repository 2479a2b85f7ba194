// RUN: clika-opt --decomposed-silu --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --decomposed-silu=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

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
  // expected-remark @+1 {{neither factor is the sigmoid of the other, read here alone}}
  %a = clika.mul %s, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{neither factor is the sigmoid of the other, read here alone}}
  %b = clika.mul %s, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %t = clika.sigmoid %z : tensor<2xf32>
  // expected-remark @+1 {{it has an activation}}
  %c = clika.mul %t, %z {activation = "Relu"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// The sigmoid written out, as a reciprocal or a quotient, and -x as a product.
// CHECK-LABEL: func.func @written_out(
// CHECK: %a = clika.silu %arg0
// CHECK-NEXT: %b = clika.silu %a
// CHECK-NEXT: return %b
func.func @written_out(%x: tensor<2xf32>) -> tensor<2xf32> {
  %one = clika.constant dense<1.0> : tensor<f32>
  %minus = clika.constant dense<-1.0> : tensor<f32>
  %n = clika.neg %x : tensor<2xf32>
  %e = clika.exp %n : tensor<2xf32>
  %d = clika.add %e, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %r = clika.reciprocal %d : tensor<2xf32>
  %a = clika.mul %r, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %m = clika.mul %minus, %a : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %f = clika.exp %m : tensor<2xf32>
  %g = clika.add %one, %f : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %q = clika.div %one, %g : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %b = clika.mul %a, %q : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}

// -----

// Near misses: a sum other than 1, and exp(x) without the minus.
// CHECK-LABEL: func.func @near_quotients(
// CHECK-NOT: clika.silu
// CHECK: return
func.func @near_quotients(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %one = clika.constant dense<1.0> : tensor<f32>
  %two = clika.constant dense<2.0> : tensor<f32>
  %n = clika.neg %x : tensor<2xf32>
  %e = clika.exp %n : tensor<2xf32>
  %d = clika.add %e, %two : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{the divisor is not 1 + exp(-x) of the dividend x, read here alone}}
  %a = clika.div %x, %d : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %f = clika.exp %x : tensor<2xf32>
  %g = clika.add %f, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{the divisor is not 1 + exp(-x) of the dividend x, read here alone}}
  %b = clika.div %x, %g : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}

// -----

// -x as 0 - x, and as x over -1; not as 1 - x.
// CHECK-LABEL: func.func @negated(
// CHECK: %a = clika.silu %arg0
// CHECK-NEXT: %b = clika.silu %a
// CHECK-NOT: clika.silu
// CHECK: return %c
func.func @negated(%x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = clika.constant dense<0.0> : tensor<f32>
  %one = clika.constant dense<1.0> : tensor<f32>
  %minus = clika.constant dense<-1.0> : tensor<f32>
  %n = clika.sub %zero, %x : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %e = clika.exp %n : tensor<2xf32>
  %d = clika.add %e, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %a = clika.div %x, %d : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %o = clika.div %a, %minus : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %f = clika.exp %o : tensor<2xf32>
  %g = clika.add %f, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %b = clika.div %a, %g : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %p = clika.sub %one, %b : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %h = clika.exp %p : tensor<2xf32>
  %i = clika.add %h, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{the divisor is not 1 + exp(-x) of the dividend x, read here alone}}
  %c = clika.div %b, %i : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

// Literals some roundings away from 1 and -1; not the next that six digits tell apart.
// CHECK-LABEL: func.func @literals(
// CHECK: %a = clika.silu %arg0
// CHECK-NEXT: %b = clika.silu %a
// CHECK-NOT: clika.silu
// CHECK: return %c
func.func @literals(%x: tensor<2xf32>) -> tensor<2xf32> {
  %one = clika.constant dense<1.0000001> : tensor<f32>
  %minus = clika.constant dense<-1.0000001> : tensor<f32>
  %far = clika.constant dense<1.00001> : tensor<f32>
  %n = clika.mul %x, %minus : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %e = clika.exp %n : tensor<2xf32>
  %d = clika.add %e, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %a = clika.div %x, %d : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %o = clika.neg %a : tensor<2xf32>
  %f = clika.exp %o : tensor<2xf32>
  %g = clika.add %f, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %r = clika.div %one, %g : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %b = clika.mul %a, %r : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %p = clika.neg %b : tensor<2xf32>
  %h = clika.exp %p : tensor<2xf32>
  %i = clika.add %h, %far : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{the divisor is not 1 + exp(-x) of the dividend x, read here alone}}
  %c = clika.div %b, %i : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}
