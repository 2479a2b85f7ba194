// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s
// RUN: clika-opt %s -split-input-file -verify-diagnostics | clika-opt -split-input-file | FileCheck %s

// A name of the function's stands for another size in each call.
// CHECK-LABEL: func.func @graph(
// CHECK: %call_1 = clika.call @double(%arg0) : (tensor<2xf32>) -> tensor<4xf32>
// CHECK: %call_2 = clika.call @double(%arg1) : (tensor<?xf32, #clika.dims<k>>) -> tensor<?xf32, #clika.dims<k * 2>>
// CHECK: %both:2 = clika.call @pair(%call_1) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK: clika.call @nothing() : () -> ()
func.func private @double(%x: tensor<?xf32, #clika.dims<n>>) -> tensor<?xf32, #clika.dims<n * 2>> {
  %y = clika.concat %x, %x {axis = 0 : i64} : (tensor<?xf32, #clika.dims<n>>, tensor<?xf32, #clika.dims<n>>) -> tensor<?xf32, #clika.dims<n * 2>>
  return %y : tensor<?xf32, #clika.dims<n * 2>>
}
func.func private @pair(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}
func.func private @nothing() {
  return
}
func.func @graph(%x: tensor<2xf32>, %z: tensor<?xf32, #clika.dims<k>>) -> (tensor<4xf32>, tensor<?xf32, #clika.dims<k * 2>>) {
  %call_1 = clika.call @double(%x) : (tensor<2xf32>) -> tensor<4xf32>
  %call_2 = clika.call @double(%z) : (tensor<?xf32, #clika.dims<k>>) -> tensor<?xf32, #clika.dims<k * 2>>
  %0:2 = clika.call @pair(%call_1) name "both" : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  clika.call @nothing() : () -> ()
  return %0#0, %call_2 : tensor<4xf32>, tensor<?xf32, #clika.dims<k * 2>>
}

// -----

// C1
func.func @bad(%x: tensor<2xf32>) {
  // expected-error @below {{calls 'f', and the module has no function of that name}}
  %y = clika.call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// C1
func.func @bad(%x: tensor<2xf32>) {
  // expected-error @below {{calls 'bad', which is the graph itself; call a private function}}
  clika.call @bad(%x) : (tensor<2xf32>) -> ()
  return
}

// -----

// C2
func.func private @f(%x: tensor<?x?xf32, #clika.dims<n, n>>) {
  return
}
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error @below {{calls 'f': input 0 is float32[2, 3], and the function takes float32[n, n]; n is 2 in this call}}
  clika.call @f(%x) : (tensor<2x3xf32>) -> ()
  return
}

// -----

// C2
func.func private @f(%x: tensor<?xf32, #clika.dims<n>>, %y: tensor<?xf32, #clika.dims<n + 1>>) {
  return
}
func.func @bad(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  // expected-error @below {{calls 'f': input 1 is float32[2], and the function takes float32[n + 1]}}
  clika.call @f(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> ()
  return
}

// -----

// C3
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @bad(%x: tensor<2xf32>) {
  // expected-error @below {{calls 'f' for 2 results, and the function returns 1}}
  %y:2 = clika.call @f(%x) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

// C3
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @bad(%x: tensor<2xf32>) {
  // expected-error @below {{calls 'f', whose result 0 is float32[2] in this call, and not float32[3]}}
  %y = clika.call @f(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return
}
