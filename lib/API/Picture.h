// Pictures of a graph, taken and drawn.
#ifndef CLIKA_API_PICTURE_H
#define CLIKA_API_PICTURE_H

#include "API/Core.h"
#include "API/GraphPicture.h"

#include <memory>
#include <string>

namespace clika {

/// The first boxes of the graph, a few hundred at most; the lock must be held.
std::shared_ptr<const GraphPicture> pictureOf(GraphCore &core);

/// The picture as one <svg> element. Boxes whose node is not in `other`, or another operator there, have the class
/// "changed".
std::string svgOf(const GraphPicture &picture, const GraphPicture &other);
/// Text inside of HTML.
std::string escapedHtml(const std::string &text);

} // namespace clika

#endif
