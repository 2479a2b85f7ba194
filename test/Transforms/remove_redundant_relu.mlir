// RUN: clika-opt --remove-redundant-relu --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --remove-redundant-relu=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// Fires; the first Relu keeps its name. An unused node and a foldable add are left alone.
// CHECK-LABEL: func.func @pair(
// CHECK: %[[A:.*]] = clika.relu %arg0
// CHECK-NEXT: clika.exp %arg0
// CHECK-NEXT: %[[K:.*]] = clika.constant
// CHECK-NEXT: clika.add %[[K]], %[[K]]
// CHECK-NEXT: return %[[A]]
func.func @pair(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = clika.relu %x : tensor<2x3xf32>
  %b = clika.relu %a : tensor<2x3xf32>
  %unused = clika.exp %x : tensor<2x3xf32>
  %k = clika.constant dense<1.0> : tensor<f32>
  %foldable = clika.add %k, %k : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %b : tensor<2x3xf32>
}

// -----

// A chain ends at one Relu.
// CHECK-LABEL: func.func @chain(
// CHECK: %[[A:.*]] = clika.relu %arg0
// CHECK-NEXT: return %[[A]]
func.func @chain(%x: tensor<?xf16>) -> tensor<?xf16> {
  %a = clika.relu %x : tensor<?xf16>
  %b = clika.relu %a : tensor<?xf16>
  %c = clika.relu %b : tensor<?xf16>
  return %c : tensor<?xf16>
}

// -----

// Near misses: another op between, and two Relus side by side.
// CHECK-LABEL: func.func @apart(
// CHECK-COUNT-4: clika.relu
func.func @apart(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-remark @+1 {{it does not read a Relu}}
  %a = clika.relu %x : tensor<2xf32>
  %n = clika.neg %a : tensor<2xf32>
  // expected-remark @+1 {{it does not read a Relu}}
  %b = clika.relu %n : tensor<2xf32>
  // expected-remark @+1 {{it does not read a Relu}}
  %c = clika.relu %x : tensor<2xf32>
  // expected-remark @+1 {{it does not read a Relu}}
  %d = clika.relu %x : tensor<2xf32>
  %s = clika.add %c, %d : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %t = clika.add %s, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %t : tensor<2xf32>
}
