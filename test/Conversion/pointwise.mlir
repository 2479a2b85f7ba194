// RUN: clika-opt %s --convert-clika-to-linalg --canonicalize --split-input-file | FileCheck %s

// One generic; the size-1 dimension is read through a constant map; equal dimension names need no check.
// CHECK-LABEL: func.func @named_sizes
// CHECK-SAME: (%[[A:.*]]: tensor<?x3xf32>, %[[B:.*]]: tensor<1x3xf32>, %[[C:.*]]: tensor<?x3xf32>) -> tensor<?x3xf32>
func.func @named_sizes(%a: tensor<?x3xf32, #clika.dims<n, 3>>, %b: tensor<1x3xf32>, %c: tensor<?x3xf32, #clika.dims<n, 3>>)
    -> tensor<?x3xf32, #clika.dims<n, 3>> {
  // CHECK-NOT: cf.assert
  // CHECK: linalg.generic {indexing_maps = [#[[ID:.*]], #[[ROW:.*]], #[[ID]]]
  // CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[ID]], #[[ID]]]
  %s = clika.add %a, %b : (tensor<?x3xf32, #clika.dims<n, 3>>, tensor<1x3xf32>) -> tensor<?x3xf32, #clika.dims<n, 3>>
  %t = clika.sub %s, %c : (tensor<?x3xf32, #clika.dims<n, 3>>, tensor<?x3xf32, #clika.dims<n, 3>>) -> tensor<?x3xf32, #clika.dims<n, 3>>
  return %t : tensor<?x3xf32, #clika.dims<n, 3>>
}

// -----

// A size that may be 1 or 4 at run time: a check that names the node, and a copy only where it is 1.
// CHECK-LABEL: func.func @size_known_at_run_time
// CHECK-SAME: (%[[A:.*]]: tensor<?xf32>, %[[B:.*]]: tensor<4xf32>)
func.func @size_known_at_run_time(%a: tensor<?xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[N:.*]] = tensor.dim %[[A]]
  // CHECK: cf.assert %{{.*}}, "add 'total': shapes [?] and [4] do not broadcast in dimension 0: the sizes differ and neither is 1"
  // CHECK: %[[WIDE:.*]] = scf.if %{{.*}} -> (tensor<4xf32>) {
  // CHECK: scf.yield
  // CHECK: } else {
  // CHECK: linalg.generic
  // CHECK: linalg.generic {{.*}} ins(%[[WIDE]], %[[B]]
  %total = clika.add %a, %b : (tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %total : tensor<4xf32>
}

// -----

// The same value twice has one size.
// CHECK-LABEL: func.func @same_value
// CHECK-NOT: cf.assert
func.func @same_value(%a: tensor<?xf32>) -> tensor<?xf32> {
  %y = clika.add %a, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// f16 computes in f32, rounds, and computes and rounds its activation.
// CHECK-LABEL: func.func @half
func.func @half(%a: tensor<2xf16>) -> tensor<2xf16> {
  // CHECK: arith.extf
  // CHECK: %[[SUM:.*]] = arith.addf {{.*}} : f32
  // CHECK: %[[ROUNDED:.*]] = arith.truncf %[[SUM]] : f32 to f16
  // CHECK: %[[WIDE:.*]] = arith.extf %[[ROUNDED]] : f16 to f32
  // CHECK: %[[RELU:.*]] = arith.maximumf %[[WIDE]]
  // CHECK: %[[OUT:.*]] = arith.truncf %[[RELU]] : f32 to f16
  // CHECK: linalg.yield %[[OUT]] : f16
  %y = clika.add %a, %a {activation = "Relu"} : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  return %y : tensor<2xf16>
}

// -----

// Rank 0 and zero sizes.
// CHECK-LABEL: func.func @scalar_and_empty
func.func @scalar_and_empty(%a: tensor<f32>, %b: tensor<0x2xf32>) -> tensor<0x2xf32> {
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<f32>, tensor<0x2xf32>)
  %y = clika.sub %a, %b : (tensor<f32>, tensor<0x2xf32>) -> tensor<0x2xf32>
  return %y : tensor<0x2xf32>
}
