// The classes of pointwise ops.
#ifndef CLIKA_POINTWISE_BASE_TD
#define CLIKA_POINTWISE_BASE_TD

include "ClikaBase.td"

// Its two operands may change places; where it has an alpha, if that is 1.
def Clika_OperandsCommute : NativeOpTrait<"OperandsCommute"> {
  let cppNamespace = "::clika";
}

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

// The same with settings.
class Clika_UnaryOpWith<string mnemonic, int number, dag settings, Clika_Tensor tensor = Clika_FloatTensor>
    : Clika_UnaryOp<mnemonic, number, tensor> {
  let arguments = !con((ins Arg<tensor, "the input">:$x), settings, (ins Clika_NodeProp:$node));
}

// Type inference by the function `infer` of PointwiseOps.h: (location, op name, operand types, result types).
class Clika_PointwiseInferredOp<string mnemonic, int number, string infer, list<Trait> traits = []>
    : Clika_PointwiseBase<mnemonic, number, !listconcat([InferTypeOpAdaptorWithIsCompatible], traits)> {
  let extraClassDefinition = [{
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange actual) {
      return ::clika::compatibleTypes(inferred, actual);
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *context,
        std::optional<::mlir::Location> location, Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::clika::}] # infer # [{(location, getOperationName(), adaptor.getOperands().getTypes(), types);
    }
  }];
}

// One operand, a bool for each element.
class Clika_UnaryTestOp<string mnemonic, int number, dag settings = (ins)>
    : Clika_PointwiseInferredOp<mnemonic, number, "inferBroadcastTest"> {
  let arguments = !con((ins Arg<Clika_FloatTensor, "the input">:$x), settings, (ins Clika_NodeProp:$node));
  let results = (outs Res<Clika_BoolTensor, "a bool for each element of x">:$result);
  let assemblyFormat = "$x `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)";
}

// Operands of one dtype, broadcast against each other; a result of that dtype.
class Clika_BroadcastOp<string mnemonic, int number, list<Trait> traits = []>
    : Clika_PointwiseInferredOp<mnemonic, number, "inferBroadcast", traits> {
  let results = (outs Res<Clika_AnyTensor, "of the broadcast shape">:$result);
}

class Clika_BinaryOp<string mnemonic, int number, Clika_Tensor tensor = Clika_NumberTensor, dag settings = (ins),
                     list<Trait> traits = []> : Clika_BroadcastOp<mnemonic, number, traits> {
  let arguments = !con((ins Arg<tensor, "the first operand">:$a, Arg<tensor, "the second operand">:$b), settings,
                       (ins Clika_NodeProp:$node));
  let assemblyFormat = "$a `,` $b `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)";
}

// Two operands of one dtype, a bool for each element of the broadcast shape.
class Clika_CompareOp<string mnemonic, int number, Clika_Tensor tensor = Clika_NumberTensor, list<Trait> traits = []>
    : Clika_PointwiseInferredOp<mnemonic, number, "inferBroadcastTest", traits> {
  let arguments = (ins Arg<tensor, "the first operand">:$a, Arg<tensor, "the second operand">:$b, Clika_NodeProp:$node);
  let results = (outs Res<Clika_BoolTensor, "of the broadcast shape">:$result);
  let assemblyFormat = "$a `,` $b `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)";
}

#endif
