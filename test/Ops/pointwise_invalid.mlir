// RUN: clika-opt %s --split-input-file --verify-diagnostics

func.func @alpha_of_integers(%a: tensor<2xi32>) {
  // expected-error @below {{has alpha 1.5; for int32 tensors it must be integral}}
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
  // expected-error @below {{for int8 tensors it must be integral}}
  %y = clika.clamp %x {min = 0.5 : f64} : (tensor<2xi8>) -> tensor<2xi8>
  return
}

// -----

func.func @floor_out_of_range(%x: tensor<2xui8>) {
  // expected-error @below {{has a min that uint8 does not hold}}
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
  // expected-error @below {{has a max that float16 does not hold}}
  %z = clika.clamp %x {max = 70000.0 : f64} : (tensor<2xf16>) -> tensor<2xf16>
  return %y, %z : tensor<2xf16>, tensor<2xf16>
}
