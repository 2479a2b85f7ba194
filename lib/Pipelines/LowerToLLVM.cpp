#include "Pipelines/Nest.h"
#include "Pipelines/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace clika {
#define GEN_PASS_DEF_LOWERTOLLVM
#include "Pipelines/Passes.h.inc"

namespace {

/// A named contraction's sum of products is fused multiply-adds; a generic op means what it says.
void fuseMultiplyAdd(RewriterBase &rewriter, linalg::LinalgOp op) {
  if (isa<linalg::GenericOp>(op))
    return;
  SmallVector<arith::AddFOp> sums;
  op->getRegion(0).walk([&](arith::AddFOp sum) { sums.push_back(sum); });
  for (arith::AddFOp sum : sums) {
    auto product = sum.getRhs().getDefiningOp<arith::MulFOp>();
    if (!product || !isa<BlockArgument>(sum.getLhs()))
      continue;
    rewriter.setInsertionPoint(sum);
    rewriter.replaceOpWithNewOp<math::FmaOp>(sum, product.getLhs(), product.getRhs(), sum.getLhs());
  }
}

/// Whether its elements lie one after the other. A buffer of unknown sizes may come, cast, from one with gaps, which
/// the conversion to LLVM does not mind: its type alone does not tell.
bool isDense(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.getLayout().isIdentity())
    return false;
  if (type.hasStaticShape() || buffer.getDefiningOp<memref::AllocOp>())
    return true;
  auto made = buffer.getDefiningOp<memref::ReinterpretCastOp>();
  if (made) // of a pointer, as PlanBuffers makes them
    return cast<MemRefType>(made.getSource().getType()).getRank() == 0;
  auto view = buffer.getDefiningOp<ViewLikeOpInterface>();
  return view && isDense(view.getViewSource());
}

/// Whether one call copies it.
bool copiesWhole(Value from, Value to) {
  Type element = getElementTypeOrSelf(from.getType());
  return element == getElementTypeOrSelf(to.getType()) && element.isIntOrIndexOrFloat() && isDense(from) && isDense(to);
}

Value startOf(OpBuilder &builder, Location loc, Value buffer) {
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  address = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), address);
  return LLVM::IntToPtrOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), address);
}

Value bytesOf(OpBuilder &builder, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t element = type.getElementType().isIndex() ? 8 : llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  IndexBuilder index(builder, loc);
  OpFoldResult bytes = index.constant(element);
  for (OpFoldResult size : memref::getMixedSizes(builder, loc, buffer))
    bytes = index.multiply(bytes, size);
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index.value(bytes));
}

/// Copies of whole buffers become calls, all others linalg's.
void lowerCopies(ModuleOp module, RewriterBase &rewriter) {
  SmallVector<Operation *> copies;
  module.walk([&](Operation *op) {
    if (isa<memref::CopyOp, linalg::CopyOp>(op))
      copies.push_back(op);
  });
  for (Operation *copy : copies) {
    Value from = copy->getOperand(0), to = copy->getOperand(1);
    Location loc = copy->getLoc();
    rewriter.setInsertionPoint(copy);
    if (copiesWhole(from, to))
      LLVM::MemcpyOp::create(rewriter, loc, startOf(rewriter, loc, to), startOf(rewriter, loc, from),
                             bytesOf(rewriter, loc, from), /*isVolatile=*/false);
    else
      linalg::CopyOp::create(rewriter, loc, from, to);
    rewriter.eraseOp(copy);
  }
}

LogicalResult lowerLinalg(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  lowerCopies(module, rewriter);
  SmallVector<linalg::LinalgOp> ops;
  module.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    fuseMultiplyAdd(rewriter, op);
    rewriter.setInsertionPoint(op);
    if (failed(linalg::linalgOpToLoops(rewriter, op)))
      return op->emitError("no loops for this op");
    rewriter.eraseOp(op);
  }
  return success();
}

/// Turns `cf.assert` into a call that does not return, made when the condition is false.
class AssertLowering {
public:
  explicit AssertLowering(ModuleOp module) : module(module), builder(module.getContext()) {}

  void run() {
    SmallVector<cf::AssertOp> asserts;
    module.walk([&](cf::AssertOp op) { asserts.push_back(op); });
    for (cf::AssertOp op : asserts)
      lower(op);
  }

private:
  void lower(cf::AssertOp op) {
    Location loc = op.getLoc();
    LLVM::GlobalOp text = message(op.getMsg(), loc);
    LLVM::LLVMFuncOp fail = failFunction(loc);
    builder.setInsertionPoint(op);
    Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
    Value failed = arith::XOrIOp::create(builder, loc, op.getArg(), yes);
    auto branch = scf::IfOp::create(builder, loc, failed, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value address = LLVM::AddressOfOp::create(builder, loc, text);
    LLVM::CallOp::create(builder, loc, fail, ValueRange{address});
    op.erase();
  }

  LLVM::GlobalOp message(StringRef text, Location loc) {
    LLVM::GlobalOp &global = messages[text];
    if (global)
      return global;
    std::string bytes = text.str();
    bytes.push_back('\0');
    builder.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
    global = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                    ("clika_message_" + Twine(messages.size())).str(), builder.getStringAttr(bytes));
    return global;
  }

  LLVM::LLVMFuncOp failFunction(Location loc) {
    if (auto found = module.lookupSymbol<LLVM::LLVMFuncOp>("clika_rt_fail"))
      return found;
    builder.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                            {LLVM::LLVMPointerType::get(builder.getContext())});
    return LLVM::LLVMFuncOp::create(builder, loc, "clika_rt_fail", type);
  }

  ModuleOp module;
  OpBuilder builder;
  llvm::StringMap<LLVM::GlobalOp> messages;
};

/// Upstream's expansion of views takes one dynamic size for each expanded dimension; this takes any number.
void lowerDynamicExpansions(ModuleOp module) {
  SmallVector<memref::ExpandShapeOp> ops;
  module.walk([&](memref::ExpandShapeOp op) { ops.push_back(op); });
  IRRewriter rewriter(module.getContext());
  for (memref::ExpandShapeOp op : ops) {
    ArrayRef<int64_t> shape = op.getResultType().getShape();
    bool simple = llvm::all_of(op.getReassociationIndices(), [&](ArrayRef<int64_t> run) {
      return llvm::count_if(run, [&](int64_t i) { return ShapedType::isDynamic(shape[i]); }) <= 1;
    });
    if (simple)
      continue;
    Location loc = op.getLoc();
    rewriter.setInsertionPoint(op);
    auto source = memref::ExtractStridedMetadataOp::create(rewriter, loc, op.getSrc());
    SmallVector<OpFoldResult> sizes = op.getMixedOutputShape(), strides(sizes.size());
    SmallVector<OpFoldResult> sourceStrides = source.getConstifiedMixedStrides();
    for (auto [run, sourceStride] : llvm::zip(op.getReassociationIndices(), sourceStrides)) {
      Value stride = getValueOrCreateConstantIndexOp(rewriter, loc, sourceStride);
      for (int64_t i : llvm::reverse(run)) {
        strides[i] = stride;
        Value size = getValueOrCreateConstantIndexOp(rewriter, loc, sizes[i]);
        stride = arith::MulIOp::create(rewriter, loc, stride, size);
      }
    }
    Value view = memref::ReinterpretCastOp::create(rewriter, loc, source.getBaseBuffer(),
                                                   source.getConstifiedMixedOffset(), sizes, strides);
    if (view.getType() != op.getResultType())
      view = memref::CastOp::create(rewriter, loc, op.getResultType(), view);
    rewriter.replaceOp(op, view);
  }
}

LogicalResult lowerControlFlow(ModuleOp module) {
  lowerDynamicExpansions(module);
  MLIRContext *context = module.getContext();
  RewritePatternSet metadata(context);
  memref::populateExpandStridedMetadataPatterns(metadata);
  if (failed(applyPatternsGreedily(module, std::move(metadata))))
    return module.emitError("views of buffers could not be resolved");

  RewritePatternSet patterns(context);
  populateAffineToStdConversionPatterns(patterns);
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*context);
  target.addIllegalDialect<affine::AffineDialect, scf::SCFDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(module, target, std::move(patterns));
}

LogicalResult convertToLLVM(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LLVMTypeConverter types(context);
  RewritePatternSet patterns(context);
  SymbolTableCollection symbols;
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  populateMathToLLVMConversionPatterns(types, patterns, /*approximateLog1p=*/false, /*benefit=*/2);
  populateMathToLibmConversionPatterns(patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(types, patterns, &symbols);
  populateFuncToLLVMConversionPatterns(types, patterns, &symbols);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  index::populateIndexToLLVMConversionPatterns(types, patterns);
  ub::populateUBToLLVMConversionPatterns(types, patterns);
  populateVectorToLLVMConversionPatterns(types, patterns, /*reassociateFPReductions=*/false,
                                         /*force32BitVectorIndices=*/true);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp, UnrealizedConversionCastOp>();
  return applyFullConversion(module, target, std::move(patterns));
}

/// A buffer made from a pointer is a pair of casts around one descriptor.
void foldCasts(ModuleOp module) {
  SmallVector<UnrealizedConversionCastOp> casts;
  module.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  reconcileUnrealizedCasts(casts);
}

struct LowerToLLVMPass : impl::LowerToLLVMBase<LowerToLLVMPass> {
protected:
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(lowerLinalg(module)))
      return signalPassFailure();
    AssertLowering(module).run();
    if (failed(lowerControlFlow(module)) || failed(convertToLLVM(module)))
      return signalPassFailure();
    foldCasts(module);
  }
};

} // namespace
} // namespace clika
