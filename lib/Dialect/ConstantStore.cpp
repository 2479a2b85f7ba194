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

namespace {

/// Less is not worth it.
constexpr size_t kMuchToTranspose = size_t{1} << 16;

std::shared_ptr<char> allocate(size_t bytes) {
  constexpr std::align_val_t kAlignment{64};
  return {static_cast<char *>(::operator new(bytes, kAlignment)),
          [](char *data) { ::operator delete(data, kAlignment); }};
}

} // namespace

DenseResourceElementsAttr ConstantStore::addTransposed(DenseResourceElementsAttr source) {
  std::lock_guard lock(mutex);
  auto type = cast<RankedTensorType>(source.getType());
  Blob *from = source.getRawHandle().getResource();
  llvm::ArrayRef<char> bytes = from->getBlob() ? from->getBlob()->getData() : llvm::ArrayRef<char>();
  if (bytes.size() < kMuchToTranspose || !areFilePages(bytes.data(), bytes.size()))
    return {};
  auto turned = RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
  auto attributeOf = [&](Blob *blob) {
    return DenseResourceElementsAttr::get(turned, DenseResourceElementsHandle(blob, builtin(type.getContext())));
  };
  const std::string base = from->getKey().str() + "_transposed";
  std::string key = base;
  Blob *blob = blobOf(type.getContext(), key);
  for (uint64_t number = 1; blob; blob = blobOf(type.getContext(), key)) {
    auto entry = entries.find(blob);
    if (entry != entries.end() && entry->second.source == source)
      return attributeOf(blob);
    // Its memory was freed.
    if (entry == entries.end() && (!blob->getBlob() || blob->getBlob()->getData().empty()))
      break;
    key = base + "_" + std::to_string(number++);
  }
  std::shared_ptr<char> data = allocate(bytes.size());
  AsmResourceBlob memory = unownedBlob({data.get(), bytes.size()}, alignmentOf(turned));
  if (blob)
    blob->setBlob(std::move(memory));
  DenseResourceElementsAttr resource =
      blob ? attributeOf(blob) : DenseResourceElementsAttr::get(turned, key, std::move(memory));
  blob = resource.getRawHandle().getResource();
  ++entryOf(from).holds;
  Entry &entry = entryOf(blob);
  entry.owner = std::move(data);
  entry.source = source;
  entry.isUnread = true;
  if (pins != 0)
    doubtful.insert(blob);
  return resource;
}

DenseResourceElementsAttr ConstantStore::unreadTransposed(DenseResourceElementsAttr resource) {
  std::lock_guard lock(mutex);
  auto entry = entries.find(resource.getRawHandle().getResource());
  return entry != entries.end() && entry->second.isUnread ? entry->second.source : DenseResourceElementsAttr();
}

/// Writes the bytes where nobody has asked for them yet.
void ConstantStore::write(Blob *blob, Entry &entry) {
  if (!std::exchange(entry.isUnread, false))
    return;
  auto type = cast<RankedTensorType>(entry.source.getType());
  llvm::ArrayRef<char> bytes = entry.source.getRawHandle().getBlob()->getData();
  transposeMatrix(bytes, const_cast<char *>(blob->getBlob()->getData().data()), type);
  releaseFilePages(bytes.data(), bytes.size());
}

void ConstantStore::read(DenseResourceElementsAttr resource) {
  std::lock_guard lock(mutex);
  Blob *blob = resource.getRawHandle().getResource();
  if (auto entry = entries.find(blob); entry != entries.end())
    write(blob, entry->second);
}

void ConstantStore::readAll(Operation *op) {
  ConstantStore &store = of(op->getContext());
  op->walk([&](Operation *inner) {
    forEachResource(inner, [&](DenseResourceElementsAttr resource) { store.read(resource); });
  });
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
    const bool isUnread = entry.isUnread;
    write(blob, entry);
    entry.digest = compute(bytes);
    // Nobody else has asked for it.
    if (isUnread)
      dropContent(const_cast<char *>(bytes.data()), bytes.size());
    entry.isUnread = isUnread;
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
  std::vector<Blob *> toAsk(doubtful.begin(), doubtful.end());
  while (!toAsk.empty()) {
    Blob *blob = toAsk.back();
    toAsk.pop_back();
    auto entry = entries.find(blob);
    if (entry == entries.end() || entry->second.holds != 0)
      continue;
    if (DenseResourceElementsAttr source = entry->second.source) {
      --entryOf(source.getRawHandle().getResource()).holds;
      toAsk.push_back(source.getRawHandle().getResource());
    }
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
