#include "Dialect/Window.h"

#include "Runtime/Counted.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace clika {

PadMode padModeOf(StringRef enumerator) {
  return llvm::StringSwitch<PadMode>(enumerator)
      .Case("SameUpper", PadMode::SameUpper)
      .Case("SameLower", PadMode::SameLower)
      .Case("Valid", PadMode::Valid)
      .Default(PadMode::Explicit);
}

static LogicalResult readPositive(std::optional<Location> location, StringRef op, StringRef setting, unsigned rank,
                                  ArrayRef<int64_t> values, SmallVectorImpl<int64_t> &result) {
  if (values.size() != rank)
    return emitOptionalError(location, op, ": ", setting, " has ", counted(values.size(), "entry", "entries"),
                             ", x has ", counted(rank, "spatial dimension"));
  for (int64_t value : values)
    if (value < 1)
      return emitOptionalError(location, op, ": ", setting, " holds ", value, "; each must be at least 1");
  result.assign(values.begin(), values.end());
  return success();
}

FailureOr<Window> readWindow(std::optional<Location> location, StringRef op, unsigned rank, ArrayRef<int64_t> strides,
                             ArrayRef<int64_t> defaultStrides, ArrayRef<int64_t> pads, ArrayRef<int64_t> dilations,
                             StringRef autoPad, bool ceil) {
  Window window;
  window.mode = padModeOf(autoPad);
  window.ceil = ceil;
  SmallVector<int64_t> ones(rank, 1);
  if (failed(readPositive(location, op, "strides", rank, strides.empty() ? defaultStrides : strides, window.strides)) ||
      failed(readPositive(location, op, "dilations", rank, dilations.empty() ? ArrayRef<int64_t>(ones) : dilations,
                          window.dilations)))
    return failure();
  if (!pads.empty() && pads.size() != rank && pads.size() != 2 * rank)
    return emitOptionalError(location, op, ": pads has ", counted(pads.size(), "entry", "entries"), "; x has ",
                             counted(rank, "spatial dimension"), ", so it takes ", rank, " or ", 2 * rank);
  for (int64_t pad : pads)
    if (pad < 0)
      return emitOptionalError(location, op, ": pads holds ", pad, "; each must be at least 0");
  bool padded = llvm::any_of(pads, [](int64_t pad) { return pad != 0; });
  if (padded && window.mode != PadMode::Explicit)
    return emitOptionalError(location, op, ": takes pads or auto_pad ", autoPad, ", not both");
  window.padBegin.assign(rank, 0);
  window.padEnd.assign(rank, 0);
  for (unsigned i = 0; padded && i < rank; ++i) {
    window.padBegin[i] = pads[i];
    window.padEnd[i] = pads[pads.size() == rank ? i : rank + i];
  }
  return window;
}

Dim windowReach(Dim kernel, int64_t dilation) { return addDims(mulDims(addDims(kernel, -1), dilation), 1); }

FailureOr<Dim> windowCount(std::optional<Location> location, StringRef op, Dim size, Dim kernel, const Window &window,
                           unsigned i) {
  int64_t stride = window.strides[i];
  if (window.mode == PadMode::SameUpper || window.mode == PadMode::SameLower)
    return ceilDivDims(size, stride);
  Dim reach = windowReach(kernel, window.dilations[i]);
  Dim started = addDims(size, window.padBegin[i]);
  Dim padded = addDims(started, window.padEnd[i]);
  Dim room = padded && reach ? padded - reach : Dim();
  if (std::optional<int64_t> left = constantOf(room); left && *left < 0)
    return emitOptionalError(location, op, ": the window reaches over ", describe(reach),
                             " elements of spatial dimension ", i, ", x with its padding has ", describe(padded));
  if (!window.ceil)
    return addDims(floorDivDims(room, stride), 1);
  // Windows that start before the padding at the end, if that is fewer.
  std::optional<int64_t> length = constantOf(reach);
  if (!length)
    return Dim();
  if (window.padEnd[i] - *length + stride > 0)
    return ceilDivDims(started, stride);
  return addDims(ceilDivDims(room, stride), 1);
}

} // namespace clika
