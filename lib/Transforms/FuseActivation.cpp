// fuse_activation.
#include "Dialect/OpTable.h"
#include "Dialect/PointwiseOps.h"
#include "Transforms/ApplyOnce.h"
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

/// The enumerator of `activation` that does what `op` does to its first operand, or "".
StringRef activationOf(Operation *op) {
  const OpInfo *info = isa<NodeOp>(op) ? findOp(cast<NodeOp>(op).getOpCode()) : nullptr;
  if (!info || op->getNumOperands() != 1 || op->getNumResults() != 1)
    return "";
  Builder b(op->getContext());
  if (isa<ClampOp>(op)) {
    bool relu6 =
        hasSettings(op, {b.getNamedAttr("min", b.getF64FloatAttr(0.0)), b.getNamedAttr("max", b.getF64FloatAttr(6.0))});
    return relu6 ? "Relu6" : "";
  }
  if (isa<GeluOp>(op) && hasSettings(op, {b.getNamedAttr("form", b.getStringAttr("Tanh"))}))
    return "GeluTanh";
  StringRef name(info->codeName);
  const OpInfo *add = findOpByMnemonic("add");
  for (const SettingInfo &setting : add->settings)
    if (setting.name == "activation" && llvm::is_contained(setting.enumerators, std::string_view(name)))
      return hasSettings(op, {}) ? name : "";
  return "";
}

struct FuseActivationRule : RewritePattern {
  explicit FuseActivationRule(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    StringRef activation = activationOf(op);
    if (activation.empty())
      return rewriter.notifyMatchFailure(op, "not an activation with its default settings");
    Operation *producer = op->getOperand(0).getDefiningOp();
    if (!isa_and_nonnull<NodeOp>(producer) || producer->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "reads no operator");
    auto tail = dyn_cast_or_null<StringAttr>(producer->getInherentAttr("activation").value_or(Attribute()));
    if (!tail || tail.getValue() != "Identity")
      return rewriter.notifyMatchFailure(op, "the operator before it has no activation, or one already");
    if (!producer->hasOneUse())
      return rewriter.notifyMatchFailure(op, "the operator before it has another reader");
    Operation *fused = cloneAsNew(rewriter, producer);
    fused->setInherentAttr(rewriter.getStringAttr("activation"), rewriter.getStringAttr(activation));
    rewriter.replaceOp(op, fused->getResults());
    return success();
  }
};

} // namespace

LogicalResult runFuseActivation(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<FuseActivationRule>(p.getContext()); });
}

} // namespace clika
