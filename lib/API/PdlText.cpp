// PDL and PDLL text, read and checked.
#include "API/Fail.h"
#include "API/PdlRules.h"
#include "API/Settings.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Diagnostics.h"
#include "Dialect/TextDepth.h"
#include "Runtime/Counted.h"
#include "mlir/Conversion/PDLToPDLInterp/PDLToPDLInterp.h"
#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <optional>

using namespace mlir;

namespace clika {
namespace {

constexpr const char *kNoPattern = "the text has no pattern; write one as pdl.pattern, or in PDLL as Pattern";

/// "line 3, column 7: " of an operation that was read from text.
std::string placeOf(Operation *op) {
  auto place = dyn_cast<FileLineColLoc>(op->getLoc());
  return place ? "line " + std::to_string(place.getLine()) + ", column " + std::to_string(place.getColumn()) + ": "
               : "";
}

[[noreturn]] void refuse(std::string_view call, Operation *op, const std::string &message) {
  invalid(call, placeOf(op) + message);
}

/// A pattern with a setting that the operator lacks would never match.
void checkSettings(pdl::OperationOp op, const OpInfo &info, std::string_view call) {
  std::optional<RegisteredOperationName> name = RegisteredOperationName::lookup(*op.getOpName(), op.getContext());
  for (auto given : op.getAttributeValueNames().getAsRange<StringAttr>())
    if (name && !llvm::is_contained(name->getAttributeNames(), given))
      refuse(call, op,
             std::string(info.codeName) + " has no setting " + quote(given.getValue()) + "; its settings are: " +
                 (name->getStringRef() == ConstantOp::getOperationName() ? "value" : settingNames(info)));
}

void checkOperandCount(pdl::OperationOp op, const OpInfo &info, std::string_view call) {
  size_t count = op.getOperandValues().size(), least = 0;
  bool isOpen = llvm::any_of(op.getOperandValues(), [](Value v) { return isa<pdl::RangeType>(v.getType()); });
  for (const OperandInfo &operand : info.operands) {
    isOpen |= operand.variadic;
    least += !operand.optional;
  }
  if (isOpen || (count >= least && count <= info.operands.size()))
    return;
  bool isMade = op->getParentOfType<pdl::RewriteOp>() != nullptr;
  refuse(
      call, op,
      std::string(info.codeName) + " is given " + counted(count, "operand") + ", and takes " +
          (least == info.operands.size() ? "" : std::to_string(least) + " to ") + std::to_string(info.operands.size()) +
          (count == 0 && !isMade ? "; whatever they are, write '%o = operands' and '(%o : !pdl.range<value>)'" : ""));
}

/// Matching takes the types that are written for the results there are, and none for none.
void checkResultCount(pdl::OperationOp op, const OpInfo &info, std::string_view call) {
  size_t count = op.getTypeValues().size();
  bool isOpen = llvm::any_of(op.getTypeValues(), [](Value v) { return isa<pdl::RangeType>(v.getType()); }) ||
                llvm::any_of(info.results, [](const ResultInfo &result) { return result.variadic; });
  if (!isOpen && count != info.results.size())
    refuse(call, op,
           std::string(info.codeName) + " has " + counted(info.results.size(), "output") +
               ", and is given the types of " + std::to_string(count) +
               ", so that it would never match; write one each, as in '-> (%t : !pdl.type)'");
}

void checkOperation(pdl::OperationOp op, std::string_view call) {
  std::optional<StringRef> name = op.getOpName();
  bool isMade = op->getParentOfType<pdl::RewriteOp>() != nullptr;
  if (!name && isMade)
    refuse(call, op, "an operation that is made needs a name");
  const OpInfo *info =
      name && name->consume_front("clika.") ? findOpByMnemonic(std::string_view(name->data(), name->size())) : nullptr;
  if (op.getOpName() && !info)
    refuse(call, op,
           "there is no operator " + quote(*op.getOpName()) +
               "; a pattern names those of docs/ops.md, as in "
               "'clika.relu'");
  if (info) {
    checkSettings(op, *info, call);
    checkOperandCount(op, *info, call);
    if (!isMade)
      checkResultCount(op, *info, call);
  }
}

/// What is well formed and still means nothing here.
void checkMeaning(ModuleOp module, std::string_view call) {
  if (module.getBody()->empty())
    invalid(call, kNoPattern);
  for (Operation &op : *module.getBody())
    if (!isa<pdl::PatternOp>(op))
      refuse(call, &op,
             "'" + op.getName().getStringRef().str() +
                 "' stands beside the patterns; a module holds only "
                 "pdl.pattern operations");
  module.walk([&](Operation *op) {
    if (auto operation = dyn_cast<pdl::OperationOp>(op))
      checkOperation(operation, call);
    if (auto attribute = dyn_cast<pdl::AttributeOp>(op);
        attribute && isa_and_nonnull<DenseResourceElementsAttr>(attribute.getValueAttr()))
      refuse(call, op,
             "the elements of a constant are a resource; in a rule that is text they are written as dense<…>");
    if (auto native = dyn_cast<pdl::ApplyNativeConstraintOp>(op))
      refuse(call, op, "the native constraint " + quote(native.getName()) + " is not to be had in a rule that is text");
    if (auto native = dyn_cast<pdl::ApplyNativeRewriteOp>(op))
      refuse(call, op, "the native rewrite " + quote(native.getName()) + " is not to be had in a rule that is text");
    if (auto rewrite = dyn_cast<pdl::RewriteOp>(op); rewrite && rewrite.getName())
      refuse(call, op,
             "the rewrite " + quote(*rewrite.getName()) +
                 " is not to be had in a rule that is text; write what "
                 "it does in the rewrite's body");
  });
}

/// The compiler of patterns ends the process where it cannot lower one: see first whether it can.
void checkLowering(ModuleOp module, std::string_view call) {
  DiagnosticCapture capture(module.getContext());
  PassManager passes(module.getContext());
  DenseMap<Operation *, PDLPatternConfigSet *> none;
  passes.addPass(createConvertPDLToPDLInterpPass(none));
  if (failed(passes.run(module)))
    invalid(call, capture.located("the patterns cannot be compiled"));
}

/// MLIR's tool that reads PDLL, where this machine has it.
std::optional<std::string> findPdll() {
  for (const char *name : {"mlir-pdll", "mlir-pdll-22"})
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
  if (auto found = llvm::sys::findProgramByName("mlir-pdll", {CLIKA_LLVM_TOOLS}))
    return *found;
  return std::nullopt;
}

struct TemporaryFile {
  explicit TemporaryFile(std::string_view call) {
    int descriptor = -1;
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("clika", "pdll", descriptor, path))
      fail(Status::Io, call, "no temporary file can be made: " + error.message());
    llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true);
  }
  ~TemporaryFile() { llvm::sys::fs::remove(path); }
  std::string content() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }
  SmallString<128> path;
};

/// The first error of mlir-pdll: "line 3, column 7: …".
std::string pdllError(StringRef text) {
  for (StringRef line : llvm::split(text, '\n')) {
    auto [before, message] = line.split(": error: ");
    if (message.empty())
      continue;
    auto [rest, column] = before.rsplit(':');
    StringRef row = rest.rsplit(':').second;
    unsigned number;
    bool placed = !row.getAsInteger(10, number) && !column.getAsInteger(10, number);
    return (placed ? "line " + row + ", column " + column + ": " : llvm::Twine()).str() + message.str();
  }
  return "mlir-pdll refuses the text: " + text.take_front(200).str();
}

std::string pdlOfPdll(const std::string &text, std::string_view call) {
  std::optional<std::string> tool = findPdll();
  if (!tool)
    fail(Status::Unsupported, call,
         "the text has no pdl.pattern, so it is read as PDLL, and the tool mlir-pdll, which that needs, is not found; "
         "install it (Debian: mlir-22-tools), or give pdl.pattern operations");
  TemporaryFile source(call), output(call), errors(call);
  {
    std::error_code error;
    llvm::raw_fd_ostream stream(source.path, error);
    stream << text;
  }
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(output.path), StringRef(errors.path)};
  int code = llvm::sys::ExecuteAndWait(*tool, {*tool, "-x=mlir", source.path}, std::nullopt, redirects, 60);
  if (code != 0)
    invalid(call, pdllError(errors.content()));
  return output.content();
}

} // namespace

bool isPdll(const std::string &text) { return text.find("pdl.pattern") == std::string::npos; }

std::string pdlOf(const std::string &text, std::string_view call) {
  bool hasPattern = !isPdll(text) || StringRef(text).contains("Pattern") || StringRef(text).contains("#include");
  if (!hasPattern)
    invalid(call, kNoPattern);
  std::string pdl = isPdll(text) ? pdlOfPdll(text, call) : text;
  if (std::optional<TextProblem> problem = depthProblem(pdl))
    invalid(call, "line " + std::to_string(problem->line) + ": " + problem->message);
  auto context = GraphContext::create();
  OwningOpRef<ModuleOp> module;
  {
    DiagnosticCapture capture(context->mlir());
    module = parseSourceString<ModuleOp>(pdl, context->mlir());
    if (!module)
      invalid(call, capture.located("the text cannot be read"));
  }
  checkMeaning(*module, call);
  checkLowering(*module, call);
  return pdl;
}

} // namespace clika
