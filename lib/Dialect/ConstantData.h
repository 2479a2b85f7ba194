// The elements of constants: their bytes, however an attribute holds them, and their numbers. Attributes of data.
#ifndef CLIKA_DIALECT_CONSTANTDATA_H
#define CLIKA_DIALECT_CONSTANTDATA_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <optional>
#include <vector>

namespace clika {

/// Up to this many bytes a constant is held in the text of the graph; larger ones in memory that is freed once nothing
/// reads it.
inline constexpr size_t kInlineConstantBytes = 1024;

/// Dense row-major elements; a Bool is a byte, 0 or 1.
struct ConstantData {
  bool valid = false;
  llvm::ArrayRef<char> bytes;
  /// What `bytes` lies in, where the attribute does not hold it in this form. Moving keeps `bytes` good.
  std::vector<char> owned;
};

/// Not valid where the attribute's data is not at hand (a resource without a blob, or of a wrong size).
ConstantData constantData(mlir::ElementsAttr attribute);
/// The one element that all elements equal, as data of one element. Not valid where they differ or there are none.
ConstantData splatData(mlir::ElementsAttr attribute);

/// The attribute that holds a copy of `bytes` (in ConstantData's form) as text would.
mlir::ElementsAttr inlineConstant(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);
/// The same, but of many a resource that shares `owner`; its key is made of `name`, or where that is "" of the content.
mlir::ElementsAttr sharedConstant(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes,
                                  std::shared_ptr<const void> owner, llvm::StringRef name = "constant");
/// The attribute of a copy of `bytes` (in ConstantData's form).
mlir::ElementsAttr copiedConstant(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);

/// `matrix`, a constant of rank 2, transposed: of a mapped file's only once somebody reads it (see
/// ConstantStore::addTransposed). Null where its data is not at hand.
mlir::ElementsAttr transposedConstant(mlir::ElementsAttr matrix);
/// Writes the elements of `bytes`, which is a matrix of `type`, transposed.
void transposeMatrix(llvm::ArrayRef<char> bytes, char *to, mlir::RankedTensorType type);

/// 128 bits of an attribute's content: equal for equal elements, whether they are held in text or in a resource (but
/// for a large splat in text, which is not spread out to be compared). Computed once per resource.
using ContentDigest = std::pair<uint64_t, uint64_t>;
ContentDigest contentDigest(mlir::ElementsAttr attribute);

/// Element number `index` of `bytes` as the double that equals it; none for an integer that a double cannot hold, or
/// for a type that is neither float nor integer.
std::optional<double> numberAt(llvm::ArrayRef<char> bytes, mlir::Type element, size_t index);
/// Whether numbers are no further apart than `distance`. An infinity is near itself alone, NaN near NaN.
bool areWithin(double a, double b, double distance);
/// The same of every element of a float type.
std::vector<double> floatNumbers(llvm::ArrayRef<char> bytes, mlir::FloatType element);
/// The elements of `numbers`, each rounded to `element`.
std::vector<char> floatBytes(llvm::ArrayRef<double> numbers, mlir::FloatType element);
/// The double that equals an integer; none where a double cannot hold it.
std::optional<double> exactDouble(const llvm::APInt &value, bool isUnsigned);

} // namespace clika

#endif
