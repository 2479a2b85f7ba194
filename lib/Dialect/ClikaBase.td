// The dialect, its settings' types and the ladder of op classes. An op is described once, in its record; everything
// that lists ops (OpCode, ops::, Python, docs, coverage) is generated from it by tools/clika-tblgen.
#ifndef CLIKA_BASE_TD
#define CLIKA_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/Properties.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "ClikaInterfaces.td"

def Clika_Dialect : Dialect {
  let name = "clika";
  let cppNamespace = "::clika";
  let summary = "Neural-network inference graphs";
  let description = [{
    Operators over ranked tensors, one per public op of ClikaRT. A dynamic dimension may carry a symbolic size in the
    type's encoding (`tensor<?x3xf32, #clika.dims<batch, 3>>`).
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    /// The position that stands for the dimension name `name` in this context's shape expressions.
    unsigned symbolOf(::mlir::StringAttr name);
    /// The dimension name that `position` stands for.
    ::mlir::StringAttr symbolName(unsigned position);

  private:
    // One per family: each lives with its family, so that no file sees the ops of all of them.
    void addCoreOps();
    void addPointwiseOps();
    void addLinearOps();
    void addPoolOps();
    void addNormOps();
    void addReduceOps();
    void addShapeOps();
    void addIndexOps();
    void addResizeOps();
    void addQuantizeOps();
    void addControlOps();
    void addAttentionOps();
    void addRecurrentOps();
    template <class... Ops> void addNodes();
    llvm::sys::SmartRWMutex<true> symbolLock;
    llvm::DenseMap<::mlir::StringAttr, unsigned> symbolPositions;
    llvm::SmallVector<::mlir::StringAttr> symbolNames;

  public:
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

defvar Clika_Floats = [F16, BF16, F32, F64];
defvar Clika_Signed = [I8, I16, I32, I64];
defvar Clika_Unsigned = [UI8, UI16, UI32, UI64];

// A tensor constraint; `dtypeGroups` are the dtype groups of the op table: float, int, uint, bool.
class Clika_Tensor<list<Type> elements, string summary, list<string> groups> : RankedTensorOf<elements, [], summary> {
  list<string> dtypeGroups = groups;
}
def Clika_FloatTensor : Clika_Tensor<Clika_Floats, "a float tensor", ["float"]>;
def Clika_IntTensor : Clika_Tensor<!listconcat(Clika_Signed, Clika_Unsigned), "an integer tensor", ["int", "uint"]>;
def Clika_BoolTensor : Clika_Tensor<[I1], "a bool tensor", ["bool"]>;
def Clika_NumberTensor
    : Clika_Tensor<!listconcat(Clika_Floats, Clika_Signed, Clika_Unsigned), "a float or integer tensor",
                   ["float", "int", "uint"]>;
def Clika_SignedTensor
    : Clika_Tensor<!listconcat(Clika_Floats, Clika_Signed), "a float or signed integer tensor", ["float", "int"]>;
def Clika_BitsTensor
    : Clika_Tensor<!listconcat(Clika_Signed, Clika_Unsigned, [I1]), "an integer or bool tensor", ["int", "uint", "bool"]>;
def Clika_AnyTensor
    : Clika_Tensor<!listconcat(Clika_Floats, Clika_Signed, Clika_Unsigned, [I1]), "a tensor",
                   ["float", "int", "uint", "bool"]>;
def Clika_IndexTensor : Clika_Tensor<[I32, I64], "an int32 or int64 tensor", ["index"]>;
def Clika_Index64Tensor : Clika_Tensor<[I64], "an int64 tensor", ["int64"]>;
def Clika_QuantizedTensor
    : Clika_Tensor<[I8, UI8, I16, UI16, I32], "a quantized tensor (int8, uint8, int16, uint16 or int32)", ["quantized"]>;

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

// A setting is `Arg<Kind, "description">` in the op's arguments, with Kind one of the following.
class Clika_Bool<string default> : DefaultValuedAttr<BoolAttr, default>;
class Clika_Int<string default> : DefaultValuedAttr<I64Attr, default>;
class Clika_Float<string default> : DefaultValuedAttr<F64Attr, default>;
// An integer list; what `{}` stands for is said in the setting's description.
class Clika_Ints<string default> : DefaultValuedAttr<DenseI64ArrayAttr, default>;
def Clika_OptionalInt : OptionalAttr<I64Attr>;
// A bool, an int64 or a double.
def Clika_ScalarAttr : Attr<CPred<"::clika::isScalarAttr($_self)">, "a bool, an integer or a number"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
  let constBuilderCall = "$0";
}
// The same, or none.
def Clika_Scalar : OptionalAttr<Clika_ScalarAttr>;
// An element type (required), and one that may be left out.
def Clika_DType : TypeAttrBase<"::mlir::Type", "a dtype">;
def Clika_OptionalDType : OptionalAttr<Clika_DType>;

// An enumerated setting: a string attribute restricted to `enumerators`, and a public C++ enum `enumName` of them.
class Clika_EnumAttr<string enumName_, list<string> enumerators_, string summary_>
    : Attr<And<[CPred<"::llvm::isa<::mlir::StringAttr>($_self)">,
                Or<!foreach(e, enumerators_,
                            CPred<"::llvm::cast<::mlir::StringAttr>($_self).getValue() == \"" # e # "\"">)>]>,
           summary_ # ", one of " # !interleave(enumerators_, ", ")> {
  let storageType = "::mlir::StringAttr";
  let returnType = "::llvm::StringRef";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "$_builder.getStringAttr($0)";
  let valueType = NoneType;
  string enumName = enumName_;
  list<string> enumerators = enumerators_;
  // What the enum is, in a phrase.
  string enumSummary = summary_;
}
class Clika_Enum<Clika_EnumAttr attr, string default> : DefaultValuedStrAttr<attr, default> {
  Clika_EnumAttr enumAttr = attr;
}

def Clika_ActivationAttr
    : Clika_EnumAttr<"Activation",
                     ["Identity", "Relu", "Relu6", "LeakyRelu", "Gelu", "GeluTanh", "Silu", "Sigmoid", "Tanh", "HardSigmoid",
                      "HardSwish", "Softplus", "Mish", "Elu", "Selu"],
                     "a function applied to an operator's result">;
def Clika_Activation
    : Arg<Clika_Enum<Clika_ActivationAttr, "Identity">,
          "the function applied to the result, with its default settings">;

// Identity and name of a node. Equal to every other and hashed alike, so upstream passes neither see nor lose it.
def Clika_NodeProp : Property<"::clika::NodeIdentity", "identity and name of the node"> {
  let defaultValue = "::clika::NodeIdentity()";
  let hashProperty = "::llvm::hash_code(0)";
  let convertToAttribute = "return $_storage.toAttribute($_ctxt);";
  let convertFromAttribute = "return $_storage.fromAttribute($_attr, $_diag);";
  let writeToMlirBytecode = "$_writer.writeOptionalAttribute($_storage.name);";
  let readFromMlirBytecode =
      "if (::mlir::failed($_reader.readOptionalAttribute($_storage.name))) return ::mlir::failure();";
}

def Clika_DimsAttr : AttrDef<Clika_Dialect, "Dims", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "dims";
  let summary = "The symbolic sizes of a tensor's dimensions, one expression per dimension";
  let description = [{
    Each entry is `?` (nothing is known), an integer, or an expression of dimension names: `batch`, `batch * 2 + 1`,
    `n floordiv 2`. Two dynamic dimensions agree when their expressions are equal.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::AffineExpr", "null where nothing is known">:$exprs);
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// The ladder of op classes
//===----------------------------------------------------------------------===//

// `code` is explicit, unique and never reused. Codes by family: Core 1-9, Control 10-19, Pointwise 20-119, Linear (matmul, conv, pool,
// norm, attention) 120-169, Reduce 170-199, Shape (movement) 200-239, Index (gather, scatter, sort, resize, quantize) 240-299.
// `effects` tells MLIR's own passes which ops may be merged, dropped or moved.
class Clika_Op<string mnemonic, int number, list<Trait> traits = [], list<Trait> effects = [Pure]>
    : Op<Clika_Dialect, mnemonic,
         !listconcat([OpAsmOpInterface, Clika_NodeOp], effects, traits)> {
  // What a record states beyond ODS:
  int opCode = number;
  // The name of the op code and of the public enumerator; empty: the mnemonic in CamelCase.
  string codeName = "";
  string group = ?;
  // What the op computes, in one line of plain notation over the operands' and settings' names.
  string formula = "";
  // Rounding, order of sums, error bounds, where they are not those of docs/semantics.md's general rules.
  string exactness = "";
  // A runnable example: Python over `crt` and `np`; its last line is an expression, and `# -> VALUE` after it its value.
  string example = "";
  // Each NAME: an optional operand `NAME_tensor` and a setting `NAME` (a Scalar or an int list), which are one public
  // parameter: a literal or a tensor. The setting's default stands for absent.
  list<string> bounds = [];
  // The operand that `bypass_node` hands on; empty: the op cannot be bypassed.
  string dataInput = "";
  // Whether there is a public function for the op (else only the reader and transforms build it).
  bit isPublic = 1;
  // add_node refuses it and points to insert (operators with several outputs and quantized ones).
  bit needsInsert = 0;
  // Whether the public function is written by hand (ClikaRT/control.h, clika_runtime/_control.py): its name where that is
  // not the mnemonic, and its parameters, for the op's page.
  bit isHandWritten = 0;
  string publicName = "";
  string parameterText = "";
  // An independent reference for the coverage test: a Python expression over `np`, the helpers of
  // test/lib/Python/references.py and the operands and settings by name; empty: that file has a function named as the op.
  string reference = "";


  code clikaDecls = [{
    static constexpr uint32_t kOpCode = }] # number # [{;
    void getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      ::clika::setNodeResultNames(getOperation(), getProperties().node, setName);
    }
  }];
  let extraClassDeclaration = clikaDecls;
}

// Ops with shape and dtype inference: `inferReturnTypes(context, location, adaptor, types)` is in the family's file.
class Clika_InferredOp<string mnemonic, int number, list<Trait> traits = []>
    : Clika_Op<mnemonic, number, !listconcat([InferTypeOpAdaptorWithIsCompatible], traits)> {
  let extraClassDefinition = [{
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange actual) {
      return ::clika::compatibleTypes(inferred, actual);
    }
  }];
}

#endif
