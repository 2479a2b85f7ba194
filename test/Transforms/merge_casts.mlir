// RUN: clika-opt --merge-casts --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --merge-casts=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// Integers of 32 bits are float64s.
// CHECK-LABEL: func.func @wide(
// CHECK-NEXT: %b = clika.cast %arg0 to i64
// CHECK-NEXT: %d = clika.cast %arg0 to f32
// CHECK-NEXT: return %b, %d
func.func @wide(%x: tensor<2xi32>) -> (tensor<2xi64>, tensor<2xf32>) {
  %a = clika.cast %x to f64 : (tensor<2xi32>) -> tensor<2xf64>
  %b = clika.cast %a to i64 : (tensor<2xf64>) -> tensor<2xi64>
  %c = clika.cast %x to i64 : (tensor<2xi32>) -> tensor<2xi64>
  %d = clika.cast %c to f32 : (tensor<2xi64>) -> tensor<2xf32>
  return %b, %d : tensor<2xi64>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @merges(
// CHECK-NEXT: %b = clika.cast %arg0 to f32
// CHECK-NEXT: return %b
func.func @merges(%x: tensor<2xi8>) -> tensor<2xf32> {
  %a = clika.cast %x to i32 : (tensor<2xi8>) -> tensor<2xi32>
  %b = clika.cast %a to f32 : (tensor<2xi32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}

// -----

// There and back, and a dtype that holds the numbers of an unsigned one.
// CHECK-LABEL: func.func @undone(
// CHECK-NEXT: %d = clika.cast %arg1 to i16
// CHECK-NEXT: return %arg0, %d
func.func @undone(%x: tensor<?xf16, #clika.dims<n>>, %u: tensor<2xui8>) -> (tensor<?xf16, #clika.dims<n>>, tensor<2xi16>) {
  %a = clika.cast %x to f32 : (tensor<?xf16, #clika.dims<n>>) -> tensor<?xf32, #clika.dims<n>>
  %b = clika.cast %a to f16 : (tensor<?xf32, #clika.dims<n>>) -> tensor<?xf16, #clika.dims<n>>
  %c = clika.cast %u to bf16 : (tensor<2xui8>) -> tensor<2xbf16>
  %d = clika.cast %c to i16 : (tensor<2xbf16>) -> tensor<2xi16>
  return %b, %d : tensor<?xf16, #clika.dims<n>>, tensor<2xi16>
}

// -----

// Near miss: -1 as a float is 0 in uint8, as an integer 255.
// CHECK-LABEL: func.func @saturates(
// CHECK: clika.cast 
// CHECK: clika.cast 
func.func @saturates(%x: tensor<2xi8>) -> tensor<2xui8> {
  // expected-remark @+1 {{does not read a cast}}
  %a = clika.cast %x to f16 : (tensor<2xi8>) -> tensor<2xf16>
  // expected-remark @+1 {{a float saturates where an integer wraps}}
  %b = clika.cast %a to ui8 : (tensor<2xf16>) -> tensor<2xui8>
  return %b : tensor<2xui8>
}

// -----

// Near misses: a first cast that rounds, wraps or tests.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.cast 
// CHECK: clika.cast 
// CHECK: clika.cast 
// CHECK: clika.cast 
// CHECK: clika.cast 
// CHECK: clika.cast 
// CHECK: clika.cast 
// CHECK: clika.cast 
func.func @near_misses(%x: tensor<2xf64>, %i: tensor<2xi32>, %s: tensor<2xi8>) -> (tensor<2xf64>, tensor<2xi32>, tensor<2xi32>, tensor<2xi16>) {
  // expected-remark @+1 {{does not read a cast}}
  %a = clika.cast %x to f32 : (tensor<2xf64>) -> tensor<2xf32>
  // expected-remark @+1 {{the cast before it does not keep every number}}
  %b = clika.cast %a to f64 : (tensor<2xf32>) -> tensor<2xf64>
  // expected-remark @+1 {{does not read a cast}}
  %c = clika.cast %i to f32 : (tensor<2xi32>) -> tensor<2xf32>
  // expected-remark @+1 {{the cast before it does not keep every number}}
  %d = clika.cast %c to i32 : (tensor<2xf32>) -> tensor<2xi32>
  // expected-remark @+1 {{does not read a cast}}
  %e = clika.cast %i to i1 : (tensor<2xi32>) -> tensor<2xi1>
  // expected-remark @+1 {{the cast before it does not keep every number}}
  %f = clika.cast %e to i32 : (tensor<2xi1>) -> tensor<2xi32>
  // expected-remark @+1 {{does not read a cast}}
  %g = clika.cast %s to ui16 : (tensor<2xi8>) -> tensor<2xui16>
  // expected-remark @+1 {{the cast before it does not keep every number}}
  %h = clika.cast %g to i16 : (tensor<2xui16>) -> tensor<2xi16>
  return %b, %d, %f, %h : tensor<2xf64>, tensor<2xi32>, tensor<2xi32>, tensor<2xi16>
}
