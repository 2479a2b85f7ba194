// RUN: clika-opt %s --clika-mark-rest --mlir-print-local-scope | FileCheck %s

// CHECK: clika.profile_rows = {{\[\[}}"kernel"], ["copy", "gather"], ["copy", "gather"], ["copy"], ["loops", "sort"]]
module attributes {clika.profile, clika.profile_rows = [["kernel"]]} {
  llvm.func @clika_rt_profile_begin(i64, i64, i64)
  llvm.func @clika_rt_profile_end(i64)
  func.func private @kernel(memref<4xf32>)

  // CHECK-LABEL: func.func @clika_entry
  func.func @clika_entry(%x: memref<4xf32>, %y: memref<4xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = llvm.mlir.constant(0 : i64) : i64
    %1 = llvm.mlir.constant(1 : i64) : i64

    // A loop of copies alone is marked once more around them, which counts them together.
    // CHECK: llvm.call @clika_rt_profile_begin(%[[OUTER:[0-9]+]],
    // CHECK-NEXT: scf.for
    // CHECK: llvm.call @clika_rt_profile_begin
    // CHECK-NEXT: linalg.copy
    // CHECK-NEXT: llvm.call @clika_rt_profile_end
    // CHECK-NEXT: }
    // CHECK-NEXT: llvm.call @clika_rt_profile_end(%[[OUTER]])
    scf.for %i = %c0 to %n step %c1 {
      linalg.copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) loc("gather")
    } loc("gather")

    // One with a kernel that computes is not, and its other ops are marked.
    // CHECK-NEXT: scf.for
    // CHECK-NEXT: llvm.call @clika_rt_profile_begin
    // CHECK-NEXT: func.call @kernel
    // CHECK-NEXT: llvm.call @clika_rt_profile_end
    // CHECK: llvm.call @clika_rt_profile_begin
    // CHECK-NEXT: linalg.copy
    // CHECK-NEXT: llvm.call @clika_rt_profile_end
    // CHECK-NEXT: }
    scf.for %i = %c0 to %n step %c1 {
      llvm.call @clika_rt_profile_begin(%0, %1, %1) : (i64, i64, i64) -> ()
      func.call @kernel(%x) : (memref<4xf32>) -> ()
      llvm.call @clika_rt_profile_end(%0) : (i64) -> ()
      memref.copy %x, %y : memref<4xf32> to memref<4xf32>
    }

    // A loop without kernels is work of its own.
    // CHECK: llvm.call @clika_rt_profile_begin
    // CHECK-NEXT: scf.for
    // CHECK-NEXT: memref.load
    // CHECK-NEXT: memref.store
    // CHECK-NEXT: }
    // CHECK-NEXT: llvm.call @clika_rt_profile_end
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %x[%i] : memref<4xf32> loc("sort")
      memref.store %v, %y[%i] : memref<4xf32> loc("sort")
    }
    // CHECK-NEXT: return
    return
  }
}
