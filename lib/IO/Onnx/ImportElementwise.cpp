// Operators that work element by element.
#include "IO/Onnx/Call.h"

using namespace mlir;

namespace clika::onnx {
namespace {

//===-- One op each ----------------------------------------------------------------------------------------------===//

/// ONNX's name and the op that means the same.
struct Pair {
  std::string_view onnx;
  const char *mnemonic;
};

constexpr Pair unaries[] = {
    {"Abs", "abs"},
    {"Acos", "acos"},
    {"Acosh", "acosh"},
    {"Asin", "asin"},
    {"Asinh", "asinh"},
    {"Atan", "atan"},
    {"Atanh", "atanh"},
    {"BitwiseNot", "bitwise_not"},
    {"Ceil", "ceil"},
    {"Cos", "cos"},
    {"Cosh", "cosh"},
    {"Erf", "erf"},
    {"Exp", "exp"},
    {"Floor", "floor"},
    {"HardSwish", "hard_swish"},
    {"Identity", "identity"},
    {"IsNaN", "is_nan"},
    {"Log", "log"},
    {"Mish", "mish"},
    {"Neg", "neg"},
    {"Not", "logical_not"},
    {"Reciprocal", "reciprocal"},
    {"Relu", "relu"},
    {"Round", "round"},
    {"Sigmoid", "sigmoid"},
    {"Sign", "sign"},
    {"Sin", "sin"},
    {"Sinh", "sinh"},

    {"Softsign", "softsign"},
    {"Sqrt", "sqrt"},
    {"Tan", "tan"},
    {"Tanh", "tanh"},
};

constexpr Pair binaries[] = {
    {"Add", "add"},
    {"And", "logical_and"},
    {"BitwiseAnd", "bitwise_and"},
    {"BitwiseOr", "bitwise_or"},
    {"BitwiseXor", "bitwise_xor"},
    {"Div", "div"},
    {"Equal", "equal"},
    {"Greater", "greater"},
    {"GreaterOrEqual", "greater_equal"},
    {"Less", "less"},
    {"LessOrEqual", "less_equal"},
    {"Mul", "mul"},
    {"Or", "logical_or"},
    {"PRelu", "prelu"},
    {"Sub", "sub"},
    {"Xor", "logical_xor"},
};

template <size_t N>
const char *mnemonicOf(const Pair (&pairs)[N], std::string_view onnx) {
  for (const Pair &pair : pairs)
    if (pair.onnx == onnx)
      return pair.mnemonic;
  return "";
}

void buildUnary(Call &call) { call.out(call.unary(mnemonicOf(unaries, call.node.opType), call.in(0))); }
void buildBinary(Call &call) { call.out(call.binary(mnemonicOf(binaries, call.node.opType), call.in(0), call.in(1))); }

void buildWhere(Call &call) { call.out(call.op("where").in(call.in(0)).in(call.in(1)).in(call.in(2)).result()); }

//===-- Arithmetic -----------------------------------------------------------------------------------------------===//

Value folded(Call &call, StringRef mnemonic) {
  std::vector<Value> values = call.allInputs();
  if (values.empty())
    call.fail("has no inputs");
  Value result = values[0];
  for (size_t i = 1; i < values.size(); ++i)
    result = call.binary(mnemonic, result, values[i]);
  return result;
}

void buildSum(Call &call) { call.out(folded(call, "add")); }
void buildMax(Call &call) { call.out(folded(call, "maximum")); }
void buildMin(Call &call) { call.out(folded(call, "minimum")); }
void buildMean(Call &call) {
  call.out(call.withNumber("div", folded(call, "add"), static_cast<double>(call.inputCount())));
}

/// The result has the base's type, whatever the exponent's.
void buildPow(Call &call) {
  Value base = call.in(0), exponent = call.in(1);
  mlir::Type type = call.element(base);
  if (call.isFloat(exponent) && !call.isFloat(base))
    return call.out(call.castTo(call.binary("pow", call.castTo(base, call.element(exponent)), exponent), type));
  call.out(call.binary("pow", base, call.castTo(exponent, type)));
}

void buildMod(Call &call) {
  bool isTruncated = call.intAttr("fmod", 0) != 0;
  call.out(call.binary(isTruncated ? "fmod" : "remainder", call.in(0), call.in(1)));
}

void buildBitShift(Call &call) {
  std::string mnemonic =
      call.choiceAttr("direction", "", {{"LEFT", "bitwise_left_shift"}, {"RIGHT", "bitwise_right_shift"}});
  call.out(call.binary(mnemonic, call.in(0), call.in(1)));
}

/// A float32 attribute as x's dtype holds it: its default is float32's largest number, for float16 too.
double boundFor(mlir::Type element, double bound) {
  auto type = dyn_cast<mlir::FloatType>(element);
  if (!type)
    return bound;
  llvm::APFloat held(bound);
  bool loses = false;
  held.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &loses);
  return held.isInfinity() ? held.convertToDouble() : bound;
}

void buildClipFromAttributes(Call &call) {
  OpMaker op = call.op("clamp");
  op.in(call.in(0));
  for (const char *name : {"min", "max"})
    if (call.hasAttr(name))
      op.set(name, boundFor(call.element(call.in(0)), call.floatAttr(name, 0)));
  call.out(op.result());
}

/// A bound is a literal where it is constant, else the tensor.
void setBound(Call &call, OpMaker &op, size_t i, StringRef name, bool isFloat) {
  std::optional<std::vector<double>> numbers = call.constantNumbers(i);
  if (!numbers || numbers->size() != 1) {
    op.in(call.optional(i));
    return;
  }
  op.in(Value());
  if (isFloat)
    op.set(name, (*numbers)[0]);
  else if (std::optional<Call::Ints> exact = call.constantInts(i))
    op.set(name, (*exact)[0]);
  else
    op.set(name, static_cast<int64_t>((*numbers)[0]));
}

void buildClip(Call &call) {
  Value x = call.in(0);
  OpMaker op = call.op("clamp");
  op.in(x);
  setBound(call, op, 1, "min", call.isFloat(x));
  setBound(call, op, 2, "max", call.isFloat(x));
  call.out(op.result());
}

//===-- Casts and tests ------------------------------------------------------------------------------------------===//

void buildCast(Call &call) {
  call.ignoreAttr("saturate"); // of float8 results only
  call.ignoreAttr("round_mode");
  auto to = static_cast<ElementType>(call.requireIntAttr("to"));
  call.out(call.castTo(call.in(0), call.importer.elementType(to)));
}

void buildCastLike(Call &call) {
  call.ignoreAttr("saturate");
  call.ignoreAttr("round_mode");
  call.out(call.castTo(call.in(0), call.element(call.in(1))));
}

void buildIsInf(Call &call) {
  call.out(call.op("is_inf")
               .in(call.in(0))
               .set("detect_negative", call.intAttr("detect_negative", 1) != 0)
               .set("detect_positive", call.intAttr("detect_positive", 1) != 0)
               .result());
}

//===-- Activations ----------------------------------------------------------------------------------------------===//

/// Activations whose settings are ONNX's float attributes of the same names.
struct Curve {
  std::string_view onnx;
  const char *mnemonic;
  struct {
    const char *name;
    float otherwise;
  } settings[2];
};

constexpr Curve curves[] = {
    {"Celu", "celu", {{"alpha", 1}}},
    {"Elu", "elu", {{"alpha", 1}}},
    {"HardSigmoid", "hard_sigmoid", {{"alpha", 0.2f}, {"beta", 0.5f}}},
    {"LeakyRelu", "leaky_relu", {{"alpha", 0.01f}}},
    {"Selu", "selu", {{"alpha", 1.67326319217681884765625f}, {"gamma", 1.05070102214813232421875f}}},
    {"Shrink", "shrink", {{"lambd", 0.5f}, {"bias", 0}}},
    {"ThresholdedRelu", "thresholded_relu", {{"alpha", 1}}},
};

void buildCurve(Call &call) {
  const Curve *curve = llvm::find_if(curves, [&](const Curve &c) { return c.onnx == call.node.opType; });
  OpMaker op = call.op(curve->mnemonic);
  op.in(call.in(0));
  for (const auto &setting : curve->settings)
    if (setting.name)
      op.set(setting.name, call.floatAttr(setting.name, setting.otherwise));
  call.out(op.result());
}

/// No threshold: the formula is exact over the whole range.
void buildSoftplus(Call &call) { call.out(call.op("softplus").in(call.in(0)).set("threshold", 1e38).result()); }

void buildGelu(Call &call) {
  std::string form = call.choiceAttr("approximate", "none", {{"none", "Erf"}, {"tanh", "Tanh"}});
  call.out(call.op("gelu").in(call.in(0)).set("form", StringRef(form)).result());
}

void buildSwish(Call &call) {
  double alpha = call.floatAttr("alpha", 1);
  Value x = call.in(0);
  if (alpha == 1)
    return call.out(call.unary("silu", x));
  call.out(call.binary("mul", x, call.unary("sigmoid", call.withNumber("mul", x, alpha))));
}

} // namespace

void addElementwise(Operators &operators) {
  for (const Pair &pair : unaries)
    operators.add(pair.onnx, buildUnary);
  for (const Pair &pair : binaries)
    operators.add(pair.onnx, buildBinary);
  for (const Curve &curve : curves)
    operators.add(curve.onnx, buildCurve);
  operators.add("BitShift", buildBitShift, 11);
  operators.add("Cast", buildCast);
  operators.add("CastLike", buildCastLike);
  operators.add("Clip", buildClipFromAttributes, 1, 10);
  operators.add("Clip", buildClip, 11);
  operators.add("Gelu", buildGelu);
  operators.add("IsInf", buildIsInf);
  operators.add("Max", buildMax);
  operators.add("Mean", buildMean);
  operators.add("Min", buildMin);
  operators.add("Mod", buildMod);
  operators.add("Pow", buildPow);
  operators.add("Softplus", buildSoftplus);
  operators.add("Sum", buildSum);
  operators.add("Swish", buildSwish);
  operators.add("Where", buildWhere);
}

} // namespace clika::onnx
