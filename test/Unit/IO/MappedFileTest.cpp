// Mapped files, and the memory that they take.
#include "IO/MappedFile.h"
#include "Runtime/FilePages.h"

#include <gtest/gtest.h>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <unistd.h>
#include <vector>

using namespace clika;

namespace {

constexpr size_t kMegabyte = size_t{1} << 20, kSize = 32 * kMegabyte;

class MappedFileTest : public testing::Test {
protected:
  MappedFileTest() {
    std::vector<unsigned> words(kSize / sizeof(unsigned));
    std::iota(words.begin(), words.end(), 0U);
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char *>(words.data()), kSize);
  }
  ~MappedFileTest() override { std::filesystem::remove(path); }

  /// Of all words in `bytes`, which reads each page.
  static unsigned sum(std::string_view bytes) {
    const auto *words = reinterpret_cast<const unsigned *>(bytes.data());
    return std::accumulate(words, words + bytes.size() / sizeof(unsigned), 0U);
  }
  static size_t residentBytes() {
    std::ifstream file("/proc/self/statm");
    size_t all = 0, resident = 0;
    file >> all >> resident;
    return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  }

  const std::string path = testing::TempDir() + "mapped_" + std::to_string(getpid());
};

TEST_F(MappedFileTest, pagesComeBackWhenTheyAreRead) {
  auto file = MappedFile::open(path, "test");
  unsigned expected = sum(file->bytes());
  size_t before = residentBytes();
  releaseFilePages(file->bytes().data() + 100, kSize - 200);
  EXPECT_LT(residentBytes() + kSize / 2, before);
  EXPECT_EQ(sum(file->bytes()), expected);
  EXPECT_GT(residentBytes() + kSize / 2, before);
}

TEST_F(MappedFileTest, otherMemoryIsLeftAlone) {
  std::vector<char> bytes(kMegabyte, 'x');
  releaseFilePages(bytes.data(), bytes.size());
  EXPECT_EQ(bytes, std::vector<char>(kMegabyte, 'x'));
  const char *past = nullptr;
  {
    auto file = MappedFile::open(path, "test");
    past = file->bytes().data();
    // A range that ends beyond the file is none of it.
    releaseFilePages(past + kSize - kMegabyte, 2 * kMegabyte);
  }
  // The file has gone, and so has what was known of its memory, which may be somebody's by now.
  releaseFilePages(past, kSize);
}

} // namespace
