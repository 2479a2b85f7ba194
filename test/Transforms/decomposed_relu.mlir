// RUN: clika-opt --decomposed-relu --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --decomposed-relu=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @maximum(
// CHECK-NEXT: %a = clika.relu %arg0
// CHECK-NEXT: %b = clika.relu %arg0
// CHECK-NEXT: return %a, %b
func.func @maximum(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %k = clika.constant dense<0.0> : tensor<2xf32>
  %a = clika.maximum %x, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %b = clika.maximum %k, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @leaky(
// CHECK-NEXT: %b = clika.leaky_relu %arg0 {alpha = 2.500000e-01 : f64}
// CHECK-NEXT: %e = clika.leaky_relu %arg0 {alpha = 2.500000e-01 : f64}
// CHECK-NEXT: return %b, %e
func.func @leaky(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %z = clika.constant dense<0.0> : tensor<f32>
  %k = clika.constant dense<0.25> : tensor<f32>
  %a = clika.mul %k, %x : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %c = clika.greater %x, %z : (tensor<2xf32>, tensor<f32>) -> tensor<2xi1>
  %b = clika.where %c, %x, %a : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %d = clika.less %x, %z : (tensor<2xf32>, tensor<f32>) -> tensor<2xi1>
  %e = clika.where %d, %a, %x : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %b, %e : tensor<2xf32>, tensor<2xf32>
}

// -----

// Near misses: -0, a zero that broadcasts, a slope below 0, another value tested, branches exchanged.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.maximum 
// CHECK: clika.maximum 
// CHECK: clika.greater 
// CHECK: clika.mul 
// CHECK: clika.where 
// CHECK: clika.mul 
// CHECK: clika.where 
// CHECK: clika.mul 
// CHECK: clika.where 
func.func @near_misses(%x: tensor<2xf32>, %u: tensor<2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %n = clika.constant dense<-0.0> : tensor<f32>
  %z = clika.constant dense<0.0> : tensor<3x2xf32>
  %o = clika.constant dense<0.0> : tensor<f32>
  %k = clika.constant dense<-0.5> : tensor<f32>
  %l = clika.constant dense<0.5> : tensor<f32>
  // expected-remark @+1 {{neither operand is +0, of a shape that does not broadcast the other}}
  %a = clika.maximum %x, %n : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{neither operand is +0, of a shape that does not broadcast the other}}
  %b = clika.maximum %x, %z : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %c = clika.greater %x, %o : (tensor<2xf32>, tensor<f32>) -> tensor<2xi1>
  %d = clika.mul %x, %k : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{below 0 it does not take a positive multiple of the same value}}
  %e = clika.where %c, %x, %d : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %f = clika.mul %u, %l : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{below 0 it does not take a positive multiple of the same value}}
  %g = clika.where %c, %x, %f : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %h = clika.mul %x, %l : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{does not take floats where they are above 0}}
  %i = clika.where %c, %h, %x : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %a, %b, %e, %g, %i : tensor<2xf32>, tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
