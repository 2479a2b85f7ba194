#ifndef CLIKA_INTERFACES_TD
#define CLIKA_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Clika_NodeOp : OpInterface<"NodeOp"> {
  let cppNamespace = "::clika";
  let description = "An operator of a graph: a public op code, and an identity and a name of its own.";
  let methods = [
    InterfaceMethod<"The number of its OpCode.", "uint32_t", "getOpCode", (ins), "return ConcreteOp::kOpCode;">,
    InterfaceMethod<"Its identity and name.", "::clika::NodeIdentity &", "getNodeIdentity", (ins),
                    "return $_op.getProperties().node;">
  ];
  let verify = "return ::clika::verifySettings($_op);";
}

def Clika_ShapeValueOp : OpInterface<"ShapeValueOp"> {
  let cppNamespace = "::clika";
  let description = [{
    An operator whose integer result may be known as expressions of dimension names, so that shapes that a graph computes
    become sizes in types (ShapeValues.h).
  }];
  let methods = [
    InterfaceMethod<[{
      The elements of result `result` in row-major order (null entries: unknown), given those of each operand; nothing where
      no element is known.
    }],
    "std::optional<::clika::Dims>", "resultValues",
    (ins "::llvm::ArrayRef<std::optional<::clika::Dims>>":$operands, "unsigned":$result)>
  ];
}

def Clika_PointwiseOp : OpInterface<"PointwiseOp"> {
  let cppNamespace = "::clika";
  let description = [{
    Computes each element of its result from the elements its operands hold there, after NumPy broadcasting. One
    lowering serves them all; `activation`, where an op has it, is applied by that lowering after rounding.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the computation on scalars. `scalars` holds one value per operand present, in the lowered element type (signless
      integers, i1 for bool) except that f16 and bf16 arrive as f32; the result is of the lowered result element type, f32
      or already rounded for f16 and bf16. Signedness is read off the op's own types.
    }],
    "::mlir::Value", "buildScalar",
    (ins "::mlir::ImplicitLocOpBuilder &":$builder, "::mlir::ValueRange":$scalars)>
  ];
}

#endif
