// Steps that edits share.
#ifndef CLIKA_API_EDITS_H
#define CLIKA_API_EDITS_H

#include "API/BuildOp.h"
#include "API/Core.h"
#include "API/Order.h"

#include <functional>

namespace clika {

/// Dimension names from the graph's counter; takes the graph's lock.
std::function<std::string()> freshDims(GraphCore &core);
NameSize sizeNames(GraphCore &core);
/// The attribute of a name a user gives, null where it is empty; an Error where it is in use.
mlir::StringAttr checkedName(GraphCore &core, const std::string &name, std::string_view call);
/// Puts `op` into the graph under `name`, or a fresh one where that is null.
mlir::Operation *insertOp(GraphCore &core, DetachedOp op, mlir::Block::iterator where, mlir::StringAttr name);
/// Removes an operation that nothing reads.
void eraseOp(GraphCore &core, mlir::Operation *op);
/// Whether a value of type `next` can stand for one of type `old`: an equal one, and any for what a file says nothing
/// of.
bool canStandFor(mlir::Type next, mlir::Type old);
/// The types of the graph's outputs become what their values are, where a value of unknown type was replaced.
void setOutputTypes(GraphCore &core);
/// Refuses `next` where it cannot stand for `old`.
void checkSameType(GraphCore &core, mlir::Value old, mlir::Value next, std::string_view call);
/// Each of `uses` reads `next`, which is moved ahead of them where need be; refuses a cycle. `log` gets the moves.
/// `isAhead`: `next` is known to come before all of them.
void redirectUses(GraphCore &core, mlir::Value next, llvm::ArrayRef<mlir::OpOperand *> uses, std::string_view call,
                  MoveLog *log = nullptr, bool isAhead = false);
/// The first operator that would be refused, or have other sizes than it says, if `uses` read `next`: shapes that a
/// graph computes are known. Null where there is none.
mlir::Operation *brokenBySizes(llvm::ArrayRef<mlir::OpOperand *> uses, mlir::Value next);
/// Refuses an edit after which there would be one.
void checkSizes(GraphCore &core, mlir::Value next, llvm::ArrayRef<mlir::OpOperand *> uses, std::string_view call);
/// Who reads `value` in `user`, for messages: "the graph's outputs", "'relu_1'".
std::string readerName(GraphCore &core, mlir::Value value, mlir::Operation *user);
/// The operation of an operator node; inputs are refused.
mlir::Operation *resolveOperator(GraphCore &core, const ClikaRT::graph::Node &node, std::string_view call);
/// Gives `op` other operands or settings; its node keeps identity, name and result types.
void replaceOperator(GraphCore &core, mlir::Operation *op, const OpInfo &info, llvm::ArrayRef<mlir::Value> operands,
                     const std::vector<ClikaRT::graph::Attr> &changed, std::string_view call);

/// The tensor type that a spec describes; a dimension without a name gets one.
/// Keeps the dimension names of these inputs from being given to unnamed ones.
void noteDimensionNames(GraphCore &core, const std::vector<ClikaRT::spec::TensorSpec> &inputs);
mlir::RankedTensorType inputType(GraphCore &core, const ClikaRT::spec::TensorSpec &spec, std::string_view call);
/// Refuses empty and taken names.
mlir::BlockArgument appendInput(GraphCore &core, const ClikaRT::spec::TensorSpec &spec, std::string_view call);
/// Refuses empty and taken names.
void appendOutputs(GraphCore &core, llvm::ArrayRef<mlir::Value> values, const std::vector<std::string> &names,
                   std::string_view call);

} // namespace clika

#endif
