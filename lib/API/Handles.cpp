// Node and Value: what a handle answers.
#include "API/Core.h"
#include "API/Fail.h"
#include "API/Settings.h"
#include "Dialect/ConstantData.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Dialect.h"
#include "Dialect/Shape.h"
#include "Runtime/Counted.h"
#include "Transforms/Evaluate.h"

#include <ClikaRT/ops.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

using namespace clika;

namespace ClikaRT::graph {
namespace {

/// The name of a dimension that is nothing but one.
std::optional<llvm::StringRef> nameOf(clika::Dim dim) {
  auto symbol = mlir::dyn_cast_or_null<mlir::AffineSymbolExpr>(dim);
  if (!symbol)
    return std::nullopt;
  return dim.getContext()->getOrLoadDialect<ClikaDialect>()->symbolName(symbol.getPosition()).getValue();
}

std::vector<spec::Dim> publicShape(mlir::Type type) {
  std::vector<spec::Dim> shape;
  for (clika::Dim dim : dimsOf(type)) {
    std::optional<int64_t> size = constantOf(dim);
    // A lone name is shown as it was given, without the quotes it may need within an expression.
    std::optional<llvm::StringRef> name = nameOf(dim);
    std::string text = size ? std::string() : name ? name->str() : describe(dim);
    shape.push_back(size && *size >= 0 ? spec::Dim(*size) : text == "?" ? spec::Dim(std::nullopt) : spec::Dim(text));
  }
  return shape;
}

/// The type of a value that has one; an Error where it was made by an operator that was read for inspection.
mlir::RankedTensorType tensorTypeOf(GraphCore &core, mlir::Value value, std::string_view call) {
  if (auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType()))
    return type;
  fail(Status::Unsupported, call,
       "the type of " + quote(core.nameOf(value)) +
           " is not known; it comes of an operator that was read to be looked at");
}

mlir::ElementsAttr constantAttribute(mlir::Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant ? constant.getValue() : mlir::ElementsAttr();
}

/// The one element at `at` as a literal; none for an integer that no literal holds.
std::optional<Scalar> literalAt(const char *at, DataType dtype) {
  Tensor one = Tensor::from_data(at, {}, dtype);
  if (dtype == DataType::Bool)
    return Scalar(one.item<bool>());
  if (is_floating_point(dtype))
    return Scalar(one.item<double>());
  if (dtype == DataType::UInt64 && !std::in_range<std::int64_t>(one.item<std::uint64_t>()))
    return std::nullopt;
  if (dtype == DataType::UInt64)
    return Scalar(one.item<std::uint64_t>());
  return Scalar(one.item<std::int64_t>());
}

} // namespace

bool Value::is_valid() const {
  if (!core_)
    return false;
  Query query(core_, "is_valid");
  const NodeSlot *slot = query->index.slot(id_);
  if (!slot || !slot->live())
    return false;
  return !slot->op ? index_ == 0 : query->hasValue(slot->op, index_);
}

std::optional<Node> Value::producer() const {
  Query query(core_, "producer");
  mlir::Value value = query->valueOf(id_, index_, "producer");
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  if (isConstant(value.getDefiningOp()) || (argument && argument.getOwner() != &query->block()))
    return std::nullopt;
  return Node(core_, id_);
}

std::vector<Node> Value::users() const {
  Query query(core_, "users");
  mlir::Value value = query->valueOf(id_, index_, "users");
  std::vector<mlir::Operation *> ops;
  for (mlir::Operation *user : value.getUsers())
    if (mlir::Operation *op = value.getParentBlock()->findAncestorOpInBlock(*user); isOperator(op))
      ops.push_back(op);
  std::ranges::sort(ops);
  ops.erase(llvm::unique(ops), ops.end());
  if (ops.size() > 1)
    std::ranges::sort(ops, [&](mlir::Operation *a, mlir::Operation *b) { return query->index.isBefore(a, b); });
  std::vector<Node> nodes;
  for (mlir::Operation *op : ops)
    nodes.push_back(query->handleOf(op));
  return nodes;
}

std::string Value::name() const {
  Query query(core_, "name");
  return query->nameOf(query->valueOf(id_, index_, "name"));
}

DataType Value::dtype() const {
  Query query(core_, "dtype");
  mlir::RankedTensorType type = tensorTypeOf(*query, query->valueOf(id_, index_, "dtype"), "dtype");
  return dtypeOf(type.getElementType(), "dtype");
}

std::vector<spec::Dim> Value::shape() const {
  Query query(core_, "shape");
  return publicShape(tensorTypeOf(*query, query->valueOf(id_, index_, "shape"), "shape"));
}

Device Value::device() const {
  Query query(core_, "device");
  query->valueOf(id_, index_, "device");
  return Device{};
}

bool Value::is_graph_input() const {
  Query query(core_, "is_graph_input");
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(query->valueOf(id_, index_, "is_graph_input"));
  return argument && argument.getOwner() == &query->block();
}

bool Value::is_graph_output() const {
  Query query(core_, "is_graph_output");
  return isOutput(query->valueOf(id_, index_, "is_graph_output"));
}

bool Value::is_constant() const {
  Query query(core_, "is_constant");
  return isConstant(query->valueOf(id_, index_, "is_constant").getDefiningOp());
}

std::optional<Tensor> Value::constant() const {
  Query query(core_, "constant");
  mlir::ElementsAttr attribute = constantAttribute(query->valueOf(id_, index_, "constant"));
  if (!attribute)
    return std::nullopt;
  return query->context->tensorOf(attribute, "constant");
}

std::optional<Scalar> Value::constant_scalar() const {
  Query query(core_, "constant_scalar");
  mlir::ElementsAttr attribute = constantAttribute(query->valueOf(id_, index_, "constant_scalar"));
  if (!attribute)
    return std::nullopt;
  DataType dtype = dtypeOf(attribute.getElementType(), "constant_scalar");
  ConstantData data = splatData(attribute);
  if (!data.valid)
    return std::nullopt;
  return literalAt(data.bytes.data(), dtype);
}

bool Value::is_constant_scalar(double number, double tolerance) const {
  constexpr std::string_view call = "is_constant_scalar";
  Query query(core_, call);
  if (!(tolerance >= 0.0) || std::isinf(tolerance))
    invalid(call, "tolerance is " + Scalar(tolerance).to_string() + "; give a finite number, 0 or more");
  mlir::ElementsAttr attribute = constantAttribute(query->valueOf(id_, index_, call));
  ConstantData data = attribute ? constantData(attribute) : ConstantData();
  if (!data.valid || attribute.getNumElements() == 0)
    return false;
  auto isNear = [&](double element) { return areWithin(element, number, tolerance * std::max(1.0, std::abs(number))); };
  for (std::size_t i = 0; i < static_cast<std::size_t>(attribute.getNumElements()); ++i) {
    std::optional<double> element = numberAt(data.bytes, attribute.getElementType(), i);
    if (!element || !isNear(*element))
      return false;
  }
  return true;
}

std::optional<Tensor> Value::folded_constant() const {
  constexpr std::string_view call = "folded_constant";
  constexpr std::int64_t kLimit = std::int64_t(16) << 20;
  Query query(core_, call);
  mlir::Value value = query->valueOf(id_, index_, call);
  if (mlir::ElementsAttr attribute = constantAttribute(value))
    return query->context->tensorOf(attribute, call);
  return foldedValue(value, kLimit);
}

std::size_t Value::out_degree() const {
  Query query(core_, "out_degree");
  mlir::Value value = query->valueOf(id_, index_, "out_degree");
  return static_cast<std::size_t>(std::distance(value.use_begin(), value.use_end()));
}

bool Value::is_read_in_region() const {
  Query query(core_, "is_read_in_region");
  mlir::Value value = query->valueOf(id_, index_, "is_read_in_region");
  return llvm::any_of(value.getUsers(),
                      [&](mlir::Operation *user) { return user->getBlock() != value.getParentBlock(); });
}

std::string Value::to_string() const {
  Query query(core_, "to_string");
  mlir::Value value = query->valueOf(id_, index_, "to_string");
  return query->nameOf(value) + ": " + describe(value.getType());
}

bool Node::is_valid() const {
  if (!core_)
    return false;
  Query query(core_, "is_valid");
  const NodeSlot *slot = query->index.slot(id_);
  return slot && slot->live() && !isConstant(slot->op);
}

NodeKind Node::kind() const {
  Query query(core_, "kind");
  return query->operationOf(id_, "kind") ? NodeKind::Operator : NodeKind::Input;
}

std::string Node::name() const {
  Query query(core_, "name");
  query->operationOf(id_, "name");
  return query->index.slot(id_)->name.str();
}

OpCode Node::op_code() const {
  Query query(core_, "op_code");
  const OpInfo *info = infoOf(query->operationOf(id_, "op_code"));
  return info ? static_cast<OpCode>(info->code) : OpCode::Input;
}

std::vector<Value> Node::inputs() const {
  Query query(core_, "inputs");
  std::vector<Value> values;
  if (mlir::Operation *op = query->operationOf(id_, "inputs"))
    for (mlir::Value operand : op->getOperands())
      values.push_back(query->handleOf(operand));
  return values;
}

std::vector<Value> Node::outputs() const {
  Query query(core_, "outputs");
  mlir::Operation *op = query->operationOf(id_, "outputs");
  std::vector<Value> values;
  for (unsigned i = 0; i < (op ? op->getNumResults() : 1); ++i)
    values.emplace_back(core_, id_, i);
  return values;
}

std::optional<Value> Node::input(std::size_t i) const {
  Query query(core_, "input");
  mlir::Operation *op = query->operationOf(id_, "input");
  std::string name = query->index.slot(id_)->name.str();
  if (!op)
    invalid("input", "the node " + quote(name) + " is an input of the graph and reads nothing; it was asked for port " +
                         std::to_string(i));
  const OpInfo *info = infoOf(op);
  std::size_t ports = info ? portCount(op, *info) : op->getNumOperands();
  if (i >= ports)
    invalid("input", "the node " + quote(name) + " has " + counted(ports, "port") + ", counted from 0; it was " +
                         "asked for port " + std::to_string(i));
  mlir::Value operand = info ? operandAt(op, *info, i) : op->getOperand(i);
  if (!operand)
    return std::nullopt;
  return query->handleOf(operand);
}

std::optional<Value> Node::output(std::size_t i) const {
  Query query(core_, "output");
  mlir::Operation *op = query->operationOf(id_, "output");
  std::size_t count = op ? op->getNumResults() : 1;
  if (i >= count)
    invalid("output", "the node " + quote(query->index.slot(id_)->name.getValue()) + " has " +
                          counted(count, "output") + ", counted from 0; it was asked for output " + std::to_string(i));
  return Value(core_, id_, static_cast<std::uint32_t>(i));
}

std::optional<Attr> Node::attribute(std::string_view name) const {
  Query query(core_, "attribute");
  mlir::Operation *op = query->operationOf(id_, "attribute");
  const OpInfo *info = infoOf(op);
  const SettingInfo *setting = info ? findSetting(*info, name) : nullptr;
  if (setting)
    return Attr{std::string(name), settingValue(op, *setting)};
  for (Attr &kept : keptSettings(op))
    if (kept.name == name)
      return std::move(kept);
  return std::nullopt;
}

std::vector<Attr> Node::attributes() const {
  Query query(core_, "attributes");
  mlir::Operation *op = query->operationOf(id_, "attributes");
  std::vector<Attr> attributes;
  if (const OpInfo *info = infoOf(op))
    for (const SettingInfo &setting : info->settings)
      attributes.push_back({std::string(setting.name), settingValue(op, setting)});
  for (Attr &kept : keptSettings(op))
    attributes.push_back(std::move(kept));
  return attributes;
}

ops::Activation Node::fused_activation() const {
  std::optional<Attr> attr = attribute("activation");
  const auto *name = attr ? std::get_if<std::string>(&attr->value) : nullptr;
  return name ? ops::activation_from_name(*name).value_or(ops::Activation::Identity) : ops::Activation::Identity;
}

std::size_t Node::in_degree() const {
  Query query(core_, "in_degree");
  mlir::Operation *op = query->operationOf(id_, "in_degree");
  return op ? op->getNumOperands() : 0;
}

std::size_t Node::out_degree() const {
  Query query(core_, "out_degree");
  mlir::Operation *op = query->operationOf(id_, "out_degree");
  auto count = [](mlir::Value value) {
    return static_cast<std::size_t>(std::distance(value.use_begin(), value.use_end()));
  };
  if (!op)
    return count(query->valueOf(id_, 0, "out_degree"));
  std::size_t total = 0;
  for (mlir::Value result : op->getResults())
    total += count(result);
  return total;
}

std::size_t Node::position() const {
  Query query(core_, "position");
  mlir::Operation *op = query->operationOf(id_, "position");
  const std::vector<std::uint64_t> &inputs = query->index.inputIds();
  if (!op)
    return static_cast<std::size_t>(llvm::find(inputs, id_) - inputs.begin());
  std::size_t place = op->getBlock() == &query->block() ? inputs.size() : 0;
  for (mlir::Operation &before : llvm::make_range(op->getBlock()->begin(), op->getIterator()))
    place += isOperator(&before);
  return place;
}

std::string Node::to_string() const {
  Query query(core_, "to_string");
  mlir::Operation *op = query->operationOf(id_, "to_string");
  if (!op) {
    mlir::Value value = query->valueOf(id_, 0, "to_string");
    return query->nameOf(value) + ": " + describe(value.getType());
  }
  const OpInfo *info = infoOf(op);
  std::string text = query->nameOf(op) + " = " + std::string(info ? info->codeName : "?") + "(";
  std::string list;
  for (mlir::Value operand : op->getOperands())
    list += (list.empty() ? "" : ", ") + query->nameOf(operand);
  if (info)
    for (const SettingInfo &setting : info->settings)
      if (op->getAttr(llvm::StringRef(setting.name.data(), setting.name.size())))
        list +=
            (list.empty() ? "" : ", ") + graph::to_string(Attr{std::string(setting.name), settingValue(op, setting)});
  text += list + ")";
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    text += (i == 0 ? ": " : ", ") + describe(op->getResult(i).getType());
  return text;
}

std::optional<OpCode> op_code_from_name(std::string_view name) noexcept {
  if (name == "Input")
    return OpCode::Input;
  const OpInfo *info = findOpByCodeName(name);
  return info ? std::optional<OpCode>(static_cast<OpCode>(info->code)) : std::nullopt;
}

} // namespace ClikaRT::graph
