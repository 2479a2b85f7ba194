// Who may ask and edit a graph, and when.
#include "API/Core.h"

#include "API/Fail.h"

namespace clika {

Query::Query(const std::shared_ptr<GraphCore> &shared, std::string_view call) : call(call), core(shared.get()) {
  if (!core)
    precondition(call, "the graph has been moved from, or the handle is empty; use the graph it was moved to");
  lock = std::unique_lock(core->mutex);
}

namespace {

void checkEditable(const GraphCore &core, std::string_view call) {
  refuseFinalized(core, call);
  std::thread::id self = std::this_thread::get_id();
  if (core.run && core.run->thread != self)
    precondition(call, "optimize() is running on this graph in another thread; edit it after optimize() returns");
  bool isAddition = call == "add_constant" || call == "add_function";
  if (core.noEdit && core.noEdit->thread == self && !(core.noEdit->additions && isAddition))
    precondition(call, std::string(core.noEdit->who) +
                           " is running, which may not edit the graph; edit it after that returns");
}

} // namespace

Edit::Edit(const std::shared_ptr<GraphCore> &core, std::string_view call) : Query(core, call) {
  pin.emplace(core->mlir());
  checkEditable(*core, call);
}

void Edit::relock() {
  Query::relock();
  checkEditable(*core, call);
}

ForbidEdits::ForbidEdits(GraphCore &core, std::string_view who, bool additions, mlir::Operation *home)
    : core(core), state{std::this_thread::get_id(), who, additions, home} {
  std::lock_guard lock(core.mutex);
  outer = core.noEdit;
  core.noEdit = &state;
}

ForbidEdits::~ForbidEdits() {
  std::lock_guard lock(core.mutex);
  core.noEdit = outer;
}

void refuseInsideOptimize(const GraphCore &core, std::string_view call) {
  if (!core.run)
    return;
  if (core.run->thread != std::this_thread::get_id())
    precondition(call, "optimize() is running on this graph in another thread; call " + std::string(call) +
                           "() after it returns");
  precondition(call, "the transform " + quote(core.run->entry) + " is running on this graph inside optimize(); call " +
                         std::string(call) + "() after optimize() returns");
}

void refuseFinalized(const GraphCore &core, std::string_view call) {
  if (core.compiled && call == "finalize")
    precondition(call, "the graph has been finalized already; call run(), or finalize() on a clone()");
  if (core.compiled)
    precondition(call, "the graph has been finalized, and runs as it is; call " + std::string(call) +
                           "() before finalize(), or on a clone()");
}

} // namespace clika
