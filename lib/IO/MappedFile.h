// A file mapped read-only into memory, shared by whatever still points into it.
#pragma once
#include <memory>
#include <string>
#include <string_view>

namespace clika {

class MappedFile {
public:
  /// Maps `path`. Throws ClikaRT::Error (Io) that begins with `call` and names the file.
  static std::shared_ptr<const MappedFile> open(const std::string &path, const std::string &call);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  std::string_view bytes() const { return {start, size}; }
  const std::string &path() const { return name; }

private:
  MappedFile(std::string name, const char *start, size_t size) : name(std::move(name)), start(start), size(size) {}
  std::string name;
  const char *start;
  size_t size;
};

} // namespace clika
