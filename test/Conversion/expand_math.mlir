// RUN: clika-opt %s --clika-expand-math --split-input-file | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: clika-opt %s --clika-expand-math=fma=true --split-input-file | FileCheck %s --check-prefixes=CHECK,FUSED

// Scalars and vectors of any shape by one formula; math.fma only where the target has it.
// CHECK-LABEL: func.func @vector
func.func @vector(%x: vector<2x8xf32>) -> vector<2x8xf32> {
  // PLAIN-NOT: math.fma
  // FUSED: math.fma {{.*}} : vector<2x8xf32>
  // CHECK-NOT: math.exp
  %0 = math.exp %x : vector<2x8xf32>
  return %0 : vector<2x8xf32>
}

// -----

// CHECK-LABEL: func.func @scalar
func.func @scalar(%x: f32) -> f32 {
  // PLAIN-NOT: math.fma
  // FUSED: math.fma {{.*}} : f32
  // CHECK-NOT: math.log
  %0 = math.log %x : f32
  return %0 : f32
}

// -----

// The exact reduction of huge angles is behind a branch.
// CHECK-LABEL: func.func @angle
func.func @angle(%x: vector<2x8xf32>) -> vector<2x8xf32> {
  // CHECK: %[[ANY:.*]] = vector.reduction <or>, %{{.*}} : vector<16xi1> into i1
  // CHECK: scf.if %[[ANY]]
  // CHECK-NOT: math.sin
  %0 = math.sin %x : vector<2x8xf32>
  return %0 : vector<2x8xf32>
}

// -----

// f64 goes to the C library, one element at a time.
// CHECK-LABEL: func.func @double
func.func @double(%x: vector<2xf64>) -> vector<2xf64> {
  // CHECK: %[[A:.*]] = vector.extract %{{.*}}[0]
  // CHECK: math.exp %[[A]] : f64
  // CHECK: %[[B:.*]] = vector.extract %{{.*}}[1]
  // CHECK: math.exp %[[B]] : f64
  %0 = math.exp %x : vector<2xf64>
  return %0 : vector<2xf64>
}

// -----

// LLVM would subtract 1 from e^x.
// CHECK: func.func private @expm1(f64) -> f64
// CHECK-LABEL: func.func @small
func.func @small(%x: f64) -> f64 {
  // CHECK: call @expm1
  %0 = math.expm1 %x : f64
  return %0 : f64
}
