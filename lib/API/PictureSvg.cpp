// Draws a graph's structure in layers: each box below all that it reads.
#include "API/Picture.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace clika {
namespace {

using Kind = GraphPicture::Kind;

constexpr double kRow = 64, kHeight = 34, kGap = 16, kLetter = 6.6;
constexpr size_t kMostLetters = 28;

std::string shortened(const std::string &text) {
  return text.size() <= kMostLetters ? text : text.substr(0, kMostLetters - 2) + "..";
}

/// A box, or the place where a line passes a layer.
struct Cell {
  /// The box; of a passing line, the one it comes from.
  size_t box;
  bool passes;
  double width;
  double x = 0.0;
  std::vector<size_t> above;
};

class Layout {
public:
  explicit Layout(const GraphPicture &picture) : picture(picture) {
    findLayers();
    makeCells();
    for (int sweep = 0; sweep < 4; ++sweep)
      orderByReads();
    placeCells();
  }

  std::vector<Cell> cells;
  std::vector<std::vector<size_t>> layers;
  double width = 0.0;

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

  void makeCells() {
    for (size_t i = 0; i < picture.boxes.size(); ++i) {
      const GraphPicture::Box &box = picture.boxes[i];
      size_t letters = std::max(shortened(box.name).size(), shortened(box.code).size());
      addCell(layerOf[i], {i, false, std::max(56.0, kLetter * static_cast<double>(letters) + 16), 0.0, {}});
    }
    // A line that spans layers passes each of them; the lines of one box go together.
    std::map<std::pair<size_t, size_t>, size_t> passing;
    for (size_t i = 0; i < picture.boxes.size(); ++i)
      for (size_t read : picture.boxes[i].reads) {
        size_t above = read;
        for (size_t layer = layerOf[read] + 1; layer < layerOf[i]; ++layer) {
          auto [at, added] = passing.try_emplace({read, layer}, cells.size());
          if (added)
            addCell(layer, {read, true, 4.0, 0.0, {above}});
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
    for (std::vector<size_t> &layer : layers)
      std::ranges::stable_sort(layer, [&](size_t a, size_t b) { return rank[a] < rank[b]; });
  }

  /// Where the middle of what is above a cell is; constants count only where there is nothing else.
  double middleAbove(const Cell &cell) const {
    for (bool constants : {false, true}) {
      double sum = 0.0, count = 0.0;
      for (size_t above : cell.above)
        if ((picture.boxes[cells[above].box].kind == Kind::Constant) == constants) {
          sum += cells[above].x + cells[above].width / 2;
          count += 1.0;
        }
      if (count > 0.0)
        return sum / count;
    }
    return 0.0;
  }

  /// Each cell under the middle of what is above it, as far as its neighbours leave room.
  void placeCells() {
    for (std::vector<size_t> &layer : layers) {
      double next = 0.0;
      for (size_t cell : layer) {
        cells[cell].x = std::max(next, middleAbove(cells[cell]) - cells[cell].width / 2);
        next = cells[cell].x + cells[cell].width + kGap;
      }
      width = std::max(width, next);
    }
  }

  const GraphPicture &picture;
  std::vector<size_t> layerOf;
};

class Drawing {
public:
  Drawing(const GraphPicture &picture, const GraphPicture &other) : picture(picture), layout(picture) {
    for (const GraphPicture::Box &box : other.boxes)
      codes[box.id] = &box.code;
  }

  std::string text() {
    rows.assign(layout.cells.size(), 0.0);
    for (size_t layer = 0; layer < layout.layers.size(); ++layer)
      for (size_t cell : layout.layers[layer])
        rows[cell] = static_cast<double>(layer) * kRow + 8;
    std::string lines, boxes;
    for (size_t i = 0; i < layout.cells.size(); ++i) {
      for (size_t above : layout.cells[i].above)
        lines += line(above, i);
      if (!layout.cells[i].passes)
        boxes += box(i);
    }
    double height = static_cast<double>(layout.layers.size()) * kRow;
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(layout.width + 16) + "\" height=\"" +
           number(height) + "\" role=\"img\">\n<g transform=\"translate(8 0)\">\n" + lines + boxes + "</g>\n</svg>\n";
  }

private:
  static std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f", value);
    return text;
  }

  std::string line(size_t from, size_t to) const {
    const Cell &a = layout.cells[from], &b = layout.cells[to];
    double x0 = a.x + a.width / 2, y0 = rows[from] + kHeight, x1 = b.x + b.width / 2, y1 = rows[to];
    double bend = (y1 - y0) / 2;
    std::string path = "M" + number(x0) + " " + number(y0) + " C" + number(x0) + " " + number(y0 + bend) + " " +
                       number(x1) + " " + number(y1 - bend) + " " + number(x1) + " " + number(y1);
    if (b.passes)
      path += " V" + number(y1 + kHeight);
    return "<path d=\"" + path + "\"/>\n";
  }

  std::string box(size_t cell) const {
    const GraphPicture::Box &box = picture.boxes[layout.cells[cell].box];
    static constexpr const char *kClasses[] = {"input", "constant", "operator", "output"};
    auto same = codes.find(box.id);
    bool changed = box.kind != Kind::Output && (same == codes.end() || *same->second != box.code);
    double x = layout.cells[cell].x, y = rows[cell], width = layout.cells[cell].width;
    std::string out = "<g class=\"" + std::string(kClasses[static_cast<size_t>(box.kind)]) +
                      (changed ? " changed" : "") + "\"><title>" +
                      escapedHtml(box.name + (box.code.empty() ? "" : " = " + box.code) + ": " + box.type) + "</title>";
    out += "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) + "\" height=\"" +
           number(kHeight) + "\" rx=\"" + (box.kind == Kind::Operator ? "4" : "17") + "\"/>";
    double middle = x + width / 2;
    if (box.code.empty())
      return out + label(middle, y + 21, "name", box.name) + "</g>\n";
    return out + label(middle, y + 15, "code", box.code) + label(middle, y + 28, "name", box.name) + "</g>\n";
  }

  static std::string label(double x, double y, const char *kind, const std::string &text) {
    return "<text class=\"" + std::string(kind) + "\" x=\"" + number(x) + "\" y=\"" + number(y) + "\">" +
           escapedHtml(shortened(text)) + "</text>";
  }

  const GraphPicture &picture;
  Layout layout;
  /// Of the other picture, by node.
  llvm::DenseMap<uint64_t, const std::string *> codes;
  std::vector<double> rows;
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

std::string svgOf(const GraphPicture &picture, const GraphPicture &other) { return Drawing(picture, other).text(); }

} // namespace clika
