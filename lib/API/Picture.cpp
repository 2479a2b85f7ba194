#include "API/Picture.h"

#include "API/Text.h"
#include "Dialect/Shape.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace clika {
namespace {

constexpr size_t kMostBoxes = 300;

class Painter {
public:
  explicit Painter(GraphCore &core) : core(core) {}

  std::shared_ptr<const GraphPicture> paint() {
    for (BlockArgument argument : core.block().getArguments())
      add(argument, {GraphPicture::Kind::Input,
                     core.index.inputIds()[argument.getArgNumber()],
                     core.nameOf(argument),
                     "",
                     describe(argument.getType()),
                     {}});
    for (Operation &op : core.block().without_terminator())
      if (!isConstant(&op))
        addOperator(&op);
    for (Operation &op : core.block().without_terminator())
      if (isConstant(&op) && !places.contains(op.getResult(0)))
        addConstant(&op);
    std::vector<StringAttr> names = core.outputNames();
    for (auto [i, value] : llvm::enumerate(core.terminator()->getOperands()))
      if (auto place = places.find(value); place != places.end())
        picture->boxes.push_back(
            {GraphPicture::Kind::Output, 0, names[i].str(), "", describe(value.getType()), {place->second}});
    return std::move(picture);
  }

private:
  bool add(Value value, GraphPicture::Box box) {
    if (picture->boxes.size() >= kMostBoxes) {
      ++picture->omitted;
      return false;
    }
    places[value] = picture->boxes.size();
    picture->boxes.push_back(std::move(box));
    return true;
  }

  void addConstant(Operation *op) {
    add(op->getResult(0), {GraphPicture::Kind::Constant,
                           identityOf(op)->id,
                           core.nameOf(op),
                           "",
                           describe(op->getResult(0).getType()),
                           {}});
  }

  void addOperator(Operation *op) {
    if (picture->boxes.size() >= kMostBoxes) {
      ++picture->omitted;
      return;
    }
    std::vector<size_t> reads;
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && isConstant(producer) && !places.contains(operand))
        addConstant(producer);
      if (auto place = places.find(operand); place != places.end() && !llvm::is_contained(reads, place->second))
        reads.push_back(place->second);
    }
    Value first = op->getNumResults() ? op->getResult(0) : Value();
    if (!add(first, {GraphPicture::Kind::Operator, identityOf(op)->id, core.nameOf(op), kindText(op),
                     first ? describe(first.getType()) : "", std::move(reads)}))
      return;
    for (Value result : op->getResults())
      places[result] = picture->boxes.size() - 1;
  }

  GraphCore &core;
  std::shared_ptr<GraphPicture> picture = std::make_shared<GraphPicture>();
  llvm::DenseMap<Value, size_t> places;
};

} // namespace

std::shared_ptr<const GraphPicture> pictureOf(GraphCore &core) { return Painter(core).paint(); }

} // namespace clika
