// The file that save writes: sections with checksums.
#ifndef CLIKA_API_SAVEDFILE_H
#define CLIKA_API_SAVEDFILE_H

#include "IO/MappedFile.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace clika {

/// A named piece of the file; its bytes start at a multiple of 64.
struct Section {
  std::string name;
  std::string_view bytes;
};

/// Writes the sections to `path`, whole or not at all. Throws ClikaRT::Error (Io) that begins with "save: ".
void writeSections(const std::string &path, const std::vector<Section> &sections);

struct SavedFile {
  /// What the sections lie in.
  std::shared_ptr<const MappedFile> file;
  /// By name.
  std::map<std::string, std::string_view, std::less<>> sections;
  /// The section of that name; an Error where there is none.
  std::string_view section(std::string_view name) const;
};

/// Maps the file and checks every checksum before it looks at anything they cover. Large sections are in memory only
/// as far as they are read after that. Throws ClikaRT::Error (Io) that begins with "load: ".
SavedFile readSections(const std::string &path);

} // namespace clika

#endif
