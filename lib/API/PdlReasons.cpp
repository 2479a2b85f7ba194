#include "API/PdlReasons.h"

#include "API/PatternReasons.h"
#include "API/Settings.h"
#include "API/TransformBody.h"
#include "Dialect/Diagnostics.h"
#include "Dialect/Shape.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/Dialect/PDL/IR/PDLTypes.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SourceMgr.h"

#include <algorithm>

using namespace mlir;

namespace clika {
namespace {

/// So many operators are tried as the root of an occurrence that a node may be part of.
constexpr size_t kRootsTried = 256;
/// So many operators are compared with a node of the pattern for one root.
constexpr size_t kStepsPerAttempt = 4096;

constexpr const char *kElsewhere = "what it is elsewhere in the pattern";

/// "Relu" of "clika.relu".
std::string codeNameOf(StringRef name) {
  StringRef mnemonic = name;
  mnemonic.consume_front("clika.");
  const OpInfo *info = findOpByMnemonic(std::string_view(mnemonic.data(), mnemonic.size()));
  return info ? std::string(info->codeName) : name.str();
}

std::string attributeText(Attribute attribute) {
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return ClikaRT::Scalar(number.getValueAsDouble()).to_string();
  std::string text;
  llvm::raw_string_ostream stream(text);
  attribute.print(stream, /*elideType=*/true);
  return text;
}

bool isRange(Value value) { return isa<pdl::RangeType>(value.getType()); }

/// The operators of a pattern, but for those that its rewrite makes.
SmallVector<pdl::OperationOp> nodesOf(pdl::PatternOp pattern) {
  return llvm::to_vector(pattern.getBodyRegion().front().getOps<pdl::OperationOp>());
}

/// The one that the rewrite names, else the last that no other reads.
pdl::OperationOp rootOf(pdl::PatternOp pattern) {
  if (Value root = pattern.getRewriter().getRoot())
    return root.getDefiningOp<pdl::OperationOp>();
  for (pdl::OperationOp node : llvm::reverse(nodesOf(pattern)))
    if (llvm::none_of(node.getOp().getUsers(),
                      [](Operation *user) { return isa<pdl::ResultOp, pdl::ResultsOp>(user); }))
      return node;
  return {};
}

bool hasName(Operation *op, pdl::OperationOp node) {
  return !node.getOpName() || *node.getOpName() == op->getName().getStringRef();
}

} // namespace

/// The furthest that any attempt got.
struct PdlReasons::Found {
  PdlRefusal refusal;
  bool isHere = false;
  size_t nodes = 0;
  bool isSet = false;
};

/// One pattern, begun at one operator.
class PdlReasons::Attempt {
public:
  /// `wanted` is the node that reasons are asked for.
  Attempt(const PdlReasons &reasons, pdl::PatternOp pattern, Operation *wanted, Found &found)
      : reasons(reasons), core(reasons.core), pattern(pattern), wanted(wanted), found(found) {}

  /// Whether the pattern matches and `wanted` is one of its nodes.
  bool beginAt(Operation *root) {
    pdl::OperationOp node = rootOf(pattern);
    return node && matchNode(node, root) && matchRest();
  }

private:
  struct Bound {
    llvm::SmallDenseMap<Operation *, Operation *, 8> nodes;
    /// A range has several.
    llvm::SmallDenseMap<Value, SmallVector<Value>, 8> values;
    llvm::SmallDenseMap<Value, Attribute, 4> attributes;
    llvm::SmallDenseMap<Value, Type, 8> types;
  };

  bool holds(Operation *op) const {
    return llvm::any_of(bound.nodes, [&](const auto &entry) { return entry.second == op; });
  }

  bool refuse(Operation *part, std::string inGeneral, std::string here) {
    bool isHere = holds(wanted);
    size_t nodes = bound.nodes.size();
    if (found.isSet && std::pair(isHere, nodes) <= std::pair(found.isHere, found.nodes))
      return false;
    auto place = dyn_cast<FileLineColLoc>(part->getLoc());
    int line = reasons.isOwnText && place ? static_cast<int>(place.getLine()) : 0;
    found = {{std::move(inGeneral), std::move(here), line}, isHere, nodes, true};
    return false;
  }

  /// `what`, as in "input 0 of ", of `op`, which is to be `node`: it is `given`, and `wanted` is asked for. The general
  /// text has `generally` in its place, unless that is empty.
  bool refuseOf(pdl::OperationOp node, Operation *op, const std::string &what, const std::string &given,
                const std::string &wanted, const std::string &generally = "") {
    return refuse(node, what + reasons.nameOf(node) + " is not " + (generally.empty() ? wanted : generally),
                  what + nodeText(core, op) + " is " + given + ", and not " + wanted);
  }

  bool matchNode(pdl::OperationOp node, Operation *op) {
    if (++steps > kStepsPerAttempt)
      return refuse(node, "the search was ended",
                    "the search was ended after " + std::to_string(kStepsPerAttempt) + " steps");
    bound.nodes[node] = op;
    return hasCount(node, op, node.getOperandValues(), op->getNumOperands(), "input") &&
           hasCount(node, op, node.getTypeValues(), op->getNumResults(), "output") && matchAttributes(node, op) &&
           matchOperands(node, op) && matchResults(node, op);
  }

  bool hasCount(pdl::OperationOp node, Operation *op, OperandRange asked, size_t count, const char *what) {
    size_t ranges = static_cast<size_t>(llvm::count_if(asked, isRange)), least = asked.size() - ranges;
    if (ranges ? count >= least : count == least)
      return true;
    std::string wanted = (ranges ? "at least " : "") + std::to_string(least);
    std::string number = std::string("the number of ") + what + "s of ";
    return refuseOf(node, op, number, std::to_string(count), wanted);
  }

  bool matchAttributes(pdl::OperationOp node, Operation *op) {
    for (auto [name, value] :
         llvm::zip_equal(node.getAttributeValueNames().getAsRange<StringAttr>(), node.getAttributeValues())) {
      std::string what = "the " + name.str() + " of ";
      Attribute given = op->getAttr(name);
      if (!given)
        return refuse(node, what + reasons.nameOf(node) + " is left at its default, and the pattern asks for one",
                      what + nodeText(core, op) + " is left at its default, and " + reasons.nameOf(node) +
                          " asks for one");
      auto asked = value.getDefiningOp<pdl::AttributeOp>();
      if (asked && asked.getValueAttr() && asked.getValueAttr() != given)
        return refuseOf(node, op, what, attributeText(given), attributeText(asked.getValueAttr()));
      auto [known, added] = bound.attributes.try_emplace(value, given);
      if (!added && known->second != given)
        return refuseOf(node, op, what, attributeText(given),
                        attributeText(known->second) + ", as elsewhere in the pattern", kElsewhere);
      if (asked && asked.getValueType()) {
        auto typed = dyn_cast<TypedAttr>(given);
        if (typed && !matchType(node, op, what, asked.getValueType(), typed.getType()))
          return false;
      }
    }
    return true;
  }

  bool matchType(pdl::OperationOp node, Operation *op, const std::string &what, Value asked, Type type) {
    auto constant = asked.getDefiningOp<pdl::TypeOp>();
    if (constant && constant.getConstantTypeAttr() && constant.getConstantTypeAttr().getValue() != type)
      return refuseOf(node, op, what, describe(type), describe(constant.getConstantTypeAttr().getValue()));
    auto [known, added] = bound.types.try_emplace(asked, type);
    return added || known->second == type ||
           refuseOf(node, op, what, describe(type), describe(known->second) + ", as elsewhere in the pattern",
                    kElsewhere);
  }

  bool matchResults(pdl::OperationOp node, Operation *op) {
    for (auto [i, asked] : llvm::enumerate(node.getTypeValues())) {
      if (isRange(asked))
        break;
      if (!matchType(node, op, "output " + std::to_string(i) + " of ", asked, op->getResult(i).getType()))
        return false;
    }
    return true;
  }

  /// The operands that entry `i` of the node's stands for; none where a range before it leaves that open.
  static std::optional<SmallVector<Value>> shareOf(pdl::OperationOp node, Operation *op, size_t i) {
    OperandRange asked = node.getOperandValues();
    if (asked.size() == 1 && isRange(asked[0]))
      return llvm::to_vector(op->getOperands());
    const OpInfo *info = infoOf(op);
    bool oneEach = info && !info->hasOperandSegments && asked.size() == op->getNumOperands() &&
                   llvm::none_of(info->operands, [](const OperandInfo &operand) { return operand.variadic; });
    if (llvm::any_of(asked.take_front(i + 1), isRange) && !oneEach)
      return std::nullopt;
    return SmallVector<Value>{op->getOperand(i)};
  }

  bool matchOperands(pdl::OperationOp node, Operation *op) {
    for (auto [i, asked] : llvm::enumerate(node.getOperandValues())) {
      std::optional<SmallVector<Value>> share = shareOf(node, op, i);
      if (share && !matchOperand(node, op, i, asked, *share))
        return false;
    }
    return true;
  }

  bool matchOperand(pdl::OperationOp node, Operation *op, size_t i, Value asked, const SmallVector<Value> &share) {
    std::string what = "input " + std::to_string(i) + " of ";
    auto textOf = [&](const SmallVector<Value> &values) {
      return values.empty() ? std::string("none") : valueText(core, values.front());
    };
    auto [known, added] = bound.values.try_emplace(asked, share);
    if (!added)
      return known->second == share ||
             refuseOf(node, op, what, textOf(share), textOf(known->second) + ", which is " + partText(asked),
                      partText(asked));
    if (auto operand = asked.getDefiningOp<pdl::OperandOp>())
      return !operand.getValueType() || matchType(node, op, what, operand.getValueType(), share.front().getType());
    pdl::OperationOp producer = makerOf(asked);
    if (!producer)
      return true;
    Operation *maker = share.empty() ? nullptr : share.front().getDefiningOp();
    auto result = asked.getDefiningOp<pdl::ResultOp>();
    bool isRight = maker && hasName(maker, producer) &&
                   (result ? cast<OpResult>(share.front()).getResultNumber() == result.getIndex()
                           : llvm::equal(share, maker->getResults()));
    auto taken = bound.nodes.find(producer);
    if (taken != bound.nodes.end())
      return (isRight && taken->second == maker) ||
             refuseOf(node, op, what, textOf(share),
                      "of " + nodeText(core, taken->second) + ", which is " + reasons.nameOf(producer),
                      "the same " + reasons.nameOf(producer));
    if (!isRight)
      return refuseOf(
          node, op, what, textOf(share),
          (result && result.getIndex() ? "output " + std::to_string(result.getIndex()) + " of " : std::string()) +
              reasons.nameOf(producer));
    return matchNode(producer, maker);
  }

  /// The node whose output, or outputs, a value of the pattern is; null where it is none's.
  static pdl::OperationOp makerOf(Value part) {
    if (auto result = part.getDefiningOp<pdl::ResultOp>())
      return result.getParent().getDefiningOp<pdl::OperationOp>();
    auto results = part.getDefiningOp<pdl::ResultsOp>();
    return results ? results.getParent().getDefiningOp<pdl::OperationOp>() : pdl::OperationOp();
  }

  std::string partText(Value part) const {
    pdl::OperationOp maker = makerOf(part);
    return reasons.nameOf(maker ? maker.getOperation() : part.getDefiningOp());
  }

  /// Nodes that the root does not read, each among the readers of a value that is known.
  bool matchRest() {
    for (pdl::OperationOp node : nodesOf(pattern)) {
      if (bound.nodes.contains(node))
        continue;
      for (Value asked : node.getOperandValues())
        if (Value known = valueOf(asked))
          return matchReader(node, known);
    }
    return holds(wanted);
  }

  /// What stands for a value of the pattern, or for the first of a range.
  Value valueOf(Value part) const {
    if (auto known = bound.values.find(part); known != bound.values.end())
      return known->second.empty() ? Value() : known->second.front();
    pdl::OperationOp node = makerOf(part);
    auto maker = node ? bound.nodes.find(node) : bound.nodes.end();
    auto result = part.getDefiningOp<pdl::ResultOp>();
    unsigned index = result ? result.getIndex() : 0;
    bool isThere = maker != bound.nodes.end() && index < maker->second->getNumResults();
    return isThere ? maker->second->getResult(index) : Value();
  }

  bool matchReader(pdl::OperationOp node, Value read) {
    bool isRead = false;
    for (Operation *user : read.getUsers()) {
      if (!hasName(user, node))
        continue;
      isRead = true;
      Bound before = bound;
      if (matchNode(node, user) && matchRest())
        return true;
      bound = std::move(before);
    }
    return !isRead && refuse(node, "no " + reasons.nameOf(node) + " reads what the pattern asks it to",
                             "no " + reasons.nameOf(node) + " reads " + valueText(core, read));
  }

  const PdlReasons &reasons;
  GraphCore &core;
  pdl::PatternOp pattern;
  Operation *const wanted;
  Found &found;
  Bound bound;
  size_t steps = 0;
};

PdlReasons::PdlReasons(GraphCore &core, const PdlBody &body)
    : core(core), module(ModuleOp::create(UnknownLoc::get(core.mlir()))), isOwnText(body.isOwnText) {
  DiagnosticCapture capture(core.mlir());
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(body.pdl), llvm::SMLoc());
  AsmParserState state;
  // It has been read before, so it can be.
  if (failed(parseAsmSourceFile(source, module->getBody(), ParserConfig(core.mlir()), &state)))
    return;
  for (const AsmParserState::OperationDefinition &definition : state.getOpDefs())
    for (const auto &group : definition.resultGroups) {
      llvm::SMRange range = group.definition.loc;
      StringRef name(range.Start.getPointer(), static_cast<size_t>(range.End.getPointer() - range.Start.getPointer()));
      unsigned number;
      if (name.starts_with("%") && name.drop_front().getAsInteger(10, number))
        names[definition.op] = name.str();
    }
}

/// "%inner (Relu)", or "pattern node 0 (Relu)" where the text has no name for it.
std::string PdlReasons::nameOf(Operation *part) const {
  auto name = names.find(part);
  auto node = dyn_cast<pdl::OperationOp>(part);
  if (!node)
    return name == names.end() ? "a value of the pattern" : name->second;
  std::string code = node.getOpName() ? codeNameOf(*node.getOpName()) : "any operator";
  SmallVector<pdl::OperationOp> all = nodesOf(node->getParentOfType<pdl::PatternOp>());
  std::string number = std::to_string(llvm::find(all, node) - all.begin());
  return (name == names.end() ? "pattern node " + number : name->second) + " (" + code + ")";
}

bool PdlReasons::isRoot(Operation *op) const {
  bool found = false;
  text().walk([&](pdl::PatternOp pattern) {
    pdl::OperationOp root = rootOf(pattern);
    found |= root && hasName(op, root);
  });
  return found;
}

std::optional<PdlRefusal> PdlReasons::atRoot(Operation *op) const {
  Found found;
  bool matches = false;
  text().walk([&](pdl::PatternOp pattern) {
    pdl::OperationOp root = rootOf(pattern);
    matches = matches || (root && hasName(op, root) && Attempt(*this, pattern, op, found).beginAt(op));
  });
  return matches || !found.isSet ? std::nullopt : std::optional(found.refusal);
}

/// The node itself first, then those around it that may be roots.
std::vector<Operation *> PdlReasons::rootsAround(Operation *op) const {
  size_t reach = 0;
  text().walk([&](pdl::PatternOp pattern) { reach = std::max(reach, nodesOf(pattern).size()); });
  llvm::SetVector<Operation *> seen;
  seen.insert(op);
  for (size_t depth = 1, begin = 0; depth < reach && begin < seen.size() && seen.size() < 64 * kRootsTried; ++depth)
    for (size_t end = seen.size(); begin < end; ++begin) {
      Operation *at = seen[begin];
      for (Operation *user : at->getUsers())
        seen.insert(user);
      for (Value operand : at->getOperands()) {
        if (Operation *producer = operand.getDefiningOp())
          seen.insert(producer);
        // A pattern may hold two that read one value.
        for (Operation *reader : operand.getUsers())
          seen.insert(reader);
      }
    }
  std::vector<Operation *> roots;
  for (Operation *candidate : seen)
    if (roots.size() < kRootsTried && infoOf(candidate) && isRoot(candidate))
      roots.push_back(candidate);
  return roots;
}

std::optional<std::string> PdlReasons::whyNot(Operation *op) const {
  bool isPart = false;
  std::string parts;
  text().walk([&](pdl::PatternOp pattern) {
    for (pdl::OperationOp node : nodesOf(pattern)) {
      isPart |= hasName(op, node);
      parts += (parts.empty() ? "" : ", ") + nameOf(node);
    }
  });
  if (!isPart)
    return nodeText(core, op) + " is none of the pattern's nodes: " + parts;
  Found found;
  bool matches = false;
  std::vector<Operation *> roots = rootsAround(op);
  for (Operation *root : roots)
    text().walk([&](pdl::PatternOp pattern) {
      pdl::OperationOp node = rootOf(pattern);
      matches = matches || (node && hasName(root, node) && Attempt(*this, pattern, op, found).beginAt(root));
    });
  if (matches)
    return std::nullopt;
  if (found.isSet)
    return found.refusal.here;
  return roots.empty() ? "no operator that the pattern can begin at is near " + nodeText(core, op)
                       : "no occurrence has " + nodeText(core, op) + " as a node";
}

} // namespace clika
