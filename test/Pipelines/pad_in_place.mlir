// RUN: clika-opt %s --clika-prepare-tensors --split-input-file | FileCheck %s
// RUN: clika-opt %s --clika-prepare-tensors --clika-bufferize --split-input-file | FileCheck %s --check-prefix=BUFFERS

#id = affine_map<(i, j) -> (i, j)>

// What is padded is computed where it belongs in the padded tensor: one buffer, no copy.
// CHECK-LABEL: func.func @main
// BUFFERS-LABEL: func.func @main
func.func @main(%x: tensor<4x5xf32>) -> (tensor<7x8xf32>, tensor<4x5xf32>) {
  // The border alone is filled, each of its elements once.
  // CHECK: tensor.extract_slice %{{.*}}[0, 0] [1, 8] [1, 1]
  // CHECK: tensor.extract_slice %{{.*}}[5, 0] [2, 8] [1, 1]
  // CHECK: tensor.extract_slice %{{.*}}[1, 0] [4, 2] [1, 1]
  // CHECK: tensor.extract_slice %{{.*}}[1, 7] [4, 1] [1, 1]
  // CHECK: %[[WHOLE:.*]] = tensor.insert_slice
  // CHECK: %[[PART:.*]] = tensor.extract_slice %[[WHOLE]][1, 2] [4, 5] [1, 1]
  // CHECK: %[[MADE:.*]] = linalg.generic {{.*}} outs(%[[PART]] : tensor<4x5xf32>)
  // CHECK: %[[RESULT:.*]] = tensor.insert_slice %[[MADE]] into %[[WHOLE]][1, 2] [4, 5] [1, 1]
  // CHECK-NOT: tensor.pad
  // BUFFERS: memref.alloc() {{.*}}memref<7x8xf32>
  // BUFFERS-COUNT-4: linalg.fill
  // BUFFERS: %[[PART:.*]] = memref.subview %{{.*}}[1, 2] [4, 5] [1, 1]
  // BUFFERS: linalg.generic {{.*}} outs(%[[PART]]
  // BUFFERS-NOT: linalg.copy
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x5xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x5xf32>) outs(%e : tensor<4x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    %1 = math.sin %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x5xf32>
  %p = tensor.pad %r low[1, 2] high[2, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x5xf32> to tensor<7x8xf32>
  return %p, %x : tensor<7x8xf32>, tensor<4x5xf32>
}

// -----

// An input is padded by a copy.
// BUFFERS-LABEL: func.func @main
// BUFFERS: linalg.copy
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xf32>) -> tensor<6xf32> {
  // CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[1] [4] [1]
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %p : tensor<6xf32>
}

// -----

// So is what is transposed.
// BUFFERS-LABEL: func.func @main
// BUFFERS: %[[PART:.*]] = memref.subview %{{.*}}[1, 0] [3, 2] [1, 1]
// BUFFERS: linalg.transpose {{.*}} outs(%[[PART]]
// BUFFERS-NOT: linalg.copy
func.func @main(%x: tensor<2x3xf32>) -> tensor<4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2xf32>
  %t = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  %p = tensor.pad %t low[1, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<3x2xf32> to tensor<4x2xf32>
  return %p : tensor<4x2xf32>
}
