// Constants as tensors and back, without a copy of large ones.
#ifndef CLIKA_PIPELINES_CONSTANTTENSORS_H
#define CLIKA_PIPELINES_CONSTANTTENSORS_H

#include "mlir/IR/BuiltinAttributes.h"
#include <ClikaRT/tensor.h>
#include <memory>
#include <optional>

namespace clika {

/// The elements of a constant; none where they are not at hand or of no dtype of the API. A resource's memory is
/// shared; `context` owns what is held in text, and the tensor keeps it where it reads that in place. Elements that do
/// not lie at multiples of their size, as a file may have them, are copied.
std::optional<ClikaRT::Tensor> tensorOf(mlir::ElementsAttr attribute, std::shared_ptr<const void> context);
/// The same without that copy. For compiled code alone, which reads at any address: nobody may point a T at the data.
std::optional<ClikaRT::Tensor> codeTensorOf(mlir::ElementsAttr attribute, std::shared_ptr<const void> context);
/// The attribute of a concrete tensor, `element` being the MLIR type of its dtype.
mlir::ElementsAttr constantOf(const ClikaRT::Tensor &tensor, mlir::Type element);

} // namespace clika

#endif
