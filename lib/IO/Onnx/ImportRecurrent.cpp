// Recurrent layers.
#include "IO/Onnx/Call.h"
#include "Runtime/Counted.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace clika::onnx {
namespace {

/// A function of a cell as the node gives it.
struct Function {
  StringRef name;
  std::optional<double> alpha, beta;
  bool operator==(const Function &other) const {
    return name == other.name && alpha == other.alpha && beta == other.beta;
  }
};

struct KnownFunction {
  StringRef name;
  bool takesAlpha, takesBeta, needsNumbers;
};

constexpr KnownFunction kFunctions[] = {
    {"Sigmoid", false, false, false},
    {"Tanh", false, false, false},
    {"Relu", false, false, false},
    {"LeakyRelu", true, false, false},
    {"ThresholdedRelu", true, false, false},
    {"ScaledTanh", true, true, true},
    {"HardSigmoid", true, true, false},
    {"Elu", true, false, false},
    {"Softsign", false, false, false},
    {"Softplus", false, false, false},
    {"Affine", true, true, true},
};

/// What distinguishes the cells: the op, and the setting and the default of each function.
struct Cell {
  StringRef op;
  SmallVector<std::pair<StringRef, StringRef>, 3> functions;
};

class RecurrentImport {
public:
  RecurrentImport(Call &call, Cell cell) : call(call), cell(std::move(cell)) {}

  void build() {
    direction = call.choiceAttr("direction", "forward",
                                {{"forward", "Forward"}, {"reverse", "Reverse"}, {"bidirectional", "Bidirectional"}});
    isBatchFirst = call.intAttr("layout", 0) != 0;
    readOperands();
    checkHidden();
    readClip();
    readFunctions();
    size_t count = cell.functions.size();
    bool isOne = direction != "Bidirectional" ||
                 llvm::equal(ArrayRef(functions).take_front(count), ArrayRef(functions).drop_front(count));
    SmallVector<Value> results = isOne ? layer(operands, 0, direction) : twoLayers();
    for (auto [i, result] : llvm::enumerate(results))
      if (call.wants(i))
        call.out(i, isBatchFirst ? swapped(result, i == 0 ? ArrayRef<int64_t>{2, 0, 1, 3} : ArrayRef<int64_t>{1, 0, 2})
                                 : result);
  }

private:
  Value swapped(Value x, ArrayRef<int64_t> perm) {
    return x ? call.op("transpose").in(x).set("perm", perm).result() : x;
  }

  /// As ONNX counts them: x, w, r, b, sequence_lens, initial_h and, of LSTM, initial_c and p.
  void readOperands() {
    operands = {call.in(0), call.in(1), call.in(2)};
    for (size_t i = 3, count = cell.op == "lstm" ? 8 : 6; i < count; ++i)
      operands.push_back(call.optional(i));
    if (isBatchFirst)
      for (size_t i : {0, 5, 6})
        if (i < operands.size())
          operands[i] = swapped(operands[i], {1, 0, 2});
  }

  void checkHidden() {
    int64_t own = call.type(operands[2]).getDimSize(2);
    int64_t given = call.intAttr("hidden_size", own);
    if (!ShapedType::isDynamic(own) && own != given)
      call.fail("its hidden_size is " + std::to_string(given) + ", but R has " + counted(own, "element") +
                " for each row");
  }

  void readClip() {
    if (!call.hasAttr("clip"))
      return;
    clip = call.floatAttr("clip", 0);
    if (!(clip > 0))
      call.fail("its clip is " + std::to_string(clip) + "; it must be above 0");
  }

  //===--------------------------------------------------------------------===//
  // Functions
  //===--------------------------------------------------------------------===//

  const KnownFunction &known(const std::string &name) {
    const auto *found =
        llvm::find_if(kFunctions, [&](const KnownFunction &each) { return each.name.equals_insensitive(name); });
    if (found == std::end(kFunctions))
      call.unsupported("its activation '" + name + "' is not covered");
    return *found;
  }

  /// The functions of the cell, for each direction; numbers go to those that take them, in order.
  void readFunctions() {
    size_t count = cell.functions.size() * (direction == "Bidirectional" ? 2 : 1);
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i)
      names.push_back(cell.functions[i % cell.functions.size()].second.str());
    names = call.stringsAttr("activations").value_or(names);
    if (names.size() != count)
      call.fail("has " + std::to_string(names.size()) + " activations; it must have " + std::to_string(count));
    auto alphas = call.floatsAttr("activation_alpha").value_or(std::vector<float>());
    auto betas = call.floatsAttr("activation_beta").value_or(std::vector<float>());
    ArrayRef<float> alphasLeft = alphas, betasLeft = betas;
    auto take = [](ArrayRef<float> &left, bool takes) -> std::optional<double> {
      if (!takes || left.empty())
        return std::nullopt;
      double number = left.front();
      left = left.drop_front();
      return number;
    };
    for (const std::string &name : names) {
      const KnownFunction &function = known(name);
      functions.push_back({function.name, take(alphasLeft, function.takesAlpha), take(betasLeft, function.takesBeta)});
      if (function.needsNumbers && (!functions.back().alpha || !functions.back().beta))
        call.fail("its activation '" + name + "' has no activation_alpha or no activation_beta");
    }
    if (!alphasLeft.empty() || !betasLeft.empty())
      call.fail("has more numbers in activation_alpha or activation_beta than its activations take");
  }

  void setFunctions(OpMaker &op, size_t first) {
    for (auto [i, slot] : llvm::enumerate(cell.functions)) {
      const Function &function = functions[first + i];
      std::string setting = slot.first.str();
      op.set(setting + "_function", function.name);
      if (function.alpha)
        op.set(setting + "_alpha", *function.alpha);
      if (function.beta)
        op.set(setting + "_beta", *function.beta);
    }
  }

  //===--------------------------------------------------------------------===//
  // Layers
  //===--------------------------------------------------------------------===//

  SmallVector<Value> layer(ArrayRef<Value> inputs, size_t firstFunction, StringRef way) {
    OpMaker op = call.op(cell.op);
    for (Value input : inputs)
      op.in(input);
    op.set("direction", way).set("clip", clip);
    if (cell.op == "lstm")
      op.set("input_forget", call.intAttr("input_forget", 0) != 0);
    if (cell.op == "gru")
      op.set("linear_before_reset", call.intAttr("linear_before_reset", 0) != 0);
    setFunctions(op, firstFunction);
    return SmallVector<Value>(op.build()->getResults());
  }

  /// Directions that differ in their functions are a layer each.
  SmallVector<Value> twoLayers() {
    SmallVector<Value> ways[2] = {operands, operands};
    for (auto [i, operand] : llvm::enumerate(operands)) {
      if (i == 0 || i == 4 || !operand)
        continue;
      Operation *parts = call.op("split").in(operand).set("num", 2).set("axis", 0).build();
      ways[0][i] = parts->getResult(0);
      ways[1][i] = parts->getResult(1);
    }
    SmallVector<Value> forward = layer(ways[0], 0, "Forward");
    SmallVector<Value> reverse = layer(ways[1], cell.functions.size(), "Reverse");
    for (auto [i, result] : llvm::enumerate(forward))
      result = call.op("concat").in({result, reverse[i]}).set("axis", i == 0 ? 1 : 0).result();
    return forward;
  }

  Call &call;
  Cell cell;
  std::string direction;
  bool isBatchFirst = false;
  double clip = 0;
  SmallVector<Value> operands;
  SmallVector<Function> functions;
};

void buildRnn(Call &call) { RecurrentImport(call, {"rnn", {{"hidden", "Tanh"}}}).build(); }

void buildGru(Call &call) { RecurrentImport(call, {"gru", {{"gate", "Sigmoid"}, {"hidden", "Tanh"}}}).build(); }

void buildLstm(Call &call) {
  RecurrentImport(call, {"lstm", {{"gate", "Sigmoid"}, {"cell", "Tanh"}, {"hidden", "Tanh"}}}).build();
}

} // namespace

void addRecurrent(Operators &operators) {
  operators.add("RNN", buildRnn, 7);
  operators.add("GRU", buildGru, 7);
  operators.add("LSTM", buildLstm, 7);
}

} // namespace clika::onnx
