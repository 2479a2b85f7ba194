"""Who takes part in bench_kernels.py. Each states a shape in the forms that it can: settings, layouts and calls that compute
the same. f32 everywhere, results in memory that is there before, where the call allows it, weights packed where it can."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from shapes import Arrays, Conv, Matmul, RowWise, Shape


@dataclass
class Form:
    """`call` runs it once; `array` makes a NumPy array of what that returned."""

    name: str
    call: Callable[[], Any]
    array: Callable[[Any], np.ndarray] = field(default=lambda result: result)


class Contender:
    def __init__(self, threads: int) -> None:
        self.threads = threads

    def forms(self, shape: Shape) -> Iterator[Form]:
        arrays = {name: aligned(array) for name, array in shape.arrays().items()}
        if isinstance(shape, Matmul):
            yield from self.matmul(shape, arrays)
        elif isinstance(shape, Conv):
            yield from self.conv(shape, arrays)
        elif isinstance(shape, RowWise):
            yield from self.row_wise(shape, arrays["x"])

    def matmul(self, shape: Matmul, arrays: Arrays) -> Iterator[Form]:
        return iter(())

    def conv(self, shape: Conv, arrays: Arrays) -> Iterator[Form]:
        return iter(())

    def row_wise(self, shape: RowWise, x: np.ndarray) -> Iterator[Form]:
        return iter(())


def aligned(array: np.ndarray) -> np.ndarray:
    """A copy that begins at a cache line, as the tensors of all libraries do."""
    room = np.empty(array.nbytes + 64, np.uint8)
    start = -room.ctypes.data % 64
    copy = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def channels_last(x: np.ndarray) -> np.ndarray:
    return aligned(x.transpose(0, 2, 3, 1))


def channels_first(x: np.ndarray) -> np.ndarray:
    return x.transpose(0, 3, 1, 2)


class Clika(Contender):
    """Traced functions, compiled; weights are constants of the graph."""

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        import clika_runtime

        self.crt = clika_runtime

    def compiled(self, function: Callable[[list[Any]], Any], arrays: list[np.ndarray],
                 sizes: list[list[int | None]] | None = None) -> Callable[[], Any]:  # fmt: skip
        crt = self.crt
        sizes = sizes or [list(array.shape) for array in arrays]
        specs = [crt.TensorSpec(f"input_{i}", crt.float32, size) for i, size in enumerate(sizes)]
        graph = crt.trace(function, specs).graph
        graph.optimize()
        graph.finalize(threads=self.threads)
        inputs = [crt.from_dlpack(array) for array in arrays]
        outputs = [crt.empty(list(graph.run(inputs)[0].shape), crt.float32)]

        def call() -> Any:
            graph.run_into(inputs, outputs)
            return outputs[0]

        return call

    def matmul(self, shape: Matmul, arrays: Arrays) -> Iterator[Form]:
        crt = self.crt
        constants = {name: crt.tensor(array) for name, array in arrays.items()}
        packed = shape.y == "constant"

        def function(inputs: list[Any]) -> Any:
            y = constants["y"] if packed else inputs[1]
            product = crt.matmul(inputs[0], y, transpose_a="x" in shape.turned, transpose_b="y" in shape.turned)
            return crt.gelu(product + constants["bias"]) if shape.gelu else product

        given = [arrays["x"], *([] if packed else [arrays["y"]])]
        sizes: list[list[int | None]] | None = [[None, shape.k]] if shape.any_m else None
        yield Form("", self.compiled(function, given, sizes), lambda result: result.numpy())

    def conv(self, shape: Conv, arrays: Arrays) -> Iterator[Form]:
        crt = self.crt
        weight = crt.tensor(arrays["weight"])
        settings = {"strides": [shape.stride] * 2, "dilations": [shape.dilation] * 2, "pads": [shape.pad] * 2, "groups": shape.groups}

        def plain(inputs: list[Any]) -> Any:
            return crt.conv(inputs[0], weight, **settings)

        def turned(inputs: list[Any]) -> Any:
            return crt.transpose(crt.conv(crt.transpose(inputs[0], [0, 3, 1, 2]), weight, **settings), [0, 2, 3, 1])

        yield Form("NCHW", self.compiled(plain, [arrays["x"]]), lambda result: result.numpy())
        yield Form("NHWC", self.compiled(turned, [channels_last(arrays["x"])]), lambda result: channels_first(result.numpy()))

    def row_wise(self, shape: RowWise, x: np.ndarray) -> Iterator[Form]:
        crt = self.crt
        functions: dict[str, Callable[[Any], Any]] = {
            "copy": lambda x: x,
            "chain": lambda x: crt.relu((x * 0.5 + 1.0) * x) - x * x,
            "softmax": lambda x: crt.softmax(x, -1),
            "sum of rows": lambda x: crt.reduce_sum(x, [-1], False),
            "sum of columns": lambda x: crt.reduce_sum(x, [0], False),
            "maximum of rows": lambda x: crt.reduce_max(x, [-1], False),
            "transpose": lambda x: crt.transpose(x, [1, 0]),
        }
        function = functions.get(shape.op) or getattr(crt, shape.op)
        yield Form("", self.compiled(lambda inputs: function(inputs[0]), [x]), lambda result: result.numpy())


class OpenBlas(Contender):
    """NumPy's product, which calls sgemm, and sgemv where one side is a vector."""

    def matmul(self, shape: Matmul, arrays: Arrays) -> Iterator[Form]:
        if shape.gelu:
            return
        x, y = (arrays[name].swapaxes(-1, -2) if name in shape.turned else arrays[name] for name in "xy")
        result = np.empty((*x.shape[:-1], y.shape[-1]), np.float32)
        yield Form("", lambda: np.matmul(x, y, out=result))


class Torch(Contender):
    """Eager calls, oneDNN's own calls, and functions that its graph compiler has made with the weights packed."""

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        import torch

        self.torch = torch
        torch.set_num_threads(threads)
        torch.set_num_interop_threads(1)
        torch.set_float32_matmul_precision("highest")
        torch.jit.enable_onednn_fusion(True)
        torch.autograd.set_grad_enabled(False)

    def eager(self, name: str, call: Callable[[], Any]) -> Form:
        return Form(name, self.torch.inference_mode()(call), lambda result: result.numpy())

    def graph(self, name: str, function: Callable[..., Any], inputs: list[Any], weights: list[Any]) -> Form:
        """`function` of inputs and weights, for exactly these sizes."""
        torch = self.torch

        class Module(torch.nn.Module):  # type: ignore[name-defined, misc]
            def __init__(self) -> None:
                super().__init__()
                self.weights = torch.nn.ParameterList(torch.nn.Parameter(weight, requires_grad=False) for weight in weights)

            def forward(self, *inputs: Any) -> Any:
                return function(*inputs, *self.weights)

        compiled = torch.jit.freeze(torch.jit.trace(Module().eval(), tuple(inputs), check_trace=False))
        for _ in range(3):  # it looks at the sizes of the first, and compiles
            compiled(*inputs)
        return Form(name, lambda: compiled(*inputs), lambda result: result.numpy())

    def matmul(self, shape: Matmul, arrays: Arrays) -> Iterator[Form]:
        torch = self.torch
        given = {name: torch.from_numpy(array) for name, array in arrays.items()}
        x, y = (given[name].transpose(-1, -2) if name in shape.turned else given[name] for name in "xy")
        result = torch.empty(*x.shape[:-1], y.shape[-1])
        bias = given.get("bias")
        if bias is None:
            yield self.eager("eager", lambda: torch.matmul(x, y, out=result))
        else:
            yield self.eager("eager", lambda: torch._C._nn.gelu_(torch.addmm(bias, x, y, out=result)))
        if x.ndim == 2:
            weight = y.t().contiguous() if shape.y == "constant" else y.t()
            after: tuple[str, list[float], str] = ("gelu", [], "none") if shape.gelu else ("none", [], "")
            yield self.eager("oneDNN", lambda: torch.ops.mkldnn._linear_pointwise(x, weight, bias, *after))
        if shape.any_m:
            return

        if bias is not None:
            yield self.graph("oneDNN graph", lambda x, *own: torch.nn.functional.gelu(torch.nn.functional.linear(x, *own)), [x], [weight, bias])
            return

        def product(x: Any, y: Any) -> Any:
            return torch.matmul(*(each.transpose(-1, -2) if name in shape.turned else each for name, each in zip("xy", (x, y))))

        if shape.y == "constant":
            yield self.graph("oneDNN graph", product, [given["x"]], [given["y"]])
        else:
            yield self.graph("oneDNN graph", product, [given["x"], given["y"]], [])

    def conv(self, shape: Conv, arrays: Arrays) -> Iterator[Form]:
        torch = self.torch
        weight = torch.from_numpy(arrays["weight"])
        settings = [[shape.pad] * 2, [shape.dilation] * 2, shape.groups]

        def function(x: Any, weight: Any) -> Any:
            return torch.nn.functional.conv2d(x, weight, None, [shape.stride] * 2, *settings)

        for layout, order in (("NCHW", torch.contiguous_format), ("NHWC", torch.channels_last)):
            x, ordered = torch.from_numpy(arrays["x"]).to(memory_format=order), weight.to(memory_format=order)
            yield self.eager(f"eager {layout}", functools.partial(function, x, ordered))
            yield self.packed_conv(shape, layout, x, weight)
            yield self.graph(f"oneDNN graph {layout}", function, [x], [weight])

    def packed_conv(self, shape: Conv, layout: str, x: Any, weight: Any) -> Form:
        torch = self.torch
        pad, stride, dilation = ([size] * 2 for size in (shape.pad, shape.stride, shape.dilation))
        packed = torch._C._nn.mkldnn_reorder_conv2d_weight(weight.to_mkldnn(), pad, stride, dilation, shape.groups, x.shape)

        def call() -> Any:
            return torch.ops.mkldnn._convolution_pointwise(x, packed, None, pad, stride, dilation, shape.groups, "none", [], "")

        return self.eager(f"oneDNN {layout}", call)

    def row_wise(self, shape: RowWise, x: np.ndarray) -> Iterator[Form]:
        torch = self.torch
        given = torch.from_numpy(x)
        result = torch.empty(shape.expected({"x": x}).shape)
        functions: dict[str, Callable[..., Any]] = {
            "copy": lambda x: result.copy_(x),
            "silu": lambda x: torch._C._nn.silu(x, out=result),
            "gelu": lambda x: torch._C._nn.gelu(x, out=result),
            "chain": lambda x: torch.relu((x * 0.5 + 1.0) * x) - x * x,
            "softmax": lambda x: torch.softmax(x, -1, out=result),
            "layer_norm": lambda x, *scaling: torch.nn.functional.layer_norm(x, [shape.columns], *scaling),
            "sum of rows": lambda x: torch.sum(x, -1, out=result),
            "sum of columns": lambda x: torch.sum(x, 0, out=result),
            "maximum of rows": lambda x: torch.amax(x, -1, out=result),
            "transpose": lambda x: result.copy_(x.t()),
        }
        function = functions.get(shape.op) or (lambda x: getattr(torch, shape.op)(x, out=result))
        yield self.eager("eager", lambda: function(given))
        if shape.op in ("chain", "layer_norm"):  # it refuses a norm without a scale, and leaves the others to eager calls
            scaling = [torch.ones(shape.columns), torch.zeros(shape.columns)] if shape.op == "layer_norm" else []
            yield self.graph("oneDNN graph", function, [given], scaling)


CONTENDERS: dict[str, type[Contender]] = {"ClikaRT": Clika, "oneDNN in PyTorch": Torch, "OpenBLAS in NumPy": OpenBlas}
