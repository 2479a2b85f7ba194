// What a ModelGraph is: made, moved, cloned.
#include "API/Core.h"
#include "API/Fail.h"
#include "API/ModuleRecord.h"

#include <ClikaRT/transform.h>

using namespace clika;

namespace ClikaRT::graph {
namespace {

/// The core of a graph about to be moved from or assigned to; refuses while optimize() runs on it.
std::shared_ptr<GraphCore> movable(const std::shared_ptr<GraphCore> &core, const char *call) {
  if (core) {
    std::lock_guard lock(core->mutex);
    if (core->run)
      precondition(call, "the transform " + quote(core->run->entry) +
                             " is running on this graph inside optimize(); move it after optimize() returns");
  }
  return core;
}

} // namespace

ModelGraph::ModelGraph(std::string name) : core_(std::make_shared<GraphCore>(GraphContext::create(), name)) {}

ModelGraph::ModelGraph(std::shared_ptr<GraphCore> core) noexcept : core_(std::move(core)) {}

ModelGraph::ModelGraph(ModelGraph &&other) noexcept(false) : core_(movable(other.core_, "move")) {
  other.core_ = nullptr;
}

ModelGraph &ModelGraph::operator=(ModelGraph &&other) noexcept(false) {
  if (this == &other)
    return *this;
  movable(core_, "assign");
  core_ = movable(other.core_, "move");
  other.core_ = nullptr;
  return *this;
}

ModelGraph::~ModelGraph() {
  if (!core_)
    return;
  std::lock_guard lock(core_->mutex);
  if (core_->run)
    core_->run->orphaned = true;
}

ModelGraph ModelGraph::clone() const {
  Query query(core_, "clone");
  auto copy = std::make_shared<GraphCore>(query->context, query->name());
  copy->index.inherit(query->index);
  copy->inheritDimensions(*query);
  copy->registered = query->registered;
  copy->exchange(ModuleRecord(query->module(), &query->index).build(), query->index.inputIds(),
                 query->index.functionIds());
  return ModelGraph(std::move(copy));
}

std::string ModelGraph::name() const { return Query(core_, "name")->name(); }

bool ModelGraph::is_finalized() const { return Query(core_, "is_finalized")->compiled != nullptr; }

} // namespace ClikaRT::graph
