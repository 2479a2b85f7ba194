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
  void fold(linalg::LinalgOp op) {
    auto type = op->getNumResults() == 1 ? dyn_cast<RankedTensorType>(op->getResult(0).getType()) : RankedTensorType();
    if (!type || !type.hasStaticShape())
      return;
    std::optional<View> view = views.of(op->getResult(0));
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
