// A graph's structure as optimize()'s report keeps it, to be drawn.
#ifndef CLIKA_API_GRAPHPICTURE_H
#define CLIKA_API_GRAPHPICTURE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace clika {

struct GraphPicture {
  /// Inside of a region an Input is what the region is given, and a Capture what it reads from around it.
  enum class Kind { Input, Constant, Operator, Output, Capture };
  struct Region;
  struct Box {
    Kind kind;
    /// The node's id in its graph, by which the same node is found in another picture; 0 where it is no node.
    std::uint64_t id;
    std::string name, code;
    /// As in "float32[2, 3]"; for a tooltip.
    std::string type;
    /// The boxes it reads, ahead of it; those left out of the picture are missing.
    std::vector<std::size_t> reads;
    std::vector<Region> regions;
  };
  std::vector<Box> boxes;
  /// Boxes that were left out, of the regions too.
  std::size_t omitted = 0;
  /// Boxes that are there, of the regions too.
  std::size_t drawn = 0;
};

struct GraphPicture::Region {
  /// As in "then".
  std::string label;
  GraphPicture picture;
};

} // namespace clika

#endif
