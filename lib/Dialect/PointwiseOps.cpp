#include "Dialect/PointwiseOps.h"

#include "Dialect/NodeRegistration.h"
#include "Dialect/Numbers.h"
#include "Dialect/PointwiseFormulas.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Dialect/PointwiseOps.cpp.inc"

namespace clika {
namespace {

Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

LogicalResult verifyActivation(Operation *op, StringRef activation) {
  Type element = elementOf(op->getResult(0));
  if (activationTakes(activation, element))
    return success();
  return op->emitOpError() << "has activation " << activation << ", which " << dtypeName(element)
                           << " does not take; integers take Identity, Relu and Relu6";
}

// (C1) An integer tensor's factor is an integer of its dtype. (C2) The activation is defined for the dtype.
template <typename AddLike>
LogicalResult verifyAddLike(AddLike op) {
  Type element = elementOf(op.getA());
  if (isa<IntegerType>(element) &&
      failed(checkNumber(op.getLoc(), AddLike::getOperationName().drop_front(6), "alpha", op.getAlphaAttr(), element)))
    return failure();
  return verifyActivation(op, op.getActivation());
}

} // namespace

void ClikaDialect::addPointwiseOps() {
  addNodes<
#define GET_OP_LIST
#include "Dialect/PointwiseOps.cpp.inc"
      >();
}

LogicalResult inferBroadcastTest(std::optional<Location> location, StringRef op, TypeRange operands,
                                 SmallVectorImpl<Type> &types) {
  if (failed(inferBroadcast(location, op, operands, types)))
    return failure();
  Type boolean = IntegerType::get(types.front().getContext(), 1);
  types.front() = tensorOf(dimsOf(types.front()), boolean);
  return success();
}

LogicalResult inferWhere(std::optional<Location> location, StringRef op, TypeRange operands,
                         SmallVectorImpl<Type> &types) {
  if (operands.size() != 3 || failed(inferBroadcast(location, op, operands.drop_front(), types)))
    return failure();
  auto condition = dyn_cast<RankedTensorType>(operands.front());
  if (!condition)
    return emitOptionalError(location, "where: operands are ranked tensors");
  FailureOr<Dims> dims = broadcastShapes(dimsOf(condition), dimsOf(types.front()));
  if (failed(dims))
    return emitOptionalError(location, "where: shapes ", describe(dimsOf(condition)), " and ",
                             describe(dimsOf(types.front())), " do not broadcast");
  types.front() = tensorOf(*dims, cast<RankedTensorType>(types.front()).getElementType());
  return success();
}

LogicalResult CastOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto operand = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  if (!operand)
    return emitOptionalError(location, "cast: operands are ranked tensors");
  if (!adaptor.getDtypeAttr())
    return emitOptionalError(location, "cast: dtype is missing");
  types.assign(1, tensorOf(dimsOf(operand), adaptor.getDtype()));
  return success();
}

LogicalResult AddOp::verify() { return verifyAddLike(*this); }
LogicalResult SubOp::verify() { return verifyAddLike(*this); }
LogicalResult MulOp::verify() { return verifyActivation(*this, getActivation()); }
LogicalResult DivOp::verify() { return verifyActivation(*this, getActivation()); }

LogicalResult ClampOp::verify() {
  if ((getMin() && getMinTensor()) || (getMax() && getMaxTensor()))
    return emitOpError("takes a bound as a literal or as a tensor, not both");
  // A literal bound fits the dtype it is compared in.
  Type element = elementOf(getX());
  return failure(failed(checkNumber(getLoc(), "clamp", "min", getMinAttr(), element)) ||
                 failed(checkNumber(getLoc(), "clamp", "max", getMaxAttr(), element)));
}

LogicalResult CeluOp::verify() {
  if (getAlpha().convertToDouble() == 0.0)
    return emitOpError("has alpha 0, by which x would be divided");
  return success();
}

LogicalResult SoftplusOp::verify() {
  if (getBeta().convertToDouble() == 0.0)
    return emitOpError("has beta 0, by which the result would be divided");
  return success();
}

bool isCommutative(Operation *op) {
  auto alpha = op->getAttrOfType<FloatAttr>("alpha");
  return op->hasTrait<OperandsCommute>() && (!alpha || alpha.getValueAsDouble() == 1.0);
}

OpFoldResult IdentityOp::fold(FoldAdaptor) { return getX().getType() == getType() ? getX() : Value(); }
OpFoldResult CastOp::fold(FoldAdaptor) { return getX().getType() == getType() ? getX() : Value(); }

} // namespace clika
