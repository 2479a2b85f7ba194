// RUN: clika-opt %s --clika-tile-and-vectorize --mlir-print-local-scope | FileCheck %s --check-prefix=KERNEL
// RUN: clika-opt %s --clika-tile-and-vectorize --clika-plan-buffers --clika-mark-rest --mlir-print-local-scope | FileCheck %s

// KERNEL: module attributes {clika.profile, clika.profile_rows = {{\[\[}}"clika_kernel_0", "product", "activation"]]}
// CHECK: module attributes
// CHECK-SAME: clika.profile_rows = {{\[\[}}"clika_kernel_0", "product", "activation"], ["copy"]]
module attributes {clika.profile} {
  // The sizes that only a run knows are asked for before the kernel, and the fill and what is between have no memory.
  // KERNEL-LABEL: func.func @main
  // KERNEL: memref.dim %{{.*}}, %{{.*}} : memref<?x8xf32>
  // KERNEL: %[[ROW:.*]] = llvm.mlir.constant(0 : i64) : i64
  // KERNEL: llvm.call @clika_rt_profile_begin(%[[ROW]], %{{.*}}, %{{.*}}) : (i64, i64, i64) -> ()
  // KERNEL-NEXT: call @clika_kernel_0
  // KERNEL-NEXT: llvm.call @clika_rt_profile_end(%[[ROW]]) : (i64) -> ()

  // CHECK-LABEL: func.func @clika_entry
  // CHECK: llvm.call @clika_rt_profile_begin(
  // CHECK: call @clika_kernel_0
  // CHECK: llvm.call @clika_rt_profile_end(
  // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(256 : i64) : i64
  // CHECK-NEXT: llvm.call @clika_rt_profile_begin(%[[COPY:[0-9]+]], %{{[0-9]+}}, %[[BYTES]])
  // CHECK-NEXT: linalg.copy
  // CHECK-NEXT: llvm.call @clika_rt_profile_end(%[[COPY]])
  func.func @main(%a: memref<?x8xf32>, %b: memref<8x4xf32>) -> (memref<?x4xf32>, memref<8x4xf32>) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %n = memref.dim %a, %c0 : memref<?x8xf32>
    %sums = memref.alloc(%n) : memref<?x4xf32>
    linalg.fill ins(%zero : f32) outs(%sums : memref<?x4xf32>)
    linalg.matmul ins(%a, %b : memref<?x8xf32>, memref<8x4xf32>) outs(%sums : memref<?x4xf32>) loc("product")
    %y = memref.alloc(%n) : memref<?x4xf32>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]}
      ins(%sums : memref<?x4xf32>) outs(%y : memref<?x4xf32>) {
    ^bb0(%x: f32, %o: f32):
      %r = arith.negf %x : f32
      linalg.yield %r : f32
    } loc("activation")
    return %y, %b : memref<?x4xf32>, memref<8x4xf32>
  }
}
