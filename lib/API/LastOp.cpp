#include "API/LastOp.h"

#include <algorithm>

using namespace mlir;
using ClikaRT::graph::Attr;

namespace clika {
namespace {

/// Null where it was left out.
Type typeAt(Value value) { return value ? value.getType() : Type(); }

bool areArguments(ArrayRef<Value> operands) {
  return llvm::all_of(operands, [](Value value) { return !value || isa<BlockArgument>(value); });
}

bool isStatic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

} // namespace

DetachedOp LastOp::again(ArrayRef<Value> operands) const {
  if (!properties || (readsValues && !areArguments(operands)) ||
      !llvm::equal(operands, operandTypes, [](Value value, Type type) { return typeAt(value) == type; }))
    return nullptr;
  SmallVector<Value> present;
  for (Value operand : operands)
    if (operand)
      present.push_back(operand);
  return DetachedOp(Operation::create(UnknownLoc::get(properties->className().getContext()), properties->className(),
                                      resultTypes, present, NamedAttrList(), properties->get(), BlockRange(), 0u));
}

void LastOp::remember(Operation *op, const OpInfo &info, ArrayRef<Value> operands) {
  properties.reset();
  readsValues = std::ranges::any_of(info.settings, [](const SettingInfo &each) { return each.boundOperand >= 0; });
  // Sizes that are not known get fresh names.
  if (op->getNumRegions() > 0 || !llvm::all_of(op->getResultTypes(), isStatic) ||
      (readsValues && !areArguments(operands)))
    return;
  operandTypes.assign(operands.size(), Type());
  llvm::transform(operands, operandTypes.begin(), typeAt);
  resultTypes.assign(op->result_type_begin(), op->result_type_end());
  properties = std::make_unique<PropertiesCopy>(op);
}

DetachedOp LastCalls::again(const OpInfo &info, ArrayRef<Value> operands, const std::vector<Attr> &settings) const {
  auto call = std::ranges::find(calls, &info, &Call::info);
  return call != calls.end() && call->settings == settings ? call->op.again(operands) : nullptr;
}

void LastCalls::remember(Operation *op, const OpInfo &info, ArrayRef<Value> operands,
                         const std::vector<Attr> &settings) {
  auto call = std::ranges::find(calls, &info, &Call::info);
  if (call == calls.end())
    call = calls.insert(calls.end(), {&info, {}, {}});
  call->settings = settings;
  call->op.remember(op, info, operands);
}

} // namespace clika
