// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%x: tensor<2x6x4xf32>) {
  // CHECK: clika.lrn %{{.*}} {size = 3 : i64}
  %0 = clika.lrn %x {size = 3 : i64} : (tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  return
}

// -----

func.func @size(%x: tensor<2x6x4xf32>) {
  // expected-error @+2 {{lrn: size is 0; it must be at least 1}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.lrn %x {size = 0 : i64} : (tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  return
}
