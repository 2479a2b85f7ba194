// rotary_embedding: the two halves of the pairs are cut out, rotated and put back.
#include "Conversion/ClikaToLinalg/Broadcast.h"
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/Movement.h"
#include "Conversion/ClikaToLinalg/TensorBuilder.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/AttentionOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace clika {
namespace {

// Pairs of a head's elements, [.., .., .., pairs, 2] where they are neighbours, else [.., .., .., 2, pairs].
class Pairs {
public:
  Pairs(TensorBuilder &t, Value part, bool neighbours) : t(t), sizes(t.sizesOf(part)), at(neighbours ? 4 : 3) {
    sizes[3] = t.floorDiv(sizes[3], 2);
    split = sizes;
    split.insert(split.begin() + at, t.size(2));
    whole = t.expand(part, runs(), split);
  }

  // All first elements of pairs, or all second ones: [.., .., .., pairs].
  Value half(int64_t which) { return t.collapse(t.slice(whole, offsets(which), halfSizes()), runs()); }

  Value join(Value first, Value second) {
    Value result = t.empty(split, cast<RankedTensorType>(whole.getType()).getElementType());
    result = t.insert(t.addUnit(first, at), result, offsets(0), halfSizes());
    result = t.insert(t.addUnit(second, at), result, offsets(1), halfSizes());
    return t.collapse(result, runs());
  }

  /// The sizes of a half.
  const Sizes &halfOf() const { return sizes; }

private:
  static SmallVector<ReassociationIndices> runs() { return {{0}, {1}, {2}, {3, 4}}; }
  Sizes offsets(int64_t which) {
    Sizes result(5, t.size(0));
    result[at] = t.size(which);
    return result;
  }
  Sizes halfSizes() {
    Sizes result = split;
    result[at] = t.size(1);
    return result;
  }

  TensorBuilder &t;
  Sizes sizes, split;
  unsigned at;
  Value whole;
};

class Rotation {
public:
  Rotation(ConversionPatternRewriter &rewriter, RotaryEmbeddingOp op, RotaryEmbeddingOp::Adaptor adaptor)
      : t(rewriter, op), l(rewriter, op), op(op), adaptor(adaptor), dims(dimsOf(op.getX().getType())) {}

  Value run() {
    Value x = adaptor.getX();
    bool joined = dims.size() == 3;
    heads = joined ? 2 : 1;
    if (joined)
      x = splitHeads(x);
    else if (op.getNumHeads() != 0)
      t.requireSame(dims[1], constantDim(op.getContext(), op.getNumHeads()), t.sizeOf(x, 1), t.size(op.getNumHeads()),
                    "x has another number of heads than num_heads");
    Value result = rotated(x);
    if (joined)
      result = t.collapse(result, {{0}, {1}, {2, 3}});
    return result;
  }

private:
  // [batch, sequence, heads * head size] with the heads apart, the dimensions following.
  Value splitHeads(Value x) {
    int64_t count = op.getNumHeads();
    Sizes sizes = t.sizesOf(x);
    Size headSize = t.floorDiv(sizes[2], count);
    t.require(arith::CmpIPredicate::eq, t.mul(headSize, t.size(count)), sizes[2],
              "x's last dimension does not divide into num_heads heads");
    MLIRContext *context = op.getContext();
    Dim divided = exactDivDims(dims[2], constantDim(context, count));
    dims = {dims[0], dims[1], constantDim(context, count), divided};
    return t.expand(x, {{0}, {1}, {2, 3}}, {sizes[0], sizes[1], t.size(count), headSize});
  }

  Value rotated(Value x) {
    Value cos = angles(adaptor.getCos()), sin = angles(adaptor.getSin());
    Dims cosDims = angleDims(op.getCos()), sinDims = angleDims(op.getSin());
    Sizes sizes = t.sizesOf(x);
    int64_t given = op.getRotaryDim();
    Size part = given ? t.size(given) : sizes[3];
    for (Value each : {cos, sin})
      t.require(arith::CmpIPredicate::eq, t.mul(t.sizeOf(each, 3), t.size(2)), part,
                "cos and sin do not have an angle for each pair of elements");
    Value cut = x;
    Sizes cutSizes = sizes, zeros(4, t.size(0));
    cutSizes[3] = part;
    if (given) {
      t.require(arith::CmpIPredicate::sge, sizes[3], part, "rotary_dim is larger than a head");
      cut = t.slice(x, zeros, cutSizes);
    }
    Pairs pairs(t, cut, op.getInterleaved());
    Value a = pairs.half(0), b = pairs.half(1);
    for (auto [angle, angleDims] : {std::pair(cos, &cosDims), {sin, &sinDims}})
      requireFits(angle, *angleDims, a);
    Dims target = dims;
    target[3] = cosDims[3];
    Broadcasted all = broadcastOperands(t.b, op, {a, cos, sin}, {target, cosDims, sinDims}, target);
    SmallVector<Value> inputs{a, b, all.operands[1], all.operands[2]};
    SmallVector<AffineMap> maps{t.identity(4), t.identity(4), all.maps[1], all.maps[2]};
    Value first = combined(pairs.halfOf(), inputs, maps, false), second = combined(pairs.halfOf(), inputs, maps, true);
    Value result = pairs.join(first, second);
    return given ? t.insert(result, x, zeros, cutSizes) : result;
  }

  // a * cos - b * sin or, for the second elements, b * cos + a * sin.
  Value combined(const Sizes &sizes, ValueRange inputs, ArrayRef<AffineMap> maps, bool second) {
    Type element = cast<RankedTensorType>(op.getX().getType()).getElementType();
    return t.map(sizes, element, inputs, maps, [&](ImplicitLocOpBuilder &b, ValueRange scalars) {
      SmallVector<Value> x;
      for (Value scalar : scalars)
        x.push_back(toComputed(b, scalar, element));
      Value withCos = arith::MulFOp::create(b, x[second ? 1 : 0], x[2]);
      Value withSin = arith::MulFOp::create(b, x[second ? 0 : 1], x[3]);
      Value result = second ? arith::AddFOp::create(b, withCos, withSin).getResult()
                            : arith::SubFOp::create(b, withCos, withSin).getResult();
      return toStored(b, result, element);
    });
  }

  // cos or sin as [batch, sequence, pairs] with a dimension of 1 where x has its heads.
  Value angles(Value table) {
    if (op.getPositions())
      table = gathered(l, table, op.getPositions(), adaptor.getPositions(), 0, {}, "cos and sin");
    return t.addUnit(table, heads);
  }

  Dims angleDims(Value table) {
    Dims result = dimsOf(table.getType());
    if (Value positions = op.getPositions()) {
      Dims rows = dimsOf(positions.getType());
      result = {rows[0], rows[1], result[1]};
    }
    result.insert(result.begin() + heads, constantDim(op.getContext(), 1));
    return result;
  }

  // The angles' batch and sequence are x's, or 1.
  void requireFits(Value angle, const Dims &angleDims, Value x) {
    for (unsigned i : {0u, heads == 1 ? 2u : 1u}) {
      if (constantOf(angleDims[i]) == 1 || sameDim(angleDims[i], dims[i]))
        continue;
      Size own = t.sizeOf(angle, i), size = t.sizeOf(x, i);
      Value one = arith::CmpIOp::create(t.b, arith::CmpIPredicate::eq, t.indexOf(own), t.indexOf(t.size(1)));
      Value same = arith::CmpIOp::create(t.b, arith::CmpIPredicate::eq, t.indexOf(own), t.indexOf(size));
      checkAtRunTime(t.b, op, arith::OrIOp::create(t.b, one, same),
                     "cos, sin or positions do not broadcast to x's batch and sequence");
    }
  }

  TensorBuilder t;
  Lowering l;
  RotaryEmbeddingOp op;
  RotaryEmbeddingOp::Adaptor adaptor;
  Dims dims;
  unsigned heads = 1;
};

struct RotaryLowering : OpConversionPattern<RotaryEmbeddingOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(RotaryEmbeddingOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value result = Rotation(rewriter, op, adaptor).run();
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

} // namespace

void populateRotaryToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<RotaryLowering>(converter, patterns.getContext());
}

} // namespace clika
