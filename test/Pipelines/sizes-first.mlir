// RUN: clika-opt %s --convert-clika-to-linalg --clika-prepare-tensors | FileCheck %s

// The product narrows what the relu makes to 8 columns; the test asks the argument, before anything reads it.
// CHECK-LABEL: func.func @narrowed
// CHECK: %[[K:.*]] = tensor.dim %arg0, %c1
// CHECK: %[[FITS:.*]] = arith.cmpi eq, %[[K]], %c8
// CHECK: cf.assert %[[FITS]], "matmul 'y'
// CHECK: tensor.cast %arg0
// CHECK: linalg.generic
func.func @narrowed(%x: tensor<?x?xf32, #clika.dims<n, k>>, %w: tensor<8x5xf32>) -> tensor<?x5xf32, #clika.dims<n, 5>> {
  %a = clika.relu %x : tensor<?x?xf32, #clika.dims<n, k>>
  %y = clika.matmul %a, %w : (tensor<?x?xf32, #clika.dims<n, k>>, tensor<8x5xf32>) -> tensor<?x5xf32, #clika.dims<n, 5>>
  return %y : tensor<?x5xf32, #clika.dims<n, 5>>
}
