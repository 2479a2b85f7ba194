// RUN: clika-opt --shift-range --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --shift-range=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @shifts(
// CHECK-NEXT: %b = clika.range {delta = 2 : i64, dtype = i32, limit = -1 : i64, start = -6 : i64}
// CHECK-NEXT: return %b
func.func @shifts() -> tensor<3xi32> {
  %k = clika.constant dense<-10> : tensor<1xi32>
  %a = clika.range {delta = 2 : i64, dtype = i32, limit = 9 : i64, start = 4 : i64} : () -> tensor<3xi32>
  %b = clika.add %k, %a : (tensor<1xi32>, tensor<3xi32>) -> tensor<3xi32>
  return %b : tensor<3xi32>
}

// -----

// Near misses: floats, a bound that leaves the dtype, alpha, a limit of a run, a term of a run.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.range 
// CHECK: clika.add 
// CHECK: clika.range 
// CHECK: clika.add 
// CHECK: clika.range 
// CHECK: clika.add 
// CHECK: clika.range 
// CHECK: clika.add 
// CHECK: clika.add 
func.func @near_misses(%n: tensor<i64>, %t: tensor<i64>) -> (tensor<3xf32>, tensor<3xi8>, tensor<3xi64>, tensor<?xi64>, tensor<3xi64>) {
  %f = clika.constant dense<0.1> : tensor<f32>
  %i = clika.constant dense<100> : tensor<i8>
  %l = clika.constant dense<5> : tensor<i64>
  %a = clika.range {dtype = f32, limit = 3 : i64} : () -> tensor<3xf32>
  // expected-remark @+1 {{not a plain sum of integers, or one that is broadcast}}
  %b = clika.add %a, %f : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %c = clika.range {dtype = i8, limit = 33 : i64, start = 30 : i64} : () -> tensor<3xi8>
  // expected-remark @+1 {{a bound would leave the dtype}}
  %d = clika.add %c, %i : (tensor<3xi8>, tensor<i8>) -> tensor<3xi8>
  %e = clika.range {limit = 3 : i64} : () -> tensor<3xi64>
  // expected-remark @+1 {{not a plain sum of integers, or one that is broadcast}}
  %g = clika.add %e, %l {alpha = 2.0 : f64} : (tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
  %h = clika.range limit %n : (tensor<i64>) -> tensor<?xi64>
  // expected-remark @+1 {{the range's bounds, or the other term, are no literals}}
  %j = clika.add %h, %l : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  // expected-remark @+1 {{the range's bounds, or the other term, are no literals}}
  %k = clika.add %e, %t : (tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
  return %b, %d, %g, %j, %k : tensor<3xf32>, tensor<3xi8>, tensor<3xi64>, tensor<?xi64>, tensor<3xi64>
}
