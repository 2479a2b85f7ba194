#include "Dialect/RecurrentOps.h"

#include "Dialect/NodeRegistration.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Dialect/RecurrentOps.cpp.inc"

namespace clika {

void ClikaDialect::addRecurrentOps() {
  addNodes<
#define GET_OP_LIST
#include "Dialect/RecurrentOps.cpp.inc"
      >();
}

namespace {

using MaybeLocation = std::optional<Location>;

double numberOr(Attribute given, double otherwise) {
  if (auto number = dyn_cast_or_null<FloatAttr>(given))
    return number.getValueAsDouble();
  if (auto integer = dyn_cast_or_null<IntegerAttr>(given))
    return integer.getType().isInteger(1) ? static_cast<double>(integer.getValue().getZExtValue())
                                          : static_cast<double>(integer.getInt());
  return otherwise;
}

/// Whether the function of that name is nothing without alpha and beta.
bool needsNumbers(StringRef name) { return name == "ScaledTanh" || name == "Affine"; }

/// The operands and settings that the cells share; those left out are null.
struct Layer {
  StringRef op;
  int64_t gates;
  StringRef direction;
  double clip;
  Value x, w, r, b, lengths, h, c = {}, p = {};
};

template <typename Adaptor>
Layer layerOf(StringRef op, int64_t gates, Adaptor adaptor) {
  return {op,
          gates,
          adaptor.getDirection(),
          adaptor.getClip().convertToDouble(),
          adaptor.getX(),
          adaptor.getW(),
          adaptor.getR(),
          adaptor.getB(),
          adaptor.getSequenceLens(),
          adaptor.getInitialH()};
}

/// The sizes of a layer, as its operands say them.
class LayerInference {
public:
  LayerInference(MaybeLocation location, const Layer &layer)
      : location(location), layer(layer), context(layer.x.getContext()) {}

  LogicalResult run() {
    if (!(layer.clip >= 0.0))
      return emitOptionalError(location, layer.op, ": clip is ", layer.clip, "; it must be at least 0");
    if (failed(sameDtypes()) || failed(check("x", layer.x, {&sequence, &batch, &input}, "[sequence, batch, input]")))
      return failure();
    int64_t count = layer.direction == "Bidirectional" ? 2 : 1;
    directions = constantDim(context, count);
    Dim wRows, rRows, biases, peepholes;
    if (failed(check("w", layer.w, {&directions, &wRows, &input}, "[directions, gates * hidden, input]")) ||
        failed(check("r", layer.r, {&directions, &rRows, &hidden}, "[directions, gates * hidden, hidden]")))
      return failure();
    for (Dim rows : {rRows, wRows})
      if (!constantOf(hidden))
        hidden = refine(hidden, exactDivDims(rows, gates()));
    if (failed(checkCount("w", wRows, layer.gates)) || failed(checkCount("r", rRows, layer.gates)) ||
        failed(check("b", layer.b, {&directions, &biases}, "[directions, 2 * gates * hidden]")) ||
        failed(checkCount("b", biases, 2 * layer.gates)) ||
        failed(check("sequence_lens", layer.lengths, {&batch}, "[batch]")) ||
        failed(check("initial_h", layer.h, {&directions, &batch, &hidden}, "[directions, batch, hidden]")) ||
        failed(check("initial_c", layer.c, {&directions, &batch, &hidden}, "[directions, batch, hidden]")) ||
        failed(check("p", layer.p, {&directions, &peepholes}, "[directions, 3 * hidden]")))
      return failure();
    return checkCount("p", peepholes, 3);
  }

  void results(unsigned states, SmallVectorImpl<Type> &types) {
    Type element = getElementTypeOrSelf(layer.x.getType());
    types.assign(1, tensorOf(Dims{sequence, directions, batch, hidden}, element));
    types.append(states, tensorOf(Dims{directions, batch, hidden}, element));
  }

private:
  Dim gates() { return constantDim(context, layer.gates); }

  LogicalResult sameDtypes() {
    Type element = getElementTypeOrSelf(layer.x.getType());
    for (Value operand : {layer.w, layer.r, layer.b, layer.h, layer.c, layer.p}) {
      Type other = operand ? getElementTypeOrSelf(operand.getType()) : element;
      if (other != element)
        return emitOptionalError(location, layer.op, ": the operands have dtypes ", dtypeName(element), " and ",
                                 dtypeName(other), "; cast one of them");
    }
    return success();
  }

  /// The sizes of an operand agree with those known, which then say what both do.
  LogicalResult check(StringRef name, Value operand, ArrayRef<Dim *> known, StringRef form) {
    if (!operand)
      return success();
    Dims own = dimsOf(operand.getType());
    bool fits = own.size() == known.size();
    for (size_t i = 0; fits && i < own.size(); ++i)
      fits = canMatch(own[i], *known[i]);
    if (!fits)
      return refuse(name, own, form, known);
    for (auto [size, dim] : llvm::zip_equal(own, known))
      *dim = refine(*dim, size);
    return success();
  }

  LogicalResult refuse(StringRef name, ArrayRef<Dim> own, StringRef form, ArrayRef<Dim *> known) {
    Dims wanted;
    for (Dim *dim : known)
      wanted.push_back(*dim);
    if (name == "x")
      return emitOptionalError(location, layer.op, ": x has shape ", describe(own), "; it must be ", form);
    return emitOptionalError(location, layer.op, ": ", name, " has shape ", describe(own), "; it must be ", form,
                             ", here ", describe(wanted), ", as direction is ", layer.direction);
  }

  /// A second dimension that is `factor` times the state's elements.
  LogicalResult checkCount(StringRef name, Dim dim, int64_t factor) {
    std::optional<int64_t> count = constantOf(dim), size = constantOf(hidden);
    if (!count || (size ? *count == *size * factor : *count % factor == 0))
      return success();
    StringRef what = name == "w" || name == "r" ? " rows" : " columns";
    if (!size)
      return emitOptionalError(location, layer.op, ": ", name, " has ", *count, what, "; it must have a multiple of ",
                               factor);
    return emitOptionalError(location, layer.op, ": ", name, " has ", *count, what, "; with ", *size,
                             " hidden elements it must have ", *size * factor);
  }

  MaybeLocation location;
  const Layer &layer;
  MLIRContext *context;
  Dim sequence, batch, input, directions, hidden;
};

LogicalResult checkFunction(MaybeLocation location, StringRef op, StringRef setting, StringRef name, Attribute alpha,
                            Attribute beta) {
  if (cellFunction(name, alpha, beta))
    return success();
  return emitOptionalError(location, op, ": ", setting, "_function is ", name, "; give ", setting, "_alpha and ",
                           setting, "_beta with it");
}

} // namespace

std::optional<CellFunction> cellFunction(StringRef name, Attribute alpha, Attribute beta) {
  if (needsNumbers(name) && (!alpha || !beta))
    return std::nullopt;
  double ownAlpha = llvm::StringSwitch<double>(name).Case("LeakyRelu", 0.01).Case("HardSigmoid", 0.2).Default(1.0);
  return CellFunction{name, numberOr(alpha, ownAlpha), numberOr(beta, 0.5)};
}

LogicalResult RnnOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  Layer layer = layerOf("rnn", 1, adaptor);
  LayerInference inference(location, layer);
  if (failed(inference.run()) || failed(checkFunction(location, "rnn", "hidden", adaptor.getHiddenFunction(),
                                                      adaptor.getHiddenAlphaAttr(), adaptor.getHiddenBetaAttr())))
    return failure();
  inference.results(1, types);
  return success();
}

LogicalResult GruOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  Layer layer = layerOf("gru", 3, adaptor);
  LayerInference inference(location, layer);
  if (failed(inference.run()) ||
      failed(checkFunction(location, "gru", "gate", adaptor.getGateFunction(), adaptor.getGateAlphaAttr(),
                           adaptor.getGateBetaAttr())) ||
      failed(checkFunction(location, "gru", "hidden", adaptor.getHiddenFunction(), adaptor.getHiddenAlphaAttr(),
                           adaptor.getHiddenBetaAttr())))
    return failure();
  inference.results(1, types);
  return success();
}

LogicalResult LstmOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  Layer layer = layerOf("lstm", 4, adaptor);
  layer.c = adaptor.getInitialC();
  layer.p = adaptor.getP();
  LayerInference inference(location, layer);
  if (failed(inference.run()) ||
      failed(checkFunction(location, "lstm", "gate", adaptor.getGateFunction(), adaptor.getGateAlphaAttr(),
                           adaptor.getGateBetaAttr())) ||
      failed(checkFunction(location, "lstm", "cell", adaptor.getCellFunction(), adaptor.getCellAlphaAttr(),
                           adaptor.getCellBetaAttr())) ||
      failed(checkFunction(location, "lstm", "hidden", adaptor.getHiddenFunction(), adaptor.getHiddenAlphaAttr(),
                           adaptor.getHiddenBetaAttr())))
    return failure();
  inference.results(2, types);
  return success();
}

} // namespace clika
