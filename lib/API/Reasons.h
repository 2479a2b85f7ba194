// Why an entry of optimize() left nodes as they are, counted.
#ifndef CLIKA_API_REASONS_H
#define CLIKA_API_REASONS_H

#include <ClikaRT/transform.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace clika {

class ReasonTally {
public:
  /// `file` and `line`: of the code that says so; empty and 0 where that is not known.
  void add(const std::string &reason, const std::string &node, const std::string &file = "", int line = 0);
  /// The most frequent first; of equals the one that was said first.
  std::vector<ClikaRT::graph::RefusalReport> list() const;

private:
  std::vector<ClikaRT::graph::RefusalReport> reports;
  std::map<std::tuple<std::string, std::string, int>, size_t> places;
};

} // namespace clika

#endif
