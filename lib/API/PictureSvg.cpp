// Draws a graph's structure in layers: each box below all that it reads.
#include "API/Picture.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>

namespace clika {
namespace {

using Kind = GraphPicture::Kind;

constexpr double kBetweenRows = 30, kHeight = 34, kGap = 16, kLetter = 6.6, kMargin = 8, kRegionLabel = 18;
constexpr size_t kMostLetters = 28;

std::string shortened(const std::string &text) {
  return text.size() <= kMostLetters ? text : text.substr(0, kMostLetters - 2) + "..";
}

struct Size {
  double width = 0.0, height = 0.0;
};

/// A box, or the place where a line passes a layer.
struct Cell {
  /// The box; of a passing line, the one it comes from.
  size_t box;
  bool passes;
  double width;
  /// Of a passing line, the layer's.
  double height = kHeight;
  double x = 0.0, y = 0.0;
  std::vector<size_t> above;

  double middle() const { return x + width / 2; }
  double bottom() const { return y + height; }
};

class Layout {
public:
  /// `regions`: the room that the regions of each box take, if it has any.
  Layout(const GraphPicture &picture, const std::vector<Size> &regions) : picture(picture) {
    findLayers();
    makeCells(regions);
    for (int sweep = 0; sweep < 4; ++sweep)
      orderByReads();
    placeCells();
  }

  std::vector<Cell> cells;
  std::vector<std::vector<size_t>> layers;
  double width = 0.0, height = 0.0;

private:
  void findLayers() {
    layerOf.assign(picture.boxes.size(), 0);
    std::vector<size_t> firstReader(picture.boxes.size(), ~size_t{0});
    for (size_t i = 0; i < picture.boxes.size(); ++i)
      for (size_t read : picture.boxes[i].reads)
        layerOf[i] = std::max(layerOf[i], layerOf[read] + 1);
    for (size_t i = 0; i < picture.boxes.size(); ++i)
      for (size_t read : picture.boxes[i].reads)
        firstReader[read] = std::min(firstReader[read], layerOf[i]);
    for (size_t i = 0; i < picture.boxes.size(); ++i)
      if (picture.boxes[i].kind == Kind::Constant && firstReader[i] != ~size_t{0})
        layerOf[i] = firstReader[i] - 1;
  }

  size_t addCell(size_t layer, Cell cell) {
    if (layers.size() <= layer)
      layers.resize(layer + 1);
    layers[layer].push_back(cells.size());
    cells.push_back(std::move(cell));
    return cells.size() - 1;
  }

  void makeCells(const std::vector<Size> &regions) {
    for (size_t i = 0; i < picture.boxes.size(); ++i) {
      const GraphPicture::Box &box = picture.boxes[i];
      size_t letters = std::max(shortened(box.name).size(), shortened(box.code).size());
      double own = std::max(56.0, kLetter * static_cast<double>(letters) + 16);
      addCell(layerOf[i], {i, false, std::max(own, regions[i].width), kHeight + regions[i].height, 0.0, 0.0, {}});
    }
    // A line that spans layers passes each of them; the lines of one box go together.
    std::map<std::pair<size_t, size_t>, size_t> passing;
    for (size_t i = 0; i < picture.boxes.size(); ++i)
      for (size_t read : picture.boxes[i].reads) {
        size_t above = read;
        for (size_t layer = layerOf[read] + 1; layer < layerOf[i]; ++layer) {
          auto [at, added] = passing.try_emplace({read, layer}, cells.size());
          if (added)
            addCell(layer, {read, true, 4.0, kHeight, 0.0, 0.0, {above}});
          above = at->second;
        }
        cells[i].above.push_back(above);
      }
  }

  void orderByReads() {
    std::vector<double> rank(cells.size());
    for (std::vector<size_t> &layer : layers)
      for (size_t i = 0; i < layer.size(); ++i)
        rank[layer[i]] = static_cast<double>(i) / static_cast<double>(layer.size());
    std::vector<double> sum(cells.size()), count(cells.size());
    for (size_t i = 0; i < cells.size(); ++i)
      for (size_t above : cells[i].above) {
        sum[i] += rank[above], count[i] += 1;
        sum[above] += rank[i], count[above] += 1;
      }
    for (size_t i = 0; i < cells.size(); ++i)
      rank[i] = count[i] > 0 ? (rank[i] + sum[i]) / (count[i] + 1) : rank[i];
    for (std::vector<size_t> &layer : layers) {
      std::vector<std::tuple<double, size_t, size_t>> order; // of equal rank, the order they are in
      for (size_t i = 0; i < layer.size(); ++i)
        order.emplace_back(rank[layer[i]], i, layer[i]);
      std::ranges::sort(order);
      for (size_t i = 0; i < layer.size(); ++i)
        layer[i] = std::get<2>(order[i]);
    }
  }

  /// Where the middle of what is above a cell is; constants count only where there is nothing else.
  double middleAbove(const Cell &cell) const {
    for (bool constants : {false, true}) {
      double sum = 0.0, count = 0.0;
      for (size_t above : cell.above)
        if ((picture.boxes[cells[above].box].kind == Kind::Constant) == constants) {
          sum += cells[above].middle();
          count += 1.0;
        }
      if (count > 0.0)
        return sum / count;
    }
    return 0.0;
  }

  /// Each cell under the middle of what is above it, as far as its neighbours leave room.
  void placeCells() {
    double y = kMargin;
    for (std::vector<size_t> &layer : layers) {
      double next = 0.0, highest = kHeight;
      for (size_t cell : layer)
        highest = std::max(highest, cells[cell].height);
      for (size_t cell : layer) {
        cells[cell].x = std::max(next, middleAbove(cells[cell]) - cells[cell].width / 2);
        next = cells[cell].x + cells[cell].width + kGap;
        cells[cell].y = y;
        if (cells[cell].passes)
          cells[cell].height = highest;
      }
      width = std::max(width, next);
      y += highest + kBetweenRows;
    }
    height = y - kMargin;
  }

  const GraphPicture &picture;
  std::vector<size_t> layerOf;
};

/// By node: its operator, of a picture and all regions in it.
using Codes = llvm::DenseMap<uint64_t, const std::string *>;

void addCodes(const GraphPicture &picture, Codes &codes) {
  for (const GraphPicture::Box &box : picture.boxes) {
    if (box.id != 0)
      codes[box.id] = &box.code;
    for (const GraphPicture::Region &region : box.regions)
      addCodes(region.picture, codes);
  }
}

class Drawing {
public:
  /// `codes`: of the other picture.
  Drawing(const GraphPicture &picture, const Codes &codes)
      : picture(picture), codes(codes), regions(picture.boxes.size()), layout(picture, drawRegions()) {}

  double width() const { return layout.width + kMargin * 2; }
  double height() const { return layout.height; }

  std::string text() const {
    std::string lines, boxes;
    for (size_t i = 0; i < layout.cells.size(); ++i) {
      for (size_t above : layout.cells[i].above)
        lines += line(layout.cells[above], layout.cells[i]);
      if (!layout.cells[i].passes)
        boxes += box(layout.cells[i]);
    }
    return lines + boxes;
  }

  static std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f", value);
    return text;
  }

private:
  /// Draws the regions of every box; returns the room that they take.
  std::vector<Size> drawRegions() {
    std::vector<Size> all(picture.boxes.size());
    for (size_t i = 0; i < all.size(); ++i)
      for (const GraphPicture::Region &region : picture.boxes[i].regions) {
        const Drawing &drawing = regions[i].emplace_back(region.picture, codes);
        all[i].width += std::max(drawing.width(), 56.0) + kMargin;
        all[i].height = std::max(all[i].height, drawing.height() + kRegionLabel + kMargin);
      }
    for (Size &size : all)
      size.width += size.width > 0.0 ? kMargin : 0.0;
    return all;
  }

  static std::string line(const Cell &a, const Cell &b) {
    double x0 = a.middle(), y0 = a.bottom(), x1 = b.middle(), y1 = b.y;
    double bend = (y1 - y0) / 2;
    std::string path = "M" + number(x0) + " " + number(y0) + " C" + number(x0) + " " + number(y0 + bend) + " " +
                       number(x1) + " " + number(y1 - bend) + " " + number(x1) + " " + number(y1);
    if (b.passes)
      path += " V" + number(b.bottom());
    return "<path d=\"" + path + "\"/>\n";
  }

  static std::string rect(double x, double y, double width, double height, const char *round) {
    return std::string("<rect x=\"") + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) +
           "\" height=\"" + number(height) + "\" rx=\"" + round + "\"/>";
  }

  std::string box(const Cell &cell) const {
    const GraphPicture::Box &box = picture.boxes[cell.box];
    static constexpr const char *kClasses[] = {"input", "constant", "operator", "output", "capture"};
    auto same = codes.find(box.id);
    bool changed = box.id != 0 && (same == codes.end() || *same->second != box.code);
    std::string out = "<g class=\"" + std::string(kClasses[static_cast<size_t>(box.kind)]) +
                      (changed ? " changed" : "") + "\"><title>" +
                      escapedHtml(box.name + (box.code.empty() ? "" : " = " + box.code) + ": " + box.type) + "</title>";
    out += rect(cell.x, cell.y, cell.width, cell.height, box.kind == Kind::Operator ? "4" : "17");
    double middle = cell.middle();
    if (box.code.empty())
      return out + label(middle, cell.y + 21, "name", box.name) + "</g>\n";
    return out + label(middle, cell.y + 15, "code", box.code) + label(middle, cell.y + 28, "name", box.name) +
           "</g>\n" + regionsOf(cell);
  }

  /// The regions of a box stand side by side under its name.
  std::string regionsOf(const Cell &cell) const {
    std::string out;
    double x = cell.x + kMargin;
    const auto &drawings = regions[cell.box];
    for (size_t i = 0; i < drawings.size(); ++i) {
      double y = cell.y + kHeight, width = std::max(drawings[i].width(), 56.0);
      out += "<g class=\"region\">" + rect(x, y, width, cell.height - kHeight - kMargin, "4") +
             label(x + width / 2, y + 13, "name", picture.boxes[cell.box].regions[i].label) + "</g>\n";
      out += "<g transform=\"translate(" + number(x + kMargin) + " " + number(y + kRegionLabel) + ")\">\n" +
             drawings[i].text() + "</g>\n";
      x += width + kMargin;
    }
    return out;
  }

  static std::string label(double x, double y, const char *kind, const std::string &text) {
    return "<text class=\"" + std::string(kind) + "\" x=\"" + number(x) + "\" y=\"" + number(y) + "\">" +
           escapedHtml(shortened(text)) + "</text>";
  }

  const GraphPicture &picture;
  const Codes &codes;
  /// Of each box.
  std::vector<std::vector<Drawing>> regions;
  Layout layout;
};

} // namespace

std::string escapedHtml(const std::string &text) {
  std::string out;
  for (char c : text) {
    switch (c) {
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '&':
      out += "&amp;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      // Control characters have no place in a page.
      out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return out;
}

std::string svgOf(const GraphPicture &picture, const GraphPicture &other) {
  Codes codes;
  addCodes(other, codes);
  Drawing drawing(picture, codes);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + Drawing::number(drawing.width()) + "\" height=\"" +
         Drawing::number(drawing.height()) + "\" role=\"img\">\n<g transform=\"translate(8 0)\">\n" + drawing.text() +
         "</g>\n</svg>\n";
}

} // namespace clika
