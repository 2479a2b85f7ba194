// Text form of symbolic sizes, and their check against the tensor they describe.
#include "Dialect/Dialect.h"
#include "Dialect/Shape.h"
#include "Runtime/Counted.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;

namespace clika {
namespace {

bool isKeyword(StringRef name) {
  if (name.empty() || !(llvm::isAlpha(name.front()) || name.front() == '_'))
    return false;
  return llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }) && name != "floordiv" &&
         name != "ceildiv" && name != "mod";
}

StringRef operatorText(AffineExprKind kind) {
  switch (kind) {
  case AffineExprKind::Add:
    return " + ";
  case AffineExprKind::Mul:
    return " * ";
  case AffineExprKind::FloorDiv:
    return " floordiv ";
  case AffineExprKind::CeilDiv:
    return " ceildiv ";
  default:
    return " mod ";
  }
}

void printName(raw_ostream &os, StringRef name) {
  if (isKeyword(name)) {
    os << name;
    return;
  }
  // Letters beyond ASCII are read as they are.
  os << '"';
  for (char c : name) {
    if (static_cast<unsigned char>(c) >= 0x80)
      os << c;
    else
      llvm::printEscapedString(StringRef(&c, 1), os);
  }
  os << '"';
}

// `nested`: inside a product or quotient, where a sum needs parentheses.
void printExpr(raw_ostream &os, Dim dim, bool nested) {
  if (!dim) {
    os << '?';
  } else if (auto constant = dyn_cast<AffineConstantExpr>(dim)) {
    os << constant.getValue();
  } else if (auto symbol = dyn_cast<AffineSymbolExpr>(dim)) {
    auto *dialect = dim.getContext()->getOrLoadDialect<ClikaDialect>();
    printName(os, dialect->symbolName(symbol.getPosition()).getValue());
  } else if (auto binary = dyn_cast<AffineBinaryOpExpr>(dim)) {
    bool sum = binary.getKind() == AffineExprKind::Add;
    // Only a left operand of the same product may go without parentheses: `a * b * c`, but `(a floordiv 2) * b`.
    auto left = dyn_cast<AffineBinaryOpExpr>(binary.getLHS());
    bool plainLeft = sum || !left || (left.getKind() == AffineExprKind::Mul && binary.getKind() == AffineExprKind::Mul);
    if (nested)
      os << '(';
    printExpr(os, binary.getLHS(), !plainLeft);
    os << operatorText(binary.getKind());
    printExpr(os, binary.getRHS(), isa<AffineBinaryOpExpr>(binary.getRHS()));
    if (nested)
      os << ')';
  } else {
    os << '?';
  }
}

class DimParser {
public:
  explicit DimParser(AsmParser &parser) : parser(parser) {}

  // sum := product (`+` product)*
  ParseResult parseSum(Dim &dim) {
    if (parseProduct(dim))
      return failure();
    while (succeeded(parser.parseOptionalPlus())) {
      Dim right;
      if (parseProduct(right) || combine(AffineExprKind::Add, dim, right))
        return failure();
    }
    return success();
  }

private:
  // product := term ((`*` | `floordiv` | `ceildiv` | `mod`) term)*
  ParseResult parseProduct(Dim &dim) {
    if (parseTerm(dim))
      return failure();
    while (true) {
      AffineExprKind kind;
      if (succeeded(parser.parseOptionalStar()))
        kind = AffineExprKind::Mul;
      else if (succeeded(parser.parseOptionalKeyword("floordiv")))
        kind = AffineExprKind::FloorDiv;
      else if (succeeded(parser.parseOptionalKeyword("ceildiv")))
        kind = AffineExprKind::CeilDiv;
      else if (succeeded(parser.parseOptionalKeyword("mod")))
        kind = AffineExprKind::Mod;
      else
        return success();
      Dim right;
      if (parseTerm(right) || combine(kind, dim, right))
        return failure();
    }
  }

  ParseResult parseTerm(Dim &dim) {
    MLIRContext *context = parser.getContext();
    if (succeeded(parser.parseOptionalQuestion())) {
      dim = Dim();
      return success();
    }
    if (succeeded(parser.parseOptionalLParen()))
      return failure(parseSum(dim) || parser.parseRParen());
    int64_t value;
    OptionalParseResult number = parser.parseOptionalInteger(value);
    if (number.has_value()) {
      dim = constantDim(context, value);
      return *number;
    }
    std::string name;
    if (parser.parseKeywordOrString(&name))
      return failure();
    if (name.empty())
      return parser.emitError(parser.getCurrentLocation(), "a dimension's name may not be empty");
    dim = namedDim(context, name);
    return success();
  }

  ParseResult combine(AffineExprKind kind, Dim &left, Dim right) {
    if (!left || !right)
      return parser.emitError(parser.getCurrentLocation(), "`?` stands alone");
    // Each makes the expression deeper, and what reads expressions calls itself.
    if (++operators > kMostOperators)
      return parser.emitError(parser.getCurrentLocation(), "a size's expression has more than ")
             << kMostOperators << " operators";
    double x = largest(left), y = largest(right);
    if (x + y > kLargestNumber || (kind == AffineExprKind::Mul && x * y > kLargestNumber))
      return parser.emitError(parser.getCurrentLocation(), "the numbers of a size's expression are too large");
    std::optional<int64_t> divisor = constantOf(right);
    bool division = kind != AffineExprKind::Add && kind != AffineExprKind::Mul;
    if (division && divisor && *divisor <= 0)
      return parser.emitError(parser.getCurrentLocation(), "a divisor is positive");
    left = getAffineBinaryOpExpr(kind, left, right);
    return success();
  }

  /// What the expression is at most where each name is 1, quotients aside: no number it folds into is larger.
  static double largest(Dim dim) {
    if (auto constant = dyn_cast<AffineConstantExpr>(dim))
      return std::abs(static_cast<double>(constant.getValue()));
    auto binary = dyn_cast<AffineBinaryOpExpr>(dim);
    if (!binary)
      return 1;
    double left = largest(binary.getLHS()), right = largest(binary.getRHS());
    return binary.getKind() == AffineExprKind::Add   ? left + right
           : binary.getKind() == AffineExprKind::Mul ? left * right
                                                     : left;
  }

  static constexpr unsigned kMostOperators = 1000;
  static constexpr double kLargestNumber = 0x1p62;

  AsmParser &parser;
  unsigned operators = 0;
};

} // namespace

std::string describe(Dim dim) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printExpr(os, dim, false);
  return text;
}

FailureOr<Dim> parseDim(MLIRContext *context, StringRef text) {
  ScopedDiagnosticHandler silence(context, [](Diagnostic &) { return success(); });
  std::string attribute = ("#clika.dims<" + text + ">").str();
  context->getOrLoadDialect<ClikaDialect>();
  auto dims = dyn_cast_or_null<DimsAttr>(parseAttribute(attribute, context));
  if (!dims || dims.getExprs().size() != 1)
    return failure();
  return Dim(dims.getExprs().front());
}

Attribute DimsAttr::parse(AsmParser &parser, Type) {
  SmallVector<AffineExpr> exprs;
  auto one = [&] { return DimParser(parser).parseSum(exprs.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, one))
    return {};
  return get(parser.getContext(), exprs);
}

void DimsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getExprs(), printer.getStream(),
                        [&](AffineExpr expr) { printExpr(printer.getStream(), expr, false); });
  printer << '>';
}

LogicalResult DimsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                       llvm::function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getExprs().size())
    return emitError() << "has " << counted(getExprs().size(), "symbolic size") << " for "
                       << counted(shape.size(), "dimension");
  for (auto [size, expr] : llvm::zip(shape, getExprs())) {
    std::optional<int64_t> constant = constantOf(expr);
    if (ShapedType::isDynamic(size) ? constant.has_value() && *constant >= 0 : constant != size)
      return emitError() << "its symbolic sizes contradict the shape";
  }
  return success();
}

} // namespace clika
