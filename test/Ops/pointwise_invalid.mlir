// RUN: clika-opt %s --split-input-file --verify-diagnostics

func.func @alpha_of_integers(%a: tensor<2xi32>) {
  // expected-error @below {{add: alpha is 1.5, which does not fit a tensor of int32, which holds integers; give a whole number}}
  %y = clika.add %a, %a {alpha = 1.5 : f64} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @activation_of_integers(%a: tensor<2xi32>) {
  // expected-error @below {{has activation Gelu, which int32 does not take; integers take Identity, Relu and Relu6}}
  %y = clika.mul %a, %a {activation = "Gelu"} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @unknown_activation(%a: tensor<2xf32>) {
  // expected-error @below {{attribute 'activation' failed to satisfy constraint}}
  %y = clika.mul %a, %a {activation = "Wobble"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @two_dtypes(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error @below {{the operands have dtypes float32 and float64; cast one of them}}
  // expected-error @below {{failed to infer returned types}}
  %y = clika.mul %a, %b : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @shapes(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{less: shapes [2] and [3] do not broadcast}}
  // expected-error @below {{failed to infer returned types}}
  %y = clika.less %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @condition_shape(%c: tensor<4xi1>, %a: tensor<2xf32>) {
  // expected-error @below {{where: shapes [4] and [2] do not broadcast}}
  // expected-error @below {{failed to infer returned types}}
  %y = clika.where %c, %a, %a : (tensor<4xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @float_of_bits(%a: tensor<2xf32>) {
  // expected-error @below {{must be an integer or bool tensor}}
  %y = clika.bitwise_and %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @two_floors(%x: tensor<2xf32>) {
  // expected-error @below {{takes a bound as a literal or as a tensor, not both}}
  %y = clika.clamp %x min %x {min = 0.0 : f64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @fractional_floor(%x: tensor<2xi8>) {
  // expected-error @below {{clamp: min is 0.5, which does not fit a tensor of int8, which holds integers; give a whole number}}
  %y = clika.clamp %x {min = 0.5 : f64} : (tensor<2xi8>) -> tensor<2xi8>
  return
}

// -----

func.func @floor_out_of_range(%x: tensor<2xui8>) {
  // expected-error @below {{clamp: min is -1, which does not fit a tensor of uint8, whose range it leaves; give a value of the type's range}}
  %y = clika.clamp %x {min = -1 : i64} : (tensor<2xui8>) -> tensor<2xui8>
  return
}

// -----

func.func @no_scale(%x: tensor<2xf32>) {
  // expected-error @below {{has alpha 0}}
  %y = clika.celu %x {alpha = 0.0 : f64} : tensor<2xf32>
  return
}

// -----

func.func @no_beta(%x: tensor<2xf32>) {
  // expected-error @below {{has beta 0}}
  %y = clika.softplus %x {beta = 0.0 : f64} : tensor<2xf32>
  return
}

// -----

// (C3) Infinite bounds fit every float; past the largest finite number there is nothing else.
func.func @clamp_of_halves(%x: tensor<2xf16>) -> (tensor<2xf16>, tensor<2xf16>) {
  %y = clika.clamp %x {min = -65504.0 : f64, max = 0x7FF0000000000000 : f64} : (tensor<2xf16>) -> tensor<2xf16>
  // expected-error @below {{clamp: max is 70000, which does not fit a tensor of float16, whose range it leaves; give a value of the type's range, or infinity}}
  %z = clika.clamp %x {max = 70000.0 : f64} : (tensor<2xf16>) -> tensor<2xf16>
  return %y, %z : tensor<2xf16>, tensor<2xf16>
}

// -----

func.func @alpha_out_of_range(%a: tensor<2xi8>) -> tensor<2xi8> {
  %y = clika.add %a, %a {alpha = -128.0 : f64} : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  // expected-error @below {{sub: alpha is 128, which does not fit a tensor of int8}}
  %z = clika.sub %a, %a {alpha = 128.0 : f64} : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return %y : tensor<2xi8>
}

// -----

// Halves are computed in float32, which holds the factor; float64 holds any.
func.func @setting_out_of_range(%a: tensor<2xf16>, %b: tensor<2xf64>) -> (tensor<2xf16>, tensor<2xf64>) {
  %y = clika.leaky_relu %a {alpha = 1.0e+20 : f64} : tensor<2xf16>
  %z = clika.leaky_relu %b {alpha = 1.0e+300 : f64} : tensor<2xf64>
  // expected-error @below {{leaky_relu: alpha is 1e+300, which does not fit a tensor of float32}}
  %w = clika.leaky_relu %a {alpha = 1.0e+300 : f64} : tensor<2xf16>
  return %y, %z : tensor<2xf16>, tensor<2xf64>
}
