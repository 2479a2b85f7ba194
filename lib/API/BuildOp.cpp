#include "API/BuildOp.h"

#include "API/Fail.h"
#include "API/Settings.h"
#include "Dialect/Diagnostics.h"
#include "Dialect/ListSettings.h"
#include "Dialect/OperandDtypes.h"
#include "Dialect/Shape.h"
#include "Runtime/Counted.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include <algorithm>

using namespace mlir;
using ClikaRT::graph::Attr;

namespace clika {
namespace {

StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

/// Properties of an op that does not exist yet.
class LooseProperties {
public:
  LooseProperties(OperationName name, DictionaryAttr attributes) : name(name) {
    if (int size = name.getOpPropertyByteSize()) {
      storage.reset(new char[static_cast<size_t>(size) + alignof(std::max_align_t)]);
      name.initOpProperties(get(), OpaqueProperties(nullptr));
    }
    if (get())
      valid = succeeded(name.setOpPropertiesFromAttribute(
          name, get(), attributes, [&] { return mlir::emitError(UnknownLoc::get(name.getContext())); }));
  }
  ~LooseProperties() {
    if (get())
      name.destroyOpProperties(get());
  }
  OpaqueProperties get() const { return OpaqueProperties(storage.get()); }
  bool valid = true;

private:
  OperationName name;
  std::unique_ptr<char[]> storage;
};

/// The ports as given, completed to the record's operands: how many tensors each operand has.
struct Ports {
  SmallVector<Value> present;
  SmallVector<int32_t> segments;
};

size_t minPorts(const OpInfo &info) {
  size_t count = 0;
  for (size_t i = 0; i < info.operands.size(); ++i)
    if (!info.operands[i].optional && !info.operands[i].variadic)
      count = i + 1;
  return count;
}

std::string portNames(const OpInfo &info) {
  std::string text;
  for (const OperandInfo &operand : info.operands)
    text += (text.empty() ? "" : ", ") + std::string(operand.name) +
            (operand.optional   ? " (optional)"
             : operand.variadic ? " (any number)"
                                : "");
  return text.empty() ? "none" : text;
}

Ports assignPorts(const OpInfo &info, ArrayRef<Value> given, std::string_view call) {
  bool variadic = std::ranges::any_of(info.operands, [](const OperandInfo &o) { return o.variadic; });
  if (given.size() < minPorts(info) || (!variadic && given.size() > info.operands.size()))
    invalid(call, counted(given.size(), "input was", "inputs were") + " given; the operands of " +
                      std::string(info.codeName) + " are: " + portNames(info));
  Ports ports;
  size_t next = 0, others = info.operands.size() - (variadic ? 1 : 0);
  for (const OperandInfo &operand : info.operands) {
    size_t count = 1;
    if (operand.variadic)
      count = given.size() > others ? given.size() - others : 0;
    int32_t present = 0;
    for (size_t i = 0; i < count; ++i, ++next) {
      Value value = next < given.size() ? given[next] : Value();
      if (!value && !operand.optional)
        invalid(call,
                "the operand " + quote(operand.name) + " is left out; " + std::string(info.codeName) + " needs it");
      if (!value)
        continue;
      checkDtype(operand, value.getType(), call);
      ports.present.push_back(value);
      ++present;
    }
    ports.segments.push_back(present);
  }
  return ports;
}

Type nameUnknownDims(Type type, const OpInfo &info, ValueRange operands, const NameSize &nameSize) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!nameSize || !tensor || tensor.hasStaticShape())
    return type;
  Dims dims = dimsOf(tensor);
  for (auto [axis, dim] : llvm::enumerate(dims)) {
    if (dim)
      continue;
    auto sizes = info.pointwise ? sizesToBroadcast(operands, dims.size(), axis) : SmallVector<Dim>();
    dim = namedDim(type.getContext(), nameSize(sizes));
  }
  return tensorOf(dims, tensor.getElementType());
}

DictionaryAttr attributesOf(const OpInfo &info, const Ports &ports, const std::vector<Attr> &settings,
                            MLIRContext *context, std::string_view call) {
  NamedAttrList list;
  for (const Attr &attr : settings) {
    const SettingInfo *setting = findSetting(info, attr.name);
    if (!setting)
      invalid(call, std::string(info.codeName) + " has no setting " + quote(attr.name) +
                        "; its settings are: " + settingNames(info));
    if (std::ranges::count(settings, attr.name, &Attr::name) > 1)
      invalid(call, "the setting " + quote(attr.name) + " is given twice; give it once");
    if (std::holds_alternative<std::monostate>(attr.value) && (setting->optional || setting->hasDefault))
      continue;
    if (Attribute value = settingAttribute(*setting, attr.value, context, call))
      list.set(ref(setting->name), value);
  }
  for (const SettingInfo &setting : info.settings) {
    bool byOperand = setting.boundOperand >= 0 && ports.segments[static_cast<size_t>(setting.boundOperand)] > 0;
    if (!setting.hasDefault && !setting.optional && !byOperand && !list.get(ref(setting.name)))
      invalid(call, "the setting " + quote(setting.name) + " is left out; " + std::string(info.codeName) +
                        " has no default for it");
  }
  if (info.hasOperandSegments)
    list.set("operandSegmentSizes", DenseI32ArrayAttr::get(context, ports.segments));
  return list.getDictionary(context);
}

DetachedOp create(MLIRContext *context, const OpInfo &info, const Ports &ports, DictionaryAttr attributes,
                  const NameSize &nameSize, std::string_view call) {
  std::optional<RegisteredOperationName> name = RegisteredOperationName::lookup(ref(info.opName), context);
  auto *inference = name ? name->getInterface<InferTypeOpInterface>() : nullptr;
  if (!inference)
    fail(Status::Unsupported, call, std::string(info.codeName) + " is not built from its operands alone");
  DiagnosticCapture capture(context);
  Location location = UnknownLoc::get(context);
  LooseProperties properties(*name, attributes);
  if (!properties.valid)
    invalid(call, capture.message("a setting does not suit the operator"));
  SmallVector<Type> types;
  if (failed(inference->inferReturnTypes(context, location, ports.present, attributes, properties.get(), RegionRange(),
                                         types)))
    invalid(call, capture.message("the operands do not suit the operator"));
  for (Type type : types)
    checkSize(type, "the result", call);
  // A result of an operand's very type stays so: some ops are of one type throughout.
  for (Type &type : types)
    if (!llvm::is_contained(ValueRange(ports.present).getTypes(), type))
      type = nameUnknownDims(type, info, ports.present, nameSize);
  DetachedOp op(
      Operation::create(location, *name, types, ports.present, NamedAttrList(), properties.get(), BlockRange(), 0u));
  if (failed(verify(op.get(), /*verifyRecursively=*/false)))
    invalid(call, capture.message("the operands or settings do not suit the operator"));
  return op;
}

} // namespace

SmallVector<Dim> sizesToBroadcast(ValueRange operands, size_t rank, size_t axis) {
  SmallVector<Dim> sizes;
  for (Type type : operands.getTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return {};
    Dims dims = dimsOf(tensor);
    if (dims.size() + axis < rank)
      continue;
    Dim dim = dims[dims.size() + axis - rank];
    if (!dim)
      return {};
    if (constantOf(dim) != 1 && !llvm::is_contained(sizes, dim))
      sizes.push_back(dim);
  }
  return sizes.size() > 1 ? sizes : SmallVector<Dim>();
}

void checkSize(Type type, const std::string &what, std::string_view call) {
  if (!isPossibleSize(type))
    invalid(call, what + " is " + describe(type) + ", more elements than memory can hold");
}

void checkDtype(const OperandInfo &operand, Type type, std::string_view call) {
  if (!takesType(operand, type))
    invalid(call, "the operand " + quote(operand.name) + " is " + describe(type) + "; it takes a tensor of " +
                      dtypesText(operand));
}

bool takesDtype(const OperandInfo &operand, ClikaRT::DataType dtype) {
  unsigned width = dtype == ClikaRT::DataType::Bool ? 1 : 8 * static_cast<unsigned>(ClikaRT::item_size(dtype));
  return takesElement(operand, {ClikaRT::is_floating_point(dtype), ClikaRT::is_unsigned_integer(dtype), width});
}

const OperandInfo *operandInfoAt(const OpInfo &info, size_t port, size_t portCount) {
  size_t others = 0;
  for (const OperandInfo &operand : info.operands)
    others += !operand.variadic;
  size_t next = 0;
  for (const OperandInfo &operand : info.operands) {
    next += !operand.variadic ? 1 : portCount > others ? portCount - others : 0;
    if (port < next)
      return &operand;
  }
  return nullptr;
}

DetachedOp buildOp(MLIRContext *context, const OpInfo &info, ArrayRef<Value> operands,
                   const std::vector<Attr> &settings, const NameSize &nameSize, std::string_view call) {
  Ports ports = assignPorts(info, operands, call);
  DictionaryAttr attributes = attributesOf(info, ports, settings, context, call);
  return create(context, info, ports, attributes, nameSize, call);
}

DetachedOp buildOp(MLIRContext *context, const OpInfo &info, ArrayRef<Value> operands, NamedAttrList attributes,
                   const NameSize &nameSize, std::string_view call) {
  Ports ports;
  if (auto segments = dyn_cast_or_null<DenseI32ArrayAttr>(attributes.get("operandSegmentSizes"))) {
    SmallVector<Value> byPort;
    size_t next = 0;
    for (int32_t size : segments.asArrayRef()) {
      size_t count = static_cast<size_t>(std::max(size, 0));
      for (size_t i = 0; i < count; ++i, ++next)
        byPort.push_back(next < operands.size() ? operands[next] : Value());
      if (count == 0)
        byPort.emplace_back();
    }
    if (next != operands.size())
      invalid(call, "operandSegmentSizes counts " + counted(next, "operand") + ", and the number given is " +
                        std::to_string(operands.size()));
    ports = assignPorts(info, byPort, call);
  } else {
    ports = assignPorts(info, operands, call);
  }
  for (const SettingInfo &setting : info.settings)
    if (!setting.hasDefault && !setting.optional && !attributes.get(ref(setting.name)))
      invalid(call, "the setting " + quote(setting.name) + " is left out; " + std::string(info.codeName) +
                        " has no default for it");
  if (info.hasOperandSegments)
    attributes.set("operandSegmentSizes", DenseI32ArrayAttr::get(context, ports.segments));
  else
    attributes.erase("operandSegmentSizes");
  return create(context, info, ports, attributes.getDictionary(context), nameSize, call);
}

DetachedOp rebuildOp(Operation *op, const OpInfo &info, ArrayRef<Value> operands, const std::vector<Attr> &changed,
                     const NameSize &nameSize, std::string_view call) {
  std::vector<Attr> settings;
  for (const SettingInfo &setting : info.settings)
    if (std::ranges::none_of(changed, [&](const Attr &attr) { return attr.name == setting.name; }))
      settings.push_back({std::string(setting.name), settingValue(op, setting)});
  settings.insert(settings.end(), changed.begin(), changed.end());
  return buildOp(op->getContext(), info, operands, settings, nameSize, call);
}

} // namespace clika
