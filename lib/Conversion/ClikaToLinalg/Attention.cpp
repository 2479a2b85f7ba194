// attention: products, softmax along the keys, products. Where the scores are many, those of a few queries at a time,
// so that they are never stored whole; each query's are computed in the same order either way.
#include "Conversion/ClikaToLinalg/Broadcast.h"
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/Reduction.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/AttentionOps.h"
#include "Dialect/PointwiseFormulas.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <cmath>
#include <tuple>

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
    if (isCausal())
      ahead = t.indexOf(op.getCausal() == "UpperLeft" ? t.size(0) : t.sub(t.sizeOf(keys, 2), t.sizeOf(queries, 2)));
    scale = scaleOf();
    columns = t.transpose(t.join(keys, 0, 2), {0, 2, 1});
    valueRows = asComputed(t.join(values, 0, 2));
    std::optional<int64_t> rows = queriesAtOnce();
    return rows ? inBlocks(*rows) : ofQueries();
  }

private:
  // What the queries of `queries` attend to, `first` of the operator's being the first of them.
  Value ofQueries() {
    Sizes batches{t.mul(t.sizeOf(queries, 0), t.sizeOf(keys, 1)), t.mul(heads, t.sizeOf(queries, 2))};
    // The heads that a key head serves are neighbours, so their queries are rows of one matrix.
    Value rows = t.reshape(queries, {batches[0], batches[1], t.sizeOf(queries, 3)});
    Value scores = t.reshape(product(rows, columns), scoreSizes());
    Value weights = softmax(masked(scores));
    weights = t.reshape(weights, {batches[0], batches[1], t.sizeOf(keys, 2)});
    Value result = product(weights, valueRows);
    result = t.reshape(result, resultSizes());
    return computed == element ? result : converted(result, element);
  }

  Sizes resultSizes() {
    return {t.sizeOf(queries, 0), t.sizeOf(queries, 1), t.sizeOf(queries, 2), t.sizeOf(values, 3)};
  }

  // Of how many queries the scores stay in the cache beside a core; none where those of all do.
  std::optional<int64_t> queriesAtOnce() {
    constexpr int64_t kScoreBytes = int64_t{1} << 21, kFewest = 16, kUnknown = 64;
    std::optional<int64_t> all = getConstantIntValue(t.sizeOf(queries, 2));
    std::optional<int64_t> each = getConstantIntValue(
        t.product({t.sizeOf(queries, 0), t.sizeOf(queries, 1), t.sizeOf(keys, 2), t.size(bytesOf(computed))}));
    int64_t most = each ? std::max(kFewest, kScoreBytes / std::max<int64_t>(1, *each)) : kUnknown;
    if (all && *all <= most)
      return std::nullopt;
    // Blocks of one size, if some number that is not much smaller divides them.
    for (int64_t rows = most; all && 2 * rows > most; --rows)
      if (*all % rows == 0)
        return rows;
    return most;
  }

  static int64_t bytesOf(Type type) { return type.getIntOrFloatBitWidth() / 8; }

  Value inBlocks(int64_t rows) {
    Size count = t.sizeOf(queries, 2);
    Sizes sizes = resultSizes();
    std::optional<int64_t> known = getConstantIntValue(count);
    Value start = t.empty(sizes, element), zero = t.indexOf(t.size(0)), step = t.indexOf(t.size(rows));
    Size end = known ? t.size(*known - *known % rows) : count;
    auto loop = scf::ForOp::create(t.b, zero, t.indexOf(end), step, start);
    {
      OpBuilder::InsertionGuard guard(t.b);
      t.b.setInsertionPointToStart(loop.getBody());
      Value at = loop.getInductionVar();
      Size size = known ? t.size(rows) : t.min(t.size(rows), t.sub(count, at));
      scf::YieldOp::create(t.b, ValueRange{withBlock(loop.getRegionIterArg(0), at, size)});
    }
    Value result = loop.getResult(0);
    return known && *known % rows ? withBlock(result, end, t.size(*known % rows)) : result;
  }

  // `results` with those of the `size` queries from `at` on.
  Value withBlock(Value results, Size at, Size size) {
    auto [allQueries, wholeMask, before] = std::tuple(queries, mask, first);
    first = t.indexOf(at);
    queries = part(queries, 2, at, size);
    if (mask)
      for (auto [dim, expr] : llvm::enumerate(maskMap.getResults()))
        if (expr == t.b.getAffineDimExpr(2))
          mask = part(mask, static_cast<unsigned>(dim), at, size);
    Value block = ofQueries();
    std::tie(queries, mask, first) = std::tuple(allQueries, wholeMask, before);
    Sizes offsets(4, t.size(0)), sizes = t.sizesOf(block);
    offsets[2] = at;
    return t.insert(block, results, offsets, sizes);
  }

  Value part(Value tensor, unsigned dim, Size at, Size size) {
    Sizes sizes = t.sizesOf(tensor), offsets(sizes.size(), t.size(0));
    offsets[dim] = at;
    sizes[dim] = size;
    return t.slice(tensor, offsets, sizes);
  }

  void checkSizes() {
    auto same = [&](const Dims &a, const Dims &b, Value x, Value y, unsigned dim, StringRef message) {
      t.requireSame(a[dim], b[dim], t.sizeOf(x, dim), t.sizeOf(y, dim), message);
    };
    same(q, k, queries, keys, 0, "q and k differ in batches");
    same(q, v, queries, values, 0, "q and v differ in batches");
    same(k, v, keys, values, 1, "k and v differ in heads");
    same(q, k, queries, keys, 3, "q and k differ in the size of a head");
    same(k, v, keys, values, 2, "k and v differ in the number of keys");
    heads = group();
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
  Value lastKey(ImplicitLocOpBuilder &b, Value query) {
    Value place = first ? arith::AddIOp::create(b, query, first) : query;
    return arith::AddIOp::create(b, place, ahead);
  }

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
  /// How many heads share one of the keys' heads.
  Size heads;
  /// The keys transposed, and the values as they are computed with, a matrix for each of the keys' heads.
  Value columns, valueRows, scale;
  /// Of a causal one: by how much the last key of a query is ahead of it. Of a block: its first query.
  Value ahead, first;
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
