// MLIR's own passes leave alone what may compute something else each time, which a call does not tell.
// RUN: clika-opt --cse --canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func private @draw(
func.func private @draw(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = clika.opaque "Draw" of ""(%x) {} : (tensor<2xf32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}

// CHECK-LABEL: func.func @graph(
// CHECK-COUNT-2: clika.opaque
// CHECK-COUNT-2: clika.call @draw
// CHECK-COUNT-1: clika.exp
// CHECK-NOT: clika.exp
// CHECK-NOT: clika.neg
func.func @graph(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %a = clika.opaque "Draw" of ""(%x) {} : (tensor<2xf32>) -> tensor<2xf32>
  %b = clika.opaque "Draw" of ""(%x) {} : (tensor<2xf32>) -> tensor<2xf32>
  %c = clika.call @draw(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %d = clika.call @draw(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %e = clika.exp %x : tensor<2xf32>
  %f = clika.exp %x : tensor<2xf32>
  %unread = clika.neg %x : tensor<2xf32>
  return %a, %b, %c, %d, %e, %f : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
