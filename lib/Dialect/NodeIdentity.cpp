#include "Dialect/NodeIdentity.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace clika {

Attribute NodeIdentity::toAttribute(MLIRContext *context) const {
  if (name)
    return name;
  return StringAttr::get(context, "");
}

LogicalResult NodeIdentity::fromAttribute(Attribute attribute, llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto text = llvm::dyn_cast_or_null<StringAttr>(attribute);
  if (!text) {
    if (emitError)
      emitError() << "a node's name is a string";
    return failure();
  }
  name = text.empty() ? StringAttr() : text;
  return success();
}

void setNodeResultNames(Operation *op, const NodeIdentity &node, OpAsmSetValueNameFn setName) {
  if (node.name && op->getNumResults() > 0)
    setName(op->getResult(0), node.name.getValue());
}

ParseResult parseNodeName(OpAsmParser &parser, NodeIdentity &node) {
  if (succeeded(parser.parseOptionalKeyword("name"))) {
    std::string name;
    if (parser.parseString(&name))
      return failure();
    node.name = name.empty() ? StringAttr() : parser.getBuilder().getStringAttr(name);
    return success();
  }
  if (parser.getNumResults() == 0)
    return success();
  StringRef printed = parser.getResultName(0).first;
  if (!printed.empty() && !llvm::isDigit(printed.front()))
    node.name = parser.getBuilder().getStringAttr(printed);
  return success();
}

void printNodeName(OpAsmPrinter &printer, Operation *op, const NodeIdentity &node) {
  if (!node.name || op->getNumResults() == 0)
    return;
  std::string text;
  llvm::raw_string_ostream stream(text);
  printer.printOperand(op->getResult(0), stream);
  StringRef printed = StringRef(text).drop_front();
  printed = printed.take_until([](char c) { return c == '#' || c == ':'; });
  if (printed == node.name.getValue())
    return;
  printer << " name ";
  printer.printString(node.name.getValue());
}

} // namespace clika
