#include "Dialect/PointwiseOps.h"

#include "Dialect/PointwiseFormulas.h"
#include "Dialect/PointwiseIntegers.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/Support/Format.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Dialect/PointwiseOps.cpp.inc"

namespace clika {
namespace {

Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

// As a user writes it: 1.5, not 1.500000e+00.
std::string textOf(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", value);
  return text;
}

bool isIntegral(double value) { return std::isfinite(value) && std::trunc(value) == value; }

LogicalResult verifyActivation(Operation *op, StringRef activation) {
  Type element = elementOf(op->getResult(0));
  if (activationTakes(activation, element))
    return success();
  return op->emitOpError() << "has activation " << activation << ", which " << dtypeName(element)
                           << " does not take; integers take Identity, Relu and Relu6";
}

// (C1) An integer tensor's factor is integral. (C2) The activation is defined for the dtype.
template <typename AddLike>
LogicalResult verifyAddLike(AddLike op) {
  double alpha = op.getAlpha().convertToDouble();
  Type element = elementOf(op.getA());
  if (!isa<FloatType>(element) && !isIntegral(alpha))
    return op.emitOpError() << "has alpha " << textOf(alpha) << "; for " << dtypeName(element)
                            << " tensors it must be integral";
  return verifyActivation(op, op.getActivation());
}

// A finite bound is finite in the type too.
bool holds(FloatType type, Attribute bound) {
  auto integer = dyn_cast<IntegerAttr>(bound);
  llvm::APFloat value = integer ? llvm::APFloat(static_cast<double>(integer.getValue().getSExtValue()))
                                : cast<FloatAttr>(bound).getValue();
  bool finite = value.isFinite(), loses = false;
  value.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &loses);
  return !finite || value.isFinite();
}

// A literal bound fits the dtype it is compared in.
LogicalResult verifyBound(ClampOp op, StringRef name, Attribute bound) {
  Type element = elementOf(op.getX());
  auto integer = dyn_cast<IntegerType>(element);
  auto number = dyn_cast_if_present<FloatAttr>(bound);
  if (auto type = dyn_cast<FloatType>(element); type && bound && !holds(type, bound))
    return op.emitOpError() << "has a " << name << " that " << dtypeName(element) << " does not hold";
  if (!bound || !integer)
    return success();
  if (number && !isIntegral(number.getValueAsDouble()))
    return op.emitOpError() << "has " << name << " " << textOf(number.getValueAsDouble()) << "; for "
                            << dtypeName(element) << " tensors it must be integral";
  if (!integerBound(integer, bound))
    return op.emitOpError() << "has a " << name << " that " << dtypeName(element) << " does not hold";
  return success();
}

} // namespace

void ClikaDialect::addPointwiseOps() {
  addOperations<
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
  return failure(failed(verifyBound(*this, "min", getMinAttr())) || failed(verifyBound(*this, "max", getMaxAttr())));
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
