// Attention and rotary embeddings.
#include "Dialect/Shape.h"
#include "IO/Onnx/Call.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace clika::onnx {
namespace {

void buildRotaryEmbedding(Call &call) {
  Value x = call.in(0);
  OpMaker op = call.op("rotary_embedding");
  op.in(x).in(call.in(1)).in(call.in(2)).in(call.optional(3));
  int64_t heads = call.intAttr("num_heads", 0);
  // In x of four dimensions the heads are their own dimension.
  if (call.rank(x) == 3)
    op.set("num_heads", heads);
  op.set("rotary_dim", call.intAttr("rotary_embedding_dim", 0)).set("interleaved", call.intAttr("interleaved", 0) != 0);
  call.out(op.result());
}

class AttentionImport {
public:
  explicit AttentionImport(Call &call) : call(call), isJoined(call.rank(call.in(0)) == 3) {}

  void build() {
    q = heads(call.in(0), "q_num_heads");
    k = heads(call.in(1), "kv_num_heads");
    v = heads(call.in(2), "kv_num_heads");
    ownKeys = dimsOf(k.getType())[2];
    addPast();
    scale = call.floatAttr("scale", 0);
    softcap = call.floatAttr("softcap", 0);
    mlir::Type element = call.element(q);
    readMasks();
    widen();
    Value result = call.castTo(attend(), element);
    if (isJoined) {
      Value rows = call.op("transpose").in(result).set("perm", ArrayRef<int64_t>({0, 2, 1, 3})).result();
      result = joinHeads(rows);
    }
    call.out(result);
    int64_t mode = call.intAttr("qk_matmul_output_mode", 0);
    if (call.wants(3))
      call.out(3, call.castTo(scores(mode), element));
  }

private:
  /// [batch, sequence, heads * size] as [batch, heads, sequence, size].
  Value heads(Value x, const char *attribute) {
    if (!isJoined) {
      call.ignoreAttr(attribute);
      return x;
    }
    int64_t count = call.requireIntAttr(attribute), joined = call.type(x).getDimSize(2);
    if (count < 1 || (!ShapedType::isDynamic(joined) && joined % count != 0))
      call.fail("its " + std::string(attribute) + " is " + std::to_string(count) + ", which does not divide " +
                (ShapedType::isDynamic(joined) ? std::string("anything") : std::to_string(joined)));
    Value apart = call.reshape(x, {0, 0, count, ShapedType::isDynamic(joined) ? -1 : joined / count});
    return call.op("transpose").in(apart).set("perm", ArrayRef<int64_t>({0, 2, 1, 3})).result();
  }

  Value joinHeads(Value x) {
    ArrayRef<int64_t> sizes = call.type(x).getShape();
    bool known = !ShapedType::isDynamic(sizes[2]) && !ShapedType::isDynamic(sizes[3]);
    return call.reshape(x, {0, 0, known ? sizes[2] * sizes[3] : -1});
  }

  void addPast() {
    hasPast = call.has(4);
    if (hasPast != call.has(5))
      call.fail("has one of past_key and past_value only");
    if (hasPast) {
      past = call.in(4);
      k = call.op("concat").in({past, k}).set("axis", 2).result();
      v = call.op("concat").in({call.in(5), v}).set("axis", 2).result();
    }
    if (call.wants(1))
      call.out(1, k);
    if (call.wants(2))
      call.out(2, v);
  }

  //===--------------------------------------------------------------------===//
  // Masks
  //===--------------------------------------------------------------------===//

  /// A size as an int64 of rank 0.
  Value length(Value x, int64_t axis) {
    int64_t size = call.type(x).getDimSize(static_cast<unsigned>(axis));
    mlir::Type i64 = call.importer.builder.getI64Type();
    if (!ShapedType::isDynamic(size))
      return call.importer.scalar(i64, static_cast<double>(size));
    return call.unary("squeeze", call.op("shape").in(x).set("start", axis).set("end", axis + 1).result());
  }

  Value places(Value count) { return call.op("range").in(Value()).in(count).result(); }

  /// Which keys a query may look at because of where both lie: none where all.
  Value placeMask(bool causal, int64_t left, int64_t right) {
    Value keys = places(length(k, 2)), nonpad = call.optional(6), mask;
    auto restrict = [&](Value other) { mask = mask ? call.binary("logical_and", mask, other) : other; };
    if (nonpad) {
      nonpad = call.reshape(call.castTo(nonpad, call.importer.builder.getI64Type()), {-1, 1, 1, 1});
      restrict(call.binary("less", keys, nonpad));
    }
    if (!causal && left < 0 && right < 0)
      return mask;
    Value query = call.reshape(places(length(q, 2)), {-1, 1});
    if (nonpad)
      query = call.binary("add", query, call.binary("sub", nonpad, length(q, 2)));
    else if (hasPast)
      query = call.binary("add", query, length(past, 2));
    if (causal)
      restrict(call.binary("less_equal", keys, query));
    if (left >= 0)
      restrict(call.binary("greater_equal", keys, call.withNumber("sub", query, static_cast<double>(left))));
    if (right >= 0)
      restrict(call.binary("less_equal", keys, call.withNumber("add", query, static_cast<double>(right))));
    return mask;
  }

  Value filler(double number) { return call.importer.scalar(call.element(q), number); }

  /// The mask of the node. Keys that it does not reach are left out.
  Value givenMask() {
    Value mask = call.in(3);
    bool isBool = call.element(mask).isInteger(1);
    if (!isBool)
      mask = call.castTo(mask, call.element(q));
    int64_t rank = call.rank(mask);
    int64_t own = call.type(mask).getDimSize(static_cast<unsigned>(rank - 1)), all = call.type(k).getDimSize(2);
    if (ShapedType::isDynamic(own) || ShapedType::isDynamic(all) || own >= all)
      return mask;
    OpMaker pad = call.op("pad");
    Call::Ints amounts{0, all - own}, axes{rank - 1};
    pad.in(isBool ? call.castTo(mask, call.importer.builder.getIntegerType(8, false)) : mask);
    pad.set("pads", ArrayRef<int64_t>(amounts)).set("axes", ArrayRef<int64_t>(axes));
    pad.set("value", isBool ? 0.0 : -std::numeric_limits<double>::infinity());
    Value padded = pad.result();
    return isBool ? call.castTo(padded, call.importer.builder.getI1Type()) : padded;
  }

  void readMasks() {
    bool isCausal = call.intAttr("is_causal", 0) != 0;
    int64_t left = call.intAttr("left_window_size", -1), right = call.intAttr("right_window_size", -1);
    bool fromEnd = hasPast && sameDim(ownKeys, dimsOf(q.getType())[2]);
    if (isCausal && left < 0 && right < 0 && !call.has(6) && (!hasPast || fromEnd)) {
      causal = hasPast ? "LowerRight" : "UpperLeft";
      isCausal = false;
    }
    Value places = call.has(6) || isCausal || left >= 0 || right >= 0 ? placeMask(isCausal, left, right) : Value();
    mask = call.has(3) ? givenMask() : Value();
    if (!places || !mask)
      mask = mask ? mask : places;
    else if (call.element(mask).isInteger(1))
      mask = call.binary("logical_and", mask, places);
    else
      mask = call.op("where").in(places).in(mask).in(filler(-std::numeric_limits<double>::infinity())).result();
  }

  //===--------------------------------------------------------------------===//
  // What is computed
  //===--------------------------------------------------------------------===//

  /// Half types compute in float32 as it is; only float64 asks for more.
  void widen() {
    constexpr int64_t kDouble = 11;
    if (call.intAttr("softmax_precision", 0) != kDouble)
      return;
    mlir::Type wide = call.importer.builder.getF64Type();
    q = call.castTo(q, wide);
    k = call.castTo(k, wide);
    v = call.castTo(v, wide);
    if (mask && !call.element(mask).isInteger(1))
      mask = call.castTo(mask, wide);
  }

  Value attend() {
    return call.op("attention")
        .in(q)
        .in(k)
        .in(v)
        .in(mask)
        .set("scale", scale)
        .set("causal", causal)
        .set("softcap", softcap)
        .result();
  }

  /// The keys with as many heads as the queries.
  Value repeatedKeys() {
    int64_t count = call.staticSize(q, 1, "the heads of q"), keyCount = call.staticSize(k, 1, "the heads of k");
    if (count == keyCount || keyCount == 0)
      return k;
    Value apart = call.op("unsqueeze").in(k).set("axes", ArrayRef<int64_t>({2})).result();
    Value spread = call.op("expand")
                       .in(apart)
                       .in(Value())
                       .set("shape", ArrayRef<int64_t>({1, 1, count / keyCount, 1, 1}))
                       .result();
    Value shape = call.op("concat")
                      .in({call.op("shape").in(k).set("start", 0).set("end", 1).result(), call.importer.ints({count}),
                           call.op("shape").in(k).set("start", 2).set("end", 4).result()})
                      .set("axis", 0)
                      .result();
    return call.op("reshape").in(spread).in(shape).set("allow_zero", true).result();
  }

  /// The products (mode 0), capped (1), masked too (2), and as weights (3).
  Value scores(int64_t mode) {
    Value result = call.op("matmul").in(q).in(repeatedKeys()).set("transpose_b", true).result();
    double factor = scale != 0 ? scale : 1.0 / std::sqrt(static_cast<double>(call.staticSize(q, 3, "a head of q")));
    result = call.withNumber("mul", result, factor);
    if (mode == 0)
      return result;
    if (softcap != 0)
      result = call.withNumber("mul", call.unary("tanh", call.withNumber("div", result, softcap)), softcap);
    if (mode == 1)
      return result;
    Value lowest = filler(-std::numeric_limits<double>::infinity());
    auto apply = [&](Value which) {
      if (call.element(which).isInteger(1))
        result = call.op("where").in(which).in(result).in(lowest).result();
      else
        result = call.binary("add", result, which);
    };
    if (mask)
      apply(mask);
    if (causal != "Off")
      apply(placeMask(true, -1, -1));
    if (mode == 2)
      return result;
    Value open = call.op("reduce_max").in(result).set("axes", ArrayRef<int64_t>({3})).set("keepdims", true).result();
    Value weights = call.op("softmax").in(result).set("axis", 3).result();
    return call.op("where").in(call.binary("equal", open, lowest)).in(filler(0)).in(weights).result();
  }

  Call &call;
  bool isJoined, hasPast = false;
  Value q, k, v, past, mask;
  Dim ownKeys;
  double scale = 0, softcap = 0;
  StringRef causal = "Off";
};

void buildAttention(Call &call) { AttentionImport(call).build(); }

} // namespace

void addAttention(Operators &operators) {
  operators.add("Attention", buildAttention, 23);
  operators.add("RotaryEmbedding", buildRotaryEmbedding, 23);
}

} // namespace clika::onnx
