// The scores of many queries are never stored whole.
// RUN: clika-opt %s --convert-clika-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @few
// CHECK-NOT: scf.for
// CHECK: linalg.batch_matmul {{.*}} -> tensor<12x128x128xf32>
func.func @few(%x: tensor<1x12x128x64xf32>) -> tensor<1x12x128x64xf32> {
  %0 = clika.attention %x, %x, %x : (tensor<1x12x128x64xf32>, tensor<1x12x128x64xf32>, tensor<1x12x128x64xf32>) -> tensor<1x12x128x64xf32>
  return %0 : tensor<1x12x128x64xf32>
}

// CHECK-LABEL: func.func @many
// CHECK-NOT: 2048x2048
// CHECK: scf.for %[[AT:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK: tensor.extract_slice %{{.*}}[0, 0, %[[AT]], 0] [1, 4, 64, 64]
// CHECK: linalg.batch_matmul {{.*}} -> tensor<4x64x2048xf32>
// CHECK: tensor.insert_slice %{{.*}}[0, 0, %[[AT]], 0] [1, 4, 64, 64]
// CHECK-NOT: 2048x2048
func.func @many(%x: tensor<1x4x2048x64xf32>) -> tensor<1x4x2048x64xf32> {
  %0 = clika.attention %x, %x, %x : (tensor<1x4x2048x64xf32>, tensor<1x4x2048x64xf32>, tensor<1x4x2048x64xf32>) -> tensor<1x4x2048x64xf32>
  return %0 : tensor<1x4x2048x64xf32>
}

// What does not fill a block comes after the loop.
// CHECK-LABEL: func.func @rest
// CHECK: scf.for
// CHECK: tensor<4x64x2053xf32>
// CHECK: scf.yield
// CHECK: linalg.batch_matmul {{.*}} -> tensor<4x[[REST:[0-9]+]]x2053xf32>
// CHECK-NOT: 2053x2053
func.func @rest(%x: tensor<1x4x2053x64xf32>) -> tensor<1x4x2053x64xf32> {
  %0 = clika.attention %x, %x, %x : (tensor<1x4x2053x64xf32>, tensor<1x4x2053x64xf32>, tensor<1x4x2053x64xf32>) -> tensor<1x4x2053x64xf32>
  return %0 : tensor<1x4x2053x64xf32>
}

// Of a number that a run tells each block may be the last.
// CHECK-LABEL: func.func @dynamic
// CHECK: scf.for
// CHECK: linalg.batch_matmul {{.*}} -> tensor<4x?x?xf32>
// CHECK: scf.yield
// CHECK-NOT: linalg.batch_matmul
func.func @dynamic(%x: tensor<1x4x?x64xf32>) -> tensor<1x4x?x64xf32> {
  %0 = clika.attention %x, %x, %x : (tensor<1x4x?x64xf32>, tensor<1x4x?x64xf32>, tensor<1x4x?x64xf32>) -> tensor<1x4x?x64xf32>
  return %0 : tensor<1x4x?x64xf32>
}
