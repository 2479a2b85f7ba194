#include "Dialect/ConstantStore.h"

#include "Dialect/CoreOps.h"
#include "Dialect/Dialect.h"
#include "Runtime/FilePages.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace clika {
namespace {

size_t alignmentOf(ShapedType type) { return std::max(1u, type.getElementType().getIntOrFloatBitWidth() / 8); }

AsmResourceBlob unownedBlob(llvm::ArrayRef<char> bytes, size_t alignment) {
  return AsmResourceBlob(bytes, alignment, /*deleter=*/{}, /*dataIsMutable=*/false);
}

// Without a name, equal bytes have one key and one resource, whose first owner keeps it: what is computed twice, in two
// clones or again after an undo, is equal attributes and text.

std::string contentKey(llvm::ArrayRef<char> bytes) {
  auto hash = llvm::xxh3_128bits({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  return "constant_" + llvm::utohexstr(hash.high64, true, 16) + llvm::utohexstr(hash.low64, true, 16);
}

BuiltinDialect *builtin(MLIRContext *context) { return context->getLoadedDialect<BuiltinDialect>(); }

ConstantStore::Blob *blobOf(MLIRContext *context, llvm::StringRef key) {
  auto *resources = builtin(context)->getRegisteredInterface<ResourceBlobManagerDialectInterface>();
  return resources->getBlobManager().lookup(key);
}

/// The resource of `known`, which gets the bytes where its memory was freed; null where it holds others.
DenseResourceElementsAttr sameContent(RankedTensorType type, ConstantStore::Blob *known, llvm::ArrayRef<char> bytes) {
  AsmResourceBlob *data = known->getBlob();
  if (!data || data->getData().empty())
    known->setBlob(unownedBlob(bytes, alignmentOf(type)));
  else if (data->getData() != bytes || data->getDataAlignment() != alignmentOf(type))
    return {};
  return DenseResourceElementsAttr::get(type, DenseResourceElementsHandle(known, builtin(type.getContext())));
}

} // namespace

ConstantStore &ConstantStore::of(MLIRContext *context) {
  return *context->getOrLoadDialect<ClikaDialect>()->getRegisteredInterface<ConstantStore>();
}

/// The entry of a blob; one that came with a file gets an owner that can be shared.
ConstantStore::Entry &ConstantStore::entryOf(Blob *blob) {
  auto [found, added] = entries.try_emplace(blob);
  Entry &entry = found->second;
  if (!added)
    return entry;
  entry.age = age++;
  if (AsmResourceBlob *data = blob->getBlob(); data && data->getDeleter()) {
    auto owner = std::make_shared<AsmResourceBlob>(std::move(*data));
    blob->setBlob(unownedBlob(owner->getData(), owner->getDataAlignment()));
    entry.owner = std::move(owner);
  }
  return entry;
}

DenseResourceElementsAttr ConstantStore::add(RankedTensorType type, llvm::ArrayRef<char> bytes, Owner owner,
                                             llvm::StringRef name) {
  std::lock_guard lock(mutex);
  DenseResourceElementsAttr resource;
  if (name.empty()) {
    std::string key = contentKey(bytes);
    Blob *known = blobOf(type.getContext(), key);
    resource = known ? sameContent(type, known, bytes) : DenseResourceElementsAttr();
    if (!resource)
      resource = DenseResourceElementsAttr::get(type, key, unownedBlob(bytes, alignmentOf(type)));
  } else {
    // A name of its own: the manager would try one number after the other.
    std::string key = name.str();
    if (uint64_t number = names[name]++)
      key += "_" + std::to_string(number);
    resource = DenseResourceElementsAttr::get(type, key, unownedBlob(bytes, alignmentOf(type)));
  }
  Blob *blob = resource.getRawHandle().getResource();
  if (blob->getBlob()->getData().data() == bytes.data())
    entryOf(blob).owner = std::move(owner);
  if (pins != 0)
    doubtful.insert(blob);
  return resource;
}

void ConstantStore::attach(DenseResourceElementsAttr resource, llvm::ArrayRef<char> bytes, Owner owner) {
  std::lock_guard lock(mutex);
  Blob *blob = resource.getRawHandle().getResource();
  blob->setBlob(unownedBlob(bytes, alignmentOf(resource.getType())));
  entryOf(blob).owner = std::move(owner);
}

ConstantStore::Owner ConstantStore::ownerOf(DenseResourceElementsAttr resource) {
  std::lock_guard lock(mutex);
  return entryOf(resource.getRawHandle().getResource()).owner;
}

ContentDigest ConstantStore::digestOf(DenseResourceElementsAttr resource,
                                      llvm::function_ref<ContentDigest(llvm::ArrayRef<char>)> compute) {
  std::lock_guard lock(mutex);
  Blob *blob = resource.getRawHandle().getResource();
  Entry &entry = entryOf(blob);
  if (!entry.digest) {
    llvm::ArrayRef<char> bytes = blob->getBlob() ? blob->getBlob()->getData() : llvm::ArrayRef<char>();
    entry.digest = compute(bytes);
    releaseFilePages(bytes.data(), bytes.size());
  }
  return *entry.digest;
}

uint64_t ConstantStore::nextAge() {
  std::lock_guard lock(mutex);
  return age;
}

uint64_t ConstantStore::ageOf(DenseResourceElementsAttr resource) {
  std::lock_guard lock(mutex);
  return entryOf(resource.getRawHandle().getResource()).age;
}

size_t ConstantStore::size() {
  std::lock_guard lock(mutex);
  return entries.size();
}

void ConstantStore::retain(Blob *blob) {
  std::lock_guard lock(mutex);
  ++entryOf(blob).holds;
}

void ConstantStore::release(Blob *blob) {
  std::lock_guard lock(mutex);
  if (--entryOf(blob).holds == 0)
    doubtful.insert(blob);
}

void ConstantStore::pin() {
  std::lock_guard lock(mutex);
  ++pins;
}

void ConstantStore::unpin() {
  std::vector<Owner> unread;
  std::lock_guard lock(mutex);
  if (--pins != 0)
    return;
  for (Blob *blob : doubtful) {
    auto entry = entries.find(blob);
    if (entry == entries.end() || entry->second.holds != 0)
      continue;
    blob->setBlob(unownedBlob({}, 1));
    unread.push_back(std::move(entry->second.owner));
    entries.erase(entry);
  }
  doubtful.clear();
}

ConstantHold::ConstantHold(DenseResourceElementsAttr resource)
    : store(&ConstantStore::of(resource.getContext())), blob(resource.getRawHandle().getResource()) {
  store->retain(blob);
}

ConstantHold::~ConstantHold() {
  if (store)
    store->release(blob);
}

void forEachResource(Operation *op, llvm::function_ref<void(DenseResourceElementsAttr)> visit) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
      visit(resource);
  } else if (auto opaque = dyn_cast<OpaqueOp>(op)) {
    opaque.getSettings().walk([&](DenseResourceElementsAttr resource) { visit(resource); });
  }
}

} // namespace clika
