// The compiled code of a graph in the file that save writes.
#ifndef CLIKA_API_SAVEDCOMPILATION_H
#define CLIKA_API_SAVEDCOMPILATION_H

#include "API/CompiledGraph.h"
#include "API/SavedFile.h"

#include <deque>
#include <map>

namespace clika {

/// Weights of the graph by where their bytes begin: the names of their sections.
using WeightSections = std::map<const void *, Section>;

/// Appends what `compiled` consists of to `sections`; a constant that is one of `weights` is not written again. `texts`
/// keeps what the sections show.
void addCompilation(const CompiledGraph &compiled, const WeightSections &weights, std::vector<Section> &sections,
                    std::deque<std::string> &texts);

/// The compilation that the file has for the graph; where its code does not suit this machine or release, a new one
/// with the same options. Null where the graph was saved before it was compiled.
std::shared_ptr<CompiledGraph> readCompilation(GraphCore &core, const SavedFile &saved);

} // namespace clika

#endif
