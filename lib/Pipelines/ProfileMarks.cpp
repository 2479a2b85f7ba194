#include "Pipelines/ProfileMarks.h"
#include "Pipelines/Passes.h"
#include "Runtime/Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace clika {
#define GEN_PASS_DEF_MARKREST
#include "Pipelines/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral kBegin = "clika_rt_profile_begin", kEnd = "clika_rt_profile_end";

void addNames(Location loc, llvm::SetVector<StringAttr> &names) {
  if (auto name = dyn_cast<NameLoc>(loc)) {
    names.insert(name.getName());
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location each : fused.getLocations())
      addNames(each, names);
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    addNames(call.getCallee(), names);
  }
}

bool isMark(Operation *op, llvm::StringRef name) {
  auto call = dyn_cast<LLVM::CallOp>(op);
  return call && call.getCallee() == name;
}

} // namespace

SmallVector<StringAttr> nodesOf(ArrayRef<Operation *> ops) {
  llvm::SetVector<StringAttr> names;
  for (Operation *op : ops) {
    op->walk([&](Operation *inner) {
      if (inner != op && !inner->hasTrait<OpTrait::ConstantLike>() && !inner->hasTrait<OpTrait::IsTerminator>())
        addNames(inner->getLoc(), names);
    });
    addNames(op->getLoc(), names);
  }
  return SmallVector<StringAttr>(names.begin(), names.end());
}

ProfileMarks::ProfileMarks(ModuleOp module) : module(module), on(module->hasAttr(kProfileAttr)) {
  if (auto known = module->getAttrOfType<ArrayAttr>(kProfileRowsAttr))
    rows.append(known.begin(), known.end());
}

LLVM::LLVMFuncOp ProfileMarks::runtimeFunction(StringRef name, unsigned words) {
  if (auto found = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return found;
  MLIRContext *context = module.getContext();
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  SmallVector<Type> parameters(words, builder.getI64Type());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), parameters);
  return LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type);
}

void ProfileMarks::putAround(Operation *op, StringRef kernel, ArrayRef<StringAttr> nodes, const WorkCount &work) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  IndexBuilder index(builder, loc);
  auto word = [&](OpFoldResult value) -> Value {
    if (std::optional<int64_t> known = getConstantIntValue(value))
      return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(*known));
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index.value(value));
  };
  Value row = word(index.constant(static_cast<int64_t>(rows.size())));
  LLVM::CallOp::create(builder, loc, runtimeFunction(kBegin, 3), ValueRange{row, word(work.flops), word(work.bytes)});
  builder.setInsertionPointAfter(op);
  LLVM::CallOp::create(builder, loc, runtimeFunction(kEnd, 1), ValueRange{row});
  SmallVector<Attribute> texts = {builder.getStringAttr(kernel)};
  texts.append(nodes.begin(), nodes.end());
  rows.push_back(builder.getArrayAttr(texts));
}

void ProfileMarks::finish() {
  if (on)
    module->setAttr(kProfileRowsAttr, ArrayAttr::get(module.getContext(), rows));
}

std::vector<ProfiledKernel> profiledKernels(ModuleOp module) {
  std::vector<ProfiledKernel> kernels;
  if (auto rows = module->getAttrOfType<ArrayAttr>(kProfileRowsAttr))
    for (auto row : rows.getAsRange<ArrayAttr>()) {
      ProfiledKernel &kernel = kernels.emplace_back();
      kernel.name = cast<StringAttr>(row[0]).str();
      for (auto node : ArrayRef(row.getValue()).drop_front())
        kernel.nodes.push_back(cast<StringAttr>(node).str());
    }
  return kernels;
}

namespace {

/// What is left beside the kernels: copies, and loops of the entry that hold none.
class RestMarker {
public:
  explicit RestMarker(ModuleOp module) : marks(module) {}

  void run(func::FuncOp entry) {
    if (marks.isOn())
      visit(entry.getBody().front());
    marks.finish();
  }

private:
  static bool holdsKernels(Operation &op) {
    return op
        .walk([&](Operation *inner) {
          bool is = isa<linalg::LinalgOp, memref::CopyOp>(inner) || isMark(inner, kBegin);
          return is ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Copies of a row each, as a gather makes them, are too short to be measured one by one.
  static bool isLoopOfCopies(Operation &op) {
    return isa<scf::ForOp, scf::WhileOp>(op) && !op.walk([](LLVM::CallOp call) {
                                                     bool computes = isMark(call, kBegin) &&
                                                                     !matchPattern(call.getOperand(1), m_Zero());
                                                     return computes ? WalkResult::interrupt() : WalkResult::advance();
                                                   }).wasInterrupted();
  }

  void visit(Block &block) {
    bool inside = false;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isMark(&op, kBegin) || isMark(&op, kEnd))
        inside = isMark(&op, kBegin);
      else if (!inside)
        visit(op);
    }
  }

  void visit(Operation &op) {
    OpBuilder builder(&op);
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      OpGroup group;
      group.op = linalgOp;
      group.fills.resize(linalgOp.getNumDpsInits());
      StringRef kernel = isa<linalg::CopyOp>(op) ? "copy" : isa<linalg::FillOp>(op) ? "fill" : "loops";
      marks.putAround(&op, kernel, nodesOf(&op), countWork(builder, group));
    } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      // linalg's form of it has the maps that counting asks for.
      auto same = linalg::CopyOp::create(builder, op.getLoc(), copy.getSource(), copy.getTarget());
      op.erase();
      visit(*same.getOperation());
    } else if (op.getNumRegions() == 0 || isa<func::FuncOp>(op)) {
      return;
    } else if (holdsKernels(op)) {
      for (Region &region : op.getRegions())
        for (Block &block : region)
          visit(block);
      if (SmallVector<StringAttr> nodes = nodesOf(&op); nodes.size() <= 1 && isLoopOfCopies(op))
        marks.putAround(&op, "copy", nodes, {builder.getIndexAttr(0), builder.getIndexAttr(0)});
    } else if (isa<scf::ForOp, scf::WhileOp>(op)) {
      marks.putAround(&op, "loops", nodesOf(&op), {builder.getIndexAttr(0), builder.getIndexAttr(0)});
    }
  }

  ProfileMarks marks;
};

struct MarkRestPass : impl::MarkRestBase<MarkRestPass> {
protected:
  void runOnOperation() override {
    if (auto entry = getOperation().lookupSymbol<func::FuncOp>(kEntry))
      RestMarker(getOperation()).run(entry);
  }
};

} // namespace
} // namespace clika
