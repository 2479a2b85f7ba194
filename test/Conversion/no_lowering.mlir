// RUN: clika-opt %s --convert-clika-to-linalg --verify-diagnostics

// Every op without a lowering is named, not only the first.
func.func @unknown(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{opaque 'first' cannot be compiled}}
  %first = clika.opaque "Foo" of "com.acme"(%a) {} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @below {{opaque 'second' cannot be compiled}}
  %second = clika.opaque "Bar" of "com.acme"(%first) {} : (tensor<2xf32>) -> tensor<2xf32>
  return %second : tensor<2xf32>
}
