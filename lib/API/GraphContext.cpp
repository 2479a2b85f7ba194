#include "API/GraphContext.h"

#include "API/Fail.h"
#include "Dialect/ConstantData.h"
#include "Dialect/Dialect.h"
#include "Pipelines/Evaluator.h"
#include "Runtime/TensorImpl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/ThreadPool.h"

#include <cstring>

using namespace mlir;
using ClikaRT::DataType;
using ClikaRT::Tensor;

namespace clika {
namespace {

llvm::ThreadPoolInterface &sharedPool() {
  static llvm::DefaultThreadPool pool(llvm::optimal_concurrency());
  return pool;
}

} // namespace

GraphContext::GraphContext() : context(MLIRContext::Threading::DISABLED) {
  context.setThreadPool(sharedPool());
  // PDL is the form in which the runtime's rules are compiled.
  context.loadDialect<ClikaDialect, func::FuncDialect, pdl::PDLDialect, pdl_interp::PDLInterpDialect>();
}

GraphContext::~GraphContext() = default;

std::shared_ptr<GraphContext> GraphContext::create() { return std::shared_ptr<GraphContext>(new GraphContext); }

Type typeOf(DataType dtype, MLIRContext *context) {
  auto integer = [&](unsigned width, bool isUnsigned) -> Type {
    return IntegerType::get(context, width, isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
  };
  switch (dtype) {
  case DataType::Bool:
    return integer(1, false);
  case DataType::Float16:
    return Float16Type::get(context);
  case DataType::BFloat16:
    return BFloat16Type::get(context);
  case DataType::Float32:
    return Float32Type::get(context);
  case DataType::Float64:
    return Float64Type::get(context);
  default:
    return integer(static_cast<unsigned>(ClikaRT::item_size(dtype)) * 8, ClikaRT::is_unsigned_integer(dtype));
  }
}

DataType dtypeOf(Type element, std::string_view call) {
  if (std::optional<DataType> dtype = dtypeOfElement(element))
    return *dtype;
  std::string text;
  llvm::raw_string_ostream(text) << element;
  fail(Status::Internal, call, "the element type " + text + " is no dtype of the API");
}

ElementsAttr GraphContext::attributeOf(const Tensor &tensor) {
  const auto &data = ClikaRT::detail::concrete(tensor, "constant");
  auto type = RankedTensorType::get(data.sizes, typeOf(data.type, &context));
  size_t bytes = data.elements * ClikaRT::item_size(data.type);
  if (bytes <= kInlineConstantBytes)
    return inlineConstant(type, llvm::ArrayRef(static_cast<const char *>(data.data), bytes));
  Tensor owner = tensor;
  AsmResourceBlob blob(
      llvm::ArrayRef(static_cast<const char *>(data.data), bytes), ClikaRT::item_size(data.type),
      [owner](void *, size_t, size_t) mutable { owner = Tensor(); }, /*dataIsMutable=*/false);
  auto attribute = DenseResourceElementsAttr::get(type, "constant", std::move(blob));
  std::lock_guard<std::mutex> lock(mutex);
  blobs.try_emplace(attribute.getRawHandle().getKey(), tensor);
  return attribute;
}

Tensor GraphContext::tensorOf(ElementsAttr attribute, std::string_view call) {
  auto type = cast<RankedTensorType>(attribute.getType());
  ClikaRT::Shape shape(type.getShape().begin(), type.getShape().end());
  DataType dtype = dtypeOf(type.getElementType(), call);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = blobs.find(resource.getRawHandle().getKey());
    if (found != blobs.end())
      return found->second.shape() == shape ? found->second : found->second.reshape(shape);
  }
  ConstantData data = constantData(attribute);
  if (!data.valid)
    fail(Status::Internal, call, "the data of a constant is not at hand");
  if (data.owned.empty() && !data.bytes.empty())
    return Tensor::from_external(data.bytes.data(), shape, dtype, [keep = shared_from_this()](void *) {});
  return Tensor::from_data(data.bytes.data(), shape, dtype);
}

} // namespace clika
