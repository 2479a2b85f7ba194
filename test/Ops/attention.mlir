// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%q: tensor<?x6x?x8xf32, #clika.dims<n, 6, s, 8>>, %k: tensor<?x2x?x8xf32, #clika.dims<n, 2, t, 8>>,
                    %v: tensor<?x2x?x5xf32, #clika.dims<n, 2, t, 5>>, %m: tensor<?x?xi1, #clika.dims<s, t>>, %f: tensor<1x6x1x?xf32>) {
  // CHECK: clika.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} {causal = "LowerRight", softcap = 2.0{{.*}}} {{.*}} -> tensor<?x6x?x5xf32, #clika.dims<n, 6, s, 5>>
  %0 = clika.attention %q, %k, %v mask %m {causal = "LowerRight", softcap = 2.0 : f64}
    : (tensor<?x6x?x8xf32, #clika.dims<n, 6, s, 8>>, tensor<?x2x?x8xf32, #clika.dims<n, 2, t, 8>>,
       tensor<?x2x?x5xf32, #clika.dims<n, 2, t, 5>>, tensor<?x?xi1, #clika.dims<s, t>>) -> tensor<?x6x?x5xf32, #clika.dims<n, 6, s, 5>>
  // CHECK: clika.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} {scale = 2.5{{.*}} : f64}
  %1 = clika.attention %q, %k, %v mask %f {scale = 0.25 : f64}
    : (tensor<?x6x?x8xf32, #clika.dims<n, 6, s, 8>>, tensor<?x2x?x8xf32, #clika.dims<n, 2, t, 8>>,
       tensor<?x2x?x5xf32, #clika.dims<n, 2, t, 5>>, tensor<1x6x1x?xf32>) -> tensor<?x6x?x5xf32, #clika.dims<n, 6, s, 5>>
  return
}

// -----

func.func @dtypes(%q: tensor<1x1x2x4xf32>, %m: tensor<2x2xf64>) {
  // expected-error @+2 {{attention: the operands have dtypes float32 and float64; cast one of them}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.attention %q, %q, %q mask %m : (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<2x2xf64>) -> tensor<1x1x2x4xf32>
  return
}

// -----

func.func @rank(%q: tensor<1x1x2x4xf32>, %k: tensor<1x2x4xf32>) {
  // expected-error @+2 {{attention: k has 3 dimensions; it must be [batch, heads, sequence, size]}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.attention %q, %k, %q : (tensor<1x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x1x2x4xf32>) -> tensor<1x1x2x4xf32>
  return
}

// -----

func.func @sizes(%q: tensor<1x1x2x4xf32>, %k: tensor<1x1x2x3xf32>) {
  // expected-error @+2 {{attention: q has 4 elements a head, k has 3}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.attention %q, %k, %q : (tensor<1x1x2x4xf32>, tensor<1x1x2x3xf32>, tensor<1x1x2x4xf32>) -> tensor<1x1x2x4xf32>
  return
}

// -----

func.func @keys(%q: tensor<1x1x2x4xf32>, %v: tensor<1x1x3x4xf32>) {
  // expected-error @+2 {{attention: k has 2 keys, v has 3}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.attention %q, %q, %v : (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x1x2x4xf32>
  return
}

// -----

func.func @heads(%q: tensor<1x4x2x4xf32>, %k: tensor<1x3x2x4xf32>) {
  // expected-error @+2 {{attention: 4 heads do not divide among 3 key heads}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.attention %q, %k, %k : (tensor<1x4x2x4xf32>, tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32>) -> tensor<1x4x2x4xf32>
  return
}

// -----

func.func @mask(%q: tensor<1x4x2x4xf32>, %m: tensor<3x2x2xi1>) {
  // expected-error @+2 {{attention: mask has shape [3, 2, 2], which does not broadcast to [batch, heads, queries, keys] [1, 4, 2, 2]}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.attention %q, %q, %q mask %m : (tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32>, tensor<3x2x2xi1>) -> tensor<1x4x2x4xf32>
  return
}
