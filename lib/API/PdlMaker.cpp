#include "API/PdlMaker.h"

#include "API/Edits.h"
#include "API/Fail.h"
#include "API/Settings.h"
#include "Dialect/ConstantData.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Shape.h"
#include "Pipelines/Evaluator.h"

using namespace mlir;

namespace clika {

void appendValues(PDLValue argument, SmallVectorImpl<Value> &values, llvm::function_ref<std::string()> what) {
  if (!argument)
    invalid(kFromPdl, what() + " is not there: the operator that it is taken from has no such output");
  if (argument.isa<Value>())
    values.push_back(argument.cast<Value>());
  else if (argument.isa<ValueRange>())
    llvm::append_range(values, argument.cast<ValueRange>());
}

namespace {

/// What a rewrite makes an operator of.
struct Parts {
  explicit Parts(ArrayRef<PDLValue> arguments)
      : name(cast<StringAttr>(arguments[0].cast<Attribute>())), names(cast<ArrayAttr>(arguments[1].cast<Attribute>())) {
    for (const PDLValue &argument : arguments.drop_front(2)) {
      if (!argument || argument.isa<Value>() || argument.isa<ValueRange>())
        appendValues(argument, operands, [&] { return "an operand of " + quote(name.getValue()); });
      else if (argument.isa<Attribute>())
        attributes.push_back(argument.cast<Attribute>());
      else if (argument.isa<Type>())
        types.push_back(argument.cast<Type>());
      else if (argument.isa<TypeRange>())
        llvm::append_range(types, argument.cast<TypeRange>());
    }
  }
  StringAttr name;
  ArrayAttr names;
  SmallVector<Value> operands;
  SmallVector<Attribute> attributes;
  SmallVector<Type> types;
};

/// A constant, whose record has no settings. Its value may be that of one that was matched.
Operation *constantOf(GraphCore &core, const Parts &parts) {
  auto value = parts.attributes.size() == 1 && cast<StringAttr>(parts.names[0]).getValue() == "value"
                   ? dyn_cast_or_null<ElementsAttr>(parts.attributes.front())
                   : ElementsAttr();
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  if (!type || !parts.operands.empty())
    invalid(kFromPdl, "the rewrite makes a Constant, which takes its 'value' alone: give the elements, as in "
                      "'%a = attribute = dense<1.0> : tensor<4xf32>' and '{\"value\" = %a}'");
  if (!dtypeOfElement(type.getElementType()))
    invalid(kFromPdl, "there are no constants of " + describe(type));
  if (!constantData(value).valid)
    invalid(kFromPdl, "the elements of a Constant that the rewrite makes are not at hand; write them as dense<…>");
  if (!parts.types.empty() && !compatibleTypes(type, parts.types.front()))
    invalid(kFromPdl, "the rewrite asks for a Constant that is " + describe(parts.types.front()) +
                          ", and its value is " + describe(type));
  OpBuilder builder(core.mlir());
  return ConstantOp::create(builder, UnknownLoc::get(core.mlir()), value);
}

DetachedOp buildOf(GraphCore &core, const Parts &parts) {
  StringRef mnemonic = parts.name.getValue();
  mnemonic.consume_front("clika.");
  const OpInfo &info = *findOpByMnemonic(std::string_view(mnemonic.data(), mnemonic.size()));
  NamedAttrList attributes;
  for (auto [name, value] : llvm::zip_equal(parts.names.getAsRange<StringAttr>(), parts.attributes)) {
    if (!findSetting(info, std::string_view(name.data(), name.size())) && name != "operandSegmentSizes")
      invalid(kFromPdl, std::string(info.codeName) + " has no setting " + quote(name.getValue()) +
                            "; its settings are: " + settingNames(info));
    if (value)
      attributes.set(name, value);
  }
  return buildOp(core.mlir(), info, parts.operands, attributes, sizeNames(core), kFromPdl);
}

} // namespace

Operation *PdlMaker::make(GraphCore &core, ArrayRef<PDLValue> arguments) {
  Parts parts(arguments);
  if (parts.name.getValue() == ConstantOp::getOperationName())
    return constantOf(core, parts);
  Made &made = last[parts.name.getAsOpaquePointer()];
  bool isAlike = made.names == parts.names && made.attributes == parts.attributes;
  DetachedOp op = isAlike ? made.op.again(parts.operands) : nullptr;
  if (!op) {
    op = buildOf(core, parts);
    made.names = parts.names;
    made.attributes = parts.attributes;
    made.op.remember(op.get(), *infoOf(op.get()), parts.operands);
  }
  if (!parts.types.empty() && !compatibleTypes(op->getResultTypes(), parts.types))
    invalid(kFromPdl, "the rewrite asks for a " + std::string(infoOf(op.get())->codeName) +
                          " of other result types than it has, " + describe(op->getResult(0).getType()));
  return op.release();
}

} // namespace clika
