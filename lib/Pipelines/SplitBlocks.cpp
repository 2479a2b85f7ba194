#include "Pipelines/SplitBlocks.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"

using namespace llvm;

namespace clika {
namespace {

/// Many enough that few values pass from part to part, few enough that a part takes milliseconds.
constexpr unsigned kPart = 1000;

/// Cuts `block` every kPart instructions; adds all but the first and the last piece to `parts`.
void cut(BasicBlock &block, std::vector<BasicBlock *> &parts) {
  std::vector<Instruction *> places;
  unsigned place = 0;
  for (auto at = block.getFirstNonPHIOrDbgOrAlloca(); at != block.end(); ++at)
    if (++place % kPart == 0)
      places.push_back(&*at);
  // From the end, since cutting costs what is moved to the new block.
  for (size_t i = places.size(); i-- != 0;) {
    BasicBlock *part = SplitBlock(&block, places[i]);
    if (i + 1 != places.size())
      parts.push_back(part);
  }
}

} // namespace

void splitLongBlocks(Function &function) {
  std::vector<BasicBlock *> blocks, parts;
  for (BasicBlock &block : function)
    blocks.push_back(&block);
  for (BasicBlock *block : blocks)
    cut(*block, parts);
  if (parts.empty())
    return;
  CodeExtractorAnalysisCache cache(function);
  for (BasicBlock *part : parts) {
    CodeExtractor extractor(part);
    if (!extractor.isEligible())
      continue;
    if (Function *made = extractor.extractCodeRegion(cache))
      made->addFnAttr(Attribute::NoInline);
  }
}

} // namespace clika
