#include "API/GraphContext.h"

#include "API/Fail.h"
#include "API/PdlPool.h"
#include "Dialect/Dialect.h"
#include "Dialect/Shape.h"
#include "Pipelines/ConstantTensors.h"
#include "Pipelines/Evaluator.h"
#include "Runtime/TensorImpl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/IR/BuiltinDialect.h"
#include "llvm/Support/ThreadPool.h"

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

GraphContext::GraphContext() : context(MLIRContext::Threading::DISABLED), pdl(std::make_unique<PdlPool>()) {
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
  return constantOf(tensor, typeOf(data.type, &context));
}

/// What `make` gives of the constant; an Error where that is nothing.
static Tensor made(ElementsAttr attribute, llvm::function_ref<std::optional<Tensor>()> make, std::string_view call) {
  // For its error.
  dtypeOf(attribute.getElementType(), call);
  std::optional<Tensor> tensor;
  try {
    tensor = make();
  } catch (const Error &error) {
    if (error.status() != Status::OutOfMemory)
      throw;
  }
  if (!tensor && isa<DenseElementsAttr>(attribute))
    fail(Status::OutOfMemory, call, "no memory for a constant of " + describe(attribute.getType()));
  if (!tensor)
    fail(Status::Internal, call, "the data of a constant is not at hand");
  return *tensor;
}

Tensor GraphContext::tensorOf(ElementsAttr attribute, std::string_view call) {
  return made(attribute, [&] { return clika::tensorOf(attribute, shared_from_this()); }, call);
}

Tensor GraphContext::codeTensorOf(ElementsAttr attribute, std::string_view call) {
  return made(attribute, [&] { return clika::codeTensorOf(attribute, shared_from_this()); }, call);
}

} // namespace clika
