// The extension module clika_runtime._core.
#include "Bindings.h"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The C++ side of clika_runtime; use the package itself.";
  module.attr("__version__") = CLIKA_VERSION;
  clika::python::bindError(module);
  clika::python::bindTypes(module);
  clika::python::bindSpec(module);
  clika::python::bindTensor(module);
  clika::python::bindOps(module);
  clika::python::bindControl(module);
  clika::python::bindAttribute(module);
  clika::python::bindGraph(module);
  clika::python::bindPattern(module);
  clika::python::bindTransform(module);
  clika::python::bindReports(module);
  clika::python::bindProfile(module);
  clika::python::bindPatternTransform(module);
  clika::python::bindModelGraph(module);
  clika::python::bindTransforms(module);
  clika::python::guardArguments(module);
  clika::python::documentClasses(module);
}
