// RUN: clika-opt %s --clika-byte-products --canonicalize --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// Unsigned by signed bytes: the sums of the bytes' products are the result as they are.
// CHECK-DAG: #[[$LEFT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>
// CHECK-DAG: #[[$RIGHT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2, d4)>
// CHECK-DAG: #[[$RESULT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d0, d2)>
// CHECK-LABEL: func.func @unsigned_by_signed
// CHECK-SAME: %[[A:.*]]: tensor<8x64xi8>, %[[B:.*]]: tensor<64x32xi8>
func.func @unsigned_by_signed(%a: tensor<8x64xi8>, %b: tensor<64x32xi8>) -> tensor<8x32xi32> {
  // CHECK: %[[PANELS:.*]] = linalg.transpose {{.*}} outs({{.*}} : tensor<1x16x32x4xi8>)
  // CHECK: %[[GROUPS:.*]] = tensor.expand_shape %[[A]] {{.*}} into tensor<8x16x4xi8>
  // CHECK: linalg.generic {indexing_maps = [#[[$LEFT]], #[[$RIGHT]], #[[$RESULT]]]
  // CHECK-SAME: ins(%[[GROUPS]], %[[PANELS]] : tensor<8x16x4xi8>, tensor<1x16x32x4xi8>)
  // CHECK-SAME: attrs = {clika.byte_product, clika.contraction}
  // CHECK: arith.extui
  // CHECK: arith.extsi
  // CHECK: %[[SUMS:.*]] = tensor.collapse_shape
  // CHECK: return %[[SUMS]]
  %e = tensor.empty() : tensor<8x64xi32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x64xi8>) outs(%e : tensor<8x64xi32>) {
  ^bb0(%in: i8, %out: i32):
    %0 = arith.extui %in : i8 to i32
    linalg.yield %0 : i32
  } -> tensor<8x64xi32>
  %f = tensor.empty() : tensor<64x32xi32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<64x32xi8>) outs(%f : tensor<64x32xi32>) {
  ^bb0(%in: i8, %out: i32):
    %0 = arith.extsi %in : i8 to i32
    linalg.yield %0 : i32
  } -> tensor<64x32xi32>
  %zero = arith.constant 0 : i32
  %g = tensor.empty() : tensor<8x32xi32>
  %start = linalg.fill ins(%zero : i32) outs(%g : tensor<8x32xi32>) -> tensor<8x32xi32>
  %r = linalg.matmul ins(%x, %y : tensor<8x64xi32>, tensor<64x32xi32>) outs(%start : tensor<8x32xi32>) -> tensor<8x32xi32>
  return %r : tensor<8x32xi32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Signed by unsigned bytes: both get another sign bit, and the results are corrected by both operands' sums. The summed
// axis is filled up to whole groups.
// CHECK-LABEL: func.func @signed_by_unsigned
func.func @signed_by_unsigned(%a: tensor<8x5xi8>, %b: tensor<5x32xi8>) -> tensor<8x32xi32> {
  // CHECK: arith.xori
  // CHECK: %[[COLUMNS:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]
  // CHECK: tensor.pad {{.*}} low[0, 0] high[3, 0]
  // CHECK: tensor.pad {{.*}} low[0, 0] high[0, 3]
  // CHECK: attrs = {clika.byte_product, clika.contraction}
  // CHECK: arith.xori
  // CHECK: %[[ROWS:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[COLUMNS]], %[[ROWS]] : tensor<8x32xi32>, tensor<32xi32>, tensor<8xi32>)
  %e = tensor.empty() : tensor<8x5xi32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x5xi8>) outs(%e : tensor<8x5xi32>) {
  ^bb0(%in: i8, %out: i32):
    %0 = arith.extsi %in : i8 to i32
    linalg.yield %0 : i32
  } -> tensor<8x5xi32>
  %f = tensor.empty() : tensor<5x32xi32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<5x32xi8>) outs(%f : tensor<5x32xi32>) {
  ^bb0(%in: i8, %out: i32):
    %0 = arith.extui %in : i8 to i32
    linalg.yield %0 : i32
  } -> tensor<5x32xi32>
  %zero = arith.constant 0 : i32
  %g = tensor.empty() : tensor<8x32xi32>
  %start = linalg.fill ins(%zero : i32) outs(%g : tensor<8x32xi32>) -> tensor<8x32xi32>
  %r = linalg.matmul ins(%x, %y : tensor<8x5xi32>, tensor<5x32xi32>) outs(%start : tensor<8x32xi32>) -> tensor<8x32xi32>
  return %r : tensor<8x32xi32>
}

// -----

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#one = affine_map<(d0, d1, d2, d3) -> ()>

// A convolution is padded with the byte that stands for zero.
// CHECK-LABEL: func.func @padded
// CHECK-SAME: %[[X:.*]]: tensor<1x6x6x8xi8>
func.func @padded(%a: tensor<1x6x6x8xi8>, %b: tensor<3x3x8x32xi8>) -> tensor<1x6x6x32xi32> {
  // CHECK-DAG: %[[BYTE:.*]] = arith.constant 7 : i8
  // CHECK: tensor.pad %[[X]] low[0, 1, 1, 0] high[0, 1, 1, 0]
  // CHECK: tensor.yield %[[BYTE]] : i8
  // CHECK: attrs = {clika.byte_product, clika.contraction}
  // CHECK-NOT: linalg.conv_2d_nhwc_hwcf
  %seven = arith.constant dense<7> : tensor<i32>
  %e = tensor.empty() : tensor<1x6x6x8xi32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a : tensor<1x6x6x8xi8>) outs(%e : tensor<1x6x6x8xi32>) {
  ^bb0(%in: i8, %out: i32):
    %0 = arith.extui %in : i8 to i32
    linalg.yield %0 : i32
  } -> tensor<1x6x6x8xi32>
  %c = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %seven : tensor<1x6x6x8xi32>, tensor<i32>) outs(%e : tensor<1x6x6x8xi32>) {
  ^bb0(%in: i32, %z: i32, %out: i32):
    %0 = arith.subi %in, %z : i32
    linalg.yield %0 : i32
  } -> tensor<1x6x6x8xi32>
  %zero = arith.constant 0 : i32
  %p = tensor.pad %c low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : i32
  } : tensor<1x6x6x8xi32> to tensor<1x8x8x8xi32>
  %f = tensor.empty() : tensor<3x3x8x32xi32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%b : tensor<3x3x8x32xi8>) outs(%f : tensor<3x3x8x32xi32>) {
  ^bb0(%in: i8, %out: i32):
    %0 = arith.extsi %in : i8 to i32
    linalg.yield %0 : i32
  } -> tensor<3x3x8x32xi32>
  %g = tensor.empty() : tensor<1x6x6x32xi32>
  %start = linalg.fill ins(%zero : i32) outs(%g : tensor<1x6x6x32xi32>) -> tensor<1x6x6x32xi32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %y : tensor<1x8x8x8xi32>, tensor<3x3x8x32xi32>) outs(%start : tensor<1x6x6x32xi32>) -> tensor<1x6x6x32xi32>
  return %r : tensor<1x6x6x32xi32>
}

// -----

// Numbers that are not known to be bytes are multiplied as they are.
// CHECK-LABEL: func.func @int32
func.func @int32(%a: tensor<8x64xi32>, %b: tensor<64x32xi32>) -> tensor<8x32xi32> {
  // CHECK: linalg.matmul
  %zero = arith.constant 0 : i32
  %g = tensor.empty() : tensor<8x32xi32>
  %start = linalg.fill ins(%zero : i32) outs(%g : tensor<8x32xi32>) -> tensor<8x32xi32>
  %r = linalg.matmul ins(%a, %b : tensor<8x64xi32>, tensor<64x32xi32>) outs(%start : tensor<8x32xi32>) -> tensor<8x32xi32>
  return %r : tensor<8x32xi32>
}

// -----

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// A sum of each channel's own reads bytes, too, without groups.
// CHECK-LABEL: func.func @per_channel
// CHECK-SAME: %[[X:.*]]: tensor<1x6x6x8xi8>
func.func @per_channel(%a: tensor<1x6x6x8xi8>, %w: tensor<3x3x8xi32>) -> tensor<1x6x6x8xi32> {
  // CHECK: %[[P:.*]] = tensor.pad %[[X]]
  // CHECK: linalg.generic {{.*}} ins(%[[P]], %{{.*}} : tensor<1x8x8x8xi8>, tensor<3x3x8xi32>)
  // CHECK-SAME: attrs = {clika.contraction}
  // CHECK: arith.extsi
  %e = tensor.empty() : tensor<1x6x6x8xi32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a : tensor<1x6x6x8xi8>) outs(%e : tensor<1x6x6x8xi32>) {
  ^bb0(%in: i8, %out: i32):
    %0 = arith.extsi %in : i8 to i32
    linalg.yield %0 : i32
  } -> tensor<1x6x6x8xi32>
  %zero = arith.constant 0 : i32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : i32
  } : tensor<1x6x6x8xi32> to tensor<1x8x8x8xi32>
  %g = tensor.empty() : tensor<1x6x6x8xi32>
  %start = linalg.fill ins(%zero : i32) outs(%g : tensor<1x6x6x8xi32>) -> tensor<1x6x6x8xi32>
  %r = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<1x8x8x8xi32>, tensor<3x3x8xi32>) outs(%start : tensor<1x6x6x8xi32>) -> tensor<1x6x6x8xi32>
  return %r : tensor<1x6x6x8xi32>
}
