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

/// The enumerator of `activation` that does what `op` does to its first operand; none where its settings have none.
std::optional<StringRef> activationOf(Operation *op) {
  if (auto clamp = dyn_cast<ClampOp>(op)) {
    std::optional<double> ceiling = numberOf(clamp.getMaxAttr());
    bool relu6 = op->getNumOperands() == 1 && isPositiveZero(clamp.getMinAttr()) && ceiling && *ceiling == 6.0;
    return relu6 ? std::optional<StringRef>("Relu6") : std::nullopt;
  }
  Builder b(op->getContext());
  if (isa<GeluOp>(op) && hasSettings(op, {b.getNamedAttr("form", b.getStringAttr("Tanh"))}))
    return "GeluTanh";
  if (op->getNumOperands() != 1 || !hasSettings(op, {}))
    return std::nullopt;
  return findOp(cast<NodeOp>(op).getOpCode())->codeName;
}

struct FuseActivationRule : RewritePattern {
  FuseActivationRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    std::optional<StringRef> activation = activationOf(op);
    if (!activation)
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

/// Its roots are the operators that `activation` names, and the clamp that is relu6.
void addRules(RewritePatternSet &patterns) {
  for (const OpInfo &op : allOps())
    if (isActivation(op.codeName))
      patterns.add<FuseActivationRule>(op.opName, patterns.getContext());
  addRooted<FuseActivationRule, ClampOp>(patterns);
}

} // namespace

LogicalResult runFuseActivation(TransformContext &context) { return applyOnce(context, addRules); }

} // namespace clika
