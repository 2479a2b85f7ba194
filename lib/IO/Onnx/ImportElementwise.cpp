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
    {"Ceil", "ceil"},
    {"Cos", "cos"},
    {"Erf", "erf"},
    {"Exp", "exp"},
    {"Floor", "floor"},
    {"HardSwish", "hard_swish"},
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
    {"Softplus", "softplus"},
    {"Sqrt", "sqrt"},
    {"Tanh", "tanh"},
    {"BitwiseNot", "bitwise_not"},
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
  std::string mnemonic = call.choiceAttr("direction", "", {{"LEFT", "shift_left"}, {"RIGHT", "shift_right"}});
  call.out(call.binary(mnemonic, call.in(0), call.in(1)));
}

void buildClipFromAttributes(Call &call) {
  OpMaker op = call.op("clamp");
  op.in(call.in(0));
  for (const char *name : {"min", "max"})
    if (call.hasAttr(name))
      op.set(name, call.floatAttr(name, 0));
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
  bool positive = call.intAttr("detect_positive", 1) != 0, negative = call.intAttr("detect_negative", 1) != 0;
  Value x = call.in(0), result = call.unary("is_inf", x);
  if (positive && negative)
    return call.out(result);
  Value isWanted = !positive && !negative ? call.binary("not_equal", result, result)
                                          : call.withNumber(positive ? "greater" : "less", x, 0);
  call.out(call.binary("logical_and", result, isWanted));
}

//===-- Activations ----------------------------------------------------------------------------------------------===//

void buildLeakyRelu(Call &call) {
  call.out(call.op("leaky_relu").in(call.in(0)).set("alpha", call.floatAttr("alpha", 0.01f)).result());
}

void buildElu(Call &call) { call.out(call.op("elu").in(call.in(0)).set("alpha", call.floatAttr("alpha", 1)).result()); }

void buildSelu(Call &call) {
  constexpr double defaultAlpha = 1.67326319217681884765625, defaultGamma = 1.05070102214813232421875;
  double alpha = call.floatAttr("alpha", defaultAlpha), gamma = call.floatAttr("gamma", defaultGamma);
  Value x = call.in(0);
  if (alpha == defaultAlpha && gamma == defaultGamma)
    return call.out(call.unary("selu", x));
  call.out(call.withNumber("mul", call.op("elu").in(x).set("alpha", alpha).result(), gamma));
}

/// max(0, x) + min(0, alpha * (e^(x / alpha) - 1)): an elu of x / alpha, times alpha.
void buildCelu(Call &call) {
  double alpha = call.floatAttr("alpha", 1);
  Value scaled = call.withNumber("div", call.in(0), alpha);
  call.out(call.withNumber("mul", call.op("elu").in(scaled).set("alpha", 1.0).result(), alpha));
}

void buildThresholdedRelu(Call &call) {
  Value x = call.in(0);
  Value isAbove = call.withNumber("greater", x, call.floatAttr("alpha", 1));
  call.out(call.op("where").in(isAbove).in(x).in(call.importer.scalar(call.element(x), 0)).result());
}

void buildHardSigmoid(Call &call) {
  call.out(call.op("hard_sigmoid")
               .in(call.in(0))
               .set("alpha", call.floatAttr("alpha", 0.2f))
               .set("beta", call.floatAttr("beta", 0.5f))
               .result());
}

void buildSoftsign(Call &call) {
  Value x = call.in(0);
  call.out(call.binary("div", x, call.withNumber("add", call.unary("abs", x), 1)));
}

void buildGelu(Call &call) {
  std::string form = call.choiceAttr("approximate", "none", {{"none", "None"}, {"tanh", "Tanh"}});
  call.out(call.op("gelu").in(call.in(0)).set("approximate", StringRef(form)).result());
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
  operators.add("BitShift", buildBitShift, 11);
  operators.add("Cast", buildCast);
  operators.add("CastLike", buildCastLike);
  operators.add("Celu", buildCelu);
  operators.add("Clip", buildClipFromAttributes, 1, 10);
  operators.add("Clip", buildClip, 11);
  operators.add("Elu", buildElu);
  operators.add("Gelu", buildGelu);
  operators.add("HardSigmoid", buildHardSigmoid);
  operators.add("IsInf", buildIsInf);
  operators.add("LeakyRelu", buildLeakyRelu);
  operators.add("Max", buildMax);
  operators.add("Mean", buildMean);
  operators.add("Min", buildMin);
  operators.add("Mod", buildMod);
  operators.add("Pow", buildPow);
  operators.add("Selu", buildSelu);
  operators.add("Softsign", buildSoftsign);
  operators.add("Sum", buildSum);
  operators.add("Swish", buildSwish);
  operators.add("ThresholdedRelu", buildThresholdedRelu);
  operators.add("Where", buildWhere);
}

} // namespace clika::onnx
