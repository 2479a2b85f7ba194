#include "Transforms/RewriteLog.h"

#include "Dialect/ConstantData.h"
#include "Dialect/ConstantStore.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Diagnostics.h"
#include "Dialect/Dialect.h"
#include "Dialect/Functions.h"
#include "Dialect/ListSettings.h"
#include "Dialect/NodeFacts.h"
#include "Dialect/NodeIdentity.h"
#include "Dialect/TextDepth.h"
#include "Transforms/RewriteLogText.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;

namespace clika {
namespace {

using namespace rewrite_log;

std::string hexOf(const ContentDigest &digest) {
  return llvm::utohexstr(digest.first, true, 16) + llvm::utohexstr(digest.second, true, 16);
}

/// Digests a text in which each resource's key stands for what it holds.
class GraphText : public llvm::raw_ostream {
public:
  explicit GraphText(const llvm::StringMap<std::string> &contents) : contents(contents) { SetUnbuffered(); }
  ~GraphText() override { flush(); }

  std::string digest() {
    takeLine();
    return llvm::toHex(llvm::ArrayRef<uint8_t>(hash.final()), true);
  }

private:
  void write_impl(const char *data, size_t size) override {
    written += size;
    StringRef text(data, size);
    while (!text.empty()) {
      size_t end = text.find('\n');
      line += text.take_front(end);
      if (end == StringRef::npos)
        return;
      takeLine();
      text = text.drop_front(end + 1);
    }
  }
  uint64_t current_pos() const override { return written; }

  void takeLine() {
    constexpr StringRef opening = "dense_resource<";
    StringRef rest = line;
    while (true) {
      size_t at = rest.find(opening);
      size_t end = at == StringRef::npos ? at : rest.find('>', at);
      if (end == StringRef::npos)
        break;
      StringRef key = rest.slice(at + opening.size(), end);
      auto content = contents.find(key.trim('"'));
      hash.update(rest.take_front(at + opening.size()));
      hash.update(content == contents.end() ? key : StringRef(content->second));
      rest = rest.drop_front(end);
    }
    hash.update(rest);
    hash.update("\n");
    line.clear();
  }

  const llvm::StringMap<std::string> &contents;
  std::string line;
  llvm::SHA256 hash;
  uint64_t written = 0;
};

/// `iteration`: of the step before.
llvm::Error checkIteration(func::FuncOp step, const std::string &name, int64_t &iteration) {
  auto given = step->getAttrOfType<IntegerAttr>(kIteration);
  if (!given || !given.getType().isInteger(64) || textOf(step->getAttr(kTransform)).empty())
    return refusal(name + " does not say of which iteration and transform it is");
  if (given.getInt() < iteration)
    return refusal(name + " is of iteration " + std::to_string(given.getInt()) + ", after one of iteration " +
                   std::to_string(iteration) + "; a log holds each step once, in order");
  iteration = given.getInt();
  return llvm::Error::success();
}

llvm::Error checkStep(func::FuncOp step, int64_t number, int64_t &iteration) {
  std::string name = "step " + std::to_string(number);
  auto given = step->getAttrOfType<IntegerAttr>(kNumber);
  if (!given)
    return refusal("the function " + quoted(step.getName()) + " bears no number of a step");
  if (given.getInt() != number)
    return refusal("where " + name + " should stand there is step " + std::to_string(given.getInt()) +
                   "; a log holds each step once, in order");
  if (llvm::Error error = checkIteration(step, name, iteration))
    return error;
  auto was = textsOf(step, kWas), behind = textsOf(step, kBehind), removed = textsOf(step, kRemoved);
  if (step.isExternal() || !llvm::hasSingleElement(step.getBody()) || step.getNumResults() != 0)
    return refusal(name + " is no function of one block without results");
  size_t count = std::distance(step.getBody().front().begin(), step.getBody().front().end()) - 1;
  if (!was || !behind || !removed || was->size() != count || behind->size() != count)
    return refusal(name + " does not say of each operator what it stands for and behind");
  for (Operation &op : step.getBody().front().without_terminator()) {
    NodeIdentity *identity = identityOf(&op);
    if (!identity || !identity->name)
      return refusal(name + " holds an operation that is no operator with a name: '" + op.getName().getStringRef() +
                     "'");
  }
  for (unsigned i = 0; i < step.getNumArguments(); ++i)
    if (textOf(step.getArgAttr(i, kNode)).empty())
      return refusal(name + " does not say what its argument " + std::to_string(i) + " is");
  return llvm::Error::success();
}

/// A private function that a step changed or added.
llvm::Error checkFunction(func::FuncOp function, int64_t steps) {
  std::string name = "the function " + quoted(function.getName());
  auto step = function->getAttrOfType<IntegerAttr>(kFunctionOf);
  if (!step || step.getInt() < 0 || step.getInt() >= steps || textOf(function->getAttr(kFunction)).empty())
    return refusal(name + " does not say of which step and what it is");
  if (function.isExternal() || function.isPublic() || !llvm::hasSingleElement(function.getBody()))
    return refusal(name + " is no private function of one block");
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (textOf(function.getArgAttr(i, kNode)).empty())
      return refusal(name + " does not say what its argument " + std::to_string(i) + " is");
  bool named = true;
  function.getBody().walk([&](Operation *op) {
    const NodeIdentity *identity = identityOf(op);
    named &= identity ? identity->name != nullptr : isa<func::ReturnOp, YieldOp>(op);
  });
  return named ? llvm::Error::success() : refusal(name + " holds an operation that is no operator with a name");
}

bool hasImpossibleType(Operation *top) {
  return top
      ->walk([](Operation *op) {
        auto impossible = [](Type type) { return !isPossibleSize(type); };
        for (Region &region : op->getRegions())
          if (llvm::any_of(region.getArgumentTypes(), impossible))
            return WalkResult::interrupt();
        return llvm::any_of(op->getResultTypes(), impossible) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace

llvm::Error rewrite_log::refusal(const llvm::Twine &message) { return llvm::createStringError(message.str()); }

std::string rewrite_log::quoted(StringRef name) { return "'" + name.str() + "'"; }

std::string rewrite_log::textOf(Attribute attribute) {
  auto text = dyn_cast_or_null<StringAttr>(attribute);
  return text ? text.str() : std::string();
}

std::optional<SmallVector<StringAttr>> rewrite_log::textsOf(Operation *op, StringRef name) {
  auto list = op->getAttrOfType<ArrayAttr>(name);
  if (!list)
    return std::nullopt;
  SmallVector<StringAttr> texts;
  for (Attribute entry : list)
    if (auto text = dyn_cast<StringAttr>(entry))
      texts.push_back(text);
  if (texts.size() != list.size())
    return std::nullopt;
  return texts;
}

func::FuncOp graphOf(ModuleOp module) { return graphFunction(module); }

std::string graphDigest(ModuleOp module) {
  llvm::StringMap<std::string> contents;
  module.walk([&](Operation *op) {
    forEachResource(op, [&](DenseResourceElementsAttr resource) {
      contents[resource.getRawHandle().getKey()] = hexOf(contentDigest(resource));
    });
  });
  GraphText text(contents);
  for (Operation &op : *module.getBody())
    op.print(text, OpPrintingFlags().useLocalScope().assumeVerified());
  if (auto device = module->getAttrOfType<StringAttr>(kTargetDeviceAttr))
    text << "target device " << device.getValue() << '\n';
  return text.digest();
}

llvm::Expected<OwningOpRef<ModuleOp>> readRewriteLog(MLIRContext *context, StringRef text) {
  if (std::optional<TextProblem> problem = depthProblem({text.data(), text.size()}))
    return refusal("the text is no log of rewrites: line " + std::to_string(problem->line) + ": " + problem->message);
  DiagnosticCapture capture(context);
  OwningOpRef<ModuleOp> log = parseSourceString<ModuleOp>(text, ParserConfig(context, /*verifyAfterParse=*/false));
  if (!log)
    return refusal("the text is no log of rewrites: " + capture.located("it does not parse"));
  // The inference of result types counts on sizes that are possible.
  if (hasImpossibleType(*log))
    return refusal("the text is no log of rewrites: a type in it has more elements than memory can hold");
  if (failed(verify(*log)))
    return refusal("the text is no log of rewrites: " + capture.located("it does not verify"));
  auto version = (*log)->getAttrOfType<IntegerAttr>(kVersion);
  auto count = (*log)->getAttrOfType<IntegerAttr>(kSteps);
  if (!version)
    return refusal("the text is no log of rewrites: the module has no " + kVersion);
  if (version.getInt() != kRewriteLogVersion)
    return refusal("the log is of version " + std::to_string(version.getInt()) + ", and this release reads version " +
                   std::to_string(kRewriteLogVersion) + "; record it again");
  if (!count || textOf((*log)->getAttr(kBefore)).empty() || textOf((*log)->getAttr(kAfter)).empty())
    return refusal("the log does not say of which graph it is, or how many steps it has");
  int64_t number = 0, iteration = 1;
  for (Operation &op : *log->getBody()) {
    auto step = dyn_cast<func::FuncOp>(op);
    if (!step)
      return refusal("the log holds a '" + op.getName().getStringRef() + "', which is no step");
    if (step->hasAttr(kFunctionOf)) {
      if (llvm::Error error = checkFunction(step, count.getInt()))
        return std::move(error);
      continue;
    }
    if (llvm::Error error = checkStep(step, number++, iteration))
      return std::move(error);
  }
  if (number != count.getInt())
    return refusal("the log has " + std::to_string(number) + " of " + std::to_string(count.getInt()) +
                   " steps; use the whole file");
  return std::move(log);
}

std::vector<func::FuncOp> stepsOf(ModuleOp log) {
  std::vector<func::FuncOp> steps;
  for (func::FuncOp function : log.getOps<func::FuncOp>())
    if (!function->hasAttr(kFunctionOf))
      steps.push_back(function);
  return steps;
}

std::vector<func::FuncOp> functionsOf(ModuleOp log, func::FuncOp step) {
  std::vector<func::FuncOp> functions;
  for (func::FuncOp function : log.getOps<func::FuncOp>())
    if (Attribute of = function->getAttr(kFunctionOf); of && of == step->getAttr(kNumber))
      functions.push_back(function);
  return functions;
}

} // namespace clika
