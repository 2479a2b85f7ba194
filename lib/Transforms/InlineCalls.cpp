#include "Transforms/InlineCalls.h"

#include "Dialect/Functions.h"
#include "Dialect/PointwiseOps.h"
#include "Dialect/Shape.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace clika {
namespace {

class Inliner {
public:
  Inliner(CallOp call, func::FuncOp function, RewriterBase &rewriter, llvm::function_ref<std::string()> freshDim)
      : call(call), function(function), rewriter(rewriter), freshDim(freshDim) {
    (void)fitArguments(function, call.getInputs().getTypes(), sizes);
  }

  void run() {
    rewriter.setInsertionPoint(call);
    Block &body = function.getBody().front();
    for (auto [argument, input] : llvm::zip_equal(body.getArguments(), call.getInputs()))
      mapping.map(argument, ofType(input, sized(argument.getType())));
    for (Operation &op : body.without_terminator())
      copy(&op);
    SmallVector<Value> results;
    for (auto [value, result] : llvm::zip_equal(body.getTerminator()->getOperands(), call.getResults()))
      results.push_back(ofType(mapping.lookup(value), result.getType()));
    rewriter.replaceOp(call, results);
  }

private:
  Type sized(Type type) {
    return withSizes(type, sizes, [&](Dim name) {
      Dim &size = sizes[name];
      if (!size)
        size = namedDim(name.getContext(), freshDim());
      return size;
    });
  }

  /// The value as one of `type`: readers count on it, and the value may be known better. A cast that casts nothing is
  /// of both.
  Value ofType(Value value, Type type) {
    if (value.getType() == type)
      return value;
    return CastOp::create(rewriter, call.getLoc(), type, value, TypeAttr::get(getElementTypeOrSelf(type)));
  }

  void copy(Operation *op) {
    Operation *copied = rewriter.clone(*op, mapping);
    copied->walk([&](Operation *inner) {
      if (auto node = dyn_cast<NodeOp>(inner))
        node.getNodeIdentity() = NodeIdentity();
      for (Value result : inner->getResults())
        result.setType(sized(result.getType()));
      for (Region &region : inner->getRegions())
        for (BlockArgument argument : region.getArguments())
          argument.setType(sized(argument.getType()));
    });
  }

  CallOp call;
  func::FuncOp function;
  RewriterBase &rewriter;
  llvm::function_ref<std::string()> freshDim;
  DimMap sizes;
  IRMapping mapping;
};

} // namespace

void inlineCall(CallOp call, RewriterBase &rewriter, llvm::function_ref<std::string()> freshDim) {
  Inliner(call, calleeOf(call), rewriter, freshDim).run();
}

void inlineCalls(Operation *op, RewriterBase &rewriter, llvm::function_ref<std::string()> freshDim) {
  SmallVector<CallOp> calls;
  do {
    calls.clear();
    op->walk([&](CallOp call) { calls.push_back(call); });
    for (CallOp call : calls)
      inlineCall(call, rewriter, freshDim);
  } while (!calls.empty());
}

} // namespace clika
