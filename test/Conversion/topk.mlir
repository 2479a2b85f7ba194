// RUN: clika-opt %s -convert-clika-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @sorted(
// CHECK: cf.assert %{{.*}}, "topk 'v': k is negative or more than the axis' size"
// CHECK: scf.for
// CHECK: arith.cmpf ugt
// CHECK: tensor.extract
func.func @sorted(%x: tensor<?xf32>, %k: tensor<i64>) -> tensor<?xi64> {
  %v:2 = clika.topk %x k %k : (tensor<?xf32>, tensor<i64>) -> (tensor<?xf32>, tensor<?xi64>)
  return %v#1 : tensor<?xi64>
}
