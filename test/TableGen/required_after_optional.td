// RUN: not clika-tblgen -gen-op-table -I %clika_src_root/lib/Dialect -I %mlir_include %s 2>&1 | FileCheck %s

include "ClikaBase.td"

class Complete<string mnemonic, int number> : Clika_InferredOp<mnemonic, number> {
  let summary = "A thing";
  let group = "things";
  let arguments = (ins Arg<Clika_FloatTensor, "the input">:$x, Clika_NodeProp:$node);
  let results = (outs Res<Clika_FloatTensor, "the result">:$result);
  let example = "crt.thing(x)  # -> 1";
}

// CHECK: error: {{.*}}'size' is required but follows parameters that may be left out
def Clika_AOp : Complete<"a", 301> {
  let arguments = (ins Arg<Optional<Clika_FloatTensor>, "x">:$x, Arg<I64Attr, "size">:$size, Clika_NodeProp:$node);
}
