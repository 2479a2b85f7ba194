// RUN: clika-opt --fuse-activation --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --fuse-activation=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// The fused node bears the activation's name.
// CHECK-LABEL: func.func @fires(
// CHECK-NEXT: %b = clika.add %arg0, %arg0 {activation = "Relu", alpha = 2.000000e+00 : f64}
// CHECK-NEXT: %d = clika.mul %b, %arg0 {activation = "Relu6"}
// CHECK-NEXT: %f = clika.sub %d, %arg0 {activation = "GeluTanh"}
// CHECK-NEXT: return %f
func.func @fires(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = clika.add %x, %x {alpha = 2.0 : f64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %b = clika.relu %a : tensor<2xf32>
  %c = clika.mul %b, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %d = clika.clamp %c {min = 0.0 : f64, max = 6.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  %e = clika.sub %d, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %f = clika.gelu %e {form = "Tanh"} : tensor<2xf32>
  return %f : tensor<2xf32>
}

// -----

// Near misses: another reader, an activation already, other settings than the default, an op without the setting.
// CHECK-LABEL: func.func @near_misses(
// CHECK: %b = clika.relu %a
// CHECK: %d = clika.silu %c
// CHECK: %f = clika.leaky_relu %e
// CHECK: %h = clika.relu %g
func.func @near_misses(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = clika.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{the operator before it has another reader}}
  %b = clika.relu %a : tensor<2xf32>
  %c = clika.add %a, %b {activation = "Tanh"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{the operator before it has an activation already}}
  %d = clika.silu %c : tensor<2xf32>
  %e = clika.mul %d, %d : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{its settings are none that an operator's activation can have}}
  %f = clika.leaky_relu %e {alpha = 0.3 : f64} : tensor<2xf32>
  %g = clika.exp %f : tensor<2xf32>
  // expected-remark @+1 {{does not read an operator that has the setting activation}}
  %h = clika.relu %g : tensor<2xf32>
  return %h, %a : tensor<2xf32>, tensor<2xf32>
}

// -----

// Bounds written as integers are Relu6's too; a floor of -0.0 is not.
// CHECK-LABEL: func.func @relu6(
// CHECK: %b = clika.add %arg0, %arg0 {activation = "Relu6"}
// CHECK: clika.clamp
func.func @relu6(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = clika.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %b = clika.clamp %a {min = 0 : i64, max = 6 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  %c = clika.mul %b, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{its settings are none that an operator's activation can have}}
  %d = clika.clamp %c {min = -0.0 : f64, max = 6.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  return %d : tensor<2xf32>
}
