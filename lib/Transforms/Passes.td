// The runtime's transforms: each record is an entry of graph::transforms, a pass of clika-opt (`--` and the name with
// dashes) and an entry of docs/transforms.md. What it does is in the .cpp that defines `run` and the record's name.
#ifndef CLIKA_TRANSFORMS_PASSES_TD
#define CLIKA_TRANSFORMS_PASSES_TD

class Clika_Exactness<string kind_, string rtol_ = "0.0", string atol_ = "0.0"> {
  string kind = kind_;
  string rtol = rtol_;
  string atol = atol_;
}
// The same bits, all NaNs being one value.
def Exact : Clika_Exactness<"Exact">;
// |a - b| <= atol + rtol * |b|, with NaN and infinities in the same places.
class Bounded<string rtol, string atol> : Clika_Exactness<"Bounded", rtol, atol>;
class Approximate<string rtol, string atol> : Clika_Exactness<"Approximate", rtol, atol>;

// `place`: its place in the default list, ascending; 0: not in it.
class Clika_Transform<string name_, int place_, Clika_Exactness exactness_ = Exact> {
  string name = name_;
  int place = place_;
  Clika_Exactness exactness = exactness_;
  string summary = ?;
  string description = "";
  // The bodies of a function before and after, in the dialect's text.
  string before = ?;
  string after = ?;
}

def RemoveUnused : Clika_Transform<"remove_unused", 10> {
  let summary = "Removes nodes and constants that nothing reads";
  let before = [{
    %a = clika.exp %x : tensor<2xf32>
    %y = clika.neg %x : tensor<2xf32>
    return %y : tensor<2xf32>
  }];
  let after = [{
    %y = clika.neg %x : tensor<2xf32>
    return %y : tensor<2xf32>
  }];
}

def RemoveRedundantRelu : Clika_Transform<"remove_redundant_relu", 40> {
  let summary = "Relu(Relu(x)) is Relu(x)";
  let before = [{
    %a = clika.relu %x : tensor<2xf32>
    %y = clika.relu %a : tensor<2xf32>
    return %y : tensor<2xf32>
  }];
  let after = [{
    %a = clika.relu %x : tensor<2xf32>
    return %a : tensor<2xf32>
  }];
}

def RemoveDoubleNeg : Clika_Transform<"remove_double_neg", 30> {
  let summary = "Neg(Neg(x)) is x";
  let before = [{
    %a = clika.neg %x : tensor<2xf32>
    %b = clika.neg %a : tensor<2xf32>
    %y = clika.exp %b : tensor<2xf32>
    return %y : tensor<2xf32>
  }];
  let after = [{
    %y = clika.exp %x : tensor<2xf32>
    return %y : tensor<2xf32>
  }];
}

def ClampToRelu : Clika_Transform<"clamp_to_relu", 60> {
  let summary = "Clamp with the literal floor 0 and no ceiling is Relu";
  let description = "A floor of -0.0 is left alone: the two differ in the sign of zero.";
  let before = [{
    %y = clika.clamp %x {min = 0.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }];
  let after = [{
    %y = clika.relu %x : tensor<2xf32>
    return %y : tensor<2xf32>
  }];
}

def MergeClamps : Clika_Transform<"merge_clamps", 50> {
  let summary = "A Clamp or Relu of a Clamp or Relu with literal bounds is one Clamp";
  let description = "A pair of Relus is remove_redundant_relu's.";
  let before = [{
    %a = clika.clamp %x {min = 0.0 : f64, max = 6.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
    %y = clika.clamp %a {min = 1.0 : f64, max = 9.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }];
  let after = [{
    %y = clika.clamp %x {max = 6.0 : f64, min = 1.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }];
}

def AddNegToSub : Clika_Transform<"add_neg_to_sub", 70> {
  let summary = "a + alpha * Neg(b) is a - alpha * b, and Neg(a) + b is b - a";
  let description = "The Sub keeps the Add's alpha and activation; the second form asks for alpha 1.";
  let before = [{
    %a = clika.neg %x : tensor<2xf32>
    %y = clika.add %x, %a {alpha = 2.0 : f64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }];
  let after = [{
    %y = clika.sub %x, %x {alpha = 2.0 : f64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }];
}

def RemoveDuplicates : Clika_Transform<"remove_duplicates", 140> {
  let summary = "Of nodes that compute the same from the same values with the same settings, the first serves all";
  let before = [{
    %a = clika.exp %x : tensor<2xf32>
    %b = clika.exp %x : tensor<2xf32>
    %y = clika.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }];
  let after = [{
    %a = clika.exp %x : tensor<2xf32>
    %y = clika.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }];
}

def ShareConstants : Clika_Transform<"share_constants", 20> {
  let summary = "Of constants that hold the same bytes, shape and dtype, the first serves all";
  let before = [{
    %k = clika.constant dense<1.0> : tensor<2xf32>
    %l = clika.constant dense<1.0> : tensor<2xf32>
    %a = clika.add %x, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %y = clika.sub %a, %l : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }];
  let after = [{
    %k = clika.constant dense<1.0> : tensor<2xf32>
    %a = clika.add %x, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %y = clika.sub %a, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }];
}

#endif
