// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s
// RUN: clika-opt %s -split-input-file -verify-diagnostics | clika-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @counted(
// CHECK: %loop_1:2 = clika.loop trips(%arg0 : tensor<i64>) carry(%arg1 : tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %carried: tensor<2xf32>):
// CHECK-NEXT: %add_1 = clika.add %carried, %arg1
// CHECK-NEXT: clika.yield %add_1, %carried : tensor<2xf32>, tensor<2xf32>
// CHECK-NEXT: }
func.func @counted(%n: tensor<i64>, %x: tensor<2xf32>) -> tensor<?x2xf32> {
  %loop_1:2 = clika.loop trips(%n : tensor<i64>) carry(%x : tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %carried: tensor<2xf32>):
    %add_1 = clika.add %carried, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    clika.yield %add_1, %carried : tensor<2xf32>, tensor<2xf32>
  }
  return %loop_1#1 : tensor<?x2xf32>
}

// -----

// CHECK-LABEL: func.func @while(
// CHECK: clika.loop while(%arg0 : tensor<i1>) carry(%arg1 : tensor<f32>) -> (tensor<f32>) {
// CHECK: clika.yield while(%{{.*}} : tensor<i1>) %{{.*}} : tensor<f32>
func.func @while(%c: tensor<i1>, %x: tensor<f32>, %limit: tensor<f32>) -> tensor<f32> {
  %0 = clika.loop while(%c : tensor<i1>) carry(%x : tensor<f32>) -> (tensor<f32>) {
  ^bb0(%i: tensor<i64>, %y: tensor<f32>):
    %twice = clika.add %y, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %more = clika.less %twice, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    clika.yield while(%more : tensor<i1>) %twice : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// C1
func.func @bad(%n: tensor<3xi64>) {
  // expected-error @below {{'clika.loop' op the trip count is int64[3]; it has one element}}
  clika.loop trips(%n : tensor<3xi64>) {
  ^bb0(%i: tensor<i64>):
    clika.yield
  }
  return
}

// -----

// C2
func.func @bad(%n: tensor<i64>) {
  // expected-error @below {{the body must have as arguments the iteration, an int64 of rank 0, and the 0 carried values}}
  clika.loop trips(%n : tensor<i64>) {
  ^bb0(%i: tensor<i64>, %x: tensor<f32>):
    clika.yield
  }
  return
}

// -----

// C3
func.func @bad(%c: tensor<i1>) {
  // expected-error @below {{has neither a trip count nor a condition that the body yields, and would never end}}
  clika.loop while(%c : tensor<i1>) {
  ^bb0(%i: tensor<i64>):
    clika.yield
  }
  return
}

// -----

// C4
func.func @bad(%n: tensor<i64>, %x: tensor<f32>) {
  // expected-error @below {{the body yields 1 value for 0 results}}
  clika.loop trips(%n : tensor<i64>) {
  ^bb0(%i: tensor<i64>):
    clika.yield %x : tensor<f32>
  }
  return
}

// -----

// C5
func.func @bad(%n: tensor<i64>, %x: tensor<f32>, %y: tensor<2xf32>) {
  // expected-error @below {{the body yields float32[2] for number 0 of the carried values, which is float32[]}}
  %0 = clika.loop trips(%n : tensor<i64>) carry(%x : tensor<f32>) -> (tensor<f32>) {
  ^bb0(%i: tensor<i64>, %z: tensor<f32>):
    clika.yield %y : tensor<2xf32>
  }
  return
}

// -----

// C6
func.func @bad(%n: tensor<i64>, %x: tensor<f32>) {
  // expected-error @below {{stacks values of float32[] to float32[]; the result has one dimension more}}
  %0 = clika.loop trips(%n : tensor<i64>) -> (tensor<f32>) {
  ^bb0(%i: tensor<i64>):
    clika.yield %x : tensor<f32>
  }
  return
}
