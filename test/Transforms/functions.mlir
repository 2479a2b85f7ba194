// RUN: clika-opt --remove-redundant-relu --remove-double-neg %s | FileCheck %s
// RUN: clika-opt --fold-constants=remarks --verify-diagnostics=only-expected %s -o /dev/null

// Private functions are rewritten like the graph, and calls stay.
// CHECK-LABEL: func.func private @block(
// CHECK-NEXT: %a = clika.relu %arg0
// CHECK-NEXT: return %a
func.func private @block(%x: tensor<?xf32, #clika.dims<n>>) -> tensor<?xf32, #clika.dims<n>> {
  // expected-remark @+1 {{not all of its operands are constants}}
  %a = clika.relu %x : tensor<?xf32, #clika.dims<n>>
  // expected-remark @+1 {{not all of its operands are constants}}
  %b = clika.relu %a : tensor<?xf32, #clika.dims<n>>
  return %b : tensor<?xf32, #clika.dims<n>>
}

// A call is neither computed nor looked through.
// CHECK-LABEL: func.func @graph(
// CHECK: %c = clika.call @block(%k)
// CHECK-NEXT: %d = clika.relu %c
// CHECK-NEXT: return %d
func.func @graph(%x: tensor<2xf32>) -> tensor<2xf32> {
  %k = clika.constant dense<1.0> : tensor<2xf32>
  // expected-remark @+1 {{it cannot be computed here}}
  %c = clika.call @block(%k) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{not all of its operands are constants}}
  %d = clika.relu %c : tensor<2xf32>
  // expected-remark @+1 {{not all of its operands are constants}}
  %e = clika.neg %d : tensor<2xf32>
  // expected-remark @+1 {{not all of its operands are constants}}
  %f = clika.neg %e : tensor<2xf32>
  return %f : tensor<2xf32>
}
