// Who owns the memory of large constants, and which of them are still read.
#ifndef CLIKA_DIALECT_CONSTANTSTORE_H
#define CLIKA_DIALECT_CONSTANTSTORE_H

#include "Dialect/ConstantData.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <mutex>

namespace clika {

/// The resource blobs of one context. MLIR's manager frees a blob with the context only. Here a blob has an owner,
/// which whatever reads its memory may share, and a count of the operations that hold it: see ConstantHold and
/// ConstantPin.
class ConstantStore : public mlir::DialectInterface::Base<ConstantStore> {
public:
  using Blob = mlir::DialectResourceBlobManager::BlobEntry;
  using Owner = std::shared_ptr<const void>;

  explicit ConstantStore(mlir::Dialect *dialect) : Base(dialect) {}
  static ConstantStore &of(mlir::MLIRContext *context);

  /// A resource over `bytes`, which lie in `owner`, under a key made of `name`.
  mlir::DenseResourceElementsAttr add(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes, Owner owner,
                                      llvm::StringRef name);
  /// `source`, a matrix of a mapped file, transposed: what is read of the file costs no memory, so the bytes are
  /// written when they are first asked for. Null where `source` lies elsewhere, or is small.
  mlir::DenseResourceElementsAttr addTransposed(mlir::DenseResourceElementsAttr source);
  /// What `resource` is the transposed of, where nobody has asked for its bytes; else null.
  mlir::DenseResourceElementsAttr unreadTransposed(mlir::DenseResourceElementsAttr resource);
  /// Its bytes are asked for: whoever reads them but by constantData calls this first.
  void read(mlir::DenseResourceElementsAttr resource);
  /// The same of all that is in `op`.
  static void readAll(mlir::Operation *op);
  /// Gives a resource that was read without its data its bytes.
  void attach(mlir::DenseResourceElementsAttr resource, llvm::ArrayRef<char> bytes, Owner owner);
  /// What keeps the resource's bytes where they are; null where it has none.
  Owner ownerOf(mlir::DenseResourceElementsAttr resource);
  /// What `compute` makes of the resource's content; asked for once.
  ContentDigest digestOf(mlir::DenseResourceElementsAttr resource,
                         llvm::function_ref<ContentDigest(llvm::ArrayRef<char>)> compute);

  /// Blobs that come from now on have this age or a greater one.
  uint64_t nextAge();
  uint64_t ageOf(mlir::DenseResourceElementsAttr resource);
  /// How many blobs have memory.
  size_t size();

private:
  friend class ConstantHold;
  friend class ConstantPin;

  struct Entry {
    Owner owner;
    uint64_t age = 0;
    size_t holds = 0;
    std::optional<ContentDigest> digest;
    /// What it is the transposed of, which it holds; null where it is its own.
    mlir::DenseResourceElementsAttr source;
    bool isUnread = false;
  };

  Entry &entryOf(Blob *blob);
  void write(Blob *blob, Entry &entry);
  void retain(Blob *blob);
  void release(Blob *blob);
  void pin();
  void unpin();

  std::mutex mutex;
  llvm::DenseMap<Blob *, Entry> entries;
  /// Those that may be held by nothing.
  llvm::DenseSet<Blob *> doubtful;
  size_t pins = 0;
  uint64_t age = 0;
  llvm::StringMap<uint64_t> names;
};

/// Held by each operation that is part of a graph, or of a snapshot of one, for each resource that it reads.
class ConstantHold {
public:
  explicit ConstantHold(mlir::DenseResourceElementsAttr resource);
  ConstantHold(ConstantHold &&other) : store(other.store), blob(other.blob) { other.store = nullptr; }
  ConstantHold &operator=(ConstantHold &&other) {
    std::swap(store, other.store);
    std::swap(blob, other.blob);
    return *this;
  }
  ~ConstantHold();

private:
  ConstantStore *store;
  ConstantStore::Blob *blob;
};

/// While one lives nothing of the context is freed: whoever makes constants, or takes operations out and puts others
/// in, keeps one until the graph holds what it is to hold. When the last goes, so does the memory that nothing holds;
/// owners may run their users' code then, so no lock may be held.
class ConstantPin {
public:
  explicit ConstantPin(mlir::MLIRContext *context) : store(&ConstantStore::of(context)) { store->pin(); }
  ConstantPin(ConstantPin &&other) : store(other.store) { other.store = nullptr; }
  ConstantPin &operator=(ConstantPin &&other) {
    std::swap(store, other.store);
    return *this;
  }
  ~ConstantPin() {
    if (store)
      store->unpin();
  }

private:
  ConstantStore *store;
};

/// The resources that an operation's attributes refer to.
void forEachResource(mlir::Operation *op, llvm::function_ref<void(mlir::DenseResourceElementsAttr)> visit);

} // namespace clika

#endif
