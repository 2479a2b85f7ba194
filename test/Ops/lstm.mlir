// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%x: tensor<?x?x3xf32, #clika.dims<s, n, 3>>, %w: tensor<2x16x3xf32>, %r: tensor<2x16x4xf32>, %b: tensor<2x32xf32>,
                    %l: tensor<?xi32, #clika.dims<n>>, %h: tensor<2x?x4xf32, #clika.dims<2, n, 4>>, %p: tensor<2x12xf32>) {
  // CHECK: clika.lstm %{{.*}}, %{{.*}}, %{{.*}} {direction = "Bidirectional"} {{.*}} -> (tensor<?x2x?x4xf32, #clika.dims<s, 2, n, 4>>, tensor<2x?x4xf32, #clika.dims<2, n, 4>>, tensor<2x?x4xf32, #clika.dims<2, n, 4>>)
  %0:3 = clika.lstm %x, %w, %r {direction = "Bidirectional"}
    : (tensor<?x?x3xf32, #clika.dims<s, n, 3>>, tensor<2x16x3xf32>, tensor<2x16x4xf32>)
    -> (tensor<?x2x?x4xf32, #clika.dims<s, 2, n, 4>>, tensor<2x?x4xf32, #clika.dims<2, n, 4>>, tensor<2x?x4xf32, #clika.dims<2, n, 4>>)
  // CHECK: clika.lstm %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} lengths %{{.*}} from %{{.*}} cell %{{.*}} peepholes %{{.*}} {cell_alpha = 5.0{{.*}} : f64, cell_function = "Elu", clip = 3.0{{.*}} : f64, direction = "Bidirectional", input_forget = true}
  %1:3 = clika.lstm %x, %w, %r bias %b lengths %l from %h cell %h peepholes %p
    {direction = "Bidirectional", clip = 3.0 : f64, input_forget = true, cell_function = "Elu", cell_alpha = 0.5 : f64}
    : (tensor<?x?x3xf32, #clika.dims<s, n, 3>>, tensor<2x16x3xf32>, tensor<2x16x4xf32>, tensor<2x32xf32>, tensor<?xi32, #clika.dims<n>>,
       tensor<2x?x4xf32, #clika.dims<2, n, 4>>, tensor<2x?x4xf32, #clika.dims<2, n, 4>>, tensor<2x12xf32>)
    -> (tensor<?x2x?x4xf32, #clika.dims<s, 2, n, 4>>, tensor<2x?x4xf32, #clika.dims<2, n, 4>>, tensor<2x?x4xf32, #clika.dims<2, n, 4>>)
  return
}

// -----

func.func @dtypes(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf64>, %r: tensor<1x16x4xf32>) {
  // expected-error @+2 {{lstm: the operands have dtypes float32 and float64; cast one of them}}
  // expected-error @+1 {{failed to infer}}
  %0:3 = clika.lstm %x, %w, %r : (tensor<5x2x3xf32>, tensor<1x16x3xf64>, tensor<1x16x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rank(%x: tensor<5x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>) {
  // expected-error @+2 {{lstm: x has shape [5, 3]; it must be [sequence, batch, input]}}
  // expected-error @+1 {{failed to infer}}
  %0:3 = clika.lstm %x, %w, %r : (tensor<5x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @directions(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>) {
  // expected-error @+2 {{lstm: w has shape [1, 16, 3]; it must be [directions, gates * hidden, input], here [2, ?, 3], as direction is Bidirectional}}
  // expected-error @+1 {{failed to infer}}
  %0:3 = clika.lstm %x, %w, %r {direction = "Bidirectional"} : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rows(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x16x4xf32>) {
  // expected-error @+2 {{lstm: w has 12 rows; with 4 hidden elements it must have 16}}
  // expected-error @+1 {{failed to infer}}
  %0:3 = clika.lstm %x, %w, %r : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x16x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @peepholes(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>, %p: tensor<1x16xf32>) {
  // expected-error @+2 {{lstm: p has 16 columns; with 4 hidden elements it must have 12}}
  // expected-error @+1 {{failed to infer}}
  %0:3 = clika.lstm %x, %w, %r peepholes %p : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x16xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @cell(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>, %c: tensor<1x3x4xf32>) {
  // expected-error @+2 {{lstm: initial_c has shape [1, 3, 4]; it must be [directions, batch, hidden], here [1, 2, 4], as direction is Forward}}
  // expected-error @+1 {{failed to infer}}
  %0:3 = clika.lstm %x, %w, %r cell %c : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x3x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}
