// RUN: clika-opt %s --convert-clika-to-linalg --split-input-file | FileCheck %s

// A result of static size is copied to memory of the reader's in either branch.
// CHECK-LABEL: func.func @fixed(
// CHECK: %[[MEMORY:.*]] = bufferization.alloc_tensor() : tensor<2xf32>
// CHECK: %[[R:.*]] = scf.if %{{.*}} -> (tensor<2xf32>) {
// CHECK: bufferization.materialize_in_destination %{{.*}} in %[[MEMORY]]
// CHECK: } else {
// CHECK: bufferization.materialize_in_destination %arg0 in %[[MEMORY]]
// CHECK: return %[[R]]
func.func @fixed(%x: tensor<2xf32>, %c: tensor<i1>) -> tensor<2xf32> {
  %0 = clika.if %c : tensor<i1> -> (tensor<2xf32>) {
    %1 = clika.neg %x : tensor<2xf32>
    clika.yield %1 : tensor<2xf32>
  } else {
    clika.yield %x : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// -----

// One whose size the branch decides goes through a slot.
// CHECK-DAG: func.func private @clika_slot_store_0(tensor<?xf32> {bufferization.access = "read"}) attributes {clika.slot = "store", clika.slot_number = 0 : i64}
// CHECK-DAG: func.func private @clika_slot_load_0(index) -> memref<?xf32>
// CHECK-LABEL: func.func @sizes(
// CHECK: %[[SIZE:.*]] = scf.if %{{.*}} -> (index) {
// CHECK: call @clika_slot_store_0(%{{.*}})
// CHECK: } else {
// CHECK: call @clika_slot_store_0(%{{.*}})
// CHECK: %[[AT:.*]] = call @clika_slot_load_0(%[[SIZE]])
// CHECK: bufferization.to_tensor %[[AT]] restrict writable
func.func @sizes(%x: tensor<2xf32>, %y: tensor<3xf32>, %c: tensor<i1>) -> tensor<?xf32> {
  %0 = clika.if %c : tensor<i1> -> (tensor<?xf32>) {
    clika.yield %x : tensor<2xf32>
  } else {
    clika.yield %y : tensor<3xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// Without a condition a loop is a for, and what it keeps has memory before it.
// CHECK-LABEL: func.func @counted(
// CHECK: %[[N:.*]] = arith.maxsi
// CHECK: %[[ALL:.*]] = bufferization.alloc_tensor(%[[N]]) : tensor<?x2xf32>
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[A:.*]] = %arg1, %[[KEPT:.*]] = %[[ALL]])
// CHECK: tensor.insert_slice %[[A]] into %[[KEPT]][%[[I]], 0] [1, 2] [1, 1]
// CHECK: bufferization.materialize_in_destination %{{.*}} in %[[A]]
func.func @counted(%n: tensor<i64>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  %0:2 = clika.loop trips(%n : tensor<i64>) carry(%x : tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    %1 = clika.neg %a : tensor<2xf32>
    clika.yield %1, %a : tensor<2xf32>, tensor<2xf32>
  }
  return %0#0, %0#1 : tensor<2xf32>, tensor<?x2xf32>
}

// -----

// With one it is a while, and what it keeps is appended; its sizes are those of the type where it never runs.
// CHECK-LABEL: func.func @while(
// CHECK: call @clika_slot_begin_{{[0-9]+}}()
// CHECK: scf.while
// CHECK: scf.condition
// CHECK: cf.assert %{{.*}}, "loop: a value that is kept of every iteration has another shape than in the first"
// CHECK: call @clika_slot_append_{{[0-9]+}}(%{{.*}})
func.func @while(%c: tensor<i1>, %x: tensor<?xf32, #clika.dims<n>>) -> tensor<?x?xf32, #clika.dims<?, n>> {
  %0 = clika.loop while(%c : tensor<i1>) -> (tensor<?x?xf32, #clika.dims<?, n>>) {
  ^bb0(%i: tensor<i64>):
    %1 = clika.neg %x : tensor<?xf32, #clika.dims<n>>
    clika.yield while(%c : tensor<i1>) %1 : tensor<?xf32, #clika.dims<n>>
  }
  return %0 : tensor<?x?xf32, #clika.dims<?, n>>
}
