// How much a group of linalg ops on buffers computes, reads and writes.
#pragma once
#include "Pipelines/Nest.h"
#include "Pipelines/OpGroups.h"

namespace clika {

struct WorkCount {
  /// Operations on elements: a multiply-add is two, and each other one of the bodies is one; conversions, selections
  /// and what is done with indices are none.
  mlir::OpFoldResult flops;
  /// The distinct bytes that are read, and the distinct bytes that are written. Of what is read at computed places, as
  /// many elements as reads, at most all.
  mlir::OpFoldResult bytes;
};

/// The count of ops that are one kernel. Emits at `builder` what follows from sizes that only a run knows.
WorkCount countWork(mlir::OpBuilder &builder, const OpGroup &group);

} // namespace clika
