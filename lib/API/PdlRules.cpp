#include "API/PdlRules.h"

#include "API/BuildOp.h"
#include "API/Edits.h"
#include "API/Fail.h"
#include "API/Settings.h"
#include "API/Text.h"
#include "Dialect/ConstantData.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Dialect.h"
#include "Dialect/Shape.h"
#include "Pipelines/Evaluator.h"
#include "Runtime/Counted.h"
#include "Transforms/Kept.h"
#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/Dialect/PDL/IR/PDLTypes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace clika {
namespace {

constexpr llvm::StringLiteral kBuild = "clika.build", kFinish = "clika.finish", kMayGo = "clika.may_go";

/// PDL's own way to make an operation goes on with none where its types cannot be inferred: have it made by `kBuild`.
void rewriteCreation(pdl::OperationOp op) {
  OpBuilder builder(op);
  Location location = op.getLoc();
  auto attributeType = pdl::AttributeType::get(op.getContext());
  SmallVector<Value> arguments = {
      pdl::AttributeOp::create(builder, location, attributeType, Value(), Attribute(op.getOpNameAttr())),
      pdl::AttributeOp::create(builder, location, attributeType, Value(), Attribute(op.getAttributeValueNamesAttr()))};
  for (ValueRange group : {op.getAttributeValues(), op.getOperandValues(), op.getTypeValues()})
    arguments.append(group.begin(), group.end());
  auto made = pdl::ApplyNativeRewriteOp::create(builder, location, TypeRange(op.getType()), kBuild, arguments);
  op.replaceAllUsesWith(made.getResult(0));
  op.erase();
}

/// All that a rewrite replaces and erases goes at its end, at once, so that nothing reads what has gone. Each target is
/// followed by so many values, or by none and to be erased (-1).
void rewriteEnd(pdl::RewriteOp rewrite) {
  SmallVector<Value> arguments = {Value()};
  SmallVector<int64_t> counts;
  SmallVector<Operation *> gone;
  for (Operation &op : rewrite.getBodyRegion().front()) {
    if (auto replace = dyn_cast<pdl::ReplaceOp>(op)) {
      arguments.push_back(replace.getOpValue());
      SmallVector<Value> by(replace.getReplValues());
      if (replace.getReplOperation())
        by.push_back(replace.getReplOperation());
      arguments.append(by);
      counts.push_back(static_cast<int64_t>(by.size()));
      gone.push_back(&op);
    } else if (auto erase = dyn_cast<pdl::EraseOp>(op)) {
      arguments.push_back(erase.getOpValue());
      counts.push_back(-1);
      gone.push_back(&op);
    }
  }
  OpBuilder builder = OpBuilder::atBlockEnd(&rewrite.getBodyRegion().front());
  arguments[0] = pdl::AttributeOp::create(builder, rewrite.getLoc(), pdl::AttributeType::get(rewrite.getContext()),
                                          Value(), builder.getDenseI64ArrayAttr(counts));
  pdl::ApplyNativeRewriteOp::create(builder, rewrite.getLoc(), TypeRange(), kFinish, arguments);
  for (Operation *op : gone)
    op->erase();
}

/// Whatever a rewrite replaces and erases beside its root, of which the driver sees to it, must not be kept.
void constrainTargets(pdl::PatternOp pattern) {
  pdl::RewriteOp rewrite = pattern.getRewriter();
  llvm::SetVector<Value> targets;
  for (Operation &op : rewrite.getBodyRegion().front()) {
    Value target;
    if (auto replace = dyn_cast<pdl::ReplaceOp>(op))
      target = replace.getOpValue();
    else if (auto erase = dyn_cast<pdl::EraseOp>(op))
      target = erase.getOpValue();
    if (target && target != rewrite.getRoot() && target.getParentBlock() == rewrite->getBlock())
      targets.insert(target);
  }
  OpBuilder builder(rewrite);
  for (Value target : targets)
    pdl::ApplyNativeConstraintOp::create(builder, rewrite.getLoc(), TypeRange(), kMayGo, target, false);
}

struct End {
  Operation *target;
  bool erases;
  SmallVector<Value> values;
};

void checkTarget(GraphCore &core, Operation *op) {
  if (!isa_and_nonnull<NodeOp>(op) || !core.module()->isAncestor(op))
    invalid(kFromPdl, "the rewrite would replace or erase what is no operator of the graph" +
                          (op ? ", a " + op->getName().getStringRef().str() : std::string()) +
                          "; name the operator that the pattern begins with");
}

std::vector<End> endsOf(GraphCore &core, ArrayRef<PDLValue> arguments) {
  std::vector<End> ends;
  llvm::SmallPtrSet<Operation *, 4> seen;
  auto counts = cast<DenseI64ArrayAttr>(arguments.front().cast<Attribute>()).asArrayRef();
  arguments = arguments.drop_front();
  for (int64_t count : counts) {
    End end{arguments.front() ? arguments.front().cast<Operation *>() : nullptr, count < 0, {}};
    checkTarget(core, end.target);
    if (!seen.insert(end.target).second)
      invalid(kFromPdl, "the rewrite replaces or erases " + quote(core.nameOf(end.target)) + " twice");
    for (const PDLValue &argument : arguments.slice(1, static_cast<size_t>(std::max<int64_t>(count, 0)))) {
      if (argument && argument.isa<Operation *>())
        llvm::append_range(end.values, argument.cast<Operation *>()->getResults());
      else
        appendValues(argument, end.values, [&] { return "what replaces " + quote(core.nameOf(end.target)); });
    }
    arguments = arguments.drop_front(static_cast<size_t>(std::max<int64_t>(count, 0)) + 1);
    ends.push_back(std::move(end));
  }
  return ends;
}

void checkReplacement(GraphCore &core, const End &end, const std::vector<End> &all) {
  auto what = [&] { return "the rewrite replaces " + quote(core.nameOf(end.target)); };
  if (end.values.size() != end.target->getNumResults())
    invalid(kFromPdl, what() + ", which has " + counted(end.target->getNumResults(), "output") + ", by " +
                          counted(end.values.size(), "value"));
  for (auto [result, value] : llvm::zip(end.target->getResults(), end.values)) {
    if (!value)
      invalid(kFromPdl, what() + " by a value that is not there");
    for (const End &other : all)
      if (value.getDefiningOp() == other.target)
        invalid(kFromPdl,
                what() + " by a value of " + quote(core.nameOf(other.target)) + ", which it replaces or erases too");
    if (!canStandFor(value.getType(), result.getType()) && !compatibleTypes(result.getType(), value.getType()) &&
        !compatibleTypes(value.getType(), result.getType()))
      invalid(kFromPdl, what() + ", which is " + describe(result.getType()) + ", by a value that is " +
                            describe(value.getType()) + "; a value may only stand for one of equal dtype and shape");
  }
}

} // namespace

PdlRules::PdlRules(MLIRContext *context, const std::string &pdl) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(pdl, context);
  SmallVector<pdl::OperationOp> made;
  SmallVector<pdl::RewriteOp> rewrites;
  module->walk([&](pdl::RewriteOp rewrite) {
    rewrites.push_back(rewrite);
    rewrite.walk([&](pdl::OperationOp op) { made.push_back(op); });
  });
  module->walk(constrainTargets);
  for (pdl::OperationOp op : made)
    rewriteCreation(op);
  for (pdl::RewriteOp rewrite : rewrites)
    rewriteEnd(rewrite);
  PDLPatternModule patterns(std::move(module));
  auto guarded = [this](auto body) -> LogicalResult {
    if (failure)
      return mlir::failure();
    try {
      body();
      return success();
    } catch (...) {
      failure = std::current_exception();
      return mlir::failure();
    }
  };
  patterns.registerConstraintFunction(kMayGo,
                                      [](PatternRewriter &rewriter, PDLResultList &, ArrayRef<PDLValue> arguments) {
                                        return success(!isKept(rewriter, arguments.front().cast<Operation *>()));
                                      });
  patterns.registerRewriteFunction(
      kBuild, [this, guarded](PatternRewriter &rewriter, PDLResultList &results, ArrayRef<PDLValue> arguments) {
        return guarded([&] {
          Operation *op = maker.make(*core, arguments);
          rewriter.insert(op);
          results.push_back(op);
        });
      });
  patterns.registerRewriteFunction(
      kFinish, [this, guarded](PatternRewriter &rewriter, PDLResultList &, ArrayRef<PDLValue> arguments) {
        return guarded([&] { finish(rewriter, arguments); });
      });
  RewritePatternSet set(std::move(patterns));
  compiled.emplace(std::move(set));
}

void PdlRules::finish(PatternRewriter &rewriter, ArrayRef<PDLValue> arguments) {
  std::vector<End> ends = endsOf(*core, arguments);
  bool typesOutputs = false;
  for (const End &end : ends) {
    if (!end.erases)
      checkReplacement(*core, end, ends);
    typesOutputs |= llvm::any_of(end.target->getResultTypes(), llvm::IsaPred<NoneType>);
  }
  for (const End &end : ends)
    if (!end.erases)
      rewriter.replaceOp(end.target, end.values);
  for (const End &end : ends) {
    if (!end.erases)
      continue;
    if (!end.target->use_empty())
      invalid(kFromPdl, "the rewrite erases " + quote(core->nameOf(end.target)) + ", which is still read");
    rewriter.eraseOp(end.target);
  }
  if (typesOutputs)
    setOutputTypes(*core);
}

void PdlRules::reset() {
  core = nullptr;
  failure = nullptr;
  maker.reset();
}

} // namespace clika
