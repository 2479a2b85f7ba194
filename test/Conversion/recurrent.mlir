// The whole sequence meets w in one product before the loop; a step is one product, or two where gru's reset comes first.
// RUN: clika-opt %s -convert-clika-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @lstm(
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<15x4xf32>, tensor<4x20xf32>)
// CHECK: scf.for
// CHECK-NOT: linalg.transpose
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<3x5xf32>, tensor<5x20xf32>)
// CHECK-NOT: linalg.matmul
// CHECK: scf.yield
// CHECK: return
func.func @lstm(%x: tensor<5x3x4xf32>, %w: tensor<1x20x4xf32>, %r: tensor<1x20x5xf32>) -> tensor<5x1x3x5xf32> {
  %y:3 = clika.lstm %x, %w, %r : (tensor<5x3x4xf32>, tensor<1x20x4xf32>, tensor<1x20x5xf32>)
    -> (tensor<5x1x3x5xf32>, tensor<1x3x5xf32>, tensor<1x3x5xf32>)
  return %y#0 : tensor<5x1x3x5xf32>
}

// CHECK-LABEL: func.func @gru(
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<15x4xf32>, tensor<4x15xf32>)
// CHECK: scf.for
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<3x5xf32>, tensor<5x10xf32>)
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<3x5xf32>, tensor<5x5xf32>)
// CHECK-NOT: linalg.matmul
// CHECK: return
func.func @gru(%x: tensor<5x3x4xf32>, %w: tensor<1x15x4xf32>, %r: tensor<1x15x5xf32>) -> tensor<5x1x3x5xf32> {
  %y:2 = clika.gru %x, %w, %r : (tensor<5x3x4xf32>, tensor<1x15x4xf32>, tensor<1x15x5xf32>) -> (tensor<5x1x3x5xf32>, tensor<1x3x5xf32>)
  return %y#0 : tensor<5x1x3x5xf32>
}

// Each direction has its products; a half type's states are float32 between the steps.
// CHECK-LABEL: func.func @both(
// CHECK-COUNT-2: scf.for {{.*}} -> (tensor<3x5xf32>, tensor<5x2x3x5xf16>)
// CHECK: return
func.func @both(%x: tensor<5x3x4xf16>, %w: tensor<2x5x4xf16>, %r: tensor<2x5x5xf16>) -> tensor<5x2x3x5xf16> {
  %y:2 = clika.rnn %x, %w, %r {direction = "Bidirectional"} : (tensor<5x3x4xf16>, tensor<2x5x4xf16>, tensor<2x5x5xf16>)
    -> (tensor<5x2x3x5xf16>, tensor<2x3x5xf16>)
  return %y#0 : tensor<5x2x3x5xf16>
}
