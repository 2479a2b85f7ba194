#include "Dialect/Shape.h"

#include "Dialect/Dialect.h"
#include "Dialect/ListSettings.h"
#include "mlir/IR/Diagnostics.h"
#include <cmath>

using namespace mlir;

namespace clika {

Dim constantDim(MLIRContext *context, int64_t size) { return getAffineConstantExpr(size, context); }

std::optional<int64_t> constantOf(Dim dim) {
  if (!dim)
    return std::nullopt;
  if (auto constant = dyn_cast<AffineConstantExpr>(dim))
    return constant.getValue();
  return std::nullopt;
}

Dim namedDim(MLIRContext *context, StringRef name) {
  auto *dialect = context->getOrLoadDialect<ClikaDialect>();
  return getAffineSymbolExpr(dialect->symbolOf(StringAttr::get(context, name)), context);
}

Dims dimsOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  auto encoding = dyn_cast_or_null<DimsAttr>(tensor.getEncoding());
  Dims dims;
  for (auto [i, size] : llvm::enumerate(tensor.getShape())) {
    if (!ShapedType::isDynamic(size))
      dims.push_back(constantDim(type.getContext(), size));
    else
      dims.push_back(encoding ? encoding.getExprs()[i] : Dim());
  }
  return dims;
}

RankedTensorType tensorOf(ArrayRef<Dim> dims, Type element) {
  SmallVector<int64_t> shape;
  bool symbolic = false;
  for (Dim dim : dims) {
    std::optional<int64_t> size = constantOf(dim);
    // A negative constant can only come of an inconsistent shape; it is left to run-time checks as an unknown size.
    if (size && *size < 0)
      size.reset();
    shape.push_back(size.value_or(ShapedType::kDynamic));
    symbolic |= !size && dim && !isa<AffineConstantExpr>(dim);
  }
  if (!symbolic)
    return RankedTensorType::get(shape, element);
  SmallVector<AffineExpr> exprs(dims.begin(), dims.end());
  return RankedTensorType::get(shape, element, DimsAttr::get(element.getContext(), exprs));
}

RankedTensorType plainTensor(RankedTensorType type) {
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

// Sums and products of constants stop at the largest number: a size that no tensor has, and that is refused as such.
namespace {

/// An expression of more parts is left unknown: what reads expressions calls itself.
constexpr unsigned kMostParts = 256;

/// The largest number that the expression is where each name is 1, quotients aside. `parts` counts its parts, no
/// further than kMostParts.
double largest(Dim dim, unsigned &parts) {
  if (std::optional<int64_t> constant = constantOf(dim))
    return std::abs(static_cast<double>(*constant));
  auto binary = dyn_cast<AffineBinaryOpExpr>(dim);
  if (!binary || ++parts > kMostParts)
    return 1;
  double left = largest(binary.getLHS(), parts), right = largest(binary.getRHS(), parts);
  return binary.getKind() == AffineExprKind::Add   ? left + right
         : binary.getKind() == AffineExprKind::Mul ? left * right
                                                   : left;
}

/// Whether a + b, or a * b, stays short and has no number that only wrapping could have made.
bool isBounded(Dim a, Dim b, bool isProduct) {
  unsigned parts = 0;
  double x = largest(a, parts), y = largest(b, parts);
  return parts < kMostParts && (isProduct ? x * y : x + y) <= static_cast<double>(kMostElements);
}

} // namespace

Dim addDims(Dim a, Dim b) {
  std::optional<int64_t> x = constantOf(a), y = constantOf(b);
  int64_t sum;
  if (x && y)
    return constantDim(a.getContext(), !llvm::AddOverflow(*x, *y, sum) ? sum : *y > 0 ? INT64_MAX : -INT64_MAX);
  return a && b && isBounded(a, b, false) ? a + b : Dim();
}
Dim addDims(Dim a, int64_t b) { return a ? addDims(a, constantDim(a.getContext(), b)) : Dim(); }
Dim mulDims(Dim a, Dim b) {
  std::optional<int64_t> x = constantOf(a), y = constantOf(b);
  if (x == 0 || y == 0)
    return constantDim((a ? a : b).getContext(), 0);
  if (x && y) {
    int64_t product;
    bool wraps = llvm::MulOverflow(*x, *y, product);
    return constantDim(a.getContext(), !wraps ? product : (*x > 0) == (*y > 0) ? INT64_MAX : -INT64_MAX);
  }
  return a && b && isBounded(a, b, true) ? a * b : Dim();
}
Dim mulDims(Dim a, int64_t b) { return a ? mulDims(a, constantDim(a.getContext(), b)) : Dim(); }
Dim floorDivDims(Dim a, int64_t b) { return a && b > 0 ? a.floorDiv(b) : Dim(); }
Dim ceilDivDims(Dim a, int64_t b) { return a && b > 0 ? a.ceilDiv(b) : Dim(); }

Dim exactDivDims(Dim a, Dim b) {
  if (!a || !b)
    return Dim();
  std::optional<int64_t> divisor = constantOf(b);
  if (divisor)
    return *divisor > 0 && a.isMultipleOf(*divisor) ? a.floorDiv(*divisor) : Dim();
  if (a == b)
    return constantDim(a.getContext(), 1);
  // A product that holds the divisor as a factor.
  auto product = dyn_cast<AffineBinaryOpExpr>(a);
  if (!product || product.getKind() != AffineExprKind::Mul)
    return Dim();
  if (Dim left = exactDivDims(product.getLHS(), b))
    return mulDims(left, product.getRHS());
  if (Dim right = exactDivDims(product.getRHS(), b))
    return mulDims(product.getLHS(), right);
  return Dim();
}

Dim productOf(MLIRContext *context, ArrayRef<Dim> dims) {
  Dim product = constantDim(context, 1);
  for (Dim dim : dims)
    if (constantOf(dim) == 0)
      return dim;
  for (Dim dim : dims)
    product = mulDims(product, dim);
  return product;
}

bool sameDim(Dim a, Dim b) { return a && a == b; }

bool canMatch(Dim a, Dim b) {
  std::optional<int64_t> x = constantOf(a), y = constantOf(b);
  return !x || !y || *x == *y;
}

Dim refine(Dim a, Dim b) {
  if (!a || constantOf(b))
    return b;
  return a;
}

FailureOr<Dim> broadcastDims(Dim a, Dim b) {
  std::optional<int64_t> x = constantOf(a), y = constantOf(b);
  if (x == 1)
    return b;
  if (y == 1 || sameDim(a, b))
    return a;
  if (x && y)
    return failure();
  if (x)
    return a;
  if (y)
    return b;
  return Dim();
}

FailureOr<Dims> broadcastShapes(ArrayRef<Dim> a, ArrayRef<Dim> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Dims result(a.begin(), a.end());
  for (size_t i = 0, offset = a.size() - b.size(); i < b.size(); ++i) {
    FailureOr<Dim> dim = broadcastDims(a[offset + i], b[i]);
    if (failed(dim))
      return failure();
    result[offset + i] = *dim;
  }
  return result;
}

std::string dtypeName(Type element) {
  if (isa<NoneType>(element))
    return "unknown";
  if (element.isInteger(1))
    return "bool";
  if (auto integer = dyn_cast<IntegerType>(element))
    return (integer.isUnsigned() ? "uint" : "int") + std::to_string(integer.getWidth());
  if (element.isBF16())
    return "bfloat16";
  if (auto number = dyn_cast<FloatType>(element))
    return "float" + std::to_string(number.getWidth());
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return text;
}

std::string describe(ArrayRef<Dim> dims) {
  std::string text = "[";
  for (auto [i, dim] : llvm::enumerate(dims))
    text += (i ? ", " : "") + describe(dim);
  return text + "]";
}

std::string describe(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dtypeName(tensor.getElementType()) + describe(dimsOf(tensor)) : dtypeName(type);
}

bool compatibleTypes(TypeRange inferred, TypeRange actual) {
  if (inferred.size() != actual.size())
    return false;
  for (auto [left, right] : llvm::zip(inferred, actual)) {
    auto a = dyn_cast<RankedTensorType>(left), b = dyn_cast<RankedTensorType>(right);
    if (!a || !b || a.getElementType() != b.getElementType() || a.getRank() != b.getRank())
      return false;
    for (auto [x, y] : llvm::zip(a.getShape(), b.getShape()))
      if (!ShapedType::isDynamic(x) && !ShapedType::isDynamic(y) && x != y)
        return false;
  }
  return true;
}

LogicalResult inferBroadcast(std::optional<Location> location, StringRef op, TypeRange operands,
                             SmallVectorImpl<Type> &types) {
  StringRef name = op.drop_front(op.find('.') + 1);
  Dims dims;
  Type element;
  for (Type operand : operands) {
    auto tensor = dyn_cast<RankedTensorType>(operand);
    if (!tensor)
      return emitOptionalError(location, name, ": operands are ranked tensors");
    if (!element) {
      element = tensor.getElementType();
      dims = dimsOf(tensor);
      continue;
    }
    if (element != tensor.getElementType())
      return emitOptionalError(location, name, ": the operands have dtypes ", dtypeName(element), " and ",
                               dtypeName(tensor.getElementType()), "; cast one of them");
    FailureOr<Dims> both = broadcastShapes(dims, dimsOf(tensor));
    if (failed(both))
      return emitOptionalError(location, name, ": shapes ", describe(dims), " and ", describe(dimsOf(tensor)),
                               " do not broadcast");
    dims = *both;
  }
  types.assign(1, tensorOf(dims, element));
  return success();
}

} // namespace clika
