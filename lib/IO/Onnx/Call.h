// One ONNX node as its builder sees it: checked access to inputs and attributes, and the ops to build.
#pragma once
#include "IO/Onnx/Importer.h"
#include "IO/Onnx/OpMaker.h"

#include <set>

namespace clika::onnx {

class Call {
public:
  using Ints = std::vector<int64_t>;

  Call(Importer &importer, const Node &node, int64_t opset, std::vector<Entry *> inputs, Scope *scope)
      : importer(importer), node(node), opset(opset), scope(scope), inputs(std::move(inputs)),
        results(node.outputs.size()) {}

  Importer &importer;
  const Node &node;
  const int64_t opset;
  /// What the node is in.
  Scope *const scope;

  size_t inputCount() const { return inputs.size(); }
  size_t outputCount() const { return results.size(); }
  /// Whether the node gives input `i`.
  bool has(size_t i) const { return i < inputs.size() && inputs[i]; }
  /// Whether the node names output `i`.
  bool wants(size_t i) const { return i < results.size() && !node.outputs[i].empty(); }
  mlir::Value in(size_t i);
  /// Null where the input is left out.
  mlir::Value optional(size_t i) { return has(i) ? in(i) : mlir::Value(); }
  std::vector<mlir::Value> allInputs();
  const KnownInts *known(size_t i);
  /// The elements of an integer input, where it is constant.
  std::optional<Ints> constantInts(size_t i);
  /// The elements of an integer input that must be constant; `what` names it in the error.
  Ints requireInts(size_t i, const char *what);
  int64_t requireInt(size_t i, const char *what);
  /// The elements of a constant number input.
  std::optional<std::vector<double>> constantNumbers(size_t i);
  std::vector<double> requireNumbers(size_t i, const char *what);

  bool hasAttr(std::string_view name) { return attr(name) != nullptr; }
  int64_t intAttr(std::string_view name, int64_t otherwise);
  int64_t requireIntAttr(std::string_view name);
  double floatAttr(std::string_view name, double otherwise);
  /// A float attribute as ONNX casts it to `element`: past a half type's range infinite, whole and saturated for
  /// integers.
  double floatAttr(std::string_view name, double otherwise, mlir::Type element);
  std::string stringAttr(std::string_view name, const std::string &otherwise);
  /// The clika enumerator that a text attribute stands for, of `choices` {ONNX's text, clika's enumerator}.
  std::string choiceAttr(std::string_view name, const char *otherwise,
                         std::initializer_list<std::pair<const char *, const char *>> choices);
  std::optional<Ints> intsAttr(std::string_view name);
  std::optional<std::vector<float>> floatsAttr(std::string_view name);
  const Tensor *tensorAttr(std::string_view name);
  std::optional<std::vector<std::string>> stringsAttr(std::string_view name);
  /// The attribute changes nothing about what inference computes.
  void ignoreAttr(std::string_view name) { seen.insert(name); }

  mlir::RankedTensorType type(mlir::Value value) const;
  int64_t rank(mlir::Value value) const { return type(value).getRank(); }
  mlir::Type element(mlir::Value value) const { return type(value).getElementType(); }
  bool isFloat(mlir::Value value) const { return mlir::isa<mlir::FloatType>(element(value)); }
  /// `axis` counted from the front; an error where it is out of range.
  int64_t axis(int64_t axis, int64_t rank);
  /// A size that must be static; `what` names it in the error.
  int64_t staticSize(mlir::Value value, int64_t axis, const char *what);

  OpMaker op(llvm::StringRef mnemonic) { return OpMaker(importer, mnemonic); }
  mlir::Value castTo(mlir::Value value, mlir::Type element);
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// `value` in the shape of `like`, which has as many elements.
  mlir::Value reshapeLike(mlir::Value value, mlir::Value like);
  /// The dimensions before `axis` as one, and those from it on as another.
  mlir::Value flatten(mlir::Value value, int64_t axis);
  mlir::Value binary(llvm::StringRef mnemonic, mlir::Value a, mlir::Value b) {
    return op(mnemonic).in(a).in(b).result();
  }
  mlir::Value unary(llvm::StringRef mnemonic, mlir::Value x) { return op(mnemonic).in(x).result(); }
  /// `value` with a literal as the other operand.
  mlir::Value withNumber(llvm::StringRef mnemonic, mlir::Value value, double number) {
    return binary(mnemonic, value, importer.scalar(element(value), number));
  }

  void out(mlir::Value value) { out(0, value); }
  void out(size_t i, mlir::Value value);

  [[noreturn]] void fail(const std::string &text) const { importer.failNode(text); }
  [[noreturn]] void unsupported(const std::string &text) const {
    importer.failNode(text, ClikaRT::Status::Unsupported);
  }
  /// After the builder: every output is set and every attribute was looked at.
  void finish();
  const std::vector<mlir::Value> &outputs() const { return results; }
  Entry *entry(size_t i) const { return i < inputs.size() ? inputs[i] : nullptr; }

private:
  const Attribute *attr(std::string_view name);
  const Attribute *attr(std::string_view name, Attribute::Kind kind, const char *kindName);

  std::vector<Entry *> inputs;
  std::vector<mlir::Value> results;
  std::set<std::string_view> seen;
};

} // namespace clika::onnx
