// RUN: clika-opt %s --clika-propagate-layout --split-input-file | FileCheck %s

#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>

// An op between two transpositions that cancel works in the order of the first one's input.
// CHECK: #[[$ID:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK: #[[$CHANNEL:.*]] = affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK-LABEL: func.func @element_wise
// CHECK-SAME: %[[X:.*]]: tensor<1x8x9x3xf32>, %[[BIAS:.*]]: tensor<3xf32>
func.func @element_wise(%x: tensor<1x8x9x3xf32>, %bias: tensor<3xf32>) -> tensor<1x8x9x3xf32> {
  // CHECK-NOT: linalg.transpose
  // CHECK: %[[SUM:.*]] = linalg.generic
  // CHECK-SAME: indexing_maps = [#[[$ID]], #[[$CHANNEL]], #[[$ID]]]
  // CHECK-SAME: ins(%[[X]], %[[BIAS]] : tensor<1x8x9x3xf32>, tensor<3xf32>)
  // CHECK: linalg.index 3
  // CHECK: return %[[SUM]]
  %e = tensor.empty() : tensor<1x3x8x9xf32>
  %t = linalg.transpose ins(%x : tensor<1x8x9x3xf32>) outs(%e : tensor<1x3x8x9xf32>) permutation = [0, 3, 1, 2]
  %s = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%t, %bias : tensor<1x3x8x9xf32>, tensor<3xf32>) outs(%e : tensor<1x3x8x9xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    %0 = arith.addf %a, %b : f32
    %1 = arith.addf %0, %k : f32
    linalg.yield %1 : f32
  } -> tensor<1x3x8x9xf32>
  %f = tensor.empty() : tensor<1x8x9x3xf32>
  %r = linalg.transpose ins(%s : tensor<1x3x8x9xf32>) outs(%f : tensor<1x8x9x3xf32>) permutation = [0, 2, 3, 1]
  return %r : tensor<1x8x9x3xf32>
}

// -----

#id = affine_map<(n, c, h) -> (n, c, h)>

// What is read whole and not transposed alike keeps the op where it is.
// CHECK-LABEL: func.func @not_all_transposed
func.func @not_all_transposed(%x: tensor<2x8x3xf32>, %y: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  // CHECK: %[[T:.*]] = linalg.transpose
  // CHECK: linalg.generic
  // CHECK-SAME: ins(%[[T]], %arg1
  // CHECK-NOT: linalg.transpose
  %e = tensor.empty() : tensor<2x3x8xf32>
  %t = linalg.transpose ins(%x : tensor<2x8x3xf32>) outs(%e : tensor<2x3x8xf32>) permutation = [0, 2, 1]
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%t, %y : tensor<2x3x8xf32>, tensor<2x3x8xf32>) outs(%e : tensor<2x3x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x3x8xf32>
  return %s : tensor<2x3x8xf32>
}

// -----

#id = affine_map<(n, c, h) -> (n, c, h)>
#one = affine_map<(n, c, h) -> (0, c, h)>

// A dimension of size 1 may be read as a constant place.
// CHECK-LABEL: func.func @both_transposed
// CHECK-SAME: %[[X:.*]]: tensor<1x8x3xf32>, %[[Y:.*]]: tensor<1x8x3xf32>
func.func @both_transposed(%x: tensor<1x8x3xf32>, %y: tensor<1x8x3xf32>) -> tensor<1x3x8xf32> {
  // CHECK: %[[SUM:.*]] = linalg.generic
  // CHECK-SAME: ins(%[[X]], %[[Y]]
  // CHECK: linalg.transpose ins(%[[SUM]] {{.*}} permutation = [0, 2, 1]
  %e = tensor.empty() : tensor<1x3x8xf32>
  %t = linalg.transpose ins(%x : tensor<1x8x3xf32>) outs(%e : tensor<1x3x8xf32>) permutation = [0, 2, 1]
  %u = linalg.transpose ins(%y : tensor<1x8x3xf32>) outs(%e : tensor<1x3x8xf32>) permutation = [0, 2, 1]
  %s = linalg.generic {indexing_maps = [#one, #one, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%t, %u : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%e : tensor<1x3x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1x3x8xf32>
  return %s : tensor<1x3x8xf32>
}

// -----

// Pads, slices and casts; sizes are read off what is not transposed.
// CHECK-LABEL: func.func @pad
// CHECK-SAME: %[[X:.*]]: tensor<?x?x3xf32>
func.func @pad(%x: tensor<?x?x3xf32>, %n: index, %h: index) -> (tensor<?x3x?xf32>, index) {
  // CHECK: %[[PAD:.*]] = tensor.pad %[[X]] low[0, 1, 0] high[0, 2, 0]
  // CHECK: %[[CUT:.*]] = tensor.extract_slice %[[PAD]][0, 0, 1] [{{.*}}, {{.*}}, 2] [1, 1, 1]
  // CHECK: %[[C1:.*]] = arith.constant 1 : index
  // CHECK: %[[DIM:.*]] = tensor.dim %[[X]], %[[C1]]
  // CHECK: linalg.transpose
  // CHECK: return {{.*}}, %[[DIM]]
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  %e = tensor.empty(%n, %h) : tensor<?x3x?xf32>
  %t = linalg.transpose ins(%x : tensor<?x?x3xf32>) outs(%e : tensor<?x3x?xf32>) permutation = [0, 2, 1]
  %p = tensor.pad %t low[0, 0, 1] high[0, 0, 2] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<?x3x?xf32> to tensor<?x3x?xf32>
  %s = tensor.extract_slice %p[0, 1, 0] [%n, 2, %h] [1, 1, 1] : tensor<?x3x?xf32> to tensor<?x2x?xf32>
  %d = tensor.dim %t, %c2 : tensor<?x3x?xf32>
  %r = tensor.cast %s : tensor<?x2x?xf32> to tensor<?x?x?xf32>
  %q = tensor.cast %p : tensor<?x3x?xf32> to tensor<?x3x?xf32>
  %used = tensor.extract %r[%c2, %c2, %c2] : tensor<?x?x?xf32>
  %w = tensor.insert %used into %q[%c2, %c2, %c2] : tensor<?x3x?xf32>
  return %w, %d : tensor<?x3x?xf32>, index
}

// -----

// CHECK-LABEL: func.func @join
// CHECK-SAME: %[[X:.*]]: tensor<8x3xf32>, %[[Y:.*]]: tensor<8x5xf32>
func.func @join(%x: tensor<8x3xf32>, %y: tensor<8x5xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[ONE:.*]] = tensor.insert_slice %[[X]] into %{{.*}}[0, 0] [8, 3] [1, 1] : tensor<8x3xf32> into tensor<8x8xf32>
  // CHECK: %[[TWO:.*]] = tensor.insert_slice %[[Y]] into %[[ONE]][0, 3] [8, 5] [1, 1] : tensor<8x5xf32> into tensor<8x8xf32>
  // CHECK: return %[[TWO]]
  %e = tensor.empty() : tensor<3x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x3xf32>) outs(%e : tensor<3x8xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<5x8xf32>
  %u = linalg.transpose ins(%y : tensor<8x5xf32>) outs(%f : tensor<5x8xf32>) permutation = [1, 0]
  %g = tensor.empty() : tensor<8x8xf32>
  %a = tensor.insert_slice %t into %g[0, 0] [3, 8] [1, 1] : tensor<3x8xf32> into tensor<8x8xf32>
  %b = tensor.insert_slice %u into %a[3, 0] [5, 8] [1, 1] : tensor<5x8xf32> into tensor<8x8xf32>
  %r = linalg.transpose ins(%b : tensor<8x8xf32>) outs(%g : tensor<8x8xf32>) permutation = [1, 0]
  return %r : tensor<8x8xf32>
}

// -----

// A shuffle of channels works in the order before: one transposition within the channels is left.
// CHECK-LABEL: func.func @shuffle
// CHECK-SAME: %[[X:.*]]: tensor<1x8x9x6xf32>
func.func @shuffle(%x: tensor<1x8x9x6xf32>) -> tensor<1x8x9x6xf32> {
  // CHECK: %[[SPLIT:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1], [2], [3, 4]] output_shape [1, 8, 9, 2, 3]
  // CHECK: %[[SWAPPED:.*]] = linalg.transpose ins(%[[SPLIT]] {{.*}} permutation = [0, 1, 2, 4, 3]
  // CHECK-NOT: linalg.transpose
  // CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[SWAPPED]] {{\[\[}}0], [1], [2], [3, 4]]
  // CHECK: return %[[JOINED]]
  %e = tensor.empty() : tensor<1x6x8x9xf32>
  %t = linalg.transpose ins(%x : tensor<1x8x9x6xf32>) outs(%e : tensor<1x6x8x9xf32>) permutation = [0, 3, 1, 2]
  %s = tensor.expand_shape %t [[0], [1, 2], [3], [4]] output_shape [1, 2, 3, 8, 9] : tensor<1x6x8x9xf32> into tensor<1x2x3x8x9xf32>
  %f = tensor.empty() : tensor<1x3x2x8x9xf32>
  %u = linalg.transpose ins(%s : tensor<1x2x3x8x9xf32>) outs(%f : tensor<1x3x2x8x9xf32>) permutation = [0, 2, 1, 3, 4]
  %j = tensor.collapse_shape %u [[0], [1, 2], [3], [4]] : tensor<1x3x2x8x9xf32> into tensor<1x6x8x9xf32>
  %g = tensor.empty() : tensor<1x8x9x6xf32>
  %r = linalg.transpose ins(%j : tensor<1x6x8x9xf32>) outs(%g : tensor<1x8x9x6xf32>) permutation = [0, 2, 3, 1]
  return %r : tensor<1x8x9x6xf32>
}

// -----

// Joined positions lie side by side in both orders. Where the second transposition cancels nothing, both are one again.
// CHECK-LABEL: func.func @flatten_positions
// CHECK-SAME: %[[X:.*]]: tensor<?x8x9x6xf32>
func.func @flatten_positions(%x: tensor<?x8x9x6xf32>, %n: index) -> (tensor<?x6x72xf32>, tensor<72x?x6xf32>) {
  // CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1, 2], [3]]
  // CHECK-DAG: linalg.transpose ins(%[[JOINED]] {{.*}} permutation = [0, 2, 1]
  // CHECK-DAG: linalg.transpose ins(%[[JOINED]] {{.*}} permutation = [1, 0, 2]
  %e = tensor.empty(%n) : tensor<?x6x8x9xf32>
  %t = linalg.transpose ins(%x : tensor<?x8x9x6xf32>) outs(%e : tensor<?x6x8x9xf32>) permutation = [0, 3, 1, 2]
  %j = tensor.collapse_shape %t [[0], [1], [2, 3]] : tensor<?x6x8x9xf32> into tensor<?x6x72xf32>
  %f = tensor.empty(%n) : tensor<72x?x6xf32>
  %r = linalg.transpose ins(%j : tensor<?x6x72xf32>) outs(%f : tensor<72x?x6xf32>) permutation = [2, 0, 1]
  return %j, %r : tensor<?x6x72xf32>, tensor<72x?x6xf32>
}

// -----

// CHECK-LABEL: func.func @one_again
// CHECK-SAME: %[[X:.*]]: tensor<8x9x4x6xf32>
func.func @one_again(%x: tensor<8x9x4x6xf32>) -> tensor<24x8x9xf32> {
  // CHECK: %[[BOTH:.*]] = linalg.transpose ins(%[[X]] {{.*}} permutation = [3, 2, 0, 1]
  // CHECK-NOT: linalg.transpose
  // CHECK: tensor.collapse_shape %[[BOTH]] {{\[\[}}0, 1], [2], [3]]
  %e = tensor.empty() : tensor<6x4x8x9xf32>
  %t = linalg.transpose ins(%x : tensor<8x9x4x6xf32>) outs(%e : tensor<6x4x8x9xf32>) permutation = [3, 2, 0, 1]
  %j = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<6x4x8x9xf32> into tensor<24x8x9xf32>
  return %j : tensor<24x8x9xf32>
}

// -----

// Channels and positions do not lie side by side before, nor would joining all be helped.
// CHECK-LABEL: func.func @stays
// CHECK-SAME: %[[X:.*]]: tensor<4x8x9x6xf32>
func.func @stays(%x: tensor<4x8x9x6xf32>) -> (tensor<24x8x9xf32>, tensor<4x432xf32>) {
  // CHECK: %[[T:.*]] = linalg.transpose ins(%[[X]] {{.*}} permutation = [0, 3, 1, 2]
  // CHECK: tensor.collapse_shape %[[T]] {{\[\[}}0, 1], [2], [3]]
  // CHECK: tensor.collapse_shape %[[T]] {{\[\[}}0], [1, 2, 3]]
  %e = tensor.empty() : tensor<4x6x8x9xf32>
  %t = linalg.transpose ins(%x : tensor<4x8x9x6xf32>) outs(%e : tensor<4x6x8x9xf32>) permutation = [0, 3, 1, 2]
  %j = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<4x6x8x9xf32> into tensor<24x8x9xf32>
  %k = tensor.collapse_shape %t [[0], [1, 2, 3]] : tensor<4x6x8x9xf32> into tensor<4x432xf32>
  return %j, %k : tensor<24x8x9xf32>, tensor<4x432xf32>
}

// -----

// A pad goes behind a transposition that stays.
// CHECK-LABEL: func.func @pad_behind
// CHECK-SAME: %[[X:.*]]: tensor<2x?xf32>
func.func @pad_behind(%x: tensor<2x?xf32>, %n: index) -> tensor<?x2xf32> {
  // CHECK: %[[T:.*]] = linalg.transpose ins(%[[X]] {{.*}} permutation = [1, 0]
  // CHECK: tensor.pad %[[T]] low[1, 0] high[2, 0]
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<2x?xf32> to tensor<2x?xf32>
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %t = linalg.transpose ins(%p : tensor<2x?xf32>) outs(%e : tensor<?x2xf32>) permutation = [1, 0]
  return %t : tensor<?x2xf32>
}
