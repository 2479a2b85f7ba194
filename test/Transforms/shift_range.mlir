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

// Near misses: floats, a bound that leaves the dtype, alpha, a limit of a run (a sum with it may wrap), terms for each
// element, the range taken away.
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
// CHECK: clika.sub 
func.func @near_misses(%n: tensor<i64>, %t: tensor<3xi64>) -> (tensor<3xf32>, tensor<3xi8>, tensor<3xi64>, tensor<?xi64>, tensor<3xi64>, tensor<3xi64>) {
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
  // expected-remark @+1 {{the bounds or the other term may be so large that a sum wraps}}
  %j = clika.add %h, %l : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  // expected-remark @+1 {{the other term is not one number}}
  %k = clika.add %e, %t : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
  %m = clika.sub %l, %e : (tensor<i64>, tensor<3xi64>) -> tensor<3xi64>
  return %b, %d, %g, %j, %k, %m : tensor<3xf32>, tensor<3xi8>, tensor<3xi64>, tensor<?xi64>, tensor<3xi64>, tensor<3xi64>
}

// -----

// Of a known length, by what only a run knows: elements wrap as the bounds do.
// CHECK-LABEL: func.func @tensors(
// CHECK-NEXT: %0 = clika.constant dense<3> : tensor<i32>
// CHECK-NEXT: %1 = clika.add %0, %arg0 : (tensor<i32>, tensor<1xi32>) -> tensor<1xi32>
// CHECK-NEXT: %b = clika.range start %arg0 limit %1 {{.*}} : (tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
// CHECK-NEXT: %2 = clika.constant dense<4> : tensor<i32>
// CHECK-NEXT: %3 = clika.sub %2, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
// CHECK-NEXT: %4 = clika.constant dense<9> : tensor<i32>
// CHECK-NEXT: %5 = clika.sub %4, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
// CHECK-NEXT: %d = clika.range start %3 limit %5 {{.*}}delta = 2 : i64{{.*}} -> tensor<3xi32>
// CHECK-NEXT: return %b, %d
func.func @tensors(%n: tensor<1xi32>, %m: tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %a = clika.range {dtype = i32, limit = 3 : i64} : () -> tensor<3xi32>
  %b = clika.add %n, %a : (tensor<1xi32>, tensor<3xi32>) -> tensor<3xi32>
  %c = clika.range {delta = 2 : i64, dtype = i32, limit = 9 : i64, start = 4 : i64} : () -> tensor<3xi32>
  %d = clika.sub %c, %m : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  return %b, %d : tensor<3xi32>, tensor<3xi32>
}

// -----

// Of sizes, which are no such numbers.
// CHECK-LABEL: func.func @sizes(
// CHECK: %s = clika.size %arg0 
// CHECK: %[[LIMIT:.*]] = clika.add %s, %k
// CHECK-NEXT: %b = clika.range start %k limit %[[LIMIT]]
// CHECK-NEXT: return %b
func.func @sizes(%x: tensor<?x4xf32, #clika.dims<n, 4>>) -> tensor<?xi64, #clika.dims<n * 4>> {
  %k = clika.constant dense<5> : tensor<i64>
  %s = clika.size %x : (tensor<?x4xf32, #clika.dims<n, 4>>) -> tensor<i64>
  %a = clika.range limit %s : (tensor<i64>) -> tensor<?xi64, #clika.dims<n * 4>>
  %b = clika.add %a, %k : (tensor<?xi64, #clika.dims<n * 4>>, tensor<i64>) -> tensor<?xi64, #clika.dims<n * 4>>
  return %b : tensor<?xi64, #clika.dims<n * 4>>
}
