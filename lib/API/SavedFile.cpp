// Layout: a header of 64 bytes (magic, version, size of the file, place, size and checksum of the table), the sections
// at multiples of 64, and the table: a line per section, "checksum offset size name".
#include "API/SavedFile.h"

#include "API/Fail.h"
#include "IO/FileWriter.h"
#include "Runtime/FilePages.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/xxhash.h"

#include <cstring>

namespace clika {
namespace {

constexpr char kMagic[8] = {'C', 'l', 'i', 'k', 'a', 'R', 'T', '\n'};
constexpr uint32_t kVersion = 1;
constexpr size_t kAlignment = 64;

struct Header {
  char magic[8];
  uint32_t version = kVersion;
  uint32_t unused = 0;
  uint64_t fileSize = 0, tableOffset = 0, tableSize = 0, tableChecksum = 0;
  uint64_t reserved = 0;
  /// Of the header itself, up to here.
  uint64_t headerChecksum = 0;
};
static_assert(sizeof(Header) == 64);

uint64_t checksum(std::string_view bytes) {
  return llvm::xxh3_64bits(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
}

uint64_t checksumOf(const Header &header) {
  return checksum({reinterpret_cast<const char *>(&header), offsetof(Header, headerChecksum)});
}

[[noreturn]] void damaged(const std::string &path, const std::string &what) {
  fail(Status::Io, "load", "the file " + quote(path) + " " + what);
}

} // namespace

void writeSections(const std::string &path, const std::vector<Section> &sections) {
  FileWriter writer(path, "save");
  auto align = [&] { writer.write(std::string((kAlignment - writer.position() % kAlignment) % kAlignment, '\0')); };
  Header header;
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  writer.write(std::string(sizeof header, '\0'));
  std::string table;
  for (const Section &section : sections) {
    align();
    table += llvm::utohexstr(checksum(section.bytes)) + " " + std::to_string(writer.position()) + " " +
             std::to_string(section.bytes.size()) + " " + section.name + "\n";
    writer.write(section.bytes);
  }
  align();
  header.tableOffset = writer.position();
  header.tableSize = table.size();
  header.tableChecksum = checksum(table);
  writer.write(table);
  header.fileSize = writer.position();
  header.headerChecksum = checksumOf(header);
  writer.writeHeader({reinterpret_cast<const char *>(&header), sizeof header});
  writer.finish();
}

namespace {

/// The table of a file whose header, size and table are as they were written.
std::string_view tableOf(const MappedFile &file) {
  const std::string &path = file.path();
  std::string_view bytes = file.bytes();
  Header header;
  if (bytes.size() < sizeof header || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0)
    damaged(path, "is no graph that save() wrote");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.headerChecksum != checksumOf(header))
    damaged(path, "is damaged in its header; save the graph again");
  if (header.version != kVersion)
    damaged(path, "has version " + std::to_string(header.version) + " of the format, and this release reads version " +
                      std::to_string(kVersion));
  if (header.fileSize != bytes.size())
    damaged(path, "has " + std::to_string(bytes.size()) + " bytes and was written with " +
                      std::to_string(header.fileSize) + "; it is cut short or grown, save the graph again");
  if (header.tableOffset > bytes.size() || header.tableSize > bytes.size() - header.tableOffset)
    damaged(path, "is damaged: its table lies outside the file");
  std::string_view table = bytes.substr(header.tableOffset, header.tableSize);
  if (checksum(table) != header.tableChecksum)
    damaged(path, "is damaged in its table; save the graph again");
  return table;
}

} // namespace

SavedFile readSections(const std::string &path) {
  SavedFile saved{MappedFile::open(path, "load"), {}};
  std::string_view bytes = saved.file->bytes(), table = tableOf(*saved.file);
  llvm::StringRef rest(table.data(), table.size());
  while (!rest.empty()) {
    llvm::StringRef line, sum, offsetText, sizeText;
    std::tie(line, rest) = rest.split('\n');
    std::tie(sum, line) = line.split(' ');
    std::tie(offsetText, line) = line.split(' ');
    std::tie(sizeText, line) = line.split(' ');
    uint64_t offset, size, expected;
    if (sum.getAsInteger(16, expected) || offsetText.getAsInteger(10, offset) || sizeText.getAsInteger(10, size) ||
        offset > bytes.size() || size > bytes.size() - offset)
      damaged(path, "is damaged: a section lies outside the file");
    std::string_view section = bytes.substr(offset, size);
    if (checksum(section) != expected)
      damaged(path, "is damaged in the section " + quote(line) + "; save the graph again");
    // What weights were packed from is not read, and of a table few rows are.
    releaseFilePages(section.data(), section.size());
    saved.sections.try_emplace(line.str(), section);
  }
  return saved;
}

std::string_view SavedFile::section(std::string_view name) const {
  if (auto found = sections.find(name); found != sections.end())
    return found->second;
  damaged(file->path(), "lacks the section " + quote(name));
}

} // namespace clika
