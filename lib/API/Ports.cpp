#include "API/Ports.h"

#include "API/Core.h"
#include "API/Fail.h"
#include "Dialect/Shape.h"
#include "Runtime/Counted.h"
#include "Runtime/TensorImpl.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace clika;
using ClikaRT::Tensor;

namespace clika {
namespace {

using Sizes = llvm::SmallDenseMap<mlir::AffineExpr, int64_t, 8>;

/// The value of `expr` where the sizes of its names are known.
std::optional<int64_t> valueOf(mlir::AffineExpr expr, const Sizes &sizes) {
  if (auto constant = mlir::dyn_cast<mlir::AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto found = sizes.find(expr); found != sizes.end())
    return found->second;
  auto binary = mlir::dyn_cast<mlir::AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<int64_t> a = valueOf(binary.getLHS(), sizes), b = valueOf(binary.getRHS(), sizes);
  if (!a || !b)
    return std::nullopt;
  int64_t result;
  auto floorDiv = [](int64_t x, int64_t y) { return x / y - (x % y != 0 && (x < 0) != (y < 0)); };
  switch (expr.getKind()) {
  // What wraps is no tensor's size.
  case mlir::AffineExprKind::Add:
    return llvm::AddOverflow(*a, *b, result) ? std::numeric_limits<int64_t>::max() : result;
  case mlir::AffineExprKind::Mul:
    return llvm::MulOverflow(*a, *b, result) ? std::numeric_limits<int64_t>::max() : result;
  case mlir::AffineExprKind::Mod:
    return *b > 0 ? std::optional(*a - floorDiv(*a, *b) * *b) : std::nullopt;
  case mlir::AffineExprKind::FloorDiv:
    return *b > 0 ? std::optional(floorDiv(*a, *b)) : std::nullopt;
  case mlir::AffineExprKind::CeilDiv:
    return *b > 0 ? std::optional(-floorDiv(-*a, *b)) : std::nullopt;
  default:
    return std::nullopt;
  }
}

GraphPort portOf(mlir::StringAttr name, mlir::Value value, std::string_view call) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  if (!type)
    fail(Status::Unsupported, call,
         quote(name.getValue()) + " is of a type that is not known; the graph can only be looked at");
  GraphPort port{name.str(), dtypeOf(type.getElementType(), call), {}};
  for (Dim dim : dimsOf(type))
    port.dims.push_back(dim);
  return port;
}

} // namespace

std::vector<GraphPort> inputPortsOf(GraphCore &core, std::string_view call) {
  std::vector<GraphPort> ports;
  for (auto [name, argument] : llvm::zip_equal(core.inputNames(), core.block().getArguments()))
    ports.push_back(portOf(name, argument, call));
  return ports;
}

std::vector<GraphPort> outputPortsOf(GraphCore &core, std::string_view call) {
  std::vector<GraphPort> ports;
  for (auto [name, value] : llvm::zip_equal(core.outputNames(), core.terminator()->getOperands()))
    ports.push_back(portOf(name, value, call));
  return ports;
}

std::string shapeOf(const GraphPort &port) { return describe(llvm::ArrayRef<Dim>(port.dims.data(), port.dims.size())); }

std::string listNames(llvm::ArrayRef<GraphPort> ports) {
  std::string text;
  for (const GraphPort &port : ports)
    text += (text.empty() ? "" : ", ") + quote(port.name);
  return text.empty() ? "none" : text;
}

void checkInputs(llvm::ArrayRef<GraphPort> ports, const std::vector<Tensor> &inputs, std::string_view call) {
  if (inputs.size() != ports.size())
    invalid(call, counted(inputs.size(), "input was", "inputs were") + " given; the graph has " +
                      std::to_string(ports.size()) + ": " + listNames(ports));
  Sizes sizes;
  llvm::SmallDenseMap<mlir::AffineExpr, size_t, 8> firstUse;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const GraphPort &port = ports[i];
    const auto &data = ClikaRT::detail::concrete(inputs[i], call);
    auto name = [&] { return "the input " + quote(port.name); };
    if (data.type != port.dtype)
      invalid(call, name() + " is " + std::string(ClikaRT::data_type_name(data.type)) + "; the graph takes " +
                        std::string(ClikaRT::data_type_name(port.dtype)) + shapeOf(port));
    if (data.sizes.size() != port.dims.size())
      invalid(call,
              name() + " has the shape " + ClikaRT::shape_string(data.sizes) + "; the graph takes " + shapeOf(port));
    for (size_t d = 0; d < data.sizes.size(); ++d) {
      mlir::AffineExpr dim = port.dims[d];
      if (!dim)
        continue;
      if (mlir::isa<mlir::AffineSymbolExpr>(dim) && sizes.try_emplace(dim, data.sizes[d]).second) {
        firstUse[dim] = i;
        continue;
      }
      std::optional<int64_t> wanted = valueOf(dim, sizes);
      if (!wanted || *wanted == data.sizes[d])
        continue;
      std::string reason = mlir::isa<mlir::AffineConstantExpr>(dim)
                               ? ""
                               : ", and " + describe(dim) + " is " + std::to_string(*wanted) +
                                     (firstUse.count(dim) ? " in the input " + quote(ports[firstUse[dim]].name)
                                                          : std::string(" by the other inputs"));
      invalid(call, name() + " has the shape " + ClikaRT::shape_string(data.sizes) + "; the graph takes " +
                        shapeOf(port) + reason);
    }
  }
}

} // namespace clika
