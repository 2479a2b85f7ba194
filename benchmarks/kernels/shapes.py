"""The shapes that bench_kernels.py measures: what each computes, on which arrays, and with float64 what comes out. `reached` is
the share of the FMA peak that the code generator's design was measured at on a Zen 5 core, where it has the shape."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

Arrays = dict[str, np.ndarray]


class Shape:
    """`name` is as in matmul/128x128x128/constant."""

    reached: float | None

    @property
    def name(self) -> str:
        raise NotImplementedError

    @property
    def flops(self) -> float | None:
        """Of a run; None where memory and functions count for more than products."""
        return None

    def arrays(self) -> Arrays:
        """Seeded, so that every process makes the same; "x" first."""
        raise NotImplementedError

    def expected(self, arrays: Arrays) -> np.ndarray:
        raise NotImplementedError

    def random(self) -> np.random.Generator:
        return np.random.default_rng(zlib.crc32(self.name.encode()))


def normal(random: np.random.Generator, *sizes: int) -> np.ndarray:
    return random.standard_normal(sizes, dtype=np.float32)


def erf(x: np.ndarray) -> np.ndarray:
    return np.frompyfunc(math.erf, 1, 1)(x).astype(np.float64)


def gelu(x: np.ndarray) -> np.ndarray:
    return x / 2 * (1 + erf(x / math.sqrt(2)))


@dataclass(frozen=True)
class Matmul(Shape):
    """y is "constant", a weight that may be packed, or one of "inputs". `turned`: which operands lie transposed, of "xy"."""

    m: int
    n: int
    k: int
    y: str = "constant"
    reached: float | None = None
    batch: int = 1
    turned: str = ""
    any_m: bool = False
    gelu: bool = False

    @property
    def name(self) -> str:
        sizes = f"{f'{self.batch}x' if self.batch > 1 else ''}{self.m}x{self.n}x{self.k}"
        kind = "matmul+bias+gelu" if self.gelu else "matmul of any M" if self.any_m else "matmul"
        return "/".join([kind, sizes, self.y, *(f"{operand} transposed" for operand in self.turned)])

    @property
    def flops(self) -> float:
        return 2.0 * self.batch * self.m * self.n * self.k

    def arrays(self) -> Arrays:
        random, batch = self.random(), (self.batch,) * (self.batch > 1)
        sizes = {"x": (self.m, self.k), "y": (self.k, self.n)}
        found = {name: normal(random, *batch, *(own[::-1] if name in self.turned else own)) for name, own in sizes.items()}
        return found | ({"bias": normal(random, self.n)} if self.gelu else {})

    def expected(self, arrays: Arrays) -> np.ndarray:
        x, y = (arrays[name].astype(np.float64) for name in "xy")
        product = (x.swapaxes(-1, -2) if "x" in self.turned else x) @ (y.swapaxes(-1, -2) if "y" in self.turned else y)
        return gelu(product + arrays["bias"]) if self.gelu else product


@dataclass(frozen=True)
class Conv(Shape):
    """`out` pixels in each direction, of `c` channels `f`; `pad` zeros are around the input, which else has them inside."""

    out: int
    c: int
    f: int
    kernel: int
    stride: int = 1
    reached: float | None = None
    dilation: int = 1
    groups: int = 1
    pad: int = 0

    @property
    def name(self) -> str:
        kind = "depthwise" if self.groups == self.c else "conv"
        notes = [f"{word} {value}" for word, value, plain in (("stride", self.stride, 1), ("dilation", self.dilation, 1),
                 ("groups", self.groups, self.c if kind == "depthwise" else 1), ("pad", self.pad, 0)) if value != plain]  # fmt: skip
        return "/".join([kind, f"{self.kernel}x{self.kernel}", f"{self.out}x{self.out}x{self.c} to {self.f}", *notes])

    @property
    def flops(self) -> float:
        return 2.0 * self.out**2 * self.f * self.kernel**2 * self.c / self.groups

    @property
    def size(self) -> int:
        return (self.out - 1) * self.stride + self.dilation * (self.kernel - 1) + 1 - 2 * self.pad

    def arrays(self) -> Arrays:
        """x as [1, C, H, W]."""
        random = self.random()
        return {"x": normal(random, 1, self.c, self.size, self.size),
                "weight": normal(random, self.f, self.c // self.groups, self.kernel, self.kernel)}  # fmt: skip

    def expected(self, arrays: Arrays) -> np.ndarray:
        x = np.pad(arrays["x"][0].astype(np.float64), ((0, 0), (self.pad,) * 2, (self.pad,) * 2))
        x = x.reshape(self.groups, -1, *x.shape[1:])
        weight = arrays["weight"].astype(np.float64).reshape(self.groups, self.f // self.groups, -1, self.kernel, self.kernel)
        result = np.zeros((self.groups, self.f // self.groups, self.out, self.out))
        reach = (self.out - 1) * self.stride + 1
        for i, j in np.ndindex(self.kernel, self.kernel):
            row, column = i * self.dilation, j * self.dilation
            seen = x[:, :, row : row + reach : self.stride, column : column + reach : self.stride]
            result += np.einsum("gfc,gchw->gfhw", weight[..., i, j], seen, optimize=True)
        return result.reshape(1, self.f, self.out, self.out)


ROW_WISE: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "copy": lambda x: x,
    "exp": np.exp,
    "tanh": np.tanh,
    "log": lambda x: np.log(np.abs(x)),
    "erf": erf,
    "silu": lambda x: x / (1 + np.exp(-x)),
    "gelu": gelu,
    "chain": lambda x: np.maximum((x * 0.5 + 1) * x, 0) - x * x,
    "softmax": lambda x: np.exp(x - x.max(-1, keepdims=True)) / np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True),
    "layer_norm": lambda x: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5),
    "sum of rows": lambda x: x.sum(-1),
    "sum of columns": lambda x: x.sum(0),
    "maximum of rows": lambda x: x.max(-1),
    "transpose": lambda x: x.swapaxes(-1, -2),
}  # fmt: skip


@dataclass(frozen=True)
class RowWise(Shape):
    """An op of ROW_WISE over a matrix of numbers in [-10, 10]; log of their magnitudes."""

    op: str
    rows: int
    columns: int
    reached: None = None

    @property
    def name(self) -> str:
        return f"{self.op}/{self.rows}x{self.columns}"

    def arrays(self) -> Arrays:
        x = self.random().uniform(-10, 10, (self.rows, self.columns)).astype(np.float32)
        return {"x": np.abs(x) if self.op == "log" else x}

    def expected(self, arrays: Arrays) -> np.ndarray:
        return ROW_WISE[self.op](arrays["x"].astype(np.float64))


def matmuls() -> Iterator[Shape]:
    reached: int | None
    for m, n, k, reached in [(128, 128, 128, 97), (512, 512, 512, 96), (1024, 1024, 1024, 97), (2048, 2048, 2048, 92), (32, 3072, 768, 94),
                             (128, 3072, 768, 94), (128, 768, 3072, 92), (128, 1000, 512, 94), (197, 768, 768, 95), (100, 200, 300, 91),
                             (197, 197, 64, 84)]:  # fmt: skip
        yield Matmul(m, n, k, reached=reached)
    for n, k in [(3072, 768), (768, 3072), (4096, 4096)]:  # memory counts, not products
        yield Matmul(1, n, k)
    for m, n, k, reached in [(128, 128, 128, 95), (512, 512, 512, 93), (1024, 1024, 1024, 87), (2048, 2048, 2048, 88), (32, 3072, 768, None)]:
        yield Matmul(m, n, k, "inputs", reached)
    yield Matmul(128, 64, 128, "inputs", 94, batch=12)
    yield Matmul(128, 128, 64, "inputs", 92, batch=12)
    yield Matmul(128, 128, 64, "inputs", 81, batch=12, turned="y")
    for turned in ("x", "y", "xy"):
        yield Matmul(512, 512, 512, "inputs", turned=turned)
    yield Matmul(128, 3072, 768, turned="y")
    for m, reached in [(1, 13), (8, 72), (31, 49), (32, 95), (100, 82), (128, 95), (197, 86)]:
        yield Matmul(m, 768, 768, reached=reached, any_m=True)
    for m, n, k, reached in [(128, 3072, 768, 86), (32, 3072, 768, 86), (1024, 1024, 1024, 91), (2048, 2048, 2048, 85)]:
        yield Matmul(m, n, k, reached=reached, gelu=True)


def convolutions() -> Iterator[Shape]:
    for out, c, f, kernel, stride, reached in [(56, 64, 64, 3, 1, 99), (28, 128, 128, 3, 1, 98), (14, 256, 256, 3, 1, 99), (7, 512, 512, 3, 1, 96),
                                               (28, 128, 128, 3, 2, 98), (14, 256, 256, 3, 2, 98), (112, 3, 64, 7, 2, 99),
                                               (56, 64, 256, 1, 1, 96), (56, 256, 64, 1, 1, 94), (28, 256, 512, 1, 2, 95)]:  # fmt: skip
        yield Conv(out, c, f, kernel, stride, reached)
    for out, channels, kernel, stride in [(112, 32, 3, 1), (56, 144, 3, 2), (14, 384, 3, 1), (7, 960, 3, 1), (28, 192, 5, 1)]:
        yield Conv(out, channels, channels, kernel, stride, groups=channels)
    yield Conv(56, 64, 64, 3, pad=1)
    yield Conv(112, 32, 32, 3, groups=32, pad=1)
    yield Conv(28, 128, 128, 3, dilation=2)
    yield Conv(28, 128, 128, 3, groups=4)
    yield Conv(14, 256, 256, 3, groups=32)


def row_wise() -> Iterator[Shape]:
    for op in ("copy", "exp", "tanh", "log", "erf", "silu", "gelu", "chain"):
        yield RowWise(op, 128, 768)
    yield RowWise("layer_norm", 128, 768)
    yield RowWise("softmax", 1536, 128)
    yield RowWise("softmax", 128, 768)
    for op in ("sum of rows", "sum of columns", "maximum of rows"):
        yield RowWise(op, 128, 768)
    yield RowWise("transpose", 128, 768)
    yield RowWise("transpose", 1024, 1024)


SHAPES: dict[str, Shape] = {shape.name: shape for shape in [*matmuls(), *convolutions(), *row_wise()]}
#: One of each kind.
QUICK = ["matmul/128x128x128/constant", "matmul/1x3072x768/constant", "matmul/12x128x128x64/inputs/y transposed",
         "matmul of any M/31x768x768/constant", "matmul+bias+gelu/32x3072x768/constant", "conv/3x3/14x14x256 to 256",
         "depthwise/3x3/14x14x384 to 384", "softmax/1536x128", "layer_norm/128x768", "exp/128x768"]  # fmt: skip
