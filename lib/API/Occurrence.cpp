#include "API/Occurrence.h"

#include "Dialect/Functions.h"

using ClikaRT::graph::RewriteMatch;

namespace clika {

Keeps keepsOf(const llvm::DenseSet<uint64_t> &keep) {
  if (keep.empty())
    return nullptr;
  return [&keep](mlir::Operation *op) {
    const NodeIdentity *identity = identityOf(op);
    return identity && keep.contains(identity->id);
  };
}

Skip skipOf(llvm::ArrayRef<mlir::Operation *> ops, const RewriteMatch &match, Convexity *convexity,
            const llvm::DenseSet<uint64_t> &keep) {
  if (Keeps keeps = keepsOf(keep); keeps && llvm::any_of(ops, [&](auto *op) { return holdsKept(op, keeps); }))
    return Skip::Kept;
  if (match.outputs.empty())
    return Skip::Unread;
  return !convexity || convexity->holds(ops) ? Skip::No : Skip::NotConvex;
}

void addSkip(ClikaRT::graph::SkipCounts &counts, Skip skip, int64_t times) {
  switch (skip) {
  case Skip::No:
    break;
  case Skip::Kept:
    counts.kept += times;
    break;
  case Skip::Unread:
    counts.unread += times;
    break;
  case Skip::NotConvex:
    counts.not_convex += times;
    break;
  }
}

void replaceMatch(Query &query, const RewriteMatch &match, const ClikaRT::graph::TraceFunction &fn,
                  const ReplaceOptions &options) {
  const std::string_view call = options.call.empty() ? query.call : options.call;
  llvm::SmallVector<mlir::Value> inputs, outputs;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::StringAttr> names;
  for (const auto &value : match.inputs) {
    inputs.push_back(query->resolve(value, call));
    types.push_back(inputs.back().getType());
    names.push_back(query->nameAttrOf(inputs.back()));
  }
  for (const auto &value : match.outputs)
    outputs.push_back(query->resolve(value, call));
  auto recorded = [&] { return record(*query, fn, types, names, call, options.mayCapture, options.last); };
  mlir::func::FuncOp around = functionAround(outputs.front().getDefiningOp());
  Recording recording = withoutLock(query, options.who, recorded, options.mayCapture, around);
  for (const auto &value : recording.captured)
    inputs.push_back(query->resolve(value, call));
  checkReplacement(*query, outputs, recording, call, options.who);
  replaceValues(*query, outputs, std::move(recording), inputs, call, options.place);
}

} // namespace clika
