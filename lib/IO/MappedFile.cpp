#include "IO/MappedFile.h"
#include "ClikaRT/error.h"
#include "Runtime/FilePages.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace clika {
namespace {

[[noreturn]] void failIo(const std::string &call, const std::string &path, const std::string &what) {
  throw ClikaRT::Error(ClikaRT::Status::Io, call + ": cannot read '" + path + "': " + what);
}

void checkRegular(const struct stat &info, const std::string &call, const std::string &path) {
  if (!S_ISREG(info.st_mode))
    failIo(call, path, S_ISDIR(info.st_mode) ? "it is a directory" : "it is not a regular file");
}

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0)
      close(fd);
  }
};

} // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string &path, const std::string &call) {
  if (path.find('\0') != std::string::npos)
    failIo(call, path.c_str(), "the path holds a zero byte");
  struct stat info;
  // Asked before it is opened: opening a device may have effects, and a FIFO waits for a writer.
  if (stat(path.c_str(), &info) != 0)
    failIo(call, path, std::strerror(errno));
  checkRegular(info, call, path);
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0 || fstat(file.fd, &info) != 0)
    failIo(call, path, std::strerror(errno));
  checkRegular(info, call, path);
  size_t size = static_cast<size_t>(info.st_size);
  const char *start = nullptr;
  if (size > 0) {
    void *mapping = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
    if (mapping == MAP_FAILED)
      failIo(call, path, std::strerror(errno));
    start = static_cast<const char *>(mapping);
    noteFileMapping(start, size);
  }
  return std::shared_ptr<const MappedFile>(new MappedFile(path, start, size));
}

MappedFile::~MappedFile() {
  if (!start)
    return;
  forgetFileMapping(start);
  munmap(const_cast<char *>(start), size);
}

} // namespace clika
