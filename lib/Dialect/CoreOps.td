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

def Clika_OpaqueOp : Clika_Op<"opaque", 2> {
  let summary = "An operator that was read for inspection and cannot be compiled";
  let group = "core";
  let isPublic = 0;
  let arguments = (ins StrAttr:$type, StrAttr:$domain, DictionaryAttr:$settings, Variadic<Clika_AnyTensor>:$inputs,
                       Clika_NodeProp:$node);
  let results = (outs Variadic<Clika_AnyTensor>:$outputs);
  let assemblyFormat = [{
    $type `of` $domain `(` $inputs `)` $settings `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
}

#endif
