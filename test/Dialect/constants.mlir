// RUN: clika-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// Any dtype, rank 0 and no elements at all.
// CHECK-LABEL: func.func @literals(
// CHECK: clika.constant dense<2.000000e+00> : tensor<f32>
// CHECK: clika.constant dense<> : tensor<0x3xi64>
// CHECK: clika.constant dense<[true, false]> : tensor<2xi1>
// CHECK: clika.constant dense<[0, 250]> : tensor<2xui8>
// CHECK: clika.constant dense<1.500000e+00> : tensor<4xbf16>
func.func @literals() {
  %0 = clika.constant dense<2.0> : tensor<f32>
  %1 = clika.constant dense<> : tensor<0x3xi64>
  %2 = clika.constant dense<[true, false]> : tensor<2xi1>
  %3 = clika.constant dense<[0, 250]> : tensor<2xui8>
  %4 = clika.constant dense<1.5> : tensor<4xbf16>
  return
}

// -----

func.func @odd_width() {
  // expected-error @below {{op result #0 must be a tensor of}}
  %0 = clika.constant dense<1> : tensor<2xi3>
  return
}

// -----

func.func @other_shape() {
  // expected-error @below {{op failed to verify that all of {value, result} have same type}}
  %0 = "clika.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  return
}

// -----

func.func @no_tensor() {
  // expected-error @below {{op failed to verify that all of {value, result} have same type}}
  %0 = "clika.constant"() <{value = dense<1.0> : vector<2xf32>}> : () -> tensor<2xf32>
  return
}
