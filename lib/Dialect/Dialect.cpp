#include "Dialect/Dialect.h"

#include "Dialect/ConstantStore.h"
#include "Dialect/CoreOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "Dialect/ClikaDialect.cpp.inc"

#include "Dialect/ClikaInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/ClikaAttrs.cpp.inc"

namespace clika {

void ClikaDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Dialect/ClikaAttrs.cpp.inc"
      >();
  addCoreOps();
  addPointwiseOps();
  addLinearOps();
  addPoolOps();
  addNormOps();
  addReduceOps();
  addShapeOps();
  addIndexOps();
  addResizeOps();
  addQuantizeOps();
  addControlOps();
  addAttentionOps();
  addRecurrentOps();
  addInterfaces<ConstantStore>();
}

unsigned ClikaDialect::symbolOf(StringAttr name) {
  {
    llvm::sys::SmartScopedReader<true> lock(symbolLock);
    auto found = symbolPositions.find(name);
    if (found != symbolPositions.end())
      return found->second;
  }
  llvm::sys::SmartScopedWriter<true> lock(symbolLock);
  auto [entry, added] = symbolPositions.try_emplace(name, symbolNames.size());
  if (added)
    symbolNames.push_back(name);
  return entry->second;
}

StringAttr ClikaDialect::symbolName(unsigned position) {
  llvm::sys::SmartScopedReader<true> lock(symbolLock);
  return position < symbolNames.size() ? symbolNames[position] : StringAttr::get(getContext(), "?");
}

Operation *ClikaDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location location) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, location, elements);
}

bool isScalarAttr(Attribute attribute) {
  if (isa_and_nonnull<BoolAttr>(attribute))
    return true;
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attribute))
    return integer.getType().isSignlessInteger(64);
  auto number = dyn_cast_or_null<FloatAttr>(attribute);
  return number && number.getType().isF64();
}

} // namespace clika
