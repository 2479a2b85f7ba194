// The edits of the graph's inputs and outputs.
#include "API/Core.h"
#include "API/Edits.h"
#include "API/Fail.h"
#include "Dialect/Shape.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

#include <ClikaRT/spec.h>

#include <algorithm>

using namespace clika;

namespace clika {

void noteDimensionNames(GraphCore &core, const std::vector<ClikaRT::spec::TensorSpec> &inputs) {
  for (const ClikaRT::spec::TensorSpec &input : inputs)
    for (const ClikaRT::spec::Dim &dim : input.shape)
      if (dim.is_named())
        core.noteDimension(dim.name());
}

mlir::RankedTensorType inputType(GraphCore &core, const ClikaRT::spec::TensorSpec &spec, std::string_view call) {
  if (!ClikaRT::is_valid(spec.dtype))
    invalid(call, "the dtype of " + quote(spec.name) + " is no DataType; use one of its enumerators");
  noteDimensionNames(core, {spec});
  Dims dims;
  for (const ClikaRT::spec::Dim &dim : spec.shape) {
    if (dim.is_static())
      dims.push_back(constantDim(core.mlir(), dim.size()));
    else
      dims.push_back(namedDim(core.mlir(), dim.is_named() ? dim.name() : core.freshDimension()));
  }
  auto type = tensorOf(dims, typeOf(spec.dtype, core.mlir()));
  checkSize(type, "the input " + quote(spec.name), call);
  core.noteDimensions(type);
  return type;
}

namespace {

mlir::DictionaryAttr nameDictionary(GraphCore &core, llvm::StringRef name) {
  mlir::Builder builder(core.mlir());
  return builder.getDictionaryAttr(builder.getNamedAttr(kNameAttr, builder.getStringAttr(name)));
}

std::string listNames(const std::vector<mlir::StringAttr> &names) {
  std::string text;
  for (mlir::StringAttr name : names)
    text += (text.empty() ? "" : ", ") + quote(name.getValue());
  return text.empty() ? "none" : text;
}

size_t position(const std::vector<mlir::StringAttr> &names, const std::string &name, const char *kind,
                std::string_view call) {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i].getValue() == name)
      return i;
  notFound(call, "the graph has no " + std::string(kind) + " " + quote(name) + "; its " + kind +
                     "s are: " + listNames(names));
}

} // namespace

mlir::BlockArgument appendInput(GraphCore &core, const ClikaRT::spec::TensorSpec &spec, std::string_view call) {
  if (spec.name.empty())
    invalid(call, "an input's name is empty; give a name");
  mlir::StringAttr name = checkedName(core, spec.name, call);
  mlir::RankedTensorType type = inputType(core, spec, call);
  unsigned at = core.main().getNumArguments();
  (void)core.main().insertArgument(at, type, nameDictionary(core, name.getValue()), mlir::UnknownLoc::get(core.mlir()));
  core.index.addInput(name);
  ++core.changes;
  return core.block().getArgument(at);
}

void appendOutputs(GraphCore &core, llvm::ArrayRef<mlir::Value> values, const std::vector<std::string> &names,
                   std::string_view call) {
  llvm::StringSet<> taken;
  for (mlir::StringAttr name : core.outputNames())
    taken.insert(name.getValue());
  for (const std::string &name : names) {
    if (name.empty())
      invalid(call, "an output's name is empty; give a name");
    if (!taken.insert(name).second)
      invalid(call, "the graph has an output " + quote(name) + " already; give another name");
  }
  // All at once: each step on its own would rebuild the function's type and attributes.
  llvm::SmallVector<mlir::DictionaryAttr> attributes;
  core.main().getAllResultAttrs(attributes);
  llvm::SmallVector<mlir::Type> types(core.main().getResultTypes());
  for (auto [value, name] : llvm::zip_equal(values, names)) {
    types.push_back(value.getType());
    attributes.push_back(nameDictionary(core, name));
  }
  mlir::Builder builder(core.mlir());
  core.main().setFunctionType(builder.getFunctionType(core.main().getArgumentTypes(), types));
  core.main().setAllResultAttrs(attributes);
  mlir::Operation *terminator = core.terminator();
  terminator->insertOperands(terminator->getNumOperands(), values);
  ++core.changes;
}

} // namespace clika

namespace ClikaRT::graph {

Value ModelGraph::add_input(const spec::TensorSpec &input) {
  Edit edit(core_, "add_input");
  return edit->handleOf(appendInput(*edit, input, edit.call));
}

void ModelGraph::add_output(const Value &value, const std::string &name) {
  Edit edit(core_, "add_output");
  mlir::Value output = edit->resolve(value, edit.call);
  readerBeside(*edit, output, edit->terminator(), edit.call);
  appendOutputs(*edit, output, {name}, edit.call);
}

void ModelGraph::remove_input(const std::string &name) {
  Edit edit(core_, "remove_input");
  size_t at = position(edit->inputNames(), name, "input", edit.call);
  mlir::BlockArgument argument = edit->block().getArgument(static_cast<unsigned>(at));
  for (mlir::Operation *user : argument.getUsers())
    invalid(edit.call, "the input " + quote(name) + " is read by " + readerName(*edit, argument, user) +
                           "; move its readers first (replace_all_uses_with)");
  (void)edit->main().eraseArgument(static_cast<unsigned>(at));
  edit->index.removeInput(at);
  ++edit->changes;
}

void ModelGraph::remove_output(const std::string &name) {
  Edit edit(core_, "remove_output");
  auto at = static_cast<unsigned>(position(edit->outputNames(), name, "output", edit.call));
  (void)edit->main().eraseResult(at);
  edit->terminator()->eraseOperand(at);
  ++edit->changes;
}

void ModelGraph::rename_input(const std::string &from, const std::string &to) {
  Edit edit(core_, "rename_input");
  auto at = static_cast<unsigned>(position(edit->inputNames(), from, "input", edit.call));
  if (from == to)
    return;
  if (to.empty())
    invalid(edit.call, "the new name of " + quote(from) + " is empty; give a name");
  mlir::StringAttr name = checkedName(*edit, to, edit.call);
  edit->index.rename(edit->index.inputIds()[at], name);
  edit->main().setArgAttr(at, kNameAttr, name);
  ++edit->changes;
}

void ModelGraph::rename_output(const std::string &from, const std::string &to) {
  Edit edit(core_, "rename_output");
  auto at = static_cast<unsigned>(position(edit->outputNames(), from, "output", edit.call));
  if (from == to)
    return;
  if (to.empty())
    invalid(edit.call, "the new name of " + quote(from) + " is empty; give a name");
  for (mlir::StringAttr taken : edit->outputNames())
    if (taken.getValue() == to)
      invalid(edit.call, "the graph has an output " + quote(to) + " already; give another name");
  edit->main().setResultAttr(at, kNameAttr, mlir::StringAttr::get(edit->mlir(), to));
  ++edit->changes;
}

} // namespace ClikaRT::graph
