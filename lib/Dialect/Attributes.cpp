// What the verifier says of attributes: settings that no record has, and attributes of this dialect that nobody reads.
#include "Dialect/ModuleAttributes.h"
#include "Dialect/NodeFacts.h"
#include "Dialect/NodeRegistration.h"
#include "Dialect/Numbers.h"
#include "Dialect/OpTable.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace clika {
namespace {

/// Attributes of modules, functions and operators that are no nodes: of logs of rewrites, and between passes.
constexpr llvm::StringLiteral kKnown[] = {
    kTargetDeviceAttr,     kLogVersionAttr,      "clika.log_before",
    "clika.log_after",     "clika.log_steps",    "clika.number",
    "clika.iteration",     "clika.transform",    "clika.removed",
    "clika.was",           "clika.behind",       "clika.inputs",
    "clika.outputs",       "clika.functions",    "clika.function_of",
    "clika.function",      "clika.profile",      "clika.profile_rows",
    "clika.vector_bytes",  "clika.threads",      "clika.fused_multiply_add",
    "clika.planned_bytes", "clika.parallel",     "clika.kernel",
    "clika.slot",          "clika.slot_number",  "clika.result",
    "clika.byte_dot",      "clika.byte_product", "clika.contraction",
};
/// On nodes: a constant's key in a log, and what the lowering of loops notes.
constexpr llvm::StringLiteral kKnownOnNodes[] = {"clika.key", "clika.fixed_sizes", "clika.kept_sizes"};
/// On arguments of functions; of these results have a name alone.
constexpr llvm::StringLiteral kKnownOnArguments[] = {"clika.name", "clika.result", "clika.constant"};

std::string settingNames(StringRef op) {
  op.consume_front("clika.");
  const OpInfo *info = findOpByMnemonic({op.data(), op.size()});
  std::string names;
  for (const SettingInfo &setting : info ? info->settings : std::span<const SettingInfo>())
    names += (names.empty() ? "" : ", ") + std::string(setting.name);
  return names.empty() ? "it has none" : "its settings are: " + names;
}

bool isNode(Operation *op) { return isa_and_nonnull<ClikaDialect>(op->getDialect()); }

/// What a node computes with: float32 for halves; null where it computes in no float.
Type computedFloat(Operation *op) {
  Type type;
  for (Type each : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(each);
    auto element = tensor ? dyn_cast<FloatType>(tensor.getElementType()) : FloatType();
    if (element && (!type || element.isF64()))
      type = element.isF64() ? Type(element) : Type(Float32Type::get(op->getContext()));
  }
  return type;
}

} // namespace

LogicalResult checkSettingNames(StringRef op, ArrayRef<StringRef> names, Attribute settings,
                                llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto dictionary = dyn_cast_if_present<DictionaryAttr>(settings);
  if (!dictionary || !emitError)
    return success();
  for (NamedAttribute entry : dictionary) {
    StringRef name = entry.getName().getValue();
    bool isForeign = name.contains('.') && !name.starts_with("clika.");
    if (isForeign || name == "node" || name == "operand_segment_sizes" || llvm::is_contained(names, name))
      continue;
    emitError() << "'" << op << "' has no setting '" << name << "'; " << settingNames(op);
    return failure();
  }
  return success();
}

LogicalResult verifySettings(Operation *op) {
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    if (!attribute.getName().getValue().contains('.'))
      return op->emitOpError() << "has no setting '" << attribute.getName().getValue() << "'; "
                               << settingNames(op->getName().getStringRef());
  const OpInfo *info = factsOf(op).info;
  Type computed;
  for (const SettingInfo &setting : info ? info->settings : std::span<const SettingInfo>()) {
    if (setting.kind != SettingKind::Float)
      continue;
    if (!computed && !(computed = computedFloat(op)))
      break;
    StringRef name(setting.name.data(), setting.name.size());
    if (failed(
            checkNumber(op->getLoc(), info->mnemonic, name, op->getInherentAttr(name).value_or(Attribute()), computed)))
      return failure();
  }
  return success();
}

LogicalResult ClikaDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (isNode(op) ? llvm::is_contained(kKnownOnNodes, name) : llvm::is_contained(kKnown, name))
    return success();
  InFlightDiagnostic error = op->emitOpError() << "has the attribute '" << name << "', which nothing reads";
  if (isNode(op))
    error << "; " << settingNames(op->getName().getStringRef());
  return error;
}

LogicalResult ClikaDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (llvm::is_contained(kKnownOnArguments, name))
    return success();
  return op->emitOpError() << "has on argument " << argument << " the attribute '" << name
                           << "', which nothing reads; clika.name gives an input its name";
}

LogicalResult ClikaDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned result,
                                                        NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == kKnownOnArguments[0])
    return success();
  return op->emitOpError() << "has on result " << result << " the attribute '" << name
                           << "', which nothing reads; clika.name gives an output its name";
}

} // namespace clika
