#include "Dialect/AttentionOps.h"

#include "Dialect/NodeRegistration.h"
#include "Dialect/Shape.h"
#include "Runtime/Counted.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Dialect/AttentionOps.cpp.inc"

namespace clika {

void ClikaDialect::addAttentionOps() {
  addNodes<
#define GET_OP_LIST
#include "Dialect/AttentionOps.cpp.inc"
      >();
}

namespace {

using MaybeLocation = std::optional<Location>;

// A1: the operands have one dtype, but for what a mask of bools and positions are.
LogicalResult sameDtypes(MaybeLocation location, StringRef op, ValueRange operands) {
  Type element = getElementTypeOrSelf(operands[0].getType());
  for (Value operand : operands.drop_front()) {
    Type other = operand ? getElementTypeOrSelf(operand.getType()) : element;
    if (other != element)
      return emitOptionalError(location, op, ": the operands have dtypes ", dtypeName(element), " and ",
                               dtypeName(other), "; cast one of them");
  }
  return success();
}

// A2: an operand's sizes broadcast to those it belongs to and do not extend them.
LogicalResult checkBroadcastTo(MaybeLocation location, StringRef op, StringRef name, Value operand,
                               ArrayRef<Dim> target, StringRef what) {
  if (!operand)
    return success();
  Dims dims = dimsOf(operand.getType());
  bool fits = dims.size() <= target.size();
  for (unsigned i = 0; fits && i < dims.size(); ++i)
    fits = constantOf(dims[i]) == 1 || canMatch(dims[i], target[target.size() - dims.size() + i]);
  if (fits)
    return success();
  return emitOptionalError(location, op, ": ", name, " has shape ", describe(dims), ", which does not broadcast to ",
                           what, " ", describe(target));
}

//===----------------------------------------------------------------------===//
// rotary_embedding
//===----------------------------------------------------------------------===//

// R1: x has heads, of a known number where they are joined. Gives [batch, sequence, head size].
FailureOr<Dims> rotaryDims(MaybeLocation location, RotaryEmbeddingOp::Adaptor adaptor) {
  Dims x = dimsOf(adaptor.getX().getType());
  int64_t heads = adaptor.getNumHeads();
  if (x.size() == 4) {
    if (heads != 0 && constantOf(x[1]).value_or(heads) != heads)
      return emitOptionalError(location, "rotary_embedding: num_heads is ", heads, ", x has ", describe(x[1]),
                               " heads");
    return Dims{x[0], x[2], x[3]};
  }
  if (x.size() != 3)
    return emitOptionalError(location, "rotary_embedding: x has ", counted(x.size(), "dimension"),
                             "; it must be [batch, heads, sequence, head size] or [batch, sequence, "
                             "heads * head size]");
  if (heads < 1)
    return emitOptionalError(location, "rotary_embedding: num_heads is ", heads,
                             "; it must be at least 1 for x of 3 dimensions");
  std::optional<int64_t> size = constantOf(x[2]);
  if (size && *size % heads != 0)
    return emitOptionalError(location, "rotary_embedding: ", counted(*size, "element does", "elements do"),
                             " not divide into ", counted(heads, "head"));
  Dim headSize = exactDivDims(x[2], constantDim(adaptor.getX().getContext(), heads));
  return Dims{x[0], x[1], headSize};
}

} // namespace

LogicalResult RotaryEmbeddingOp::inferReturnTypes(MLIRContext *context, MaybeLocation location, Adaptor adaptor,
                                                  SmallVectorImpl<Type> &types) {
  StringRef op = "rotary_embedding";
  if (failed(sameDtypes(location, op, {adaptor.getX(), adaptor.getCos(), adaptor.getSin()})))
    return failure();
  FailureOr<Dims> dims = rotaryDims(location, adaptor);
  if (failed(dims))
    return failure();
  // R2: the part that is rotated is even and lies inside a head.
  int64_t part = adaptor.getRotaryDim();
  std::optional<int64_t> headSize = constantOf((*dims)[2]);
  if (part < 0 || part % 2 != 0)
    return emitOptionalError(location, op, ": rotary_dim is ", part, "; it must be an even number of at least 0");
  if (headSize && part > *headSize)
    return emitOptionalError(location, op, ": rotary_dim is ", part, ", a head has ", counted(*headSize, "element"));
  if (headSize && part == 0 && *headSize % 2 != 0)
    return emitOptionalError(location, op, ": a head has ", counted(*headSize, "element"),
                             ", which are not whole pairs");
  Dim pairs = part != 0 ? constantDim(context, part / 2) : exactDivDims((*dims)[2], constantDim(context, 2));
  // R3: cos and sin have an angle for each pair and, without positions, for each place.
  Dims cos = dimsOf(adaptor.getCos().getType()), sin = dimsOf(adaptor.getSin().getType());
  size_t rank = adaptor.getPositions() ? 2 : 3;
  for (auto [name, angles] : {std::pair<StringRef, Dims &>("cos", cos), {"sin", sin}})
    if (angles.size() != rank || !canMatch(angles.back(), pairs))
      return emitOptionalError(location, op, ": ", name, " has shape ", describe(angles), "; it must be ",
                               rank == 2 ? "[rows, " : "[batch, sequence, ", describe(pairs), "]");
  if (rank == 2) {
    if (!canMatch(cos[0], sin[0]))
      return emitOptionalError(location, op, ": cos has ", describe(cos[0]), " rows, sin has ", describe(sin[0]));
    if (failed(checkBroadcastTo(location, op, "positions", adaptor.getPositions(), {(*dims)[0], (*dims)[1]},
                                "[batch, sequence]")))
      return failure();
  } else {
    Dims target{(*dims)[0], (*dims)[1], pairs};
    StringRef what = "[batch, sequence, pairs]";
    if (failed(checkBroadcastTo(location, op, "cos", adaptor.getCos(), target, what)) ||
        failed(checkBroadcastTo(location, op, "sin", adaptor.getSin(), target, what)))
      return failure();
  }
  types.assign(1, adaptor.getX().getType());
  return success();
}

//===----------------------------------------------------------------------===//
// attention
//===----------------------------------------------------------------------===//

// A3: a size that two operands share.
static LogicalResult checkShared(MaybeLocation location, StringRef first, StringRef second, StringRef what, Dim a,
                                 Dim b) {
  if (canMatch(a, b))
    return success();
  return emitOptionalError(location, "attention: ", first, " has ", describe(a), " ", what, ", ", second, " has ",
                           describe(b));
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *context, MaybeLocation location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Value mask = adaptor.getMask();
  bool added = mask && !getElementTypeOrSelf(mask.getType()).isInteger(1);
  if (failed(sameDtypes(location, "attention",
                        {adaptor.getQ(), adaptor.getK(), adaptor.getV(), added ? mask : adaptor.getV()})))
    return failure();
  Dims q = dimsOf(adaptor.getQ().getType()), k = dimsOf(adaptor.getK().getType()), v = dimsOf(adaptor.getV().getType());
  for (auto [name, dims] : {std::pair<StringRef, Dims &>("q", q), {"k", k}, {"v", v}})
    if (dims.size() != 4)
      return emitOptionalError(location, "attention: ", name, " has ", counted(dims.size(), "dimension"),
                               "; it must be [batch, heads, sequence, size]");
  if (failed(checkShared(location, "q", "k", "batches", q[0], k[0])) ||
      failed(checkShared(location, "q", "v", "batches", q[0], v[0])) ||
      failed(checkShared(location, "k", "v", "heads", k[1], v[1])) ||
      failed(checkShared(location, "q", "k", "elements a head", q[3], k[3])) ||
      failed(checkShared(location, "k", "v", "keys", k[2], v[2])))
    return failure();
  // A4: each key head serves as many heads as the others.
  std::optional<int64_t> heads = constantOf(q[1]), keyHeads = constantOf(refine(k[1], v[1]));
  if (heads && keyHeads && (*keyHeads == 0 ? *heads != 0 : *heads % *keyHeads != 0))
    return emitOptionalError(location, "attention: ", *heads, " heads do not divide among ", *keyHeads, " key heads");
  Dims scores{refine(refine(q[0], k[0]), v[0]), q[1], q[2], refine(k[2], v[2])};
  if (failed(checkBroadcastTo(location, "attention", "mask", mask, scores, "[batch, heads, queries, keys]")))
    return failure();
  types.assign(1, tensorOf(Dims{scores[0], q[1], q[2], v[3]}, getElementTypeOrSelf(adaptor.getQ().getType())));
  return success();
}

} // namespace clika
