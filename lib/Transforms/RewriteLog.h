// What a run of transforms did to a graph, as a module that can be written, read and repeated: a private function per
// step, whose body holds the operators that the step put into the graph and whose arguments are what those read.
#ifndef CLIKA_TRANSFORMS_REWRITELOG_H
#define CLIKA_TRANSFORMS_REWRITELOG_H

#include "Dialect/ModuleAttributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace clika {

inline constexpr int64_t kRewriteLogVersion = 1;

namespace rewrite_log {

/// Attributes of the module.
inline constexpr llvm::StringLiteral kVersion = kLogVersionAttr, kBefore = "clika.log_before",
                                     kAfter = "clika.log_after", kSteps = "clika.log_steps";
/// Attributes of a step's function: its place, what ran, and what it removed. For each operator of the body: the name
/// of the node that it takes the place of ("": it is new) and of the node that it stands behind ("": none).
inline constexpr llvm::StringLiteral kNumber = "clika.number", kIteration = "clika.iteration",
                                     kTransform = "clika.transform", kRemoved = "clika.removed", kWas = "clika.was",
                                     kBehind = "clika.behind";
/// The graph's inputs and outputs after the step, where it changed them. An input: name, type, the place it had (-1: it
/// is new). An output: name, node, result.
inline constexpr llvm::StringLiteral kInputs = "clika.inputs", kOutputs = "clika.outputs";
/// The graph's private functions after the step, in order, where it changed some. Those that it changed or added are
/// functions of the log, each with the number of its step and its name.
inline constexpr llvm::StringLiteral kFunctions = "clika.functions", kFunctionOf = "clika.function_of",
                                     kFunction = "clika.function";
/// Attributes of an argument: the node that makes it, and which of its results it is.
inline constexpr llvm::StringLiteral kNode = "clika.name", kResult = "clika.result";
/// On a constant: the key of its resource.
inline constexpr llvm::StringLiteral kKey = "clika.key";

} // namespace rewrite_log

/// 64 hex digits of a graph: operators, settings, names, order, the content of constants, the target device.
std::string graphDigest(mlir::ModuleOp module);

/// The graph's function.
mlir::func::FuncOp graphOf(mlir::ModuleOp module);

/// Reads a log's text. An error says what it is that is no log.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> readRewriteLog(mlir::MLIRContext *context, llvm::StringRef text);

/// The steps of a log that was read, in order.
std::vector<mlir::func::FuncOp> stepsOf(mlir::ModuleOp log);
/// The private functions that a step changed or added.
std::vector<mlir::func::FuncOp> functionsOf(mlir::ModuleOp log, mlir::func::FuncOp step);

/// Does to `graph` what `log` says. For each input of the graph as it is then, `inputs` gets the place that it had
/// before, or -1. On an error the graph is in no defined state: work on a clone.
llvm::Error replayRewriteLog(mlir::ModuleOp log, mlir::ModuleOp graph, std::vector<int64_t> &inputs);

/// Makes `--clika-replay=FILE` a pass of clika-opt: replays the log in FILE on the graph.
void registerReplayPass();

} // namespace clika

#endif
