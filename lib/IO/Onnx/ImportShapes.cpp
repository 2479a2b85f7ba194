// Ops that move, select and make elements by position.
#include "IO/Onnx/Call.h"

#include "Dialect/Shape.h"
#include "Runtime/Counted.h"

using namespace mlir;

namespace clika::onnx {
namespace {

/// Sets the integer list `setting` of `op` from input `i`: a literal where it is constant, else the tensor itself.
void setList(Call &call, OpMaker &op, size_t i, StringRef setting) {
  if (std::optional<Call::Ints> literal = call.constantInts(i)) {
    op.in(Value()).set(setting, ArrayRef<int64_t>(*literal));
    return;
  }
  op.in(call.optional(i));
}

/// A target shape as a literal: 0 for a size of `x` that stays where it is, -1 for one more size that only an
/// expression tells. Nothing where that does not say it all.
std::optional<Call::Ints> shapeLiteral(Call &call, const KnownInts &target, Value x) {
  Dims own = dimsOf(x.getType());
  Call::Ints literal;
  bool hasRest = false;
  for (auto [i, dim] : llvm::enumerate(target.elements)) {
    int64_t size = constantOf(dim).value_or(-1);
    if (size == 0 || size < -1)
      return std::nullopt;
    if (size == -1 && dim && i < own.size() && own[i] && sameDim(dim, own[i]))
      size = 0;
    if (size == -1 && hasRest)
      return std::nullopt;
    hasRest |= size == -1;
    literal.push_back(size);
  }
  return literal;
}

void buildReshape(Call &call) {
  Value x = call.in(0);
  bool allowZero = call.intAttr("allowzero", 0) != 0;
  OpMaker op = call.op("reshape");
  op.in(x);
  std::optional<Call::Ints> literal = call.constantInts(1);
  const KnownInts *known = call.known(1);
  if (!literal && known) {
    literal = shapeLiteral(call, *known, x);
    allowZero &= !literal;
  }
  if (literal)
    op.in(Value()).set("shape", ArrayRef<int64_t>(*literal));
  else
    op.in(call.in(1));
  call.out(op.set("allow_zero", allowZero).result());
}

void buildFlatten(Call &call) {
  Value x = call.in(0);
  int64_t rank = call.rank(x), axis = call.intAttr("axis", 1);
  axis = axis < 0 ? axis + rank : axis;
  if (axis < 0 || axis > rank)
    call.fail("its axis " + std::to_string(axis) + " is out of range for " + counted(rank, "dimension"));
  call.out(call.flatten(x, axis));
}

void buildTranspose(Call &call) {
  OpMaker op = call.op("transpose");
  op.in(call.in(0));
  if (auto permutation = call.intsAttr("perm"))
    op.set("perm", ArrayRef<int64_t>(*permutation));
  call.out(op.result());
}

void buildConcat(Call &call) {
  call.out(call.op("concat").in(call.allInputs()).set("axis", call.requireIntAttr("axis")).result());
}

/// Without sizes the parts are equal; with num_outputs the last may be smaller.
void splitEvenly(Call &call, OpMaker &op, Value x, int64_t axis) {
  auto parts = static_cast<int64_t>(call.outputCount());
  bool mayBeUneven = call.hasAttr("num_outputs");
  if (call.intAttr("num_outputs", parts) != parts)
    call.fail("its num_outputs is not the number of its outputs");
  int64_t size = call.type(x).getDimSize(static_cast<unsigned>(call.axis(axis, call.rank(x))));
  if (!mayBeUneven && !ShapedType::isDynamic(size) && size % parts != 0)
    call.fail("its " + std::to_string(size) + " elements do not divide into " + std::to_string(parts) + " equal parts");
  op.set("num", parts);
}

void buildSplit(Call &call) {
  Value x = call.in(0);
  int64_t axis = call.intAttr("axis", 0);
  OpMaker op = call.op("split");
  op.in(x).set("axis", axis);
  std::optional<Call::Ints> sizes = call.opset < 13 ? call.intsAttr("split") : call.constantInts(1);
  if (sizes)
    op.in(Value()).set("sizes", ArrayRef<int64_t>(*sizes));
  else if (call.opset >= 13 && call.has(1))
    op.in(call.in(1));
  else
    splitEvenly(call, op, x, axis);
  Operation *built = op.build();
  if (built->getNumResults() != call.outputCount())
    call.fail("makes " + counted(built->getNumResults(), "part") + " for " + counted(call.outputCount(), "output"));
  for (unsigned i = 0; i < built->getNumResults(); ++i)
    call.out(i, built->getResult(i));
}

void buildSliceFromAttributes(Call &call) {
  OpMaker op = call.op("slice");
  op.in(call.in(0));
  for (const char *name : {"starts", "ends", "axes"})
    if (auto list = call.intsAttr(name))
      op.set(name, ArrayRef<int64_t>(*list));
  call.out(op.result());
}

void buildSlice(Call &call) {
  OpMaker op = call.op("slice");
  op.in(call.in(0));
  setList(call, op, 1, "starts");
  setList(call, op, 2, "ends");
  setList(call, op, 3, "axes");
  setList(call, op, 4, "steps");
  call.out(op.result());
}

std::string padMode(Call &call) {
  return call.choiceAttr("mode", "constant",
                         {{"constant", "Constant"}, {"reflect", "Reflect"}, {"edge", "Edge"}, {"wrap", "Wrap"}});
}

void buildPadFromAttributes(Call &call) {
  std::optional<Call::Ints> pads = call.intsAttr("pads");
  if (!pads)
    call.fail("lacks its attribute 'pads'");
  call.out(call.op("pad")
               .in(call.in(0))
               .set("pads", ArrayRef<int64_t>(*pads))
               .set("value", call.floatAttr("value", 0, call.element(call.in(0))))
               .set("mode", StringRef(padMode(call)))
               .result());
}

void buildPad(Call &call) {
  OpMaker op = call.op("pad");
  op.in(call.in(0)).set("mode", StringRef(padMode(call)));
  setList(call, op, 1, "pads");
  setList(call, op, 3, "axes");
  // The value stays a tensor unless it is a float literal, which every float type can hold as it is.
  std::optional<std::vector<double>> value = call.isFloat(call.in(0)) ? call.constantNumbers(2) : std::nullopt;
  if (value && value->size() == 1)
    op.in(Value()).set("value", (*value)[0]);
  else
    op.in(call.optional(2));
  call.out(op.result());
}

void withAxes(Call &call, StringRef mnemonic) {
  OpMaker op = call.op(mnemonic);
  op.in(call.in(0));
  std::optional<Call::Ints> axes;
  if (call.opset < 13)
    axes = call.intsAttr("axes");
  else if (call.has(1))
    axes = call.requireInts(1, "axes");
  if (axes)
    op.set("axes", ArrayRef<int64_t>(*axes));
  call.out(op.result());
}
void buildSqueeze(Call &call) {
  bool hasAxes = call.opset < 13 ? call.hasAttr("axes") : call.has(1);
  auto type = dyn_cast<RankedTensorType>(call.in(0).getType());
  if (!hasAxes && type && !type.hasStaticShape())
    call.unsupported(
        "has no axes, so that the rank of its result follows from sizes that are not known before a run, " +
        clika::describe(mlir::Type(type)) + "; export the model with axes, or with sizes");
  withAxes(call, "squeeze");
}
void buildUnsqueeze(Call &call) { withAxes(call, "unsqueeze"); }

void withList(Call &call, StringRef mnemonic, StringRef setting) {
  OpMaker op = call.op(mnemonic);
  op.in(call.in(0));
  if (!call.has(1))
    call.fail("lacks its input " + setting.str());
  setList(call, op, 1, setting);
  call.out(op.result());
}
void buildExpand(Call &call) { withList(call, "expand", "shape"); }
void buildTile(Call &call) { withList(call, "tile", "repeats"); }

void buildShape(Call &call) {
  OpMaker op = call.op("shape");
  op.in(call.in(0)).set("start", call.intAttr("start", 0));
  if (call.hasAttr("end"))
    op.set("end", call.intAttr("end", 0));
  call.out(op.result());
}

void buildSize(Call &call) { call.out(call.unary("size", call.in(0))); }

void buildTrilu(Call &call) {
  OpMaker op = call.op("trilu");
  op.in(call.in(0)).set("upper", call.intAttr("upper", 1) != 0);
  std::optional<Call::Ints> diagonal = call.constantInts(1);
  if (diagonal && diagonal->size() == 1)
    op.in(Value()).set("k", (*diagonal)[0]);
  else
    op.in(call.optional(1));
  call.out(op.result());
}

void buildDepthToSpace(Call &call) {
  std::string mode = call.choiceAttr("mode", "DCR", {{"DCR", "Dcr"}, {"CRD", "Crd"}});
  call.out(call.op("depth_to_space")
               .in(call.in(0))
               .set("block_size", call.requireIntAttr("blocksize"))
               .set("mode", StringRef(mode))
               .result());
}

void buildSpaceToDepth(Call &call) {
  call.out(call.op("space_to_depth").in(call.in(0)).set("block_size", call.requireIntAttr("blocksize")).result());
}

} // namespace

void addShapes(Operators &operators) {
  operators.add("Concat", buildConcat);
  operators.add("DepthToSpace", buildDepthToSpace);
  operators.add("Expand", buildExpand);
  operators.add("Flatten", buildFlatten);
  operators.add("Pad", buildPadFromAttributes, 1, 10);
  operators.add("Pad", buildPad, 11);
  operators.add("Reshape", buildReshape, 5);
  operators.add("Shape", buildShape);
  operators.add("Size", buildSize);
  operators.add("Slice", buildSliceFromAttributes, 1, 9);
  operators.add("Slice", buildSlice, 10);
  operators.add("SpaceToDepth", buildSpaceToDepth);
  operators.add("Split", buildSplit);
  operators.add("Squeeze", buildSqueeze);
  operators.add("Tile", buildTile, 6);
  operators.add("Transpose", buildTranspose);
  operators.add("Trilu", buildTrilu);
  operators.add("Unsqueeze", buildUnsqueeze);
}

} // namespace clika::onnx
