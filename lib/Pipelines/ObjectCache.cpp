#include "Pipelines/ObjectCache.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include <ClikaRT/error.h>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace clika {
namespace {

constexpr char kMagic[8] = {'C', 'L', 'I', 'K', 'A', 'O', 'B', '1'};

/// Of a file; the data follows. The digest is of the key and the data.
struct Header {
  char magic[8];
  uint64_t bytes;
  Digest key, digest;
};

Digest digestOf(const Digest &key, llvm::StringRef data) {
  llvm::SHA256 hash;
  hash.update(key);
  hash.update(data);
  return hash.final();
}

/// Writes all of it; false with errno set where it cannot.
bool writeAll(int file, llvm::StringRef data) {
  while (!data.empty()) {
    ssize_t written = ::write(file, data.data(), data.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    data = data.drop_front(static_cast<size_t>(written));
  }
  return true;
}

} // namespace

ObjectCache::ObjectCache(std::string folder, std::string call) : folder(std::move(folder)), call(std::move(call)) {
  std::error_code error;
  std::filesystem::create_directories(this->folder, error);
  if (error && !std::filesystem::is_directory(this->folder))
    refuse(error.value());
  if (!std::filesystem::is_directory(this->folder, error))
    refuse(ENOTDIR);
  if (::access(this->folder.c_str(), R_OK | W_OK | X_OK) != 0)
    refuse(errno);
}

void ObjectCache::refuse(int error) const {
  throw ClikaRT::Error(ClikaRT::Status::Io, call + ": compiled code cannot be kept in cache_dir '" + folder +
                                                "': " + std::strerror(error) +
                                                "; give a folder that can be written, or leave it empty");
}

std::string ObjectCache::pathOf(const Digest &key) const { return folder + "/" + llvm::toHex(key, true) + ".clika"; }

std::optional<std::string> ObjectCache::find(const Digest &key) const {
  std::ifstream file(pathOf(key), std::ios::binary | std::ios::ate);
  if (!file)
    return std::nullopt;
  auto size = static_cast<int64_t>(file.tellg());
  Header header;
  file.seekg(0);
  if (size < static_cast<int64_t>(sizeof header) || !file.read(reinterpret_cast<char *>(&header), sizeof header) ||
      std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.key != key ||
      header.bytes != static_cast<uint64_t>(size) - sizeof header)
    return std::nullopt;
  std::string data(header.bytes, '\0');
  if (!file.read(data.data(), static_cast<std::streamsize>(data.size())) || digestOf(key, data) != header.digest)
    return std::nullopt;
  return data;
}

void ObjectCache::keep(const Digest &key, llvm::StringRef data) const {
  static std::atomic<unsigned> next{0};
  std::string path = pathOf(key);
  std::string passing = path + "." + std::to_string(::getpid()) + "." + std::to_string(next++) + ".tmp";
  Header header;
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.bytes = data.size();
  header.key = key;
  header.digest = digestOf(key, data);
  int file = ::open(passing.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0)
    refuse(errno);
  bool written = writeAll(file, {reinterpret_cast<const char *>(&header), sizeof header}) && writeAll(file, data);
  int error = errno;
  if (::close(file) != 0 && written) {
    written = false;
    error = errno;
  }
  if (written && ::rename(passing.c_str(), path.c_str()) == 0)
    return;
  if (written)
    error = errno;
  ::unlink(passing.c_str());
  refuse(error);
}

std::string compilerIdentity() {
  std::string identity = "LLVM " LLVM_VERSION_STRING;
  Dl_info info;
  struct stat file;
  if (::dladdr(reinterpret_cast<void *>(&compilerIdentity), &info) && info.dli_fname &&
      ::stat(info.dli_fname, &file) == 0)
    identity += ", " + std::to_string(file.st_size) + " bytes of " + std::to_string(file.st_mtim.tv_sec) + "." +
                std::to_string(file.st_mtim.tv_nsec);
  return identity;
}

} // namespace clika
