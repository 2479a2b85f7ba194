#include "API/LastOp.h"

using namespace mlir;
using ClikaRT::graph::Attr;

namespace clika {
namespace {

/// Null where it was left out.
Type typeAt(Value value) { return value ? value.getType() : Type(); }

/// Whether nothing is known of what is read but its type.
bool areArguments(ArrayRef<Value> operands) {
  return llvm::all_of(operands, [](Value value) { return !value || isa<BlockArgument>(value); });
}

bool isStatic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

} // namespace

DetachedOp LastOp::again(const OpInfo &wanted, ArrayRef<Value> operands, const std::vector<Attr> &given) const {
  if (info != &wanted || operands.size() != operandTypes.size() || !areArguments(operands) ||
      !llvm::equal(operands, operandTypes, [](Value value, Type type) { return typeAt(value) == type; }) ||
      given != settings)
    return nullptr;
  SmallVector<Value> present;
  for (Value operand : operands)
    if (operand)
      present.push_back(operand);
  return DetachedOp(Operation::create(UnknownLoc::get(properties->className().getContext()), properties->className(),
                                      resultTypes, present, NamedAttrList(), properties->get(), BlockRange(), 0u));
}

void LastOp::remember(Operation *op, const OpInfo &built, ArrayRef<Value> operands, const std::vector<Attr> &given) {
  info = nullptr;
  if (op->getNumRegions() > 0 || !areArguments(operands) || !llvm::all_of(op->getResultTypes(), isStatic))
    return;
  info = &built;
  settings = given;
  operandTypes.clear();
  for (Value operand : operands)
    operandTypes.push_back(typeAt(operand));
  resultTypes.assign(op->result_type_begin(), op->result_type_end());
  properties = std::make_unique<PropertiesCopy>(op);
}

} // namespace clika
