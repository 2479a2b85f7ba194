#include "IO/FileWriter.h"

#include "ClikaRT/error.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace clika {
namespace {

constexpr int maxLinks = 40;

/// Where a chain of symbolic links ends, whether or not something is there; nothing where it goes in circles.
std::optional<std::string> followLinks(const std::string &path) {
  std::filesystem::path at = path;
  std::error_code error;
  for (int i = 0; i < maxLinks; ++i) {
    if (!std::filesystem::is_symlink(at, error))
      return at.string();
    std::filesystem::path next = std::filesystem::read_symlink(at, error);
    if (error)
      return std::nullopt;
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  return std::nullopt;
}

std::string lastError() { return std::strerror(errno); }

} // namespace

FileWriter::FileWriter(const std::string &path, const std::string &call) : path(path), call(call) {
  if (path.find('\0') != std::string::npos)
    refuse("the path holds a zero byte");
  std::optional<std::string> end = followLinks(path);
  if (!end)
    refuse("its symbolic links lead nowhere");
  target = *end;
  struct stat standing;
  bool exists = stat(target.c_str(), &standing) == 0;
  if (exists && !S_ISREG(standing.st_mode))
    refuse(S_ISDIR(standing.st_mode) ? "it is a directory" : "it is not a regular file");
  if (exists && access(target.c_str(), W_OK) != 0)
    refuse(lastError());
  openBeside(target);
  // The owner is kept where this process may give files away; the permissions come after, for a change of the owner
  // takes some.
  if (exists && fchown(fd, standing.st_uid, standing.st_gid) != 0)
    errno = 0;
  if (exists && fchmod(fd, standing.st_mode & 07777) != 0)
    refuse(lastError());
}

/// The umask gives a new file its permissions; one that takes another's place is its owner's alone until it has them.
void FileWriter::openBeside(const std::string &target) {
  static std::atomic<unsigned> counter{0};
  mode_t mode = access(target.c_str(), F_OK) == 0 ? 0600 : 0666;
  while (fd < 0) {
    passing = target + ".part" + std::to_string(getpid()) + "." + std::to_string(counter++);
    fd = open(passing.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0 && errno != EEXIST)
      refuse(lastError());
  }
}

FileWriter::~FileWriter() {
  if (fd < 0)
    return;
  close(fd);
  std::remove(passing.c_str());
}

void FileWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      refuse(lastError());
    bytes.remove_prefix(static_cast<size_t>(count));
    written += static_cast<uint64_t>(count);
  }
}

void FileWriter::writeHeader(std::string_view bytes) {
  if (lseek(fd, 0, SEEK_SET) != 0)
    refuse(lastError());
  write(bytes);
  written -= bytes.size();
}

void FileWriter::finish() {
  int done = fd;
  fd = -1;
  if (close(done) == 0 && std::rename(passing.c_str(), target.c_str()) == 0)
    return;
  std::string reason = lastError();
  std::remove(passing.c_str());
  refuse(reason);
}

void FileWriter::refuse(const std::string &reason) {
  // The destructor does not run for an object that is not complete.
  if (fd >= 0) {
    close(fd);
    fd = -1;
    std::remove(passing.c_str());
  }
  throw ClikaRT::Error(ClikaRT::Status::Io,
                       call + ": the file '" + std::string(path.c_str()) + "' cannot be written: " + reason);
}

} // namespace clika
