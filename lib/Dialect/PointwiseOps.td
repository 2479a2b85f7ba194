#ifndef CLIKA_POINTWISE_OPS_TD
#define CLIKA_POINTWISE_OPS_TD

include "ClikaBase.td"

// A pointwise op: a name, a summary, a formula, an example; its `buildScalar` is in Pointwise*.cpp.
class Clika_PointwiseBase<string mnemonic, int number, list<Trait> traits = []>
    : Clika_Op<mnemonic, number, !listconcat([DeclareOpInterfaceMethods<Clika_PointwiseOp>], traits)> {
  let group = "pointwise";
}

// One operand, a result of the same type.
class Clika_UnaryOp<string mnemonic, int number, Clika_Tensor tensor = Clika_FloatTensor, list<Trait> traits = []>
    : Clika_PointwiseBase<mnemonic, number, !listconcat([SameOperandsAndResultType], traits)> {
  let arguments = (ins Arg<tensor, "the input">:$x, Clika_NodeProp:$node);
  let results = (outs Res<tensor, "of x's shape and dtype">:$result);
  let assemblyFormat = "$x `` custom<NodeName>($node) attr-dict `:` type($x)";
  let dataInput = "x";
}

// Operands of one dtype, broadcast against each other; a result of that dtype.
class Clika_BroadcastOp<string mnemonic, int number, list<Trait> traits = []>
    : Clika_PointwiseBase<mnemonic, number, !listconcat([InferTypeOpAdaptorWithIsCompatible], traits)> {
  let results = (outs Res<Clika_AnyTensor, "of the broadcast shape">:$result);
  let extraClassDefinition = [{
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange actual) {
      return ::clika::compatibleTypes(inferred, actual);
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *context,
        std::optional<::mlir::Location> location, Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::clika::inferBroadcast(location, getOperationName(), adaptor.getOperands().getTypes(), types);
    }
  }];
}

class Clika_BinaryOp<string mnemonic, int number, Clika_Tensor tensor = Clika_NumberTensor>
    : Clika_BroadcastOp<mnemonic, number> {
  let arguments = (ins Arg<tensor, "the first operand">:$a, Arg<tensor, "the second operand">:$b, Clika_NodeProp:$node);
  let assemblyFormat = "$a `,` $b `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)";
}

def Clika_ReluOp : Clika_UnaryOp<"relu", 20, Clika_NumberTensor> {
  let summary = "The larger of x and zero";
  let formula = "maximum(x, 0)";
  let example = "crt.relu(crt.tensor(np.array([-1.0, 0.5], np.float32)))  # -> [0.0, 0.5]";
  let reference = "np.maximum(x, np.zeros((), x.dtype)) + np.zeros((), x.dtype)";
}

def Clika_NegOp : Clika_UnaryOp<"neg", 21, Clika_NumberTensor> {
  let summary = "The negative of x; integers wrap";
  let formula = "-x";
  let example = "crt.neg(crt.tensor(np.array([1.0, -2.0], np.float32)))  # -> [-1.0, 2.0]";
  let reference = "np.negative(x)";
}

def Clika_ExpOp : Clika_UnaryOp<"exp", 22> {
  let summary = "e to the power of x";
  let formula = "e^x";
  let exactness = "float32: within 4 ulp over the whole range, subnormal results included";
  let example = "crt.exp(crt.tensor(np.array([0.0, 1.0], np.float32)))  # -> [1.0, 2.7182817]";
  let reference = "np.exp(x)";
}

class Clika_AddLikeOp<string mnemonic, int number> : Clika_BroadcastOp<mnemonic, number> {
  let arguments = (ins Arg<Clika_NumberTensor, "the first operand">:$a, Arg<Clika_NumberTensor, "the second operand">:$b,
                       Arg<Clika_Float<"1.0">, "the factor of b; integral for integer tensors">:$alpha, Clika_Activation:$activation,
                       Clika_NodeProp:$node);
  let assemblyFormat = "$a `,` $b `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)";
  let exactness = "alpha * b is rounded, then the sum";
}

def Clika_AddOp : Clika_AddLikeOp<"add", 60> {
  let summary = "The sum of a and alpha times b";
  let formula = "activation(a + alpha * b)";
  let example = "crt.add(crt.tensor(np.array([1.0, 2.0], np.float32)), 3.0)  # -> [4.0, 5.0]";
  let reference = "activate(activation, a + b * np.asarray(alpha, b.dtype))";
}

def Clika_SubOp : Clika_AddLikeOp<"sub", 61> {
  let summary = "The difference of a and alpha times b";
  let formula = "activation(a - alpha * b)";
  let example = "crt.sub(crt.tensor(np.array([1.0, 2.0], np.float32)), 3.0)  # -> [-2.0, -1.0]";
  let reference = "activate(activation, a - b * np.asarray(alpha, b.dtype))";
}

def Clika_ClampOp : Clika_BroadcastOp<"clamp", 70, [AttrSizedOperandSegments]> {
  let summary = "x held between a floor and a ceiling, each a literal, a tensor or absent";
  let formula = "minimum(maximum(x, min), max)";
  let arguments = (ins Arg<Clika_NumberTensor, "the input">:$x,
                       Arg<Optional<Clika_NumberTensor>, "the floor, as a tensor">:$min_tensor,
                       Arg<Optional<Clika_NumberTensor>, "the ceiling, as a tensor">:$max_tensor,
                       Arg<Clika_Scalar, "the floor, as a literal">:$min, Arg<Clika_Scalar, "the ceiling, as a literal">:$max,
                       Clika_NodeProp:$node);
  let assemblyFormat = [{
    $x (`min` $min_tensor^)? (`max` $max_tensor^)? `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let bounds = ["min", "max"];
  let dataInput = "x";
  let hasVerifier = 1;
  let example = "crt.clamp(crt.tensor(np.array([-1.0, 0.5, 9.0], np.float32)), 0.0, 6.0)  # -> [0.0, 0.5, 6.0]";
}

#endif
