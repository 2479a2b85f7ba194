#ifndef CLIKA_CORE_OPS_TD
#define CLIKA_CORE_OPS_TD

include "ClikaBase.td"

// Code 0 is Input: a graph input's node, which is no operator.

def Clika_ConstantOp : Clika_Op<"constant", 1, [ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "A constant tensor";
  let group = "core";
  let isPublic = 0;
  let arguments = (ins ElementsAttr:$value, Clika_NodeProp:$node);
  let results = (outs Clika_AnyTensor:$result);
  let assemblyFormat = "`` custom<NodeName>($node) attr-dict $value";
  let hasFolder = 1;
}

// A tensor, or `none`: a value of which nothing is known.
def Clika_AnyValue : Clika_Tensor<[], "a tensor or an unknown value", Clika_AnyTensor.dtypeGroups> {
  let predicate = Or<[Clika_AnyTensor.predicate, NoneType.predicate]>;
  let cppType = "::mlir::Type";
}

// It may draw random numbers, or keep a state.
def Clika_OpaqueOp : Clika_Op<"opaque", 2, [], [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "An operator that was read for inspection and cannot be compiled";
  let group = "core";
  let isPublic = 0;
  // `reason`: why it could not be read as one that can; absent where it only reads what such an operator makes.
  let arguments = (ins StrAttr:$type, StrAttr:$domain, DictionaryAttr:$settings, OptionalAttr<StrAttr>:$reason,
                       Variadic<Clika_AnyValue>:$inputs, Clika_NodeProp:$node);
  let results = (outs Variadic<Clika_AnyValue>:$outputs);
  let assemblyFormat = [{
    $type `of` $domain `(` $inputs `)` $settings (`because` $reason^)? `` custom<NodeName>($node) attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif
