#include "Conversion/ClikaToLinalg/WindowPlan.h"

using namespace mlir;

namespace clika {

WindowPlan planWindows(TensorBuilder &t, ArrayRef<Size> sizes, ArrayRef<Size> kernel, const Window &window) {
  WindowPlan plan;
  bool same = window.mode == PadMode::SameUpper || window.mode == PadMode::SameLower;
  for (unsigned i = 0; i < window.rank(); ++i) {
    int64_t stride = window.strides[i];
    Size reach = t.add(t.mul(t.sub(kernel[i], t.size(1)), t.size(window.dilations[i])), t.size(1));
    Size started = t.add(sizes[i], t.size(window.padBegin[i]));
    Size count, low = t.size(window.padBegin[i]);
    if (same) {
      count = t.ceilDiv(sizes[i], stride);
    } else {
      Size room = t.sub(t.add(started, t.size(window.padEnd[i])), reach);
      t.require(arith::CmpIPredicate::sge, room, t.size(0),
                "the window reaches over more than the elements of spatial dimension " + Twine(i));
      count = t.add(window.ceil ? t.ceilDiv(room, stride) : t.floorDiv(room, stride), t.size(1));
      if (window.ceil)
        count = t.min(count, t.ceilDiv(started, stride));
    }
    // What the last window needs beyond the elements there are.
    Size needed = t.add(t.mul(t.sub(count, t.size(1)), t.size(stride)), reach);
    Size missing = t.max(t.sub(needed, sizes[i]), t.size(0));
    if (same) {
      low = t.floorDiv(window.mode == PadMode::SameUpper ? missing : t.add(missing, t.size(1)), 2);
      plan.high.push_back(t.sub(missing, low));
    } else {
      plan.high.push_back(t.max(t.sub(t.sub(needed, sizes[i]), low), t.size(0)));
    }
    plan.count.push_back(count);
    plan.low.push_back(low);
  }
  return plan;
}

Value channelsLast(TensorBuilder &t, Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  SmallVector<int64_t> order = dimsWithout(rank, {1});
  order.push_back(1);
  return t.transpose(tensor, order);
}

Value channelsSecond(TensorBuilder &t, Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  SmallVector<int64_t> order{0, rank - 1};
  order.append(dimRange(1, rank - 1));
  return t.transpose(tensor, order);
}

Value padSpatial(TensorBuilder &t, Value tensor, ArrayRef<Size> low, ArrayRef<Size> high, TypedAttr with) {
  Sizes before{t.size(0)}, after{t.size(0)};
  before.append(low.begin(), low.end());
  after.append(high.begin(), high.end());
  before.push_back(t.size(0));
  after.push_back(t.size(0));
  return t.pad(tensor, before, after, with);
}

} // namespace clika
