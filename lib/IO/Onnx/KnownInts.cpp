#include "IO/Onnx/KnownInts.h"

#include "IO/Onnx/Call.h"

using namespace mlir;

namespace clika::onnx {
namespace {

constexpr size_t maxElements = 64;
using Result = std::optional<KnownInts>;

MLIRContext *contextOf(Call &call) { return call.importer.builder.getContext(); }

KnownInts make(Call &call, Dims elements, bool isScalar) {
  return {std::move(elements), isScalar, call.importer.builder.getI64Type()};
}

/// The symbolic sizes of an input, without making a constant of an initializer.
std::optional<Dims> shapeOf(Call &call, size_t i) {
  if (!call.has(i))
    return std::nullopt;
  Entry &entry = *call.entry(i);
  if (entry.tensor && !entry.value) {
    Dims dims;
    for (int64_t dim : entry.tensor->dims)
      dims.push_back(constantDim(contextOf(call), dim));
    return dims;
  }
  if (entry.known && !entry.value) {
    Dims dims;
    if (!entry.known->isScalar)
      dims.push_back(constantDim(contextOf(call), static_cast<int64_t>(entry.known->elements.size())));
    return dims;
  }
  auto type = dyn_cast<RankedTensorType>(call.in(i).getType());
  return type ? std::optional(dimsOf(type)) : std::nullopt;
}

Result evaluateShape(Call &call) {
  std::optional<Dims> dims = shapeOf(call, 0);
  if (!dims)
    return std::nullopt;
  auto rank = static_cast<int64_t>(dims->size());
  auto clip = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
  int64_t start = clip(call.intAttr("start", 0)), end = clip(call.intAttr("end", rank));
  Dims part;
  for (int64_t i = start; i < end; ++i)
    part.push_back((*dims)[static_cast<size_t>(i)]);
  return make(call, part, false);
}

Result evaluateSize(Call &call) {
  std::optional<Dims> dims = shapeOf(call, 0);
  if (!dims)
    return std::nullopt;
  return make(call, {productOf(contextOf(call), *dims)}, true);
}

Result evaluateConstant(Call &call) {
  if (call.hasAttr("value_int"))
    return make(call, {constantDim(contextOf(call), call.intAttr("value_int", 0))}, true);
  std::optional<Call::Ints> list = call.intsAttr("value_ints");
  if (!list || list->size() > maxElements)
    return std::nullopt;
  Dims elements;
  for (int64_t value : *list)
    elements.push_back(constantDim(contextOf(call), value));
  return make(call, elements, false);
}

Result evaluateGather(Call &call) {
  const KnownInts *data = call.known(0), *indices = call.known(1);
  if (!data || !indices || data->isScalar || call.intAttr("axis", 0) != 0)
    return std::nullopt;
  auto size = static_cast<int64_t>(data->elements.size());
  Dims picked;
  for (Dim index : indices->elements) {
    std::optional<int64_t> at = constantOf(index);
    if (!at || *at < -size || *at >= size)
      return std::nullopt;
    picked.push_back(data->elements[static_cast<size_t>(*at < 0 ? *at + size : *at)]);
  }
  return KnownInts{picked, indices->isScalar, data->element};
}

Result evaluateConcat(Call &call) {
  KnownInts joined;
  for (size_t i = 0; i < call.inputCount(); ++i) {
    const KnownInts *part = call.known(i);
    if (!part || part->isScalar)
      return std::nullopt;
    joined.elements.append(part->elements.begin(), part->elements.end());
    joined.element = part->element;
  }
  if (joined.elements.empty() || joined.elements.size() > maxElements)
    return std::nullopt;
  return joined;
}

/// One integer of a slice's settings, given as an attribute before opset 10.
std::optional<int64_t> sliceSetting(Call &call, size_t input, const char *attribute, int64_t otherwise) {
  std::optional<Call::Ints> list = call.opset < 10 ? call.intsAttr(attribute) : call.constantInts(input);
  if (list)
    return list->size() == 1 ? std::optional((*list)[0]) : std::nullopt;
  bool isAbsent = call.opset < 10 ? !call.hasAttr(attribute) : !call.has(input);
  return isAbsent ? std::optional(otherwise) : std::nullopt;
}

Result evaluateSlice(Call &call) {
  const KnownInts *data = call.known(0);
  if (!data || data->isScalar)
    return std::nullopt;
  auto size = static_cast<int64_t>(data->elements.size());
  auto start = sliceSetting(call, 1, "starts", 0), end = sliceSetting(call, 2, "ends", size);
  auto axis = sliceSetting(call, 3, "axes", 0), step = sliceSetting(call, 4, "steps", 1);
  if (!start || !end || !step || !axis || (*axis != 0 && *axis != -1) || *step <= 0)
    return std::nullopt;
  auto clip = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? std::max(at, -size) + size : at, 0, size); };
  KnownInts part{{}, false, data->element};
  for (int64_t i = clip(*start); i < clip(*end); i += std::min(*step, size))
    part.elements.push_back(data->elements[static_cast<size_t>(i)]);
  return part;
}

Result evaluateUnsqueeze(Call &call) {
  const KnownInts *data = call.known(0);
  if (!data || !data->isScalar)
    return std::nullopt;
  std::optional<Call::Ints> axes = call.opset < 13 ? call.intsAttr("axes") : call.constantInts(1);
  if (!axes || axes->size() != 1)
    return std::nullopt;
  return KnownInts{data->elements, false, data->element};
}

Result evaluateSqueeze(Call &call) {
  const KnownInts *data = call.known(0);
  if (!data || data->isScalar || data->elements.size() != 1)
    return std::nullopt;
  return KnownInts{data->elements, true, data->element};
}

Result evaluateReshape(Call &call) {
  const KnownInts *data = call.known(0);
  std::optional<Call::Ints> shape = call.constantInts(1);
  if (!data || !shape || shape->size() > 1)
    return std::nullopt;
  auto size = static_cast<int64_t>(data->elements.size());
  bool fits = shape->empty() ? size == 1 : (*shape)[0] == -1 || (*shape)[0] == size;
  if (!fits)
    return std::nullopt;
  return KnownInts{data->elements, shape->empty(), data->element};
}

Result evaluateCast(Call &call) {
  const KnownInts *data = call.known(0);
  auto to = static_cast<ElementType>(call.intAttr("to", 0));
  if (!data || (to != ElementType::Int64 && to != ElementType::Int32))
    return std::nullopt;
  return KnownInts{data->elements, data->isScalar, call.importer.elementType(to)};
}

Result evaluateIdentity(Call &call) {
  const KnownInts *data = call.known(0);
  return data ? std::optional(*data) : std::nullopt;
}

/// A size is never negative, so an expression over sizes with nothing subtracted is not either.
bool isNonNegative(Dim dim) {
  if (std::optional<int64_t> value = constantOf(dim))
    return *value >= 0;
  if (!dim)
    return false;
  if (isa<AffineSymbolExpr>(dim))
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(dim);
  return binary && isNonNegative(binary.getLHS()) && isNonNegative(binary.getRHS());
}

/// Null where the sum or product of constants would wrap.
Dim multiply(Dim a, Dim b) {
  std::optional<int64_t> x = constantOf(a), y = constantOf(b);
  int64_t product;
  if (x && y && __builtin_mul_overflow(*x, *y, &product))
    return Dim();
  return mulDims(a, b);
}

Dim plus(Dim a, Dim b, bool negate) {
  std::optional<int64_t> x = constantOf(a), y = constantOf(b);
  int64_t sum;
  if (x && y) {
    bool wraps = negate ? __builtin_sub_overflow(*x, *y, &sum) : __builtin_add_overflow(*x, *y, &sum);
    return wraps ? Dim() : constantDim(a.getContext(), sum);
  }
  if (!negate)
    return addDims(a, b);
  return a && b && sameDim(a, b) ? constantDim(a.getContext(), 0) : addDims(a, mulDims(b, -1));
}

/// ONNX divides integers toward zero; known only where that is the floor.
Dim divide(Dim a, Dim b) {
  std::optional<int64_t> divisor = constantOf(b);
  if (!a || !divisor || *divisor <= 0 || !isNonNegative(a))
    return Dim();
  return floorDivDims(a, *divisor);
}

/// Whether a equals b: 1 or 0, null where that depends.
Dim equal(Dim a, Dim b) {
  if (!a || !b)
    return Dim();
  if (sameDim(a, b))
    return constantDim(a.getContext(), 1);
  std::optional<int64_t> x = constantOf(a), y = constantOf(b);
  bool differ = (x && y) || (x && *x < 0 && isNonNegative(b)) || (y && *y < 0 && isNonNegative(a));
  return differ ? constantDim(a.getContext(), 0) : Dim();
}

Dim combine(std::string_view op, Dim a, Dim b) {
  if (op == "Add" || op == "Sub")
    return plus(a, b, op == "Sub");
  if (op == "Mul")
    return multiply(a, b);
  if (op == "Div")
    return divide(a, b);
  return equal(a, b);
}

bool broadcast(const KnownInts &a, const KnownInts &b, size_t &count) {
  size_t x = a.elements.size(), y = b.elements.size();
  count = x == 1 ? y : x;
  return x == y || x == 1 || y == 1;
}

Dim pick(const KnownInts &ints, size_t i) { return ints.elements[ints.elements.size() == 1 ? 0 : i]; }

Result evaluateBinary(Call &call) {
  const KnownInts *a = call.known(0), *b = call.known(1);
  size_t count;
  if (!a || !b || !broadcast(*a, *b, count))
    return std::nullopt;
  KnownInts result{{}, a->isScalar && b->isScalar, a->element};
  for (size_t i = 0; i < count; ++i)
    result.elements.push_back(combine(call.node.opType, pick(*a, i), pick(*b, i)));
  if (call.node.opType == "Equal")
    result.element = call.importer.builder.getI1Type();
  return result;
}

Result evaluateNeg(Call &call) {
  const KnownInts *data = call.known(0);
  if (!data)
    return std::nullopt;
  KnownInts result{{}, data->isScalar, data->element};
  for (Dim element : data->elements)
    result.elements.push_back(element ? plus(constantDim(contextOf(call), 0), element, true) : Dim());
  return result;
}

Result evaluateWhere(Call &call) {
  const KnownInts *condition = call.known(0), *a = call.known(1), *b = call.known(2);
  size_t partial, count;
  if (!condition || !a || !b || !broadcast(*condition, *a, partial))
    return std::nullopt;
  KnownInts widest = partial == a->elements.size() ? *a : *condition;
  if (!broadcast(widest, *b, count))
    return std::nullopt;
  KnownInts result{{}, condition->isScalar && a->isScalar && b->isScalar, a->element};
  for (size_t i = 0; i < count; ++i) {
    std::optional<int64_t> chosen = constantOf(pick(*condition, i));
    Dim x = pick(*a, i), y = pick(*b, i);
    result.elements.push_back(chosen ? (*chosen ? x : y) : x && y && sameDim(x, y) ? x : Dim());
  }
  return result;
}

Result evaluateConstantOfShape(Call &call) {
  std::optional<Call::Ints> shape = call.constantInts(0);
  const Tensor *value = call.tensorAttr("value");
  if (!shape || shape->size() > 1 || !value || value->type != ElementType::Int64)
    return std::nullopt;
  int64_t count = shape->empty() ? 1 : (*shape)[0];
  Weights data = call.importer.weightsOf(*value);
  if (count < 0 || count > static_cast<int64_t>(maxElements) || data.bytes.size() != 8)
    return std::nullopt;
  int64_t number;
  std::memcpy(&number, data.bytes.data(), 8);
  return make(call, Dims(static_cast<size_t>(count), constantDim(contextOf(call), number)), shape->empty());
}

Result evaluateReduceProd(Call &call) {
  const KnownInts *data = call.known(0);
  if (!data || data->isScalar || call.intAttr("noop_with_empty_axes", 0) != 0)
    return std::nullopt;
  Dim product = constantDim(contextOf(call), 1);
  for (Dim element : data->elements)
    product = multiply(product, element);
  return KnownInts{{product}, call.intAttr("keepdims", 1) == 0, data->element};
}

Result evaluateRange(Call &call) {
  std::optional<int64_t> bounds[3];
  for (size_t i = 0; i < 3; ++i) {
    const KnownInts *bound = call.known(i);
    if (!bound || bound->elements.size() != 1)
      return std::nullopt;
    bounds[i] = constantOf(bound->elements[0]);
    // Small numbers only, so that none of the sums overflows.
    if (!bounds[i] || std::abs(*bounds[i]) > int64_t(1) << 31)
      return std::nullopt;
  }
  auto [start, limit, step] = std::tuple(*bounds[0], *bounds[1], *bounds[2]);
  if (step == 0)
    return std::nullopt;
  KnownInts result{{}, false, call.known(0)->element};
  for (int64_t at = start; step > 0 ? at < limit : at > limit; at += step) {
    if (result.elements.size() == maxElements)
      return std::nullopt;
    result.elements.push_back(constantDim(contextOf(call), at));
  }
  return result;
}

} // namespace

std::optional<std::vector<int64_t>> KnownInts::constants() const {
  std::vector<int64_t> values;
  for (Dim dim : elements) {
    std::optional<int64_t> value = constantOf(dim);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

Result evaluateInts(Call &call) {
  static const std::map<std::string_view, Result (*)(Call &)> rules = {
      {"Shape", evaluateShape},
      {"Size", evaluateSize},
      {"Constant", evaluateConstant},
      {"Gather", evaluateGather},
      {"Concat", evaluateConcat},
      {"Slice", evaluateSlice},
      {"Unsqueeze", evaluateUnsqueeze},
      {"Squeeze", evaluateSqueeze},
      {"Reshape", evaluateReshape},
      {"Cast", evaluateCast},
      {"Identity", evaluateIdentity},
      {"Add", evaluateBinary},
      {"Sub", evaluateBinary},
      {"Mul", evaluateBinary},
      {"Div", evaluateBinary},
      {"Equal", evaluateBinary},
      {"Where", evaluateWhere},
      {"ConstantOfShape", evaluateConstantOfShape},
      {"Neg", evaluateNeg},
      {"ReduceProd", evaluateReduceProd},
      {"Range", evaluateRange},
  };
  auto rule = rules.find(call.node.opType);
  Result result = rule == rules.end() ? std::nullopt : rule->second(call);
  if (result && result->elements.size() > maxElements)
    return std::nullopt;
  return result;
}

} // namespace clika::onnx
