"""ClikaRT: query, edit, rewrite and compile tensor graphs.

`trace` records a function over the ops as a `graph.ModelGraph`, and `graph.ModelGraph.from_onnx` reads a model. A graph is
edited by its methods, rewritten by `optimize()` with the runtime's transforms and your own (`graph.transforms`), compiled
by `finalize()`, and computes with `run()`:

    import clika_runtime as crt

    graph = crt.trace(lambda t: crt.relu(t[0]) + 1.0, [crt.TensorSpec("x", crt.float32, ["batch", 3])]).graph
    graph.optimize()
    graph.finalize()
    (y,) = graph.run([[[1.0, -2.0, 3.0]]])

The ops (`ops`, and here by their names) compute at once on tensors that hold data, which `tensor` makes, and record inside
a trace. The element types are here by their names, as in `float32`. Whatever fails raises an `Error`, whose class is also
the built-in exception that fits best.
"""

try:
    from . import _core as _core
except ImportError as _error:
    if "libMLIR" in str(_error) or "libLLVM" in str(_error):
        raise ImportError(
            "clika_runtime: the libraries of LLVM and MLIR 22 are not installed; install Debian's packages "
            f"libmlir-22 and libllvm22 (apt-get install libmlir-22 libllvm22). The loader said: {_error}"
        ) from _error
    raise

from . import graph, ops
from ._control import call, if_, loop
from ._core import DataType, Device, Status, Tensor, TensorSpec, __version__
from ._errors import (
    ArgumentTypeError,
    Error,
    InternalError,
    InvalidArgumentError,
    IoError,
    NotFoundError,
    OutOfMemoryError,
    UnsupportedError,
)
from ._tensor import empty, from_dlpack, tensor
from ._trace import Trace, trace
from .ops import *

__all__ = [
    "ArgumentTypeError",
    "DataType",
    "Device",
    "Error",
    "InternalError",
    "InvalidArgumentError",
    "IoError",
    "NotFoundError",
    "OutOfMemoryError",
    "Status",
    "Tensor",
    "TensorSpec",
    "Trace",
    "UnsupportedError",
    "empty",
    "from_dlpack",
    "graph",
    "call",
    "if_",
    "loop",
    "ops",
    "tensor",
    "trace",
    "bool_",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
]
__all__ += ops.__all__

bool_ = bool = DataType.Bool
int8 = DataType.Int8
int16 = DataType.Int16
int32 = DataType.Int32
int64 = DataType.Int64
uint8 = DataType.UInt8
uint16 = DataType.UInt16
uint32 = DataType.UInt32
uint64 = DataType.UInt64
float16 = DataType.Float16
bfloat16 = DataType.BFloat16
float32 = DataType.Float32
float64 = DataType.Float64
