// Pointwise ops on shapes that a graph computes (ShapeValues.h): sums, products, quotients, casts and choices of sizes.
#include "Dialect/PointwiseOps.h"
#include "Dialect/ShapeValues.h"

using namespace mlir;

namespace clika {
namespace {

using MaybeDims = std::optional<Dims>;

// One entry a result element, from operands of as many elements or of one.
template <size_t N>
MaybeDims eachEntry(ArrayRef<MaybeDims> operands, llvm::function_ref<Dim(std::array<Dim, N> entries)> combine) {
  size_t count = 1;
  for (const MaybeDims &operand : operands) {
    if (!operand || (operand->size() != 1 && count != 1 && operand->size() != count))
      return std::nullopt;
    count = operand->size() == 1 ? count : operand->size();
  }
  Dims result;
  for (size_t i = 0; i < count; ++i) {
    std::array<Dim, N> entries;
    for (auto [k, operand] : llvm::enumerate(operands))
      entries[k] = (*operand)[operand->size() == 1 ? 0 : i];
    result.push_back(combine(entries));
  }
  return result;
}

Type elementOf(Operation *op) { return cast<RankedTensorType>(op->getResult(0).getType()).getElementType(); }

bool countsSizes(Operation *op) { return elementOf(op).isInteger(64) || elementOf(op).isInteger(32); }

// `dim` where the op's integers did not wrap, else null. Expressions are of sizes, which are far from that.
Dim withinIntegers(Operation *op, Dim dim) {
  int64_t most =
      elementOf(op).isInteger(32) ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max() - 1;
  std::optional<int64_t> constant = constantOf(dim);
  return constant && (*constant > most || *constant < -most) ? Dim() : dim;
}

struct AddValues : ShapeValueOp::ExternalModel<AddValues, AddOp> {
  MaybeDims resultValues(Operation *op, ArrayRef<MaybeDims> operands, unsigned) const {
    auto add = cast<AddOp>(op);
    double alpha = add.getAlpha().convertToDouble();
    if (!countsSizes(op) || add.getActivation() != "Identity" || alpha != static_cast<int64_t>(alpha))
      return std::nullopt;
    return eachEntry<2>(operands, [&](std::array<Dim, 2> x) {
      return withinIntegers(op, addDims(x[0], mulDims(x[1], int64_t(alpha))));
    });
  }
};

struct SubValues : ShapeValueOp::ExternalModel<SubValues, SubOp> {
  MaybeDims resultValues(Operation *op, ArrayRef<MaybeDims> operands, unsigned) const {
    auto sub = cast<SubOp>(op);
    double alpha = sub.getAlpha().convertToDouble();
    if (!countsSizes(op) || sub.getActivation() != "Identity" || alpha != static_cast<int64_t>(alpha))
      return std::nullopt;
    return eachEntry<2>(operands, [&](std::array<Dim, 2> x) {
      return withinIntegers(op, addDims(x[0], mulDims(x[1], -int64_t(alpha))));
    });
  }
};

struct MulValues : ShapeValueOp::ExternalModel<MulValues, MulOp> {
  MaybeDims resultValues(Operation *op, ArrayRef<MaybeDims> operands, unsigned) const {
    if (!countsSizes(op) || cast<MulOp>(op).getActivation() != "Identity")
      return std::nullopt;
    return eachEntry<2>(operands, [&](std::array<Dim, 2> x) { return withinIntegers(op, mulDims(x[0], x[1])); });
  }
};

// Rounded towards zero or down, which is the same from 0 on.
Dim quotient(Dim x, Dim y) {
  std::optional<int64_t> divisor = constantOf(y), least = leastOf(x);
  return divisor && *divisor > 0 && least && *least >= 0 ? floorDivDims(x, *divisor) : Dim();
}

struct DivValues : ShapeValueOp::ExternalModel<DivValues, DivOp> {
  MaybeDims resultValues(Operation *op, ArrayRef<MaybeDims> operands, unsigned) const {
    if (!countsSizes(op) || cast<DivOp>(op).getActivation() != "Identity")
      return std::nullopt;
    return eachEntry<2>(operands, [](std::array<Dim, 2> x) { return quotient(x[0], x[1]); });
  }
};

struct FloorDivValues : ShapeValueOp::ExternalModel<FloorDivValues, FloorDivOp> {
  MaybeDims resultValues(Operation *op, ArrayRef<MaybeDims> operands, unsigned) const {
    if (!countsSizes(op))
      return std::nullopt;
    return eachEntry<2>(operands, [](std::array<Dim, 2> x) { return quotient(x[0], x[1]); });
  }
};

struct CastValues : ShapeValueOp::ExternalModel<CastValues, CastOp> {
  MaybeDims resultValues(Operation *op, ArrayRef<MaybeDims> operands, unsigned) const {
    if (!countsSizes(op))
      return std::nullopt;
    if (elementOf(op).isInteger(64))
      return operands[0];
    return eachEntry<1>(operands, [&](std::array<Dim, 1> x) { return withinIntegers(op, x[0]); });
  }
};

struct EqualValues : ShapeValueOp::ExternalModel<EqualValues, EqualOp> {
  MaybeDims resultValues(Operation *op, ArrayRef<MaybeDims> operands, unsigned) const {
    return eachEntry<2>(operands, [&](std::array<Dim, 2> x) -> Dim {
      if (sameDim(x[0], x[1]))
        return constantDim(op->getContext(), 1);
      if (!x[0] || !x[1])
        return Dim();
      // Their difference never reaches 0.
      std::optional<int64_t> above = leastOf(addDims(x[0], mulDims(x[1], -1))),
                             below = leastOf(addDims(x[1], mulDims(x[0], -1)));
      return (above && *above > 0) || (below && *below > 0) ? constantDim(op->getContext(), 0) : Dim();
    });
  }
};

struct WhereValues : ShapeValueOp::ExternalModel<WhereValues, WhereOp> {
  MaybeDims resultValues(Operation *, ArrayRef<MaybeDims> operands, unsigned) const {
    return eachEntry<3>(operands, [](std::array<Dim, 3> x) -> Dim {
      std::optional<int64_t> condition = constantOf(x[0]);
      if (condition)
        return *condition ? x[1] : x[2];
      return sameDim(x[1], x[2]) ? x[1] : Dim();
    });
  }
};

} // namespace

void attachPointwiseShapeValues(MLIRContext &context) {
  AddOp::attachInterface<AddValues>(context);
  SubOp::attachInterface<SubValues>(context);
  MulOp::attachInterface<MulValues>(context);
  DivOp::attachInterface<DivValues>(context);
  FloorDivOp::attachInterface<FloorDivValues>(context);
  CastOp::attachInterface<CastValues>(context);
  EqualOp::attachInterface<EqualValues>(context);
  WhereOp::attachInterface<WhereValues>(context);
}

} // namespace clika
