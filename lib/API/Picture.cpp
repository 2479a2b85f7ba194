#include "API/Picture.h"

#include "API/Text.h"
#include "Dialect/Functions.h"
#include "Dialect/Shape.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace clika {
namespace {

using Kind = GraphPicture::Kind;

constexpr size_t kMostBoxes = 300;

/// Types in words. A graph has few of them, and many values of each.
class TypeTexts {
public:
  const std::string &of(Type type) {
    auto [known, isNew] = texts.try_emplace(type);
    if (isNew)
      known->second = describe(type);
    return known->second;
  }

private:
  llvm::DenseMap<Type, std::string> texts;
};

/// How many boxes there are, of the graph and all regions; how many of them stand for operators and constants; and
/// whether there would be more.
struct Count {
  size_t drawn = 0, nodes = 0;
  bool isCut = false;
  bool isFull() const { return drawn >= kMostBoxes; }
};

class Painter {
public:
  Painter(GraphCore &core, Block &block, Count &count, TypeTexts &texts)
      : core(core), block(block), count(count), texts(texts) {}

  GraphPicture paint(llvm::ArrayRef<std::string> outputs) {
    if (&block == &core.block()) {
      const size_t expected = std::min<size_t>(core.index.nextId(), kMostBoxes);
      picture.boxes.reserve(expected + outputs.size());
      places.reserve(expected);
    }
    for (BlockArgument argument : block.getArguments()) {
      uint64_t id = &block == &core.block() ? core.index.inputIds()[argument.getArgNumber()] : 0;
      add(argument, {Kind::Input, id, core.nameOf(argument), "", texts.of(argument.getType()), {}, {}});
    }
    SmallVector<Operation *> constants;
    for (Operation &op : block.without_terminator()) {
      // Looking at what is not drawn would cost a walk over a large graph.
      if (count.isCut)
        break;
      if (isConstant(&op))
        constants.push_back(&op);
      else
        addOperator(&op);
    }
    for (Operation *op : constants)
      if (!places.contains(op->getResult(0)))
        addConstant(op);
    for (auto [i, value] : llvm::enumerate(block.getTerminator()->getOperands())) {
      if (auto place = placeOf(value); place != places.end())
        picture.boxes.push_back({Kind::Output,
                                 0,
                                 i < outputs.size() ? outputs[i] : "",
                                 "",
                                 texts.of(value.getType()),
                                 {place->second},
                                 {}});
    }
    return std::move(picture);
  }

private:
  bool add(Value value, GraphPicture::Box box) {
    if (count.isFull()) {
      count.isCut = true;
      return false;
    }
    ++count.drawn;
    count.nodes += box.kind == Kind::Operator || box.kind == Kind::Constant;
    places[value] = picture.boxes.size();
    picture.boxes.push_back(std::move(box));
    return true;
  }

  void addConstant(Operation *op) {
    // The text of a box that is not drawn costs more than the rest.
    if (count.isFull()) {
      count.isCut = true;
      return;
    }
    add(op->getResult(0),
        {Kind::Constant, identityOf(op)->id, core.nameOf(op), "", texts.of(op->getResult(0).getType()), {}, {}});
  }

  /// Adds what is not there yet: a constant, or a value from around the region.
  llvm::DenseMap<Value, size_t>::iterator placeOf(Value value) {
    if (auto known = places.find(value); known != places.end())
      return known;
    if (value.getParentBlock() != &block)
      add(value, {Kind::Capture, 0, core.nameOf(value), "", texts.of(value.getType()), {}, {}});
    else if (Operation *producer = value.getDefiningOp(); producer && isConstant(producer))
      addConstant(producer);
    return places.find(value);
  }

  void addRead(Value value, std::vector<size_t> &reads) {
    if (auto place = placeOf(value); place != places.end() && !llvm::is_contained(reads, place->second))
      reads.push_back(place->second);
  }

  void addOperator(Operation *op) {
    if (count.isFull()) {
      count.isCut = true;
      return;
    }
    std::vector<size_t> reads;
    reads.reserve(op->getNumOperands());
    for (Value operand : op->getOperands())
      addRead(operand, reads);
    if (op->getNumRegions() > 0)
      for (Value captured : capturesOf(op))
        addRead(captured, reads);
    Value first = op->getNumResults() ? op->getResult(0) : Value();
    if (!add(first, {Kind::Operator,
                     identityOf(op)->id,
                     core.nameOf(op),
                     kindText(op),
                     first ? texts.of(first.getType()) : "",
                     std::move(reads),
                     {}}))
      return;
    size_t place = picture.boxes.size() - 1;
    if (op->getNumResults() > 1)
      for (Value result : op->getResults())
        places[result] = place;
    if (auto call = dyn_cast<CallOp>(op)) {
      func::FuncOp function = calleeOf(call);
      GraphPicture inside =
          Painter(core, function.getBody().front(), count, texts).paint(outputNames(op, function.getBody()));
      picture.boxes[place].regions.push_back({"@" + function.getName().str(), std::move(inside)});
    }
    for (Region &region : op->getRegions()) {
      GraphPicture inside = Painter(core, region.front(), count, texts).paint(outputNames(op, region));
      picture.boxes[place].regions.push_back({regionName(op, region.getRegionNumber()).str(), std::move(inside)});
    }
  }

  /// What a region hands out is named by the results that it becomes; a loop's body may begin with its condition.
  std::vector<std::string> outputNames(Operation *op, Region &region) {
    std::vector<std::string> names;
    if (region.front().getTerminator()->getNumOperands() > op->getNumResults())
      names.emplace_back("condition");
    for (Value result : op->getResults())
      names.push_back(core.nameOf(result));
    return names;
  }

  GraphCore &core;
  Block &block;
  Count &count;
  TypeTexts &texts;
  GraphPicture picture;
  llvm::DenseMap<Value, size_t> places;
};

} // namespace

std::shared_ptr<const GraphPicture> pictureOf(GraphCore &core) {
  std::vector<std::string> outputs;
  for (StringAttr name : core.outputNames())
    outputs.push_back(name.str());
  Count count;
  TypeTexts texts;
  auto picture = std::make_shared<GraphPicture>(Painter(core, core.block(), count, texts).paint(outputs));
  picture->drawn = count.drawn;
  // A function's body is drawn at each of its calls.
  if (auto all = static_cast<size_t>(core.index.operatorAndConstantCount()); count.isCut)
    picture->omitted = std::max<size_t>(1, all - std::min(all, count.nodes));
  return picture;
}

} // namespace clika
