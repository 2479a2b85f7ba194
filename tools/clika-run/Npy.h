// NumPy's .npy files, as clika-run reads its inputs from and writes its outputs to.
#ifndef CLIKA_TOOLS_CLIKARUN_NPY_H
#define CLIKA_TOOLS_CLIKARUN_NPY_H

#include "ClikaRT/tensor.h"

#include <string>

namespace clika::run {

/// The array of a .npy file (format 1 to 3, either order of bytes and of elements); an Error names the file and what is
/// wrong in it.
ClikaRT::Tensor readNpy(const std::string &path);

/// Writes a concrete tensor; BFloat16, which NumPy lacks, as the float32 values it stands for.
void writeNpy(const std::string &path, const ClikaRT::Tensor &tensor);

} // namespace clika::run

#endif
