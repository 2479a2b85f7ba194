// RUN: clika-opt %s --clika-launch-parallel | FileCheck %s

// CHECK-LABEL: func.func private @launcher
// CHECK-SAME: (%[[X:.*]]: memref<8xf32>, %[[N:.*]]: index, %[[S:.*]]: memref<16xf32>)
// CHECK: %[[RECORD:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>, struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>)>
// CHECK-COUNT-2: llvm.store
// CHECK: %[[PART:.*]] = {{.*}}constant @range_part
// CHECK: %[[FUNCTION:.*]] = builtin.unrealized_conversion_cast %[[PART]]
// CHECK: llvm.call @clika_rt_parallel(%[[FUNCTION]], %[[RECORD]], %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, i64, i64) -> ()
func.func private @launcher(%x: memref<8xf32>, %n: index, %s: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %cost = arith.constant 700 : index
  call @range(%x, %c0, %n, %cost, %s) {clika.parallel = 1 : i64} : (memref<8xf32>, index, index, index, memref<16xf32>) -> ()
  return
}

// The last argument is memory of each thread: its part times 64 bytes further on.
// CHECK: func.func private @range_part(%{{.*}}: !llvm.ptr, %[[FIRST:.*]]: i64, %[[LAST:.*]]: i64, %[[WHO:.*]]: i64)
// CHECK: %[[LINE:.*]] = llvm.mlir.constant(64 : i64)
// CHECK: llvm.mul %[[WHO]], %[[LINE]]
// CHECK: arith.index_cast %[[FIRST]]
// CHECK: arith.index_cast %[[LAST]]
// CHECK: call @range(
func.func private @range(%x: memref<8xf32>, %first: index, %last: index, %cost: index, %s: memref<16xf32>) {
  return
}
