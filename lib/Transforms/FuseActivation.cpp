// fuse_activation.
#include "Dialect/OpTable.h"
#include "Dialect/PointwiseOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/NewNode.h"
#include "Transforms/Transforms.h"

using namespace mlir;

namespace clika {
namespace {

/// Whether `op` has the settings a node of its kind has when `settings` are given and the others are at their defaults.
bool hasSettings(Operation *op, llvm::SmallVector<NamedAttribute> settings) {
  StringRef segments = OpTrait::AttrSizedOperandSegments<void>::getOperandSegmentSizeAttr();
  if (std::optional<Attribute> counts = op->getInherentAttr(segments); counts && *counts)
    settings.emplace_back(StringAttr::get(op->getContext(), segments), *counts);
  OperationState state(op->getLoc(), op->getName(), op->getOperands(), op->getResultTypes(), settings);
  Operation *fresh = Operation::create(state);
  bool same = op->getName().compareOpProperties(op->getPropertiesStorage(), fresh->getPropertiesStorage());
  fresh->destroy();
  return same;
}

/// Whether `activation` has an enumerator of the name.
bool isActivation(StringRef name) {
  for (const SettingInfo &setting : findOpByMnemonic("add")->settings)
    if (setting.name == "activation")
      return llvm::is_contained(setting.enumerators, std::string_view(name));
  return false;
}

/// The enumerator of `activation` that does what `op` does to its first operand; "" where its settings have none; none
/// for an op that is no activation.
std::optional<StringRef> activationOf(Operation *op) {
  const OpInfo *info = isa<NodeOp>(op) ? findOp(cast<NodeOp>(op).getOpCode()) : nullptr;
  if (!info)
    return std::nullopt;
  if (auto clamp = dyn_cast<ClampOp>(op)) {
    std::optional<double> ceiling = numberOf(clamp.getMaxAttr());
    bool relu6 = op->getNumOperands() == 1 && isPositiveZero(clamp.getMinAttr()) && ceiling && *ceiling == 6.0;
    return relu6 ? "Relu6" : "";
  }
  Builder b(op->getContext());
  if (isa<GeluOp>(op) && hasSettings(op, {b.getNamedAttr("form", b.getStringAttr("Tanh"))}))
    return "GeluTanh";
  StringRef name(info->codeName);
  if (!isActivation(name) || op->getNumOperands() != 1)
    return std::nullopt;
  return hasSettings(op, {}) ? name : "";
}

struct FuseActivationRule : RewritePattern {
  explicit FuseActivationRule(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    std::optional<StringRef> activation = activationOf(op);
    if (!activation)
      return failure();
    if (activation->empty())
      return rewriter.notifyMatchFailure(op, "its settings are none that an operator's activation can have");
    Operation *producer = op->getOperand(0).getDefiningOp();
    auto tail = isa_and_nonnull<NodeOp>(producer)
                    ? dyn_cast_or_null<StringAttr>(producer->getInherentAttr("activation").value_or(Attribute()))
                    : StringAttr();
    if (!tail || producer->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "does not read an operator that has the setting activation");
    if (tail.getValue() != "Identity")
      return rewriter.notifyMatchFailure(op, "the operator before it has an activation already");
    if (!isReadOnce(producer->getResult(0)))
      return rewriter.notifyMatchFailure(op, "the operator before it has another reader");
    Operation *fused = cloneAsNew(rewriter, producer);
    fused->setInherentAttr(rewriter.getStringAttr("activation"), rewriter.getStringAttr(*activation));
    rewriter.replaceOp(op, fused->getResults());
    return success();
  }
};

} // namespace

LogicalResult runFuseActivation(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<FuseActivationRule>(p.getContext()); });
}

} // namespace clika
