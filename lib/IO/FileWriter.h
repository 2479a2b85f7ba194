// A file that appears whole under its name, or not at all.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace clika {

/// Writes beside `path` and takes its place in finish(); what does not finish leaves nothing behind. A symbolic link is
/// followed, a file that stands at `path` hands on its permissions, and anything but a regular file is refused.
/// Every failure is a ClikaRT::Error (Io) that begins with `call` and names the file.
class FileWriter {
public:
  FileWriter(const std::string &path, const std::string &call);
  ~FileWriter();
  FileWriter(const FileWriter &) = delete;
  FileWriter &operator=(const FileWriter &) = delete;

  void write(std::string_view bytes);
  /// Writes over the file's beginning.
  void writeHeader(std::string_view bytes);
  void finish();
  /// Bytes written so far, headers aside.
  uint64_t position() const { return written; }

private:
  [[noreturn]] void refuse(const std::string &reason);
  void openBeside(const std::string &target);

  const std::string path, call;
  /// What `path` leads to, and the name that the file has until it is whole.
  std::string target, passing;
  int fd = -1;
  uint64_t written = 0;
};

} // namespace clika
