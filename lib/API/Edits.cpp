// The edits of operators and values.
#include "API/Edits.h"
#include "API/BuildOp.h"
#include "API/Core.h"
#include "API/Fail.h"
#include "API/Order.h"
#include "API/Settings.h"
#include "Dialect/ControlOps.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Shape.h"
#include "Runtime/Counted.h"
#include "mlir/IR/Builders.h"

using namespace clika;

namespace clika {

std::function<std::string()> freshDims(GraphCore &core) {
  return [&core] {
    std::lock_guard lock(core.mutex);
    return core.freshDimension();
  };
}

NameSize sizeNames(GraphCore &core) {
  return [&core](llvm::ArrayRef<mlir::AffineExpr> sizes) {
    std::lock_guard lock(core.mutex);
    return core.broadcastDimension(sizes);
  };
}

mlir::StringAttr checkedName(GraphCore &core, const std::string &name, std::string_view call) {
  if (name.empty())
    return {};
  if (uint64_t holder = core.index.find(name)) {
    mlir::Operation *op = core.index.slot(holder)->op;
    const OpInfo *info = infoOf(op);
    std::string what = !op ? "an input" : isConstant(op) ? "a constant" : info ? std::string(info->codeName) : "a node";
    invalid(call, "the name " + quote(name) + " is in use, by " + what + "; names are unique, so give another");
  }
  return mlir::StringAttr::get(core.mlir(), name);
}

mlir::Operation *insertOp(GraphCore &core, DetachedOp op, mlir::Block::iterator where, mlir::StringAttr name) {
  mlir::Operation *inserted = op.release();
  where->getBlock()->getOperations().insert(where, inserted);
  core.index.add(inserted, name);
  ++core.changes;
  return inserted;
}

void eraseOp(GraphCore &core, mlir::Operation *op) {
  if (op->getNumRegions() == 0)
    core.index.erased(op);
  else
    op->walk([&](mlir::Operation *inner) { core.index.erased(inner); });
  ++core.changes;
  op->erase();
}

bool canStandFor(mlir::Type next, mlir::Type old) { return next == old || mlir::isa<mlir::NoneType>(old); }

void setOutputTypes(GraphCore &core) {
  mlir::TypeRange types = core.terminator()->getOperandTypes();
  if (types != mlir::TypeRange(core.main().getResultTypes()))
    core.main().setFunctionType(mlir::FunctionType::get(core.mlir(), core.main().getFunctionType().getInputs(), types));
}

void checkSameType(GraphCore &core, mlir::Value old, mlir::Value next, std::string_view call) {
  if (canStandFor(next.getType(), old.getType()))
    return;
  invalid(call, quote(core.nameOf(next)) + " is " + describe(next.getType()) + ", and " + quote(core.nameOf(old)) +
                    ", whose readers it would take over, is " + describe(old.getType()) +
                    "; a value may only stand for one of equal dtype and shape");
}

void redirectUses(GraphCore &core, mlir::Value next, llvm::ArrayRef<mlir::OpOperand *> uses, std::string_view call,
                  MoveLog *log, bool isAhead) {
  checkSizes(core, next, uses, call);
  // What reads a value comes after what stands directly ahead of its producer.
  mlir::Operation *producer = next.getDefiningOp(), *after = producer ? producer->getNextNode() : nullptr;
  if (!isAhead &&
      (!after || llvm::any_of(uses, [&](mlir::OpOperand *use) { return use->get().getDefiningOp() != after; }))) {
    llvm::SmallVector<mlir::Operation *> readers;
    for (mlir::OpOperand *use : uses)
      readers.push_back(readerBeside(core, next, use->getOwner(), call));
    makeAvailable(core, next, readers, call, log);
  }
  bool typesOutputs = false;
  for (mlir::OpOperand *use : uses) {
    typesOutputs |= use->getOwner() == core.terminator() && use->get().getType() != next.getType();
    use->set(next);
    for (mlir::Operation *op = use->getOwner(); !mlir::isa<mlir::func::FuncOp>(op); op = op->getParentOp())
      core.index.touched(op);
    ++core.changes;
  }
  if (typesOutputs)
    setOutputTypes(core);
}

std::string readerName(GraphCore &core, mlir::Value value, mlir::Operation *user) {
  if (mlir::isa<mlir::func::ReturnOp>(user))
    return user == core.terminator() ? "the graph's outputs" : "the results of " + placeText(core, *user->getBlock());
  mlir::Operation *beside = value.getParentBlock()->findAncestorOpInBlock(*user);
  return isOperator(beside) ? quote(core.nameOf(beside))
                            : "what a region of " + quote(core.nameOf(beside->getParentOp())) + " yields";
}

namespace {

/// What the regions of an operator, or a function, hold follows from the types that it reads, so that those stay.
void setControlInput(GraphCore &core, mlir::Operation *op, mlir::Value old, mlir::Value next, std::string_view call) {
  if (!old || !next)
    invalid(call, "the node " + quote(core.nameOf(op)) +
                      " was recorded with these operands and with no others; build " + "another one with insert()");
  checkSameType(core, old, next, call);
  llvm::SmallVector<mlir::OpOperand *> uses;
  for (mlir::OpOperand &use : op->getOpOperands())
    if (use.get() == old)
      uses.push_back(&use);
  redirectUses(core, next, uses, call);
}

/// What the operator computes of it is not known, so that it goes on reading what it did.
void setOpaqueInput(GraphCore &core, mlir::OpOperand &use, mlir::Value next, std::string_view call) {
  if (!next)
    invalid(call, "the node " + quote(core.nameOf(use.getOwner())) + " is opaque and takes a value at every port; " +
                      "give one");
  checkSameType(core, use.get(), next, call);
  mlir::OpOperand *uses[] = {&use};
  redirectUses(core, next, uses, call);
}

} // namespace

mlir::Operation *resolveOperator(GraphCore &core, const ClikaRT::graph::Node &node, std::string_view call) {
  mlir::Operation *op = core.resolve(node, call);
  if (!op)
    invalid(call, quote(core.index.slot(node.id())->name.getValue()) +
                      " is an input of the graph, and the call is for operators; inputs have edits of their own " +
                      "(add_input, rename_input, remove_input)");
  return op;
}

} // namespace clika

namespace ClikaRT::graph {

Node ModelGraph::add_node(OpCode code, const std::vector<std::optional<Value>> &inputs,
                          const std::vector<Attr> &attributes, const std::string &name) {
  Edit edit(core_, "add_node");
  const OpInfo *info = findOp(static_cast<uint32_t>(code));
  if (code == OpCode::Input)
    fail(Status::Unsupported, edit.call, "Input is the code of the graph's inputs, no operator's; call add_input");
  if (code == OpCode::Constant)
    fail(Status::Unsupported, edit.call,
         "Constant is the code of constants, which are values and no nodes; call add_constant");
  if (!info)
    invalid(edit.call, std::to_string(static_cast<uint32_t>(code)) + " is no OpCode; use one of its enumerators");
  if (!info->isPublic || info->needsInsert)
    fail(Status::Unsupported, edit.call,
         "no single public op call builds an operator of the code " + std::string(info->codeName) +
             "; build it with insert(), from the public ops that compute it");
  std::vector<mlir::Value> operands;
  for (const std::optional<Value> &input : inputs)
    operands.push_back(input ? edit->resolve(*input, edit.call) : mlir::Value());
  mlir::StringAttr given = checkedName(*edit, name, edit.call);
  std::string call = "add_node: " + std::string(info->mnemonic);
  DetachedOp op = buildOp(edit->mlir(), *info, operands, attributes, sizeNames(*edit), call);
  return edit->handleOf(insertOp(*edit, std::move(op), after(*edit, operands, edit.call), given));
}

void ModelGraph::replace_all_uses_with(const Value &old_value, const Value &new_value) {
  Edit edit(core_, "replace_all_uses_with");
  mlir::Value old = edit->resolve(old_value, edit.call), next = edit->resolve(new_value, edit.call);
  if (old == next)
    return;
  checkSameType(*edit, old, next, edit.call);
  llvm::SmallVector<mlir::OpOperand *> uses;
  for (mlir::OpOperand &use : old.getUses())
    uses.push_back(&use);
  redirectUses(*edit, next, uses, edit.call);
}

void ModelGraph::set_input(const Node &node, std::size_t port, const std::optional<Value> &value) {
  Edit edit(core_, "set_input");
  mlir::Operation *op = resolveOperator(*edit, node, edit.call);
  const OpInfo *info = infoOf(op);
  std::size_t ports = info ? portCount(op, *info) : op->getNumOperands();
  if (!info || port >= ports)
    invalid(edit.call, "the node " + quote(edit->nameOf(op)) + " has " + std::to_string(ports) +
                           " ports, counted from 0; port " + std::to_string(port) + " was given");
  mlir::Value next = value ? edit->resolve(*value, edit.call) : mlir::Value();
  mlir::Value old = operandAt(op, *info, port);
  if (old == next)
    return;
  if (op->getNumRegions() > 0 || mlir::isa<CallOp>(op))
    return setControlInput(*edit, op, old, next, edit.call);
  if (mlir::isa<OpaqueOp>(op))
    return setOpaqueInput(*edit, op->getOpOperand(static_cast<unsigned>(port)), next, edit.call);
  std::vector<mlir::Value> operands;
  for (std::size_t i = 0; i < ports; ++i)
    operands.push_back(i == port ? next : operandAt(op, *info, i));
  replaceOperator(*edit, op, *info, operands, {}, edit.call);
}

void ModelGraph::set_attribute(const Node &node, std::string_view name, const AttrValue &value) {
  Edit edit(core_, "set_attribute");
  mlir::Operation *op = resolveOperator(*edit, node, edit.call);
  const OpInfo *info = infoOf(op);
  const SettingInfo *setting = info ? findSetting(*info, name) : nullptr;
  if (!setting)
    invalid(edit.call, "the node " + quote(edit->nameOf(op)) + " has no setting " + quote(name) +
                           "; its settings are: " + (info ? settingNames(*info) : std::string("none")));
  Attr before{std::string(name), settingValue(op, *setting)};
  mlir::Attribute stored = settingAttribute(*setting, value, edit->mlir(), edit.call);
  if (stored == op->getAttr(llvm::StringRef(name.data(), name.size())) || before == Attr{std::string(name), value})
    return;
  if (mlir::isa<CallOp>(op))
    fail(Status::Unsupported, edit.call,
         "the node " + quote(edit->nameOf(op)) + " calls one function for good; call " + "another with insert()");
  std::vector<mlir::Value> operands;
  for (std::size_t i = 0; i < portCount(op, *info); ++i)
    operands.push_back(operandAt(op, *info, i));
  replaceOperator(*edit, op, *info, operands, {{std::string(name), value}}, edit.call);
}

void ModelGraph::remove_node(const Node &node) {
  Edit edit(core_, "remove_node");
  mlir::Operation *op = resolveOperator(*edit, node, edit.call);
  for (mlir::Value result : op->getResults())
    for (mlir::Operation *user : result.getUsers())
      invalid(edit.call, "the node " + quote(edit->nameOf(op)) + " is read by " + readerName(*edit, result, user) +
                             "; move its readers first (replace_all_uses_with), or bypass_node it");
  eraseOp(*edit, op);
}

void ModelGraph::bypass_node(const Node &node) {
  Edit edit(core_, "bypass_node");
  mlir::Operation *op = resolveOperator(*edit, node, edit.call);
  const OpInfo *info = infoOf(op);
  std::string name = quote(edit->nameOf(op));
  if (!info || info->dataInput < 0 || op->getNumResults() == 0)
    invalid(edit.call, "the node " + name + " (" + std::string(info ? info->codeName : "?") +
                           ") has no input that its readers could read instead; use replace_all_uses_with");
  const OperandInfo &operand = info->operands[static_cast<std::size_t>(info->dataInput)];
  if (operand.variadic && op->getNumOperands() != info->operands.size())
    invalid(edit.call, "the node " + name + " reads " + counted(op->getNumOperands(), "value") +
                           ", so there is not one to hand on; use replace_all_uses_with");
  mlir::Value data = operandAt(op, *info, static_cast<std::size_t>(info->dataInput));
  mlir::Value result = op->getResult(0);
  if (data.getType() != result.getType())
    invalid(edit.call, "the node " + name + " turns " + describe(data.getType()) + " into " +
                           describe(result.getType()) + "; only a node that keeps dtype and shape can be bypassed");
  for (mlir::Value other : op->getResults().drop_front())
    if (!other.use_empty())
      invalid(edit.call, "another output of the node " + name + " is read; move its readers first");
  llvm::SmallVector<mlir::OpOperand *> uses;
  for (mlir::OpOperand &use : result.getUses())
    uses.push_back(&use);
  redirectUses(*edit, data, uses, edit.call);
  eraseOp(*edit, op);
}

void ModelGraph::rename_node(const Node &node, const std::string &name) {
  Edit edit(core_, "rename_node");
  mlir::Operation *op = resolveOperator(*edit, node, edit.call);
  if (name.empty())
    invalid(edit.call, "the new name of " + quote(edit->nameOf(op)) + " is empty; give a name");
  if (edit->nameOf(op) == name)
    return;
  edit->index.rename(node.id(), checkedName(*edit, name, edit.call));
  ++edit->changes;
}

Value ModelGraph::add_constant(const Tensor &data, const std::string &name) {
  Edit edit(core_, "add_constant");
  if (!data.is_defined() || data.is_traced())
    invalid(edit.call, "a constant is made of a tensor with data, and this one is " + data.to_string());
  mlir::StringAttr given = checkedName(*edit, name, edit.call);
  mlir::OpBuilder builder(edit->mlir());
  mlir::Operation *function = edit->noEdit ? edit->noEdit->home : nullptr;
  mlir::Block &home = function ? function->getRegion(0).front() : edit->block();
  DetachedOp op(ConstantOp::create(builder, builder.getUnknownLoc(), edit->context->attributeOf(data)));
  return Value(core_, identityOf(insertOp(*edit, std::move(op), home.begin(), given))->id, 0);
}

} // namespace ClikaRT::graph
