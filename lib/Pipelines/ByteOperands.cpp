#include "Pipelines/ByteOperands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace clika {
namespace {

RankedTensorType withElement(Type tensor, Type element) {
  return RankedTensorType::get(cast<RankedTensorType>(tensor).getShape(), element);
}

/// The one op of an element-wise body that reads its inputs in order; null for another body.
Operation *onlyOp(linalg::GenericOp op) {
  Block &body = *op.getBlock();
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 || body.getOperations().size() != 2 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return nullptr;
  Operation &inner = body.front();
  if (inner.getNumResults() != 1 || body.getTerminator()->getOperand(0) != inner.getResult(0) ||
      inner.getNumOperands() != static_cast<unsigned>(op.getNumDpsInputs()))
    return nullptr;
  for (auto [operand, argument] : llvm::zip_equal(inner.getOperands(), op.getRegionInputArgs()))
    if (operand != argument)
      return nullptr;
  return &inner;
}

/// Whether the op reads the element of its input that lies where it writes.
bool readsInPlace(linalg::GenericOp op, unsigned input) {
  auto type = dyn_cast<RankedTensorType>(op.getDpsInputs()[input].getType());
  auto result = cast<RankedTensorType>(op.getResult(0).getType());
  if (!type || type.getShape() != result.getShape())
    return false;
  for (auto [dim, expr] : llvm::enumerate(op.getMatchingIndexingMap(op.getDpsInputOperand(input)).getResults())) {
    auto own = dyn_cast<AffineDimExpr>(expr);
    bool isOwn = own && own.getPosition() == dim, isFirst = isa<AffineConstantExpr>(expr) && type.getDimSize(dim) == 1;
    if (!isOwn && !isFirst)
      return false;
  }
  return true;
}

/// The bytes that the op widens to int32, one by one.
std::optional<ByteOperand> widenedBytes(linalg::GenericOp op) {
  Operation *inner = onlyOp(op);
  if (!inner || !isa<arith::ExtSIOp, arith::ExtUIOp>(inner) || !inner->getOperand(0).getType().isInteger(8) ||
      !inner->getResult(0).getType().isInteger(32) || !readsInPlace(op, 0))
    return std::nullopt;
  return ByteOperand{op.getDpsInputs()[0], isa<arith::ExtSIOp>(inner), {}};
}

/// The number that a tensor holds in all places.
std::optional<int64_t> splatOf(Value tensor) {
  SplatElementsAttr splat;
  if (matchPattern(tensor, m_Constant(&splat)) && splat.getElementType().isInteger())
    return splat.getSplatValue<APInt>().getSExtValue();
  auto generic = tensor.getDefiningOp<linalg::GenericOp>();
  std::optional<ByteOperand> bytes = generic ? widenedBytes(generic) : std::nullopt;
  if (!bytes || !matchPattern(bytes->bytes, m_Constant(&splat)))
    return std::nullopt;
  APInt byte = splat.getSplatValue<APInt>();
  return bytes->isSigned ? byte.getSExtValue() : static_cast<int64_t>(byte.getZExtValue());
}

std::optional<ByteOffset> offsetOf(linalg::GenericOp op, unsigned input) {
  Value tensor = op.getDpsInputs()[input];
  if (!isa<RankedTensorType>(tensor.getType()))
    return std::nullopt;
  if (std::optional<int64_t> number = splatOf(tensor))
    return ByteOffset{*number, {}, {}};
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(input));
  if (!llvm::all_of(map.getResults(), [](AffineExpr expr) { return isa<AffineDimExpr, AffineConstantExpr>(expr); }))
    return std::nullopt;
  return ByteOffset{0, tensor, map};
}

class Recognizer {
public:
  Recognizer(OpBuilder &builder) : builder(builder) {}

  std::optional<ByteOperand> run(Value tensor) {
    Operation *op = ++depth <= kDeepest ? tensor.getDefiningOp() : nullptr;
    if (auto generic = dyn_cast_or_null<linalg::GenericOp>(op))
      return ofGeneric(generic);
    if (auto transpose = dyn_cast_or_null<linalg::TransposeOp>(op))
      return ofTranspose(transpose);
    if (auto pad = dyn_cast_or_null<tensor::PadOp>(op))
      return ofPad(pad);
    if (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      return ofReshape(op);
    return std::nullopt;
  }

private:
  std::optional<ByteOperand> ofGeneric(linalg::GenericOp op) {
    if (std::optional<ByteOperand> bytes = widenedBytes(op))
      return bytes;
    if (!isa_and_nonnull<arith::SubIOp>(onlyOp(op)) || !readsInPlace(op, 0))
      return std::nullopt;
    std::optional<ByteOperand> inner = run(op.getDpsInputs()[0]);
    std::optional<ByteOffset> zero = offsetOf(op, 1);
    if (!inner || !zero || !inner->zero.isZero())
      return std::nullopt;
    inner->zero = *zero;
    return inner;
  }

  std::optional<ByteOperand> ofTranspose(linalg::TransposeOp op) {
    std::optional<ByteOperand> inner = run(op.getInput());
    if (!inner)
      return std::nullopt;
    Location loc = op.getLoc();
    Type byte = builder.getI8Type();
    Value empty = tensor::EmptyOp::create(builder, loc, tensor::getMixedSizes(builder, loc, op.getInit()), byte);
    inner->bytes = linalg::TransposeOp::create(builder, loc, inner->bytes, empty, op.getPermutation())->getResult(0);
    if (inner->zero.value) {
      SmallVector<AffineExpr> places(op.getPermutation().size());
      for (auto [to, from] : llvm::enumerate(op.getPermutation()))
        places[from] = builder.getAffineDimExpr(to);
      inner->zero.map = inner->zero.map.replaceDimsAndSymbols(places, {}, places.size(), 0);
    }
    return inner;
  }

  std::optional<ByteOperand> ofPad(tensor::PadOp op) {
    Value with = op.getConstantPaddingValue();
    if (!with || !matchPattern(with, m_Zero()))
      return std::nullopt;
    std::optional<ByteOperand> inner = run(op.getSource());
    Value byte = inner ? byteOf(op.getLoc(), *inner) : Value();
    if (!byte)
      return std::nullopt;
    inner->bytes = tensor::PadOp::create(builder, op.getLoc(), withElement(op.getType(), builder.getI8Type()),
                                         inner->bytes, op.getMixedLowPad(), op.getMixedHighPad(), byte);
    return inner;
  }

  /// The byte that stands for 0; null where there is none, or several.
  Value byteOf(Location loc, const ByteOperand &operand) {
    const ByteOffset &zero = operand.zero;
    if (!zero.value) {
      int64_t low = operand.isSigned ? -128 : 0;
      if (zero.constant < low || zero.constant > low + 255)
        return {};
      return arith::ConstantOp::create(builder, loc, builder.getI8IntegerAttr(static_cast<int8_t>(zero.constant)));
    }
    auto generic = zero.value.getDefiningOp<linalg::GenericOp>();
    std::optional<ByteOperand> bytes = generic ? widenedBytes(generic) : std::nullopt;
    auto type = cast<RankedTensorType>(zero.value.getType());
    if (!bytes || bytes->isSigned != operand.isSigned || !type.hasStaticShape() || type.getNumElements() != 1)
      return {};
    Value first = arith::ConstantIndexOp::create(builder, loc, 0);
    return tensor::ExtractOp::create(builder, loc, bytes->bytes, SmallVector<Value>(type.getRank(), first));
  }

  std::optional<ByteOperand> ofReshape(Operation *op) {
    std::optional<ByteOperand> inner = run(op->getOperand(0));
    if (!inner)
      return std::nullopt;
    unsigned rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
    if (AffineMap &map = inner->zero.map; inner->zero.value) {
      for (unsigned dim = 0; dim != map.getNumDims(); ++dim)
        if (map.isFunctionOfDim(dim))
          return std::nullopt;
      map = AffineMap::get(rank, 0, map.getResults(), op->getContext());
    }
    Type type = withElement(op->getResult(0).getType(), builder.getI8Type());
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      inner->bytes = tensor::ExpandShapeOp::create(builder, op->getLoc(), type, inner->bytes,
                                                   expand.getReassociationIndices(), expand.getMixedOutputShape());
    else
      inner->bytes = tensor::CollapseShapeOp::create(builder, op->getLoc(), type, inner->bytes,
                                                     cast<tensor::CollapseShapeOp>(op).getReassociationIndices());
    return inner;
  }

  /// More movement than this in a row comes of no model.
  static constexpr unsigned kDeepest = 64;

  OpBuilder &builder;
  unsigned depth = 0;
};

} // namespace

std::optional<ByteOperand> byteOperandOf(OpBuilder &builder, Value tensor) { return Recognizer(builder).run(tensor); }

} // namespace clika
