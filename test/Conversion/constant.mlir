// RUN: clika-opt %s --convert-clika-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @constants
// CHECK-SAME: -> (tensor<2xi8>, tensor<2xi8>, tensor<3xf32>)
func.func @constants() -> (tensor<2xi1>, tensor<2xui8>, tensor<3xf32>) {
  // CHECK: arith.constant dense<[1, 0]> : tensor<2xi8>
  %a = clika.constant dense<[true, false]> : tensor<2xi1>
  // CHECK: arith.constant dense<[1, -6]> : tensor<2xi8>
  %b = clika.constant dense<[1, 250]> : tensor<2xui8>
  // CHECK: arith.constant dense<1.000000e+00> : tensor<3xf32>
  %c = clika.constant dense<1.0> : tensor<3xf32>
  return %a, %b, %c : tensor<2xi1>, tensor<2xui8>, tensor<3xf32>
}
