// A graph's structure as optimize()'s report keeps it, to be drawn.
#ifndef CLIKA_API_PICTURE_H
#define CLIKA_API_PICTURE_H

#include "API/Core.h"

#include <memory>
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
    uint64_t id;
    std::string name, code;
    /// As in "float32[2, 3]"; for a tooltip.
    std::string type;
    /// The boxes it reads, ahead of it; those left out of the picture are missing.
    std::vector<size_t> reads;
    std::vector<Region> regions;
  };
  std::vector<Box> boxes;
  /// Boxes that were left out, of the regions too.
  size_t omitted = 0;
  /// Boxes that are there, of the regions too.
  size_t drawn = 0;
};

struct GraphPicture::Region {
  /// As in "then".
  std::string label;
  GraphPicture picture;
};

/// The first boxes of the graph, a few hundred at most; the lock must be held.
std::shared_ptr<const GraphPicture> pictureOf(GraphCore &core);

/// The picture as one <svg> element. Boxes whose node is not in `other`, or another operator there, have the class
/// "changed".
std::string svgOf(const GraphPicture &picture, const GraphPicture &other);
/// Text inside of HTML.
std::string escapedHtml(const std::string &text);

} // namespace clika

#endif
