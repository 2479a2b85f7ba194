// Einsum as matrix products, sums and transpositions.
#include "IO/Onnx/Call.h"

#include "Runtime/Counted.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace clika::onnx {
namespace {

/// One letter a dimension. Those under an ellipsis are digits, counted from the last.
using Labels = std::string;

struct Term {
  Value value;
  Labels labels;
};

bool holds(const Labels &labels, char label) { return labels.find(label) != Labels::npos; }

struct Equation {
  std::vector<Labels> inputs;
  Labels output;
};

class Parser {
public:
  explicit Parser(Call &call) : call(call) {}

  Equation parse(std::string text, const std::vector<Value> &values) {
    llvm::erase(text, ' ');
    size_t arrow = text.find("->");
    SmallVector<StringRef> terms;
    StringRef(text).take_front(arrow).split(terms, ',');
    if (terms.size() != values.size())
      call.fail("its equation has " + counted(terms.size(), "term") + " for " + counted(values.size(), "input"));
    Equation equation;
    for (auto [term, value] : llvm::zip(terms, values))
      equation.inputs.push_back(labelsOf(term, call.rank(value)));
    if (arrow != std::string::npos)
      equation.output = outputOf(StringRef(text).drop_front(arrow + 2));
    else
      equation.output = impliedOutput(equation);
    return equation;
  }

private:
  /// `rank` is -1 for the output, which has as many dimensions under its ellipsis as the widest input.
  Labels labelsOf(StringRef term, int64_t rank) {
    auto [before, after] = term.split("...");
    bool hasEllipsis = term.contains("...");
    auto letters = static_cast<int64_t>(before.size() + after.size());
    int64_t hidden = !hasEllipsis ? 0 : rank < 0 ? widest : rank - letters;
    if (hidden < 0 || hidden > 9 || (rank >= 0 && letters + hidden != rank))
      call.fail("its term '" + term.str() + "' does not fit " + counted(rank, "dimension"));
    widest = std::max(widest, hidden);
    Labels labels = before.str();
    for (int64_t i = hidden; i-- > 0;)
      labels += static_cast<char>('0' + i);
    labels += after.str();
    check(labels);
    return labels;
  }

  void check(const Labels &labels) {
    for (char label : labels)
      if (!llvm::isAlnum(label))
        call.fail("its equation may not hold '" + std::string(1, label) + "'");
  }

  Labels outputOf(StringRef term) {
    Labels labels = labelsOf(term, -1);
    for (char label : labels)
      if (llvm::count(labels, label) > 1)
        call.fail("its output has '" + std::string(1, label) + "' twice");
    return labels;
  }

  /// The ellipsis, then the letters that stand once, in the alphabet's order.
  Labels impliedOutput(const Equation &equation) {
    Labels output, letters;
    for (int64_t i = widest; i-- > 0;)
      output += static_cast<char>('0' + i);
    for (const Labels &labels : equation.inputs)
      letters += labels;
    Labels once;
    for (char label : letters)
      if (llvm::isAlpha(label) && llvm::count(letters, label) == 1)
        once += label;
    llvm::sort(once);
    return output + once;
  }

  Call &call;
  int64_t widest = 0;
};

class Einsum {
public:
  explicit Einsum(Call &call) : call(call) {}

  Value run(const Equation &equation, const std::vector<Value> &values) {
    Term result = diagonal({values[0], equation.inputs[0]});
    for (size_t i = 1; i < values.size(); ++i) {
      Labels later = equation.output;
      for (size_t k = i + 1; k < values.size(); ++k)
        later += equation.inputs[k];
      result = contract(result, diagonal({values[i], equation.inputs[i]}), later);
    }
    result = sumOut(result, [&](char label) { return !holds(equation.output, label); });
    for (char label : equation.output)
      if (!holds(result.labels, label))
        call.fail("its output has '" + std::string(1, label) + "', which no input has");
    return order(result, equation.output).value;
  }

private:
  /// A label that stands twice in a term names the elements whose positions along both dimensions are equal.
  Term diagonal(Term term) {
    for (size_t first = 0; first < term.labels.size();) {
      size_t second = term.labels.find(term.labels[first], first + 1);
      if (second != Labels::npos)
        term = diagonal(term, first, second);
      first = second == Labels::npos ? first + 1 : 0;
    }
    return term;
  }

  Term diagonal(const Term &term, size_t first, size_t second) {
    auto type = call.type(term.value);
    int64_t size = type.getDimSize(first), other = type.getDimSize(second);
    if (size != other && size >= 0 && other >= 0)
      call.fail("its label '" + std::string(1, term.labels[first]) + "' stands for " + std::to_string(size) + " and " +
                counted(other, "element") + " in one term");
    Call::Ints permutation{static_cast<int64_t>(first), static_cast<int64_t>(second)};
    Labels rest;
    for (size_t i = 0; i < term.labels.size(); ++i) {
      if (i == first || i == second)
        continue;
      permutation.push_back(static_cast<int64_t>(i));
      rest += term.labels[i];
    }
    Value turned = call.op("transpose").in(term.value).set("perm", ArrayRef<int64_t>(permutation)).result();
    Value count = call.op("shape").in(turned).set("start", 0).set("end", 1).result();
    Value positions = unsqueeze(call.op("range").in(Value()).in(count).result(), 1);
    Value pairs = call.op("concat").in({positions, positions}).set("axis", 1).result();
    return {call.binary("gather_nd", turned, pairs), term.labels[first] + rest};
  }

  template <class Predicate>
  Term sumOut(Term term, Predicate isGone) {
    Call::Ints axes;
    Labels rest;
    for (size_t i = 0; i < term.labels.size(); ++i) {
      if (isGone(term.labels[i]))
        axes.push_back(static_cast<int64_t>(i));
      else
        rest += term.labels[i];
    }
    if (axes.empty())
      return term;
    return {call.op("reduce_sum").in(term.value).set("axes", ArrayRef<int64_t>(axes)).result(), rest};
  }

  Term order(Term term, const Labels &wanted) {
    if (term.labels == wanted)
      return term;
    Call::Ints permutation;
    for (char label : wanted)
      permutation.push_back(static_cast<int64_t>(term.labels.find(label)));
    return {call.op("transpose").in(term.value).set("perm", ArrayRef<int64_t>(permutation)).result(), wanted};
  }

  /// One product of two terms; labels that nothing later reads are summed over.
  Term contract(Term a, Term b, const Labels &later) {
    a = sumOut(a, [&](char label) { return !holds(b.labels, label) && !holds(later, label); });
    b = sumOut(b, [&](char label) { return !holds(a.labels, label) && !holds(later, label); });
    Labels batch, summed, rows, columns;
    for (char label : a.labels)
      (!holds(b.labels, label) ? rows : holds(later, label) ? batch : summed) += label;
    for (char label : b.labels)
      if (!holds(a.labels, label))
        columns += label;
    a = order(a, batch + rows + summed);
    b = order(b, batch + summed + columns);
    if (rows.size() <= 1 && columns.size() <= 1 && summed.size() == 1)
      return multiply(a, b, batch, rows, columns);
    return broadcast(a, b, batch + rows + summed + columns, summed);
  }

  Value unsqueeze(Value value, int64_t axis) {
    return call.op("unsqueeze").in(value).set("axes", ArrayRef<int64_t>({axis})).result();
  }

  Term multiply(Term a, Term b, const Labels &batch, const Labels &rows, const Labels &columns) {
    auto at = static_cast<int64_t>(batch.size());
    Value left = rows.empty() ? unsqueeze(a.value, at) : a.value;
    Value right = columns.empty() ? unsqueeze(b.value, at + 1) : b.value;
    Value product = call.binary("matmul", left, right);
    Call::Ints added;
    if (rows.empty())
      added.push_back(at);
    if (columns.empty())
      added.push_back(at + 1);
    if (!added.empty())
      product = call.op("squeeze").in(product).set("axes", ArrayRef<int64_t>(added)).result();
    return {product, batch + rows + columns};
  }

  Term broadcast(Term a, Term b, const Labels &all, const Labels &summed) {
    auto spread = [&](const Term &term) {
      Call::Ints axes;
      for (size_t i = 0; i < all.size(); ++i)
        if (!holds(term.labels, all[i]))
          axes.push_back(static_cast<int64_t>(i));
      return axes.empty() ? term.value
                          : call.op("unsqueeze").in(term.value).set("axes", ArrayRef<int64_t>(axes)).result();
    };
    Term product{call.binary("mul", spread(a), spread(b)), all};
    return sumOut(product, [&](char label) { return holds(summed, label); });
  }

  Call &call;
};

void buildEinsum(Call &call) {
  std::vector<Value> values = call.allInputs();
  if (values.empty())
    call.fail("has no inputs");
  Equation equation = Parser(call).parse(call.stringAttr("equation", ""), values);
  call.out(Einsum(call).run(equation, values));
}

} // namespace

void addEinsum(Operators &operators) { operators.add("Einsum", buildEinsum, 12); }

} // namespace clika::onnx
