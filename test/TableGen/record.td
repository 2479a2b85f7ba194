// RUN: clika-tblgen -gen-ops-header -I %clika_src_root/lib/Dialect -I %mlir_include %s | FileCheck %s --check-prefix=CPP
// RUN: clika-tblgen -gen-python-ops -I %clika_src_root/lib/Dialect -I %mlir_include %s | FileCheck %s --check-prefix=PYTHON
// RUN: clika-tblgen -gen-op-table -I %clika_src_root/lib/Dialect -I %mlir_include %s | FileCheck %s --check-prefix=TABLE
// RUN: clika-tblgen -gen-op-codes -I %clika_src_root/lib/Dialect -I %mlir_include %s | FileCheck %s --check-prefix=CODES
// RUN: clika-tblgen -gen-op-docs -I %clika_src_root/lib/Dialect -I %mlir_include %s | FileCheck %s --check-prefix=DOCS

include "ClikaBase.td"

def Clika_ThingOp : Clika_InferredOp<"some_thing", 301, [AttrSizedOperandSegments]> {
  let summary = "A thing";
  let group = "things";
  let formula = "x * size";
  let arguments = (ins Arg<Clika_FloatTensor, "the input">:$x,
                       Arg<Optional<Clika_IndexTensor>, "sizes as a tensor">:$sizes_tensor,
                       Arg<Clika_Ints<"{1, 2}">, "the sizes">:$sizes,
                       Arg<Clika_OptionalInt, "the axis">:$axis,
                       Arg<Clika_Bool<"true">, "whether">:$keep, Clika_Activation:$activation, Clika_NodeProp:$node);
  let results = (outs Res<Clika_FloatTensor, "the result">:$result);
  let bounds = ["sizes"];
  let dataInput = "x";
  let example = "crt.some_thing(x)  # -> 1";
}

// CODES: SomeThing = 301,

// CPP: /// A thing.
// CPP-NEXT: /// Formula: x * size
// CPP: Tensor some_thing(const Tensor& x, const IntsBound& sizes = {1, 2}, std::optional<std::int64_t> axis = std::nullopt, bool keep = true, Activation activation = Activation::Identity);

// PYTHON: def some_thing(x: Operand, sizes: Sequence[int] | Tensor | None = None, axis: int | None = None, keep: bool = True, activation: Activation = "Identity") -> Tensor:
// PYTHON: return _call(301, (x, None,), (sizes, axis, keep, activation,))[0]

// TABLE: constexpr OperandInfo SomeThingOperands[] = {
// TABLE-NEXT: {"x", "the input", SomeThingGroups0, false, false},
// TABLE-NEXT: {"sizes_tensor", "sizes as a tensor", SomeThingGroups1, true, false},
// TABLE: {"sizes", "the sizes", SettingKind::Ints, false, true, "{1, 2}", "", {}, 1},
// TABLE: {"axis", "the axis", SettingKind::Int, true, false, "", "", {}, -1},
// TABLE: {301, "SomeThing", "some_thing", "clika.some_thing", "things", "A thing",

// DOCS: ### some_thing
// DOCS: | `sizes` | ints or tensor | `[1, 2]` | the sizes |
