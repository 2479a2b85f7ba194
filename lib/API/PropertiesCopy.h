// The properties of an operation, kept beyond it.
#ifndef CLIKA_API_PROPERTIESCOPY_H
#define CLIKA_API_PROPERTIESCOPY_H

#include "mlir/IR/Operation.h"

#include <cstddef>
#include <memory>

namespace clika {

class PropertiesCopy {
public:
  explicit PropertiesCopy(mlir::Operation *op) : name(op->getName()) {
    if (size_t size = static_cast<size_t>(op->getPropertiesStorageSize())) {
      storage.reset(new std::max_align_t[(size + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t)]);
      name.initOpProperties(get(), op->getPropertiesStorage());
    }
  }
  PropertiesCopy(const PropertiesCopy &) = delete;
  PropertiesCopy &operator=(const PropertiesCopy &) = delete;
  ~PropertiesCopy() {
    if (storage)
      name.destroyOpProperties(get());
  }

  /// Whether `op` is of the same class with equal properties; identities and names count for nothing.
  bool areThoseOf(mlir::Operation *op) const {
    return op->getName() == name && storage && name.compareOpProperties(get(), op->getPropertiesStorage());
  }

  mlir::OperationName className() const { return name; }
  /// Null where the class has none.
  mlir::OpaqueProperties get() const { return {storage.get()}; }

private:
  mlir::OperationName name;
  std::unique_ptr<std::max_align_t[]> storage;
};

} // namespace clika

#endif
