// What every way to make a transform checks.
#ifndef CLIKA_API_TRANSFORMNAMES_H
#define CLIKA_API_TRANSFORMNAMES_H

#include <ClikaRT/transform.h>

#include <string>
#include <string_view>
#include <vector>

namespace clika {

/// Refuses an empty name, and one of the runtime's transforms.
void checkTransformName(const std::string &name, std::string_view call);
/// Refuses empty handles.
void checkRunsAfter(const std::string &name, const std::vector<ClikaRT::graph::Transform> &runsAfter,
                    std::string_view call);

} // namespace clika

#endif
