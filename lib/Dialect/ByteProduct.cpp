#include "Dialect/ByteProduct.h"

#include "Dialect/LinearOps.h"
#include "Dialect/Shape.h"

#include <limits>

using namespace mlir;

namespace clika {
namespace {

/// The operands of a product; what of the right one tells results apart, and what is summed.
struct Operands {
  Value left, right;
  int64_t resultAxis;
  SmallVector<int64_t, 4> summedAxes;
};

std::optional<Operands> operandsOf(Operation *op) {
  auto rankOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getRank(); };
  if (auto conv = dyn_cast<ConvOp>(op)) {
    Operands result{conv.getX(), conv.getWeight(), 0, {}};
    for (int64_t axis = 1; axis < rankOf(result.right); ++axis)
      result.summedAxes.push_back(axis);
    return result;
  }
  if (auto linear = dyn_cast<LinearOp>(op))
    return Operands{linear.getX(), linear.getWeight(), 0, {1}};
  auto matmul = dyn_cast<MatmulOp>(op);
  if (!matmul || rankOf(matmul.getB()) != 2)
    return std::nullopt;
  int64_t axis = matmul.getTransposeB() ? 0 : 1;
  return Operands{matmul.getA(), matmul.getB(), axis, {1 - axis}};
}

bool isOne(Value scale) {
  auto type = cast<RankedTensorType>(scale.getType());
  return type.getRank() <= 1 && type.hasStaticShape() && type.getNumElements() == 1;
}

/// The op that makes `value` of bytes, in float32; null where none does.
DequantizeOp dequantizedBytes(Value value) {
  auto op = value.getDefiningOp<DequantizeOp>();
  auto type = op ? cast<RankedTensorType>(op.getX().getType()) : RankedTensorType();
  bool fits = op && op.getBlockSize() == 0 && type.getElementType().getIntOrFloatBitWidth() == 8 &&
              cast<RankedTensorType>(op.getResult().getType()).getElementType().isF32();
  return fits ? op : DequantizeOp();
}

/// So many products of two numbers of at most 255 fit.
constexpr int64_t kMostSummed = std::numeric_limits<int32_t>::max() / (255 * 255);

bool fitsSums(Value right, ArrayRef<int64_t> axes) {
  auto type = cast<RankedTensorType>(right.getType());
  int64_t count = 1;
  for (int64_t axis : axes) {
    if (type.isDynamicDim(axis) || type.getDimSize(axis) > kMostSummed)
      return false;
    count *= type.getDimSize(axis);
    if (count > kMostSummed)
      return false;
  }
  return true;
}

} // namespace

std::optional<ByteProduct> byteProductOf(Operation *op) {
  auto isRanked = [](Value value) { return isa<RankedTensorType>(value.getType()); };
  if (!isa<ConvOp, MatmulOp, LinearOp>(op) || !llvm::all_of(op->getOperands(), isRanked))
    return std::nullopt;
  std::optional<Operands> operands = operandsOf(op);
  DequantizeOp left = operands ? dequantizedBytes(operands->left) : DequantizeOp();
  DequantizeOp right = left ? dequantizedBytes(operands->right) : DequantizeOp();
  if (!right || !isOne(left.getScale()) || !fitsSums(operands->right, operands->summedAxes))
    return std::nullopt;
  int64_t axis = right.getAxis(), rank = cast<RankedTensorType>(right.getX().getType()).getRank();
  bool perResult = (axis < 0 ? axis + rank : axis) == operands->resultAxis;
  return isOne(right.getScale()) || perResult ? std::optional(ByteProduct{left, right}) : std::nullopt;
}

} // namespace clika
