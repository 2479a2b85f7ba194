// The two ways of an op: recorded by a trace (Trace.h), or computed at once.
#ifndef CLIKA_API_CALLOP_H
#define CLIKA_API_CALLOP_H

#include "Dialect/OpTable.h"

#include <ClikaRT/detail/call_op.h>

namespace clika {

/// Computes an op over concrete tensors.
std::vector<ClikaRT::Tensor> computeNow(const OpInfo &info, const std::vector<ClikaRT::detail::Operand> &operands,
                                        const std::vector<ClikaRT::graph::Attr> &settings);

/// The dtype that a number at `port` takes: of a tensor beside it whose dtype the port takes, else the usual one of the
/// port; none where no operand is a tensor.
std::optional<ClikaRT::DataType> numberDtype(const OpInfo &info, const std::vector<ClikaRT::detail::Operand> &operands,
                                             std::size_t port);
/// Whether a number at `port` may be of `dtype`: the port takes it, and no tensor beside it says another.
bool mayHaveDtype(const OpInfo &info, const std::vector<ClikaRT::detail::Operand> &operands, std::size_t port,
                  ClikaRT::DataType dtype);

} // namespace clika

#endif
