// attention: products, softmax along the keys, products. The scores are stored whole.
#include "Conversion/ClikaToLinalg/Broadcast.h"
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/Reduction.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/AttentionOps.h"
#include "Dialect/PointwiseFormulas.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;

namespace clika {
namespace {

class AttentionBuilder {
public:
  AttentionBuilder(ConversionPatternRewriter &rewriter, AttentionOp op, AttentionOp::Adaptor adaptor)
      : t(rewriter, op), op(op), element(getElementTypeOrSelf(op.getQ().getType())), computed(computedElement(element)),
        q(dimsOf(op.getQ().getType())), k(dimsOf(op.getK().getType())), v(dimsOf(op.getV().getType())),
        queries(adaptor.getQ()), keys(adaptor.getK()), values(adaptor.getV()), mask(adaptor.getMask()) {}

  Value run() {
    checkSizes();
    readMask();
    Sizes batches{t.mul(t.sizeOf(queries, 0), t.sizeOf(keys, 1)), t.mul(group(), t.sizeOf(queries, 2))};
    // The heads that a key head serves are neighbours, so their queries are rows of one matrix.
    Value rows = t.reshape(queries, {batches[0], batches[1], t.sizeOf(queries, 3)});
    Value columns = t.transpose(t.join(keys, 0, 2), {0, 2, 1});
    Value scores = t.reshape(product(rows, columns), scoreSizes());
    Value weights = softmax(masked(scores));
    weights = t.reshape(weights, {batches[0], batches[1], t.sizeOf(keys, 2)});
    Value result = product(weights, asComputed(t.join(values, 0, 2)));
    result = t.reshape(result, {t.sizeOf(queries, 0), t.sizeOf(queries, 1), t.sizeOf(queries, 2), t.sizeOf(values, 3)});
    return computed == element ? result : converted(result, element);
  }

private:
  void checkSizes() {
    auto same = [&](const Dims &a, const Dims &b, Value x, Value y, unsigned dim, StringRef message) {
      t.requireSame(a[dim], b[dim], t.sizeOf(x, dim), t.sizeOf(y, dim), message);
    };
    same(q, k, queries, keys, 0, "q and k differ in batches");
    same(q, v, queries, values, 0, "q and v differ in batches");
    same(k, v, keys, values, 1, "k and v differ in heads");
    same(q, k, queries, keys, 3, "q and k differ in the size of a head");
    same(k, v, keys, values, 2, "k and v differ in the number of keys");
  }

  // How many heads share one of the keys' heads.
  Size group() {
    Size heads = t.sizeOf(queries, 1), keyHeads = t.sizeOf(keys, 1);
    if (sameDim(q[1], k[1]))
      return t.size(1);
    std::optional<int64_t> count = getConstantIntValue(heads), keyCount = getConstantIntValue(keyHeads);
    if (count && keyCount && *keyCount > 0)
      return t.size(*count / *keyCount);
    Value divisor = t.indexOf(t.max(keyHeads, t.size(1)));
    Size result = arith::DivUIOp::create(t.b, t.indexOf(heads), divisor).getResult();
    t.require(arith::CmpIPredicate::eq, t.mul(result, keyHeads), heads, "q's heads do not divide among those of k");
    return result;
  }

  Sizes scoreSizes() { return {t.sizeOf(queries, 0), t.sizeOf(queries, 1), t.sizeOf(queries, 2), t.sizeOf(keys, 2)}; }

  Value product(Value a, Value b) {
    Value zero = t.filled({t.sizeOf(a, 0), t.sizeOf(a, 1), t.sizeOf(b, 2)}, t.b.getZeroAttr(computed));
    return linalg::BatchMatmulOp::create(t.b, ValueRange{a, b}, ValueRange{zero})->getResult(0);
  }

  Value converted(Value x, Type to) {
    Type from = getElementTypeOrSelf(x.getType());
    Sizes sizes = t.sizesOf(x);
    return t.map(sizes, to, x, t.identity(sizes.size()), [&](ImplicitLocOpBuilder &b, ValueRange scalars) {
      return from == element ? toComputed(b, scalars[0], element) : toStored(b, scalars[0], element);
    });
  }

  Value asComputed(Value x) { return computed == element ? x : converted(x, computed); }

  //===--------------------------------------------------------------------===//
  // Masks
  //===--------------------------------------------------------------------===//

  bool isBoolMask() { return mask && getElementTypeOrSelf(op.getMask().getType()).isInteger(1); }
  bool isCausal() { return op.getCausal() != "Off"; }

  // Lines the mask up with the scores.
  void readMask() {
    if (!mask)
      return;
    Dims scores{q[0], q[1], q[2], k[2]}, own = dimsOf(op.getMask().getType());
    SmallVector<Value> like{queries, queries, queries, keys};
    for (unsigned i = 0, offset = 4 - own.size(); i < own.size(); ++i)
      requireFits(own[i], scores[offset + i], t.sizeOf(mask, i),
                  t.sizeOf(like[offset + i], offset + i == 3 ? 2 : offset + i));
    Value shape = t.empty(scoreSizes(), computed);
    Broadcasted both = broadcastOperands(t.b, op, {shape, mask}, {scores, own}, scores);
    mask = both.operands[1];
    maskMap = both.maps[1];
  }

  void requireFits(Dim own, Dim wanted, Size size, Size wantedSize) {
    if (constantOf(own) == 1 || sameDim(own, wanted))
      return;
    Value one = arith::CmpIOp::create(t.b, arith::CmpIPredicate::eq, t.indexOf(size), t.indexOf(t.size(1)));
    Value same = arith::CmpIOp::create(t.b, arith::CmpIPredicate::eq, t.indexOf(size), t.indexOf(wantedSize));
    checkAtRunTime(t.b, op, arith::OrIOp::create(t.b, one, same),
                   "mask does not broadcast to [batch, heads, queries, keys]");
  }

  // By how much the last key of a query is ahead of it.
  Value lastKey(ImplicitLocOpBuilder &b, Value query) { return arith::AddIOp::create(b, query, ahead); }

  // What the mask and causality make of a score, by the element's place in the scores.
  Value left(ImplicitLocOpBuilder &b, Value score, Value maskElement) {
    Value out = numberOf(b, computed, -std::numeric_limits<double>::infinity());
    if (maskElement && isBoolMask())
      score = arith::SelectOp::create(b, toComputed(b, maskElement, b.getI1Type()), score, out);
    else if (maskElement)
      score = arith::AddFOp::create(b, score, toComputed(b, maskElement, element));
    if (!isCausal())
      return score;
    Value late = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, linalg::IndexOp::create(b, 3),
                                       lastKey(b, linalg::IndexOp::create(b, 2)));
    return arith::SelectOp::create(b, late, out, score);
  }

  // Scaled, capped and masked.
  Value masked(Value scores) {
    if (isCausal())
      ahead = t.indexOf(op.getCausal() == "UpperLeft" ? t.size(0) : t.sub(t.sizeOf(keys, 2), t.sizeOf(queries, 2)));
    Value scale = scaleOf();
    double cap = op.getSoftcap().convertToDouble();
    SmallVector<Value> inputs{scores};
    SmallVector<AffineMap> maps{t.identity(4)};
    if (mask) {
      inputs.push_back(mask);
      maps.push_back(maskMap);
    }
    return t.map(scoreSizes(), computed, inputs, maps, [&](ImplicitLocOpBuilder &b, ValueRange scalars) {
      Value score = arith::MulFOp::create(b, scalars[0], scale);
      if (cap != 0.0) {
        Value number = numberOf(b, computed, cap);
        score = math::TanhOp::create(b, arith::DivFOp::create(b, score, number));
        score = arith::MulFOp::create(b, score, number);
      }
      return left(b, score, mask ? scalars[1] : Value());
    });
  }

  // Rounded once from float64, whether the head's size is known or not.
  Value scaleOf() {
    double given = op.getScale().convertToDouble();
    std::optional<int64_t> size = getConstantIntValue(t.sizeOf(queries, 3));
    if (given != 0.0 || size)
      return numberOf(t.b, computed, given != 0.0 ? given : 1.0 / std::sqrt(static_cast<double>(*size)));
    Type wide = t.b.getF64Type();
    Value root = math::SqrtOp::create(t.b, countOf(t, queries, {3}, wide));
    Value scale = arith::DivFOp::create(t.b, numberOf(t.b, wide, 1.0), root);
    return computed == wide ? scale : arith::TruncFOp::create(t.b, computed, scale).getResult();
  }

  // The highest of the mask along the keys where a query may be left without any: -inf there. Its dimensions of size 1
  // hold for all. None where each query has a key.
  struct Highest {
    Value value;
    AffineMap map;
  };
  Highest highestOfMask() {
    if (!mask && op.getCausal() != "LowerRight")
      return {};
    Sizes sizes = scoreSizes();
    SmallVector<AffineExpr> exprs;
    for (unsigned i = 0; i < 3; ++i) {
      bool used = i == 2 && isCausal();
      for (AffineExpr expr : mask ? maskMap.getResults() : ArrayRef<AffineExpr>())
        used |= expr == t.b.getAffineDimExpr(i);
      sizes[i] = used ? sizes[i] : t.size(1);
      exprs.push_back(used ? t.b.getAffineDimExpr(i) : t.b.getAffineConstantExpr(0));
    }
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    if (mask) {
      inputs.push_back(mask);
      maps.push_back(maskMap);
    }
    Value alone = t.map(sizes, computed, inputs, maps, [&](ImplicitLocOpBuilder &b, ValueRange scalars) {
      Value zero = numberOf(b, computed, 0.0);
      return left(b, zero, mask ? scalars[0] : Value());
    });
    return {reduce(t, alone, {}, {3}, maximumOf(t, computed)), AffineMap::get(4, 0, exprs, t.b.getContext())};
  }

  Value softmax(Value scores) {
    Sizes sizes = scoreSizes();
    AffineMap own = t.identity(4), row = t.mapTo(4, {0, 1, 2});
    Value highest = reduce(t, scores, {}, {3}, maximumOf(t, computed));
    Value exponentials = t.map(sizes, computed, {scores, highest}, {own, row},
                               [&](ImplicitLocOpBuilder &b, ValueRange scalars) -> Value {
                                 return math::ExpOp::create(b, arith::SubFOp::create(b, scalars[0], scalars[1]));
                               });
    SmallVector<Value> inputs{exponentials, reduce(t, exponentials, {}, {3}, sumOf(t, computed))};
    SmallVector<AffineMap> maps{own, row};
    if (Highest open = highestOfMask(); open.value) {
      inputs.push_back(open.value);
      maps.push_back(open.map);
    }
    return t.map(sizes, computed, inputs, maps, [&](ImplicitLocOpBuilder &b, ValueRange scalars) -> Value {
      Value weight = arith::DivFOp::create(b, scalars[0], scalars[1]);
      if (scalars.size() == 2)
        return weight;
      Value out = numberOf(b, computed, -std::numeric_limits<double>::infinity());
      Value none = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, scalars[2], out);
      return arith::SelectOp::create(b, none, numberOf(b, computed, 0.0), weight);
    });
  }

  TensorBuilder t;
  AttentionOp op;
  Type element, computed;
  Dims q, k, v;
  Value queries, keys, values, mask;
  AffineMap maskMap;
  Value ahead;
};

struct AttentionLowering : OpConversionPattern<AttentionOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AttentionOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Value result = AttentionBuilder(rewriter, op, adaptor).run();
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

} // namespace

void populateAttentionToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<AttentionLowering>(converter, patterns.getContext());
}

} // namespace clika
