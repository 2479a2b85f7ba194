#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/ConstantData.h"
#include "Dialect/CoreOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace clika {
namespace {

// The data of a constant in its stored type; null where its form is not one we know.
ElementsAttr storedElements(ElementsAttr value) {
  auto type = cast<RankedTensorType>(value.getType());
  Type element = storedElement(type.getElementType());
  auto stored = RankedTensorType::get(type.getShape(), element);
  if (isa<DenseResourceElementsAttr>(value)) {
    // Bool is a byte here already.
    ConstantData data = constantData(value);
    return data.valid ? DenseElementsAttr::getFromRawBuffer(stored, data.bytes) : ElementsAttr();
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return {};
  auto plain = RankedTensorType::get(type.getShape(), type.getElementType());
  dense = plain == type ? dense : dense.reshape(plain);
  if (type.getElementType().isInteger(1))
    return cast<DenseIntElementsAttr>(dense).mapValues(element, [](const APInt &bit) { return bit.zext(8); });
  return type.getElementType() == element ? dense : dense.bitcast(element);
}

struct ConstantLowering : OpConversionPattern<ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ConstantOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    ElementsAttr stored = storedElements(op.getValue());
    if (!stored)
      return rewriter.notifyMatchFailure(op, "the constant's data is neither dense nor a blob of its type's size");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, cast<TypedAttr>(stored));
    return success();
  }
};

} // namespace

void populateConstantToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ConstantLowering>(converter, patterns.getContext());
}

} // namespace clika
