#include "Pipelines/ConstantViews.h"
#include "Pipelines/HoistConstants.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace clika {
namespace {

class CopyFolder {
public:
  CopyFolder(func::FuncOp main, std::vector<ConstantArgument> &constants) : main(main), views(main, constants) {}

  void run() {
    SmallVector<linalg::LinalgOp> ops;
    main.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops)
      fold(op);
    views.release();
  }

private:
  /// Adds `factor · expr` to `view`.
  static bool addLinear(View &view, AffineExpr expr, int64_t factor) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      view.steps[dim.getPosition()] += factor;
      return true;
    }
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      view.offset += factor * constant.getValue();
      return true;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return false;
    if (expr.getKind() == AffineExprKind::Add)
      return addLinear(view, binary.getLHS(), factor) && addLinear(view, binary.getRHS(), factor);
    auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
    return expr.getKind() == AffineExprKind::Mul && scale &&
           addLinear(view, binary.getLHS(), factor * scale.getValue());
  }

  /// What an op that does no more than copy reads; none for another.
  std::optional<View> copiedBy(linalg::LinalgOp op) {
    if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
        op.hasIndexSemantics() || !llvm::hasSingleElement(*op.getBlock()) ||
        op.getBlock()->getTerminator()->getOperand(0) != op.getBlock()->getArgument(0) ||
        !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
      return std::nullopt;
    std::optional<View> source = views.of(op.getDpsInputs()[0]);
    if (!source)
      return std::nullopt;
    View view{source->constant, source->offset, SmallVector<int64_t>(op.getNumLoops(), 0)};
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
    for (auto [expr, step] : llvm::zip_equal(map.getResults(), source->steps))
      if (!addLinear(view, expr, step))
        return std::nullopt;
    return view;
  }

  void fold(linalg::LinalgOp op) {
    auto type = op->getNumResults() == 1 ? dyn_cast<RankedTensorType>(op->getResult(0).getType()) : RankedTensorType();
    if (!type || !type.hasStaticShape())
      return;
    std::optional<View> view = copiedBy(op);
    if (!view || type.getNumElements() > cast<RankedTensorType>(view->constant.getType()).getNumElements())
      return;
    Value copy = views.materialize(*view, type);
    if (!copy)
      return;
    Value source = op.getDpsInputs()[0];
    op->getResult(0).replaceAllUsesWith(copy);
    op->erase();
    eraseViews(source);
  }

  func::FuncOp main;
  ConstantViews views;
};

} // namespace

void foldCopies(func::FuncOp main, std::vector<ConstantArgument> &constants) { CopyFolder(main, constants).run(); }

} // namespace clika
