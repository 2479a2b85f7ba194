// RUN: clika-opt --remove-duplicates --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --remove-duplicates=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// Names differ, settings do not.
// CHECK-LABEL: func.func @same(
// CHECK-NEXT: %a = clika.exp %arg0
// CHECK-NEXT: %y = clika.add %a, %a
// CHECK-NEXT: return %y
func.func @same(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = clika.exp %x : tensor<2xf32>
  %b = clika.exp %x : tensor<2xf32>
  %y = clika.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// Nobody knows whether they draw random numbers.
// CHECK-LABEL: func.func @opaque(
// CHECK-COUNT-2: clika.opaque
func.func @opaque(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // expected-remark @+1 {{it is not known to compute the same each time}}
  %a = clika.opaque "Draw" of ""(%x) {} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{it is not known to compute the same each time}}
  %b = clika.opaque "Draw" of ""(%x) {} : (tensor<2xf32>) -> tensor<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}

// -----

// Nor what a function with one of them does.
// CHECK-LABEL: func.func @draws(
// CHECK-COUNT-2: clika.call @draw
func.func private @draw(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = clika.opaque "Draw" of ""(%x) {} : (tensor<2xf32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}
func.func @draws(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // expected-remark @+1 {{it is not known to compute the same each time}}
  %a = clika.call @draw(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{it is not known to compute the same each time}}
  %b = clika.call @draw(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}

// -----

// Other functions compute the same each time.
// CHECK-LABEL: func.func @calls(
// CHECK-COUNT-1: clika.call @double
// CHECK-NOT: clika.call
func.func private @double(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-remark @+1 {{no node before it does the same to the same values}}
  %a = clika.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}
func.func @calls(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = clika.call @double(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = clika.call @double(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}

// -----

// Near misses: another setting, operands the other way round, nodes that nothing reads.
// CHECK-LABEL: func.func @near_misses(
// CHECK-COUNT-5: clika.sub
func.func @near_misses(%x: tensor<2xf32>, %z: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  // expected-remark @+1 {{the nodes that read the same values have other settings, or no reader}}
  %a = clika.sub %x, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{the nodes that read the same values have other settings, or no reader}}
  %b = clika.sub %x, %z {activation = "Relu"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{no node before it does the same to the same values}}
  %c = clika.sub %z, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{nothing reads it}}
  %unused = clika.sub %z, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{nothing reads it}}
  %unused2 = clika.sub %z, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
