#ifndef CLIKA_ATTENTION_OPS_TD
#define CLIKA_ATTENTION_OPS_TD

include "ClikaBase.td"

def Clika_CausalAttr
    : Clika_EnumAttr<"Causal", ["Off", "UpperLeft", "LowerRight"], "which keys come too late for a query">;
def Clika_MaskTensor : Clika_Tensor<!listconcat(Clika_Floats, [I1]), "a float or bool tensor", ["float", "bool"]>;

def Clika_RotaryEmbeddingOp : Clika_InferredOp<"rotary_embedding", 150> {
  let summary = "Each head's elements rotated in pairs, by the angles of their position";
  let group = "attention";
  let formula = "(a, b) becomes (a * cos - b * sin, b * cos + a * sin), for the i-th pair with the i-th cos and sin of the position";
  let description = [{
    x is [batch, heads, sequence, head size], or [batch, sequence, heads * head size] with num_heads. A head's pairs are its
    elements i and half + i or, interleaved, 2 * i and 2 * i + 1. With rotary_dim only that many first elements of a head are
    rotated, the others stay. cos and sin are broadcast to [batch, sequence, pairs]; with `positions`, which are broadcast to
    [batch, sequence], they are [rows, pairs] and each position names a row.
  }];
  let exactness = "the products are rounded, then the sum; half types compute in float32 and are rounded once";
  let arguments = (ins Arg<Clika_FloatTensor, "the input">:$x, Arg<Clika_FloatTensor, "the cosines of the angles">:$cos,
                       Arg<Clika_FloatTensor, "their sines, of the same shape">:$sin,
                       Arg<Optional<Clika_IndexTensor>, "the rows of cos and sin to take">:$positions,
                       Arg<Clika_Int<"0">, "the number of heads, for x of 3 dimensions">:$num_heads,
                       Arg<Clika_Int<"0">, "the number of elements rotated, an even number; 0: all of a head">:$rotary_dim,
                       Arg<Clika_Bool<"false">, "whether pairs are neighbours, instead of a half apart">:$interleaved,
                       Clika_NodeProp:$node);
  let results = (outs Res<Clika_FloatTensor, "of x's shape">:$result);
  let assemblyFormat = [{
    $x `,` $cos `,` $sin (`at` $positions^)? `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let dataInput = "x";
  let example = [{
    x = crt.tensor(np.array([[[[1, 2, 3, 4]]]], np.float32))
    cos, sin = crt.tensor(np.array([[[1, 0]]], np.float32)), crt.tensor(np.array([[[0, 1]]], np.float32))
    crt.rotary_embedding(x, cos, sin)  # -> [[[[1.0, -4.0, 3.0, 2.0]]]]
  }];
}

def Clika_AttentionOp : Clika_InferredOp<"attention", 151> {
  let summary = "Each query's mean of the values, weighted by how its key fits the query";
  let group = "attention";
  let formula = "softmax(softcap(q * transpose(k) * scale) + mask) * v, over matrices, softcap(s) = softcap * tanh(s / softcap)";
  let description = [{
    q is [batch, heads, queries, head size], k [batch, key heads, keys, head size], v [batch, key heads, keys, value size]. Each
    key head serves as many neighbouring heads as heads / key heads, a whole number, says. The mask is broadcast to [batch, heads,
    queries, keys]: floats are added, and where a bool is false, the key is left out for that query. `causal` leaves out the keys j
    of query i with j > i (UpperLeft), or j > i + keys - queries (LowerRight). A query whose keys are all left out, or have a
    mask of -inf, gives each value the weight 0.
  }];
  let exactness = "as matmul, mul, softmax and matmul one after the other; half types compute in float32 and are rounded once";
  let arguments = (ins Arg<Clika_FloatTensor, "the queries">:$q, Arg<Clika_FloatTensor, "the keys">:$k,
                       Arg<Clika_FloatTensor, "the values">:$v,
                       Arg<Optional<Clika_MaskTensor>, "what is added, of q's dtype, or which keys take part, as bools">:$mask,
                       Arg<Clika_Float<"0.0">, "the factor of the products; 0: 1 / sqrt(head size)">:$scale,
                       Arg<Clika_Enum<Clika_CausalAttr, "Off">, "which keys come too late">:$causal,
                       Arg<Clika_Float<"0.0">, "what bounds the scaled products softly; 0: nothing">:$softcap,
                       Clika_NodeProp:$node);
  let results = (outs Res<Clika_FloatTensor, "[batch, heads, queries, value size]">:$result);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`mask` $mask^)? `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let example = [{
    q, k = crt.tensor(np.array([[[[1]]]], np.float32)), crt.tensor(np.array([[[[0], [0]]]], np.float32))
    crt.attention(q, k, crt.tensor(np.array([[[[1, 2], [3, 6]]]], np.float32)))  # -> [[[[2.0, 4.0]]]]
  }];
}

#endif
