// rnn, gru and lstm: the products of the whole sequence with w at once, then a loop over the steps.
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/Loops.h"
#include "Conversion/ClikaToLinalg/Reduction.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/PointwiseFormulas.h"
#include "Dialect/RecurrentOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <limits>

using namespace mlir;

namespace clika {
namespace {

Value applied(ImplicitLocOpBuilder &b, const CellFunction &function, Value x) {
  auto number = [&](double value) { return numberOf(b, x.getType(), value); };
  auto line = [&](Value v) -> Value {
    return arith::AddFOp::create(b, arith::MulFOp::create(b, v, number(function.alpha)), number(function.beta));
  };
  auto thresholded = [&]() -> Value {
    Value above = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, number(function.alpha));
    return arith::SelectOp::create(b, above, x, number(0.0));
  };
  auto scaledTanh = [&]() -> Value {
    Value tanh = math::TanhOp::create(b, arith::MulFOp::create(b, x, number(function.beta)));
    return arith::MulFOp::create(b, tanh, number(function.alpha));
  };
  auto softsign = [&]() -> Value {
    Value divisor = arith::AddFOp::create(b, number(1.0), math::AbsFOp::create(b, x));
    return arith::DivFOp::create(b, x, divisor);
  };
  return llvm::StringSwitch<function_ref<Value()>>(function.name)
      .Case("Sigmoid", [&] { return buildSigmoid(b, x); })
      .Case("Relu", [&] { return buildRelu(b, x, false); })
      .Case("LeakyRelu", [&] { return buildLeakyRelu(b, x, number(function.alpha)); })
      .Case("ThresholdedRelu", thresholded)
      .Case("ScaledTanh", scaledTanh)
      .Case("HardSigmoid", [&] { return buildHardSigmoid(b, x, function.alpha, function.beta); })
      .Case("Elu", [&] { return buildElu(b, x, function.alpha); })
      .Case("Softsign", softsign)
      .Case("Softplus", [&] { return buildSoftplus(b, x, 1.0, std::numeric_limits<double>::infinity()); })
      .Case("Affine", [&] { return line(x); })
      .Default([&]() -> Value { return math::TanhOp::create(b, x); })();
}

/// The operands of a layer; null where they are left out.
struct Operands {
  Value x, w, r, b, lengths, h, c = {}, p = {};
};

template <typename Adaptor>
Operands operandsOf(Adaptor &adaptor) {
  return {adaptor.getX(),       adaptor.getW(), adaptor.getR(), adaptor.getB(), adaptor.getSequenceLens(),
          adaptor.getInitialH()};
}

Value rowOf(TensorBuilder &t, Value tensor, ArrayRef<Size> at) {
  Lowering lowering(t.b, t.op);
  Sizes sizes = t.sizesOf(tensor);
  return rowAt(lowering, tensor, at, ArrayRef<Size>(sizes).drop_front(at.size()));
}

Value withRowOf(TensorBuilder &t, Value part, Value tensor, ArrayRef<Size> at) {
  Lowering lowering(t.b, t.op);
  Sizes sizes = t.sizesOf(tensor);
  return withRow(lowering, part, tensor, at, ArrayRef<Size>(sizes).drop_front(at.size()));
}

/// What the cells share: sizes, the loop, lengths, and how results are kept.
class Layer {
public:
  Layer(ConversionPatternRewriter &rewriter, Operation *op, const Operands &original, const Operands &given,
        int64_t gates, StringRef direction, double clip)
      : t(rewriter, op), original(original), given(given), gates(gates), direction(direction), clip(clip),
        element(getElementTypeOrSelf(original.x.getType())), computed(computedElement(element)) {}
  virtual ~Layer() = default;

  SmallVector<Value> run(unsigned stateCount) {
    sequence = t.sizeOf(given.x, 0);
    batch = t.sizeOf(given.x, 1);
    hidden = t.sizeOf(given.r, 2);
    checkSizes();
    checkLengths();
    unsigned directions = direction == "Bidirectional" ? 2 : 1;
    Size count = t.size(directions);
    SmallVector<Value> results{t.empty({sequence, count, batch, hidden}, storedElement(element))};
    for (unsigned i = 0; i < stateCount; ++i)
      results.push_back(t.empty({count, batch, hidden}, storedElement(element)));
    for (unsigned i = 0; i < directions; ++i)
      runDirection(i, results);
    return results;
  }

protected:
  using States = SmallVector<Value>;

  /// Takes what the steps of a direction read of the operands.
  virtual void prepare(Size at) = 0;
  /// The states after a step: `sums` are w's of it, [batch, gates * hidden].
  virtual States step(TensorBuilder &t, Value sums, const States &states) = 0;
  /// What is added to the sums of w: [gates * hidden].
  virtual Value biases(Size at) {
    Value whole = rowOf(t, given.b, at);
    Size half = rows();
    return added(t, t.slice(whole, {t.size(0)}, {half}), t.slice(whole, {half}, {half}), element);
  }

  Size rows() { return t.mul(t.size(gates), hidden); }

  /// [M, K] x [K, N], in the type that is computed in.
  Value product(TensorBuilder &t, Value a, Value b) {
    Value zero = t.filled({t.sizeOf(a, 0), t.sizeOf(b, 1)}, t.b.getZeroAttr(computed));
    return linalg::MatmulOp::create(t.b, ValueRange{a, b}, ValueRange{zero})->getResult(0);
  }

  Value asComputed(Value x) {
    if (computed == element)
      return x;
    Sizes sizes = t.sizesOf(x);
    return t.map(sizes, computed, x, t.identity(sizes.size()),
                 [&](ImplicitLocOpBuilder &b, ValueRange scalars) { return toComputed(b, scalars[0], element); });
  }

  /// a + b, where both are of `from` and the result is of the type that is computed in.
  Value added(TensorBuilder &t, Value a, Value b, Type from) {
    Sizes sizes = t.sizesOf(a);
    AffineMap own = t.identity(sizes.size());
    return t.map(sizes, computed, {a, b}, {own, own}, [&](ImplicitLocOpBuilder &b, ValueRange scalars) -> Value {
      return arith::AddFOp::create(b, toComputed(b, scalars[0], from), toComputed(b, scalars[1], from));
    });
  }

  /// The rows of r that belong to `count` gates from `first` on, transposed: [hidden, count * hidden].
  Value stateWeights(Size at, int64_t first, int64_t count) {
    Value whole = rowOf(t, given.r, at);
    if (count != gates)
      whole = t.slice(whole, {t.mul(t.size(first), hidden), t.size(0)}, {t.mul(t.size(count), hidden), hidden});
    return asComputed(t.transpose(whole, {1, 0}));
  }

  /// The columns of a gate.
  Value gate(TensorBuilder &t, Value sums, int64_t i) {
    return t.slice(sums, {t.size(0), t.mul(t.size(i), hidden)}, {batch, hidden});
  }

  Value clipped(ImplicitLocOpBuilder &b, Value x) {
    if (clip == 0.0)
      return x;
    Value floored = maximum(b, x, numberOf(b, computed, -clip), false);
    return minimum(b, floored, numberOf(b, computed, clip), false);
  }

  Value ofGate(ImplicitLocOpBuilder &b, const CellFunction &function, Value x) {
    return applied(b, function, clipped(b, x));
  }

  /// `state` after a step, as `body` makes it of the inputs' elements ([batch, hidden], or [hidden] for all of the
  /// batch) and its own; it stays where the sequence has ended.
  Value updated(TensorBuilder &t, Value state, ValueRange inputs,
                function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body) {
    SmallVector<Value> operands(inputs);
    SmallVector<AffineMap> maps;
    for (Value input : inputs)
      maps.push_back(cast<RankedTensorType>(input.getType()).getRank() == 1 ? t.mapTo(2, {1}) : t.identity(2));
    if (given.lengths) {
      operands.push_back(given.lengths);
      maps.push_back(t.mapTo(2, {0}));
    }
    maps.push_back(t.identity(2));
    SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
    return t.generic(operands, state, maps, loops,
                     [&](ImplicitLocOpBuilder &b, ValueRange scalars, SmallVectorImpl<Value> &results) {
                       Value old = scalars.back();
                       SmallVector<Value> own(scalars.take_front(inputs.size()));
                       own.push_back(old);
                       Value next = body(b, own);
                       if (given.lengths)
                         next = arith::SelectOp::create(b, isInside(b, scalars[inputs.size()]), next, old);
                       results.push_back(next);
                     })[0];
  }

  TensorBuilder t;
  Operands original, given;
  int64_t gates;
  StringRef direction;
  double clip;
  Type element, computed;
  Size sequence, batch, hidden;

private:
  void checkSizes() {
    Dims x = dimsOf(original.x.getType()), r = dimsOf(original.r.getType());
    MLIRContext *context = t.b.getContext();
    Dim directions = constantDim(context, direction == "Bidirectional" ? 2 : 1);
    Size count = t.size(direction == "Bidirectional" ? 2 : 1);
    auto check = [&](StringRef name, Value value, Value lowered, ArrayRef<Dim> dims, ArrayRef<Size> sizes) {
      Dims own = value ? dimsOf(value.getType()) : Dims();
      for (auto [i, dim] : llvm::enumerate(own))
        t.requireSame(dim, dims[i], t.sizeOf(lowered, i), sizes[i],
                      "the size of dimension " + Twine(i) + " of " + name + " does not fit the other operands");
    };
    Dim gateRows = mulDims(r[2], gates);
    check("w", original.w, given.w, {directions, gateRows, x[2]}, {count, rows(), t.sizeOf(given.x, 2)});
    check("r", original.r, given.r, {directions, gateRows, r[2]}, {count, rows(), hidden});
    check("b", original.b, given.b, {directions, mulDims(gateRows, 2)}, {count, t.mul(t.size(2), rows())});
    check("sequence_lens", original.lengths, given.lengths, {x[1]}, {batch});
    check("initial_h", original.h, given.h, {directions, x[1], r[2]}, {count, batch, hidden});
    check("initial_c", original.c, given.c, {directions, x[1], r[2]}, {count, batch, hidden});
    check("p", original.p, given.p, {directions, mulDims(r[2], 3)}, {count, t.mul(t.size(3), hidden)});
  }

  void checkLengths() {
    if (!given.lengths)
      return;
    Lowering l(t.b, t.op);
    Type type = getElementTypeOrSelf(original.lengths.getType());
    auto only = [&](const Reduction &reduction) {
      return Index(toIndex(l, onlyElement(l, reduce(t, given.lengths, {}, {0}, reduction)), type));
    };
    Index longest = only(maximumOf(t, type)), shortest = only(minimumOf(t, type));
    l.check(l.math.both(l.math.atLeast(shortest, l.math.constant(0)), l.math.atLeast(sequence, longest)),
            "an element of sequence_lens is negative or more than x has steps");
  }

  bool isReverse(unsigned number) { return direction == "Reverse" || number == 1; }

  /// w's sums of all steps, with the biases: [sequence, batch, gates * hidden].
  Value inputSums(Size at) {
    Value weights = t.transpose(rowOf(t, given.w, at), {1, 0});
    Value sums = product(t, t.join(given.x, 0, 2), weights);
    if (given.b)
      sums = t.map(t.sizesOf(sums), computed, {sums, biases(at)}, {t.identity(2), t.mapTo(2, {1})},
                   [](ImplicitLocOpBuilder &b, ValueRange scalars) -> Value {
                     return arith::AddFOp::create(b, scalars[0], scalars[1]);
                   });
    return t.reshape(sums, {sequence, batch, rows()});
  }

  /// Of the type that every step's states have.
  Value initial(Value state, Size at) {
    if (!state)
      return t.filled({batch, hidden}, t.b.getZeroAttr(computed));
    Value own = asComputed(rowOf(t, state, at));
    RankedTensorType type = typeOfSizes({batch, hidden}, computed);
    return own.getType() == type ? own : tensor::CastOp::create(t.b, type, own).getResult();
  }

  void runDirection(unsigned number, SmallVectorImpl<Value> &results) {
    Size at = t.size(number);
    prepare(at);
    Value sums = inputSums(at);
    States state{initial(given.h, at)};
    if (results.size() > 2)
      state.push_back(initial(given.c, at));
    state.push_back(results[0]);
    Lowering outer(t.b, t.op);
    state = loopNest(outer, sequence, state, [&](Lowering &lowering, ArrayRef<Index> i, ValueRange before) {
      TensorBuilder inner(lowering.b, t.op);
      Size place = isReverse(number) ? inner.sub(inner.sub(sequence, inner.size(1)), i[0]) : Size(i[0]);
      time = inner.indexOf(place);
      States next = step(inner, rowOf(inner, sums, place), States(before.drop_back()));
      next.push_back(withRowOf(inner, kept(inner, next[0]), before.back(), {place, at}));
      return SmallVector<Value>(next);
    });
    results[0] = state.back();
    for (unsigned i = 1; i < results.size(); ++i)
      results[i] = withRowOf(t, stored(t, state[i - 1]), results[i], at);
  }

  /// Whether a sequence of that length has the step at hand.
  Value isInside(ImplicitLocOpBuilder &b, Value length) {
    Value own = arith::IndexCastOp::create(b, length.getType(), time);
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, own, length);
  }

  Value stored(TensorBuilder &t, Value state) {
    if (computed == storedElement(element))
      return state;
    return t.map({batch, hidden}, storedElement(element), state, t.identity(2),
                 [&](ImplicitLocOpBuilder &b, ValueRange scalars) { return toStored(b, scalars[0], element); });
  }

  /// What y holds of a state: 0 where the sequence has ended.
  Value kept(TensorBuilder &t, Value state) {
    if (!given.lengths)
      return stored(t, state);
    return t.map({batch, hidden}, storedElement(element), {state, given.lengths}, {t.identity(2), t.mapTo(2, {0})},
                 [&](ImplicitLocOpBuilder &b, ValueRange scalars) -> Value {
                   Value zero = numberOf(b, computed, 0.0);
                   Value own = arith::SelectOp::create(b, isInside(b, scalars[1]), scalars[0], zero);
                   return toStored(b, own, element);
                 });
  }

  /// The step at hand.
  Value time;
};

class RnnLayer : public Layer {
public:
  RnnLayer(ConversionPatternRewriter &rewriter, RnnOp op, RnnOp::Adaptor adaptor)
      : Layer(rewriter, op, operandsOf(op), operandsOf(adaptor), 1, op.getDirection(), op.getClip().convertToDouble()),
        function(*cellFunction(op.getHiddenFunction(), op.getHiddenAlphaAttr(), op.getHiddenBetaAttr())) {}

protected:
  void prepare(Size at) override { weights = stateWeights(at, 0, 1); }

  States step(TensorBuilder &t, Value sums, const States &states) override {
    Value own = product(t, states[0], weights);
    return {updated(t, states[0], {sums, own}, [&](ImplicitLocOpBuilder &b, ValueRange scalars) {
      return ofGate(b, function, arith::AddFOp::create(b, scalars[0], scalars[1]));
    })};
  }

private:
  CellFunction function;
  Value weights;
};

class GruLayer : public Layer {
public:
  GruLayer(ConversionPatternRewriter &rewriter, GruOp op, GruOp::Adaptor adaptor)
      : Layer(rewriter, op, operandsOf(op), operandsOf(adaptor), 3, op.getDirection(), op.getClip().convertToDouble()),
        ofGates(*cellFunction(op.getGateFunction(), op.getGateAlphaAttr(), op.getGateBetaAttr())),
        ofNew(*cellFunction(op.getHiddenFunction(), op.getHiddenAlphaAttr(), op.getHiddenBetaAttr())),
        isLinear(op.getLinearBeforeReset()) {}

protected:
  void prepare(Size at) override {
    weights = stateWeights(at, 0, isLinear ? 3 : 2);
    if (!isLinear)
      return void(newWeights = stateWeights(at, 2, 1));
    if (given.b)
      newBias = asComputed(t.slice(rowOf(t, given.b, at), {t.mul(t.size(5), hidden)}, {hidden}));
  }

  /// r's bias of g stays out where r's gate comes after it.
  Value biases(Size at) override {
    if (!isLinear)
      return Layer::biases(at);
    Value whole = rowOf(t, given.b, at), none = t.filled(hidden, t.b.getZeroAttr(storedElement(element)));
    Value ofState = t.insert(none, t.slice(whole, rows(), rows()), t.mul(t.size(2), hidden), hidden);
    return added(t, t.slice(whole, t.size(0), rows()), ofState, element);
  }

  States step(TensorBuilder &t, Value sums, const States &states) override {
    Value h = states[0], own = product(t, h, weights);
    return {isLinear ? afterProduct(t, sums, own, h) : beforeProduct(t, sums, own, h)};
  }

private:
  /// (1 - z) * g + z * h.
  static Value mixed(ImplicitLocOpBuilder &b, Value z, Value g, Value h) {
    Value rest = arith::SubFOp::create(b, numberOf(b, z.getType(), 1.0), z);
    return arith::AddFOp::create(b, arith::MulFOp::create(b, rest, g), arith::MulFOp::create(b, z, h));
  }

  static Value sum(ImplicitLocOpBuilder &b, Value x, Value y) { return arith::AddFOp::create(b, x, y); }

  Value afterProduct(TensorBuilder &t, Value sums, Value own, Value h) {
    SmallVector<Value> inputs;
    for (int64_t i = 0; i < 3; ++i) {
      inputs.push_back(gate(t, sums, i));
      inputs.push_back(gate(t, own, i));
    }
    if (newBias)
      inputs.push_back(newBias);
    return updated(t, h, inputs, [&](ImplicitLocOpBuilder &b, ValueRange v) {
      Value z = ofGate(b, ofGates, sum(b, v[0], v[1])), r = ofGate(b, ofGates, sum(b, v[2], v[3]));
      Value ofState = newBias ? sum(b, v[5], v[6]) : v[5];
      Value g = ofGate(b, ofNew, sum(b, v[4], arith::MulFOp::create(b, r, ofState)));
      return mixed(b, z, g, v.back());
    });
  }

  Value beforeProduct(TensorBuilder &t, Value sums, Value own, Value h) {
    Size both = t.mul(t.size(2), hidden);
    Value part = t.slice(sums, {t.size(0), t.size(0)}, {batch, both});
    AffineMap map = t.identity(2);
    Value zr = t.map({batch, both}, computed, {own, part}, {map, map},
                     [&](ImplicitLocOpBuilder &b, ValueRange v) { return ofGate(b, ofGates, sum(b, v[1], v[0])); });
    Value z = gate(t, zr, 0), r = gate(t, zr, 1);
    Value reset =
        t.map({batch, hidden}, computed, {r, h}, {map, map},
              [](ImplicitLocOpBuilder &b, ValueRange v) -> Value { return arith::MulFOp::create(b, v[0], v[1]); });
    Value ofState = product(t, reset, newWeights);
    return updated(t, h, {gate(t, sums, 2), ofState, z}, [&](ImplicitLocOpBuilder &b, ValueRange v) {
      return mixed(b, v[2], ofGate(b, ofNew, sum(b, v[0], v[1])), v.back());
    });
  }

  CellFunction ofGates, ofNew;
  bool isLinear;
  Value weights, newWeights, newBias;
};

class LstmLayer : public Layer {
public:
  LstmLayer(ConversionPatternRewriter &rewriter, LstmOp op, LstmOp::Adaptor adaptor)
      : Layer(rewriter, op, allOf(op), allOf(adaptor), 4, op.getDirection(), op.getClip().convertToDouble()),
        ofGates(*cellFunction(op.getGateFunction(), op.getGateAlphaAttr(), op.getGateBetaAttr())),
        ofNew(*cellFunction(op.getCellFunction(), op.getCellAlphaAttr(), op.getCellBetaAttr())),
        ofCell(*cellFunction(op.getHiddenFunction(), op.getHiddenAlphaAttr(), op.getHiddenBetaAttr())),
        isCoupled(op.getInputForget()) {}

protected:
  void prepare(Size at) override {
    weights = stateWeights(at, 0, 4);
    if (!given.p)
      return;
    Value whole = asComputed(rowOf(t, given.p, at));
    for (int64_t i = 0; i < 3; ++i)
      peepholes[i] = t.slice(whole, t.mul(t.size(i), hidden), hidden);
  }

  States step(TensorBuilder &t, Value sums, const States &states) override {
    Value all = added(t, sums, product(t, states[0], weights), computed);
    SmallVector<Value> ofOld{gate(t, all, 0), gate(t, all, 2), gate(t, all, 3)}, ofNext{gate(t, all, 1)};
    if (given.p) {
      ofOld.append({peepholes[0], peepholes[2]});
      ofNext.push_back(peepholes[1]);
    }
    Value cell = updated(t, states[1], ofOld, [&](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
      Value old = v.back(), i = peeking(b, v[0], v[3], old), f;
      if (isCoupled)
        f = arith::SubFOp::create(b, numberOf(b, computed, 1.0), i);
      else
        f = peeking(b, v[1], v[given.p ? 4 : 3], old);
      Value g = ofGate(b, ofNew, v[2]);
      return arith::AddFOp::create(b, arith::MulFOp::create(b, f, old), arith::MulFOp::create(b, i, g));
    });
    ofNext.push_back(cell);
    Value h = updated(t, states[0], ofNext, [&](ImplicitLocOpBuilder &b, ValueRange v) -> Value {
      Value now = v[ofNext.size() - 1];
      return arith::MulFOp::create(b, peeking(b, v[0], v[1], now), applied(b, ofCell, now));
    });
    return {h, cell};
  }

private:
  template <typename Adaptor>
  static Operands allOf(Adaptor &adaptor) {
    Operands operands = operandsOf(adaptor);
    operands.c = adaptor.getInitialC();
    operands.p = adaptor.getP();
    return operands;
  }

  /// A gate of its sum, and of the cell through a peephole where there are any.
  Value peeking(ImplicitLocOpBuilder &b, Value sum, Value weight, Value cell) {
    if (given.p)
      sum = arith::AddFOp::create(b, sum, arith::MulFOp::create(b, weight, cell));
    return ofGate(b, ofGates, sum);
  }

  CellFunction ofGates, ofNew, ofCell;
  bool isCoupled;
  Value weights, peepholes[3];
};

template <typename Op, typename OpLayer, unsigned states>
struct RecurrentLowering : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> results = OpLayer(rewriter, op, adaptor).run(states);
    for (auto [result, type] : llvm::zip_equal(results, op->getResultTypes()))
      result = castToLowered(rewriter, op.getLoc(), result, type);
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void populateRecurrentToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<RecurrentLowering<RnnOp, RnnLayer, 1>, RecurrentLowering<GruOp, GruLayer, 1>,
               RecurrentLowering<LstmOp, LstmLayer, 2>>(converter, patterns.getContext());
}

} // namespace clika
