#include "IO/Onnx/Call.h"

#include "Dialect/ShapeValues.h"
#include "Runtime/Counted.h"
#include "llvm/ADT/APFloat.h"

#include <cstring>

using namespace mlir;

namespace clika::onnx {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

template <class T>
double loadAs(const char *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return static_cast<double>(value);
}

double loadHalf(const char *data, const llvm::fltSemantics &semantics) {
  uint16_t bits;
  std::memcpy(&bits, data, 2);
  llvm::APFloat value(semantics, llvm::APInt(16, bits));
  bool loses = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
  return value.convertToDouble();
}

double loadNumber(const char *data, ElementType type) {
  switch (type) {
  case ElementType::Float32:
    return loadAs<float>(data);
  case ElementType::Float64:
    return loadAs<double>(data);
  case ElementType::Float16:
    return loadHalf(data, llvm::APFloat::IEEEhalf());
  case ElementType::BFloat16:
    return loadHalf(data, llvm::APFloat::BFloat());
  case ElementType::Int8:
    return loadAs<int8_t>(data);
  case ElementType::UInt8:
  case ElementType::Bool:
    return loadAs<uint8_t>(data);
  case ElementType::Int16:
    return loadAs<int16_t>(data);
  case ElementType::UInt16:
    return loadAs<uint16_t>(data);
  case ElementType::Int32:
    return loadAs<int32_t>(data);
  case ElementType::UInt32:
    return loadAs<uint32_t>(data);
  case ElementType::UInt64:
    return loadAs<uint64_t>(data);
  default:
    return loadAs<int64_t>(data);
  }
}

/// The integers of a tensor of int32 or int64.
std::vector<int64_t> loadInts(const Weights &weights, ElementType type) {
  unsigned size = elementSize(type);
  std::vector<int64_t> values(weights.bytes.size() / size);
  for (size_t i = 0; i < values.size(); ++i) {
    const char *data = weights.bytes.data() + i * size;
    if (type == ElementType::Int64)
      std::memcpy(&values[i], data, 8);
    else
      values[i] = static_cast<int64_t>(loadNumber(data, type));
  }
  return values;
}

} // namespace

Value Call::in(size_t i) {
  if (!has(i))
    fail("lacks its input " + std::to_string(i));
  Value value = importer.valueOf(*inputs[i]);
  if (Importer::isUnknown(*inputs[i]))
    importer.failFollowing("reads " + quoted(node.inputs[i]) + ", which an operator makes that is not covered");
  return value;
}

std::vector<Value> Call::allInputs() {
  std::vector<Value> values;
  for (size_t i = 0; i < inputs.size(); ++i)
    values.push_back(in(i));
  return values;
}

const KnownInts *Call::known(size_t i) { return has(i) ? importer.knownOf(*inputs[i]) : nullptr; }

std::optional<Call::Ints> Call::constantInts(size_t i) {
  if (!has(i))
    return std::nullopt;
  if (const Tensor *tensor = inputs[i]->tensor) {
    if (tensor->type != ElementType::Int64 && tensor->type != ElementType::Int32)
      return std::nullopt;
    return loadInts(importer.weightsOf(*tensor), tensor->type);
  }
  if (const KnownInts *known = this->known(i))
    return known->constants();
  // Operators of constants alone, which the import has built.
  std::optional<Dims> values = inputs[i]->value ? shapeValues(inputs[i]->value) : std::nullopt;
  return values ? KnownInts{*values, false, {}}.constants() : std::nullopt;
}

Call::Ints Call::requireInts(size_t i, const char *what) {
  if (!has(i))
    fail(std::string("lacks its input ") + what);
  if (auto ints = constantInts(i))
    return *ints;
  unsupported(std::string("its ") + what + " (input " + quoted(node.inputs[i]) +
              ") must be constant integers; values that are only known at run time are not covered");
}

int64_t Call::requireInt(size_t i, const char *what) {
  Ints ints = requireInts(i, what);
  if (ints.size() != 1)
    fail(std::string("its ") + what + " has " + counted(ints.size(), "element") + ", expected one");
  return ints[0];
}

std::optional<std::vector<double>> Call::constantNumbers(size_t i) {
  if (!has(i))
    return std::nullopt;
  const Tensor *tensor = inputs[i]->tensor;
  if (!tensor) {
    if (auto ints = constantInts(i))
      return std::vector<double>(ints->begin(), ints->end());
    return std::nullopt;
  }
  Weights weights = importer.weightsOf(*tensor);
  unsigned size = elementSize(tensor->type);
  std::vector<double> values(weights.bytes.size() / size);
  for (size_t k = 0; k < values.size(); ++k)
    values[k] = loadNumber(weights.bytes.data() + k * size, tensor->type);
  return values;
}

std::vector<double> Call::requireNumbers(size_t i, const char *what) {
  if (!has(i))
    fail(std::string("lacks its input ") + what);
  if (auto numbers = constantNumbers(i))
    return *numbers;
  unsupported(std::string("its ") + what + " (input " + quoted(node.inputs[i]) +
              ") must be constant; values that are only known at run time are not covered");
}

const Attribute *Call::attr(std::string_view name) {
  seen.insert(name);
  return node.find(name);
}

const Attribute *Call::attr(std::string_view name, Attribute::Kind kind, const char *kindName) {
  const Attribute *attribute = attr(name);
  if (attribute && attribute->kind != kind)
    fail("its attribute " + quoted(name) + " must be " + kindName);
  return attribute;
}

int64_t Call::intAttr(std::string_view name, int64_t otherwise) {
  const Attribute *attribute = attr(name, Attribute::Kind::Int, "an integer");
  return attribute ? attribute->i : otherwise;
}

int64_t Call::requireIntAttr(std::string_view name) {
  const Attribute *attribute = attr(name, Attribute::Kind::Int, "an integer");
  if (!attribute)
    fail("lacks its attribute " + quoted(name));
  return attribute->i;
}

double Call::floatAttr(std::string_view name, double otherwise) {
  const Attribute *attribute = attr(name, Attribute::Kind::Float, "a float");
  return attribute ? static_cast<double>(attribute->f) : otherwise;
}

double Call::floatAttr(std::string_view name, double otherwise, mlir::Type element) {
  double number = floatAttr(name, otherwise);
  if (auto type = dyn_cast<FloatType>(element)) {
    APFloat value(number);
    bool lost = false;
    value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
    return value.isInfinity() ? std::copysign(std::numeric_limits<double>::infinity(), number) : number;
  }
  if (std::isnan(number))
    return 0.0;
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger() || width == 1;
  double most = std::ldexp(1.0, static_cast<int>(isUnsigned ? width : width - 1));
  // The largest double below the end of the range: of 64 bits not the range's last integer.
  double last = std::floor(std::nextafter(most, 0.0));
  return std::clamp(std::trunc(number), isUnsigned ? 0.0 : -most, last);
}

std::string Call::stringAttr(std::string_view name, const std::string &otherwise) {
  const Attribute *attribute = attr(name, Attribute::Kind::String, "a string");
  return attribute ? std::string(attribute->s) : otherwise;
}

std::string Call::choiceAttr(std::string_view name, const char *otherwise,
                             std::initializer_list<std::pair<const char *, const char *>> choices) {
  std::string given = stringAttr(name, otherwise), known;
  for (const auto &[text, enumerator] : choices) {
    if (given == text)
      return enumerator;
    known += (known.empty() ? "" : ", ") + std::string(text);
  }
  unsupported("its attribute " + quoted(name) + " is " + quoted(given) + ", covered are " + known);
}

std::optional<Call::Ints> Call::intsAttr(std::string_view name) {
  const Attribute *attribute = attr(name, Attribute::Kind::Ints, "a list of integers");
  return attribute ? std::optional(attribute->ints) : std::nullopt;
}

std::optional<std::vector<float>> Call::floatsAttr(std::string_view name) {
  const Attribute *attribute = attr(name, Attribute::Kind::Floats, "a list of floats");
  return attribute ? std::optional(attribute->floats) : std::nullopt;
}

const Tensor *Call::tensorAttr(std::string_view name) {
  const Attribute *attribute = attr(name, Attribute::Kind::Tensor, "a tensor");
  return attribute ? &attribute->tensors[0] : nullptr;
}

std::optional<std::vector<std::string>> Call::stringsAttr(std::string_view name) {
  const Attribute *attribute = attr(name, Attribute::Kind::Strings, "a list of strings");
  if (!attribute)
    return std::nullopt;
  return std::vector<std::string>(attribute->strings.begin(), attribute->strings.end());
}

RankedTensorType Call::type(Value value) const { return cast<RankedTensorType>(value.getType()); }

int64_t Call::axis(int64_t axis, int64_t rank) {
  int64_t front = axis < 0 ? axis + rank : axis;
  if (front < 0 || front >= rank)
    fail("its axis " + std::to_string(axis) + " is out of range for " + counted(rank, "dimension"));
  return front;
}

int64_t Call::staticSize(Value value, int64_t axis, const char *what) {
  int64_t size = type(value).getDimSize(static_cast<unsigned>(axis));
  if (ShapedType::isDynamic(size))
    unsupported(std::string(what) + " must have a static size");
  return size;
}

Value Call::castTo(Value value, mlir::Type to) {
  return element(value) == to ? value : op("cast").in(value).set("dtype", to).result();
}

Value Call::reshape(Value value, ArrayRef<int64_t> shape) {
  return op("reshape").in(value).set("shape", shape).result();
}

Value Call::reshapeLike(Value value, Value like) {
  SmallVector<int64_t> shape(type(like).getShape());
  auto dynamic = llvm::count_if(shape, ShapedType::isDynamic);
  // Beside a size of 0 no -1 can be told.
  if (dynamic > 1 || (dynamic == 1 && llvm::is_contained(shape, 0)))
    return op("reshape").in(value).in(unary("shape", like)).result();
  llvm::replace(shape, ShapedType::kDynamic, int64_t(-1));
  return op("reshape").in(value).set("shape", ArrayRef<int64_t>(shape)).set("allow_zero", true).result();
}

Value Call::flatten(Value value, int64_t axis) {
  auto product = [](ArrayRef<int64_t> sizes) {
    int64_t result = 1;
    for (int64_t size : sizes)
      if (ShapedType::isDynamic(size) || __builtin_mul_overflow(result, size, &result))
        return int64_t(-1);
    return result;
  };
  ArrayRef<int64_t> sizes = type(value).getShape();
  auto split = static_cast<size_t>(axis);
  int64_t rows = product(sizes.take_front(split)), columns = product(sizes.drop_front(split));
  bool isTold = rows > 0 || columns > 0 || (rows == 0 && columns == 0);
  if (isTold)
    return op("reshape").in(value).set("shape", ArrayRef<int64_t>({rows, columns})).set("allow_zero", true).result();
  auto sizeOf = [&](int64_t from, int64_t to) {
    Value part = op("shape").in(value).set("start", from).set("end", to).result();
    return op("reduce_prod").in(part).set("keepdims", true).result();
  };
  SmallVector<Value> parts = {sizeOf(0, axis), sizeOf(axis, rank(value))};
  Value shape = op("concat").in(parts).set("axis", 0).result();
  return op("reshape").in(value).in(shape).set("allow_zero", true).result();
}

void Call::out(size_t i, Value value) {
  if (i >= results.size())
    return;
  results[i] = value;
}

void Call::finish() {
  for (const Attribute &attribute : node.attributes)
    if (!seen.count(attribute.name))
      unsupported("its attribute " + quoted(attribute.name) + " is not covered");
  for (size_t i = 0; i < results.size(); ++i)
    if (wants(i) && !results[i])
      unsupported("its output " + std::to_string(i) + " (" + quoted(node.outputs[i]) + ") is not covered");
}

} // namespace clika::onnx
