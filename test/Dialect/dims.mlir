// RUN: clika-opt %s --split-input-file --verify-diagnostics | FileCheck %s
// RUN: clika-opt %s --split-input-file --verify-diagnostics | clika-opt --split-input-file | FileCheck %s

// Names that are no keywords are quoted; parentheses stand where another reading would compute another size.
// CHECK-LABEL: func.func @sizes(
// CHECK-SAME: tensor<?x3x?xf32, #clika.dims<batch, 3, "odd name" * 2 + 1>>
// CHECK-SAME: tensor<?x?xf32, #clika.dims<?, (n + 1) floordiv 2>>
// CHECK-SAME: tensor<?xf32, #clika.dims<(n floordiv 2) * m>>
func.func @sizes(%x: tensor<?x3x?xf32, #clika.dims<batch, 3, "odd name" * 2 + 1>>,
                 %y: tensor<?x?xf32, #clika.dims<?, (n + 1) floordiv 2>>,
                 %z: tensor<?xf32, #clika.dims<(n floordiv 2) * m>>) {
  return
}

// -----

// The result of an operator carries the names of its operands.
// CHECK-LABEL: func.func @carried(
// CHECK: clika.concat
// CHECK-SAME: -> tensor<?xf32, #clika.dims<n + 2>>
func.func @carried(%x: tensor<?xf32, #clika.dims<n>>, %y: tensor<2xf32>) {
  %0 = clika.concat %x, %y {axis = 0 : i64} : (tensor<?xf32, #clika.dims<n>>, tensor<2xf32>) -> tensor<?xf32, #clika.dims<n + 2>>
  return
}

// -----

// expected-error @below {{has 2 symbolic sizes for 1 dimension}}
func.func @count(%x: tensor<?xf32, #clika.dims<a, b>>) { return }

// -----

// expected-error @below {{its symbolic sizes contradict the shape}}
func.func @other_number(%x: tensor<3xf32, #clika.dims<4>>) { return }

// -----

// expected-error @below {{its symbolic sizes contradict the shape}}
func.func @name_of_a_fixed_size(%x: tensor<3xf32, #clika.dims<a>>) { return }

// -----

// expected-error @below {{its symbolic sizes contradict the shape}}
func.func @number_of_an_open_size(%x: tensor<?xf32, #clika.dims<5>>) { return }

// -----

// expected-error @below {{a divisor is positive}}
func.func @division_by_zero(%x: tensor<?xf32, #clika.dims<a mod 0>>) { return }

// -----

// expected-error @below {{`?` stands alone}}
func.func @unknown_in_a_sum(%x: tensor<?xf32, #clika.dims<? + 1>>) { return }

// -----

// expected-error @below {{a dimension's name may not be empty}}
func.func @empty_name(%x: tensor<?xf32, #clika.dims<"">>) { return }

// -----

// expected-error @below {{the numbers of a size's expression are too large}}
func.func @too_large(%x: tensor<?xf32, #clika.dims<a * 4611686018427387904 * 2>>) { return }
