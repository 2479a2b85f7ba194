// The lowering of a graph to linalg, tensor, arith, math and scf on tensors.
#ifndef CLIKA_CONVERSION_CLIKATOLINALG_CLIKATOLINALG_H
#define CLIKA_CONVERSION_CLIKATOLINALG_CLIKATOLINALG_H

#include <memory>

namespace mlir {
class Pass;
class RewritePatternSet;
class TypeConverter;
} // namespace mlir

namespace clika {

/// The pass `convert-clika-to-linalg`, over a module. An op without a lowering is an error that names its node.
std::unique_ptr<mlir::Pass> createConvertClikaToLinalgPass();
void registerConversionPasses();

// One per family file.
void populateConstantToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populatePointwiseToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateMatmulToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateReduceToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateConvToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateConvTransposeToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populatePoolToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateNormToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateSoftmaxToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateAttentionToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateRotaryToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateRecurrentToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateScanToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateReshapeToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateSliceToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateFillToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateGatherToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateSortToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateQuantizeToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateResizeToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace clika

#endif
