// Compiled code in a folder that processes share.
#pragma once
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <optional>
#include <string>

namespace clika {

using Digest = std::array<uint8_t, 32>;

/// Digests what is written to it.
class DigestStream : public llvm::raw_ostream {
public:
  DigestStream() { SetUnbuffered(); }
  ~DigestStream() override { flush(); }
  Digest digest() { return hash.final(); }

private:
  void write_impl(const char *data, size_t size) override {
    hash.update(llvm::StringRef(data, size));
    written += size;
  }
  uint64_t current_pos() const override { return written; }

  llvm::SHA256 hash;
  uint64_t written = 0;
};

/// One file for each digest. A file is written whole or not at all, and one that is damaged, cut short or of another
/// make counts as not there.
class ObjectCache {
public:
  /// Makes the folder. Throws ClikaRT::Error (Io), whose message begins with `call`, where files cannot be kept in it.
  ObjectCache(std::string folder, std::string call);

  std::optional<std::string> find(const Digest &key) const;
  /// Throws ClikaRT::Error (Io).
  void keep(const Digest &key, llvm::StringRef data) const;

private:
  std::string pathOf(const Digest &key) const;
  [[noreturn]] void refuse(int error) const;

  std::string folder, call;
};

/// Tells one build of this library from every other: its version, LLVM's, and the file it was loaded from.
std::string compilerIdentity();

} // namespace clika
