// The file that save writes: sections with checksums.
#ifndef CLIKA_API_SAVEDFILE_H
#define CLIKA_API_SAVEDFILE_H

#include "IO/MappedFile.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
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

/// The names of the large sections that are read soon, as the small ones tell, which are all there is of the file yet.
using ReadSoon = std::function<std::set<std::string, std::less<>>(const SavedFile &small)>;

/// Maps the file and checks every checksum before it looks at anything they cover. Of large sections that are not read
/// soon, none is kept in memory. Throws ClikaRT::Error (Io) that begins with "load: ".
SavedFile readSections(const std::string &path, const ReadSoon &readSoon);

} // namespace clika

#endif
