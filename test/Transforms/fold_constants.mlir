// RUN: clika-opt --fold-constants --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --fold-constants=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// A chain folds to its end, which keeps its name; what it read goes.
// CHECK-LABEL: func.func @chain(
// CHECK-NEXT: %b = clika.constant dense<[-2.000000e+00, 5.000000e-01]> : tensor<2xf32>
// CHECK-NEXT: %y = clika.mul %arg0, %b
// CHECK-NEXT: return %y
func.func @chain(%x: tensor<2xf32>) -> tensor<2xf32> {
  %k = clika.constant dense<[1.0, -1.5]> : tensor<2xf32>
  %l = clika.constant dense<1.0> : tensor<f32>
  %a = clika.add %k, %l : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %b = clika.neg %a : tensor<2xf32>
  %y = clika.mul %x, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// Sizes that are known fold though x is no constant.
// CHECK-LABEL: func.func @sizes(
// CHECK-NEXT: %s = clika.constant dense<[2, 3]> : tensor<2xi64>
// CHECK-NEXT: return %s
func.func @sizes(%x: tensor<2x3xf32>) -> tensor<2xi64> {
  %s = clika.shape %x : (tensor<2x3xf32>) -> tensor<2xi64>
  return %s : tensor<2xi64>
}

// -----

// A result of 64 MiB from a small constant is not stored.
// CHECK-LABEL: func.func @large(
// CHECK: clika.expand
func.func @large(%x: tensor<1xf32>) -> tensor<4096x4096xf32> {
  %k = clika.constant dense<1.0> : tensor<1xf32>
  // expected-remark @+1 {{its result is over the limit and takes more room than the constants that would go}}
  %a = clika.expand %k {shape = array<i64: 4096, 4096>} : (tensor<1xf32>) -> tensor<4096x4096xf32>
  // expected-remark @+1 {{not all of its operands are constants}}
  %y = clika.add %x, %a : (tensor<1xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}

// -----

// Near misses: an operand that is no constant, a node that nothing reads, an index that a run refuses, an unknown size.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.add
// CHECK: clika.neg
// CHECK: clika.gather
// CHECK: clika.shape
func.func @near_misses(%x: tensor<2xf32>, %u: tensor<?xf32, #clika.dims<n>>) -> (tensor<2xf32>, tensor<1xf32>, tensor<1xi64>) {
  %k = clika.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %i = clika.constant dense<7> : tensor<1xi64>
  // expected-remark @+1 {{not all of its operands are constants}}
  %a = clika.add %x, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{nothing reads it}}
  %unused = clika.neg %k : tensor<2xf32>
  // expected-remark @+1 {{gather: the index 7 at [0] of indices is out of range for axis 0 of x, whose size is 2}}
  %g = clika.gather %k, %i : (tensor<2xf32>, tensor<1xi64>) -> tensor<1xf32>
  // expected-remark @+1 {{not all of its operands are constants}}
  %s = clika.shape %u : (tensor<?xf32, #clika.dims<n>>) -> tensor<1xi64>
  return %a, %g, %s : tensor<2xf32>, tensor<1xf32>, tensor<1xi64>
}

// -----

// An if of a constant condition is the branch it takes; what only the other reads goes, and so does the condition.
// CHECK-LABEL: func.func @branches(
// CHECK-NEXT: %a = clika.relu %arg0
// CHECK-NEXT: %b = clika.neg %a
// CHECK-NEXT: %e = clika.exp %arg0
// CHECK-NEXT: return %b, %e
func.func @branches(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = clika.relu %x : tensor<2xf32>
  %s = clika.sigmoid %x : tensor<2xf32>
  %t = clika.constant dense<true> : tensor<i1>
  %f = clika.constant dense<false> : tensor<1xi1>
  %y = clika.if %t : tensor<i1> -> (tensor<2xf32>) {
    %b = clika.neg %a : tensor<2xf32>
    clika.yield %b : tensor<2xf32>
  } else {
    clika.yield %s : tensor<2xf32>
  }
  %z = clika.if %f : tensor<1xi1> -> (tensor<2xf32>) {
    clika.yield %s : tensor<2xf32>
  } else {
    %e = clika.exp %x : tensor<2xf32>
    clika.yield %e : tensor<2xf32>
  }
  return %y, %z : tensor<2xf32>, tensor<2xf32>
}

// -----

// Inner choices first. What reads the result counts on its type, though the branch is known better.
// CHECK-LABEL: func.func @nested(
// CHECK-NEXT: %b = clika.relu %arg0
// CHECK-NEXT: %y = clika.cast %b to f32 : (tensor<2xf32>) -> tensor<?xf32>
// CHECK-NEXT: %r = clika.relu %y : tensor<?xf32>
// CHECK-NEXT: return %r
func.func @nested(%x: tensor<2xf32>) -> tensor<?xf32> {
  %t = clika.constant dense<true> : tensor<i1>
  %y = clika.if %t : tensor<i1> -> (tensor<?xf32>) {
    %z = clika.if %t : tensor<i1> -> (tensor<2xf32>) {
      %b = clika.relu %x : tensor<2xf32>
      clika.yield %b : tensor<2xf32>
    } else {
      clika.yield %x : tensor<2xf32>
    }
    clika.yield %z : tensor<2xf32>
  } else {
    %c = clika.concat %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    clika.yield %c : tensor<4xf32>
  }
  %r = clika.relu %y : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A loop that never begins hands on what it is given, and has kept nothing.
// CHECK-LABEL: func.func @loops(
// CHECK-NEXT: %[[NONE:.*]] = clika.constant dense<> : tensor<0x2xf32>
// CHECK-NEXT: return %arg0, %[[NONE]], %arg0
func.func @loops(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<0x2xf32>, tensor<2xf32>) {
  %zero = clika.constant dense<0> : tensor<i64>
  %false = clika.constant dense<false> : tensor<i1>
  %a:2 = clika.loop trips(%zero : tensor<i64>) carry(%x : tensor<2xf32>) -> (tensor<2xf32>, tensor<0x2xf32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<2xf32>):
    %b = clika.relu %c : tensor<2xf32>
    clika.yield %b, %c : tensor<2xf32>, tensor<2xf32>
  }
  %d = clika.loop while(%false : tensor<i1>) carry(%x : tensor<2xf32>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<2xf32>):
    clika.yield while(%false : tensor<i1>) %c : tensor<2xf32>
  }
  return %a#0, %a#1, %d : tensor<2xf32>, tensor<0x2xf32>, tensor<2xf32>
}

// -----

// Near misses: a condition and a count that are not known, one iteration, a size that only the body tells.
// CHECK-LABEL: func.func @undecided(
// CHECK: clika.if
// CHECK-COUNT-3: clika.loop
func.func @undecided(%x: tensor<2xf32>, %u: tensor<?xf32>, %q: tensor<i1>, %n: tensor<i64>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<?x?xf32>) {
  %one = clika.constant dense<1> : tensor<i64>
  %zero = clika.constant dense<0> : tensor<i64>
  // expected-remark @+1 {{its condition is not constant}}
  %y = clika.if %q : tensor<i1> -> (tensor<2xf32>) {
    clika.yield %x : tensor<2xf32>
  } else {
    // expected-remark @+1 {{not all of its operands are constants}}
    %b = clika.relu %x : tensor<2xf32>
    clika.yield %b : tensor<2xf32>
  }
  // expected-remark @+1 {{it is not known to have no iterations}}
  %a = clika.loop trips(%n : tensor<i64>) carry(%x : tensor<2xf32>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<2xf32>):
    clika.yield %c : tensor<2xf32>
  }
  // expected-remark @+1 {{it is not known to have no iterations}}
  %d = clika.loop trips(%one : tensor<i64>) carry(%x : tensor<2xf32>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<2xf32>):
    clika.yield %c : tensor<2xf32>
  }
  // expected-remark @+1 {{a size of a value that it keeps is not known}}
  %e:2 = clika.loop trips(%zero : tensor<i64>) carry(%u : tensor<?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<?xf32>):
    clika.yield %c, %c : tensor<?xf32>, tensor<?xf32>
  }
  return %y, %a, %d, %e#1 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<?x?xf32>
}
