// The one lowering of every pointwise op.
#include "Conversion/ClikaToLinalg/Broadcast.h"
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/Dialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace clika {
namespace {

StringRef activationOf(Operation *op) {
  auto activation = op->getAttrOfType<StringAttr>("activation");
  return activation ? activation.getValue() : StringRef();
}

struct PointwiseLowering : OpInterfaceConversionPattern<PointwiseOp> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult matchAndRewrite(PointwiseOp pointwise, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    Operation *op = pointwise;
    Location location = op->getLoc();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<Dims> shapes;
    SmallVector<Type> elements;
    for (Type operand : op->getOperandTypes()) {
      shapes.push_back(dimsOf(operand));
      elements.push_back(cast<RankedTensorType>(operand).getElementType());
    }
    Broadcasted inputs = broadcastOperands(rewriter, op, operands, shapes, dimsOf(type));

    Value empty = tensor::EmptyOp::create(rewriter, location, inputs.sizes, storedElement(type.getElementType()));
    SmallVector<AffineMap> maps = inputs.maps;
    maps.push_back(rewriter.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
    auto body = [&](OpBuilder &builder, Location at, ValueRange args) {
      ImplicitLocOpBuilder b(at, builder);
      SmallVector<Value> scalars;
      for (auto [argument, element] : llvm::zip(args, elements))
        scalars.push_back(toComputed(b, argument, element));
      Value result = pointwise.buildScalar(b, scalars);
      linalg::YieldOp::create(b, activateAndStore(b, activationOf(op), result, type.getElementType()));
    };
    auto generic =
        linalg::GenericOp::create(rewriter, location, empty.getType(), inputs.operands, empty, maps, loops, body);
    rewriter.replaceOp(op, castToLowered(rewriter, location, generic.getResult(0), type));
    return success();
  }
};

} // namespace

void populatePointwiseToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<PointwiseLowering>(converter, patterns.getContext());
}

} // namespace clika
