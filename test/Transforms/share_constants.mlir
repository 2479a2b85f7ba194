// RUN: clika-opt --share-constants --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --share-constants=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @same(
// CHECK-NEXT: %k = clika.constant
// CHECK-NEXT: return %k, %k
func.func @same() -> (tensor<2xf32>, tensor<2xf32>) {
  %k = clika.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %l = clika.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %k, %l : tensor<2xf32>, tensor<2xf32>
}

// -----

// Near misses: the sign of zero, the dtype, the shape.
// CHECK-LABEL: func.func @near_misses(
// CHECK-COUNT-4: clika.constant
func.func @near_misses() -> (tensor<1xf32>, tensor<1xf32>, tensor<1xi32>, tensor<f32>) {
  // expected-remark @+1 {{no constant before it holds the same bytes, shape and dtype}}
  %a = clika.constant dense<0.0> : tensor<1xf32>
  // expected-remark @+1 {{no constant before it holds the same bytes, shape and dtype}}
  %b = clika.constant dense<-0.0> : tensor<1xf32>
  // expected-remark @+1 {{no constant before it holds the same bytes, shape and dtype}}
  %c = clika.constant dense<0> : tensor<1xi32>
  // expected-remark @+1 {{no constant before it holds the same bytes, shape and dtype}}
  %d = clika.constant dense<0.0> : tensor<f32>
  return %a, %b, %c, %d : tensor<1xf32>, tensor<1xf32>, tensor<1xi32>, tensor<f32>
}
