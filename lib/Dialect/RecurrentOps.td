// Recurrent layers: a state goes through the steps of a sequence, forwards, backwards or both ways.
#ifndef CLIKA_RECURRENT_OPS_TD
#define CLIKA_RECURRENT_OPS_TD

include "ClikaBase.td"

def Clika_DirectionAttr
    : Clika_EnumAttr<"Direction", ["Forward", "Reverse", "Bidirectional"], "the way that a sequence is gone through">;
def Clika_CellFunctionAttr
    : Clika_EnumAttr<"CellFunction",
                     ["Sigmoid", "Tanh", "Relu", "LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid", "Elu", "Softsign",
                      "Softplus", "Affine"],
                     "a function of a recurrent cell">;
class Clika_CellFunction<string default> : Clika_Enum<Clika_CellFunctionAttr, default>;

class Clika_RecurrentOp<string mnemonic, int number> : Clika_InferredOp<mnemonic, number, [AttrSizedOperandSegments]> {
  let group = "recurrent";
  let needsInsert = 1;
  let exactness = "the products with w and those with r are each summed as in matmul; x's sum, then w's and r's biases (added up first), "
                  "then the state's sum; half types compute in float32, states included, and are rounded once";
  string numbers = [{

    Of a sequence shorter than x the elements of y after its end are 0, Reverse begins at its end, and the last state is that
    after its last step; without a step, that at first. `clip` bounds the sums that functions take, not c.

    Some functions have numbers, alpha and beta; the first of some has a default:

        LeakyRelu (0.01)         v, or alpha * v for v < 0
        Elu (1)                  v, or alpha * (e^v - 1) for v < 0
        ThresholdedRelu (1)      v where v > alpha, else 0
        HardSigmoid (0.2, 0.5)   max(0, min(1, alpha * v + beta))
        ScaledTanh               alpha * tanh(beta * v); give both
        Affine                   alpha * v + beta; give both
        Softsign                 v / (1 + |v|)
        Softplus                 log(1 + e^v)
  }];
  dag sequence = (ins Arg<Clika_FloatTensor, "the sequences, [sequence, batch, input]">:$x,
                      Arg<Clika_FloatTensor, "the weights of x, [directions, gates * hidden, input]">:$w,
                      Arg<Clika_FloatTensor, "the weights of the state, [directions, gates * hidden, hidden]">:$r,
                      Arg<Optional<Clika_FloatTensor>, "w's biases, then r's, [directions, 2 * gates * hidden]">:$b,
                      Arg<Optional<Clika_IndexTensor>, "the steps of each sequence, [batch]; none: all">:$sequence_lens,
                      Arg<Optional<Clika_FloatTensor>, "the state at first, [directions, batch, hidden]; none: 0">:$initial_h);
  dag ways = (ins Arg<Clika_Enum<Clika_DirectionAttr, "Forward">, "the way; both are two directions">:$direction,
                  Arg<Clika_Float<"0.0">, "the bound of the sums, above and below; 0: none">:$clip);
  dag hiddenFunction = (ins Arg<Clika_Scalar, "its alpha">:$hidden_alpha, Arg<Clika_Scalar, "its beta">:$hidden_beta);
  dag gateFunction = (ins Arg<Clika_CellFunction<"Sigmoid">, "the function of the gates">:$gate_function,
                          Arg<Clika_Scalar, "its alpha">:$gate_alpha, Arg<Clika_Scalar, "its beta">:$gate_beta);
  dag states = (outs Res<Clika_FloatTensor, "the state after each step, [sequence, directions, batch, hidden]">:$y,
                     Res<Clika_FloatTensor, "the state after the last, [directions, batch, hidden]">:$y_h);
  let assemblyFormat = [{
    $x `,` $w `,` $r (`bias` $b^)? (`lengths` $sequence_lens^)? (`from` $initial_h^)? `` custom<NodeName>($node) attr-dict
    `:` functional-type(operands, results)
  }];
}

def Clika_RnnOp : Clika_RecurrentOp<"rnn", 155> {
  let summary = "A recurrent layer of one gate";
  let formula = "h = hidden_function(clip(w * x[t] + wb + rb + r * h)), y[t] = h";
  let description = [{
    There is one gate.}] # numbers;
  let arguments = !con(sequence, ways,
                       (ins Arg<Clika_CellFunction<"Tanh">, "the function of the state">:$hidden_function), hiddenFunction,
                       (ins Clika_NodeProp:$node));
  let results = states;
  let example = [{
    x, w = crt.tensor(np.array([[[1]], [[2]]], np.float32)), crt.tensor(np.array([[[1]]], np.float32))
    y, y_h = crt.rnn(x, w, w, hidden_function="Relu")
    y  # -> [[[[1.0]]], [[[3.0]]]]
  }];
}

def Clika_GruOp : Clika_RecurrentOp<"gru", 156> {
  let summary = "A gated recurrent unit";
  let formula = "h = (1 - z) * g + z * h, y[t] = h";
  let description = [{
    The gates are z (update), r (reset) and g (new), in this order in w, r and b:

        z = gate_function(clip(wz * x[t] + wbz + rbz + rz * h)), and the same for r
        g = hidden_function(clip(wg * x[t] + wbg + rbg + rg * (r * h))), or, with linear_before_reset,
        g = hidden_function(clip(wg * x[t] + wbg + r * (rg * h + rbg)))}] # numbers;
  let arguments = !con(sequence, ways, (ins Arg<Clika_Bool<"false">, "whether r is multiplied in after the product">:$linear_before_reset),
                       gateFunction, (ins Arg<Clika_CellFunction<"Tanh">, "the function of g">:$hidden_function), hiddenFunction,
                       (ins Clika_NodeProp:$node));
  let results = states;
  let example = [{
    x, w = crt.tensor(np.array([[[1]], [[2]]], np.float32)), crt.tensor(np.array([[[0], [1], [1]]], np.float32))
    r = crt.tensor(np.array([[[0], [0], [1]]], np.float32))
    y, y_h = crt.gru(x, w, r, gate_function="Relu", hidden_function="Relu")
    y  # -> [[[[1.0]]], [[[4.0]]]]
  }];
}

def Clika_LstmOp : Clika_RecurrentOp<"lstm", 157> {
  let summary = "A long short-term memory";
  let formula = "c = f * c + i * g, h = o * hidden_function(c), y[t] = h";
  let description = [{
    The gates are i (input), o (output), f (forget) and g (cell), in this order in w, r and b, and i, o, f in p. There are two
    states, h and c:

        i = gate_function(clip(wi * x[t] + wbi + rbi + ri * h + pi * c)), the same for f, and for o with the new c
        g = cell_function(clip(wg * x[t] + wbg + rbg + rg * h))

    With input_forget f is 1 - i.}] # numbers;
  let arguments = !con(sequence,
                       (ins Arg<Optional<Clika_FloatTensor>, "c at first, [directions, batch, hidden]; none: 0">:$initial_c,
                            Arg<Optional<Clika_FloatTensor>, "the weights of c, [directions, 3 * hidden]; none: 0">:$p),
                       ways, (ins Arg<Clika_Bool<"false">, "whether f follows from i">:$input_forget), gateFunction,
                       (ins Arg<Clika_CellFunction<"Tanh">, "the function of g">:$cell_function,
                            Arg<Clika_Scalar, "its alpha">:$cell_alpha, Arg<Clika_Scalar, "its beta">:$cell_beta,
                            Arg<Clika_CellFunction<"Tanh">, "the function of the new c">:$hidden_function), hiddenFunction,
                       (ins Clika_NodeProp:$node));
  let results = !con(states, (outs Res<Clika_FloatTensor, "c after the last step, [directions, batch, hidden]">:$y_c));
  let assemblyFormat = [{
    $x `,` $w `,` $r (`bias` $b^)? (`lengths` $sequence_lens^)? (`from` $initial_h^)? (`cell` $initial_c^)? (`peepholes` $p^)?
    `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let example = [{
    x, w = crt.tensor(np.array([[[1]], [[2]]], np.float32)), crt.tensor(np.ones([1, 4, 1], np.float32))
    r = crt.tensor(np.zeros([1, 4, 1], np.float32))
    y, y_h, y_c = crt.lstm(x, w, r, gate_function="Relu", cell_function="Relu", hidden_function="Relu")
    y  # -> [[[[1.0]]], [[[12.0]]]]
  }];
}

#endif
