// RUN: clika-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// Attributes of other dialects are theirs.
// CHECK-LABEL: func.func @others(
// CHECK: test.note = 2
func.func @others(%x: tensor<2xf32> {clika.name = "x", test.arg}) -> (tensor<2xf32> {clika.name = "y"})
    attributes {test.function} {
  %y = clika.leaky_relu %x {alpha = 5.0 : f64, test.note = 2 : i64} : tensor<2xf32>
  %z = "clika.leaky_relu"(%y) <{alpha = 5.0 : f64}> {test.note = 3 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return %z : tensor<2xf32>
}

// -----

func.func @misspelt(%x: tensor<2xf32>) {
  // expected-error @below {{'clika.leaky_relu' op has no setting 'alpah'; its settings are: alpha}}
  %y = clika.leaky_relu %x {alpah = 5.0 : f64} : tensor<2xf32>
  return
}

// -----

func.func @misspelt_property(%x: tensor<2xf32>) {
  // expected-error @below {{'clika.leaky_relu' has no setting 'alpah'; its settings are: alpha}}
  %y = "clika.leaky_relu"(%x) <{alpah = 5.0 : f64}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @misspelt_beside_another(%a: tensor<2xf32>) {
  // expected-error @below {{'clika.add' op has no setting 'alfa'; its settings are: alpha, activation}}
  %y = clika.add %a, %a {alfa = 1.0 : f64, activation = "Relu"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @none(%x: tensor<2xf32>) {
  // expected-error @below {{'clika.relu' op has no setting 'alpha'; it has none}}
  %y = clika.relu %x {alpha = 1.0 : f64} : tensor<2xf32>
  return
}

// -----

func.func @with_prefix(%x: tensor<2xf32>) {
  // expected-error @below {{'clika.leaky_relu' op has the attribute 'clika.alpha', which nothing reads; its settings are: alpha}}
  %y = clika.leaky_relu %x {clika.alpha = 5.0 : f64} : tensor<2xf32>
  return
}

// -----

func.func @with_prefix_property(%x: tensor<2xf32>) {
  // expected-error @below {{'clika.leaky_relu' has no setting 'clika.alpha'; its settings are: alpha}}
  %y = "clika.leaky_relu"(%x) <{clika.alpha = 5.0 : f64}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @in_a_region(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %y = clika.if %c : tensor<i1> -> (tensor<2xf32>) {
    // expected-error @below {{'clika.yield' op has no setting 'note'; it has none}}
    clika.yield %x : tensor<2xf32> {note = 1 : i64}
  } else {
    clika.yield %x : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op has on argument 1 the attribute 'clika.nam', which nothing reads; clika.name gives an input its name}}
func.func @argument(%x: tensor<2xf32>, %y: tensor<2xf32> {clika.nam = "y"}) {
  return
}

// -----

// expected-error @below {{'func.func' op has on result 0 the attribute 'clika.nam', which nothing reads; clika.name gives an output its name}}
func.func @result(%x: tensor<2xf32>) -> (tensor<2xf32> {clika.nam = "y"}) {
  return %x : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op has the attribute 'clika.nam', which nothing reads}}
func.func @function(%x: tensor<2xf32>) attributes {clika.nam = "f"} {
  return
}

// -----

// expected-error @below {{'builtin.module' op has the attribute 'clika.target', which nothing reads}}
module attributes {clika.target = "cpu"} {
}
