"""Products and convolutions of bytes on one thread, in ClikaRT, in ONNX Runtime, and in PyTorch (oneDNN) where that is installed
and has such an operator.
A shape is one ONNX model: MatMulInteger and ConvInteger, whose sums are int32, and QLinearMatMul and QLinearConv, which bring
the sums to bytes again. Weights are constants. Sums must be equal to the last bit before anything is timed, and bytes may be
one apart at most, where a contender rounds a factor in another way. Contenders take turns, and a figure is the median of its turns.
Prints a Markdown table; --benchmark_out=FILE writes JSON as Google Benchmark does."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

import clika_runtime as crt  # noqa: E402

try:
    import torch
except ImportError:
    torch = None

Array = np.ndarray
Run = Callable[[], Array]
OURS, ORT, TORCH = "ClikaRT", "ONNX Runtime", "oneDNN in PyTorch"
TURNS, TURN_SECONDS = 9, 0.03
X_SCALE, W_SCALE, X_ZERO, Y_ZERO = 0.02, 0.01, 121, 130


@dataclasses.dataclass(frozen=True)
class Case:
    """`x` and `w` are shapes; a convolution has a padding that keeps the size where its stride is 1."""

    operator: str
    x: tuple[int, ...]
    w: tuple[int, ...]
    x_type: str = "uint8"
    stride: int = 1

    @property
    def is_conv(self) -> bool:
        return self.operator.endswith(("Conv", "ConvInteger"))

    @property
    def is_quantized(self) -> bool:
        return self.operator.startswith("QLinear")

    @property
    def name(self) -> str:
        types = {"uint8": "u8", "int8": "s8"}[self.x_type] + "s8"
        if not self.is_conv:
            return f"{self.operator}/{types}/{self.x[0]}x{self.w[1]}x{self.w[0]}"
        form = f"{self.w[2]}x{self.w[3]}" + (f"/stride{self.stride}" if self.stride > 1 else "")
        return f"{self.operator}/{types}/{self.x[2]}x{self.x[3]}x{self.w[1]}-{self.w[0]}/{form}"

    @property
    def pad(self) -> int:
        return self.w[2] // 2

    @property
    def operations(self) -> float:
        if not self.is_conv:
            return 2.0 * self.x[0] * self.w[0] * self.w[1]
        places = [(size + 2 * self.pad - self.w[2]) // self.stride + 1 for size in self.x[2:]]
        return 2.0 * self.x[0] * float(np.prod(places)) * float(np.prod(self.w))

    def arrays(self) -> tuple[Array, Array]:
        rng = np.random.default_rng(0)
        limits = np.iinfo(self.x_type)
        return rng.integers(limits.min, limits.max + 1, self.x).astype(self.x_type), rng.integers(-127, 128, self.w).astype(np.int8)

    @property
    def y_scale(self) -> float:
        """Results spread over the range."""
        terms = self.operations / 2 / (self.x[0] * self.w[1]) if not self.is_conv else float(np.prod(self.w[1:]))
        return X_SCALE * W_SCALE * float(np.sqrt(terms)) * 74 * 74 / 50

    def model(self) -> onnx.ModelProto:
        x, w = self.arrays()
        zero = np.array(X_ZERO if self.x_type == "uint8" else 0, self.x_type)
        if self.is_quantized:
            names = ["x", "x_scale", "x_zero", "w", "w_scale", "w_zero", "y_scale", "y_zero"]
            values = [np.float32(X_SCALE), zero, w, np.float32(W_SCALE), np.int8(0), np.float32(self.y_scale), np.uint8(Y_ZERO)]
        else:
            names, values = ["x", "w", "x_zero"], [w, zero]
        constants = [numpy_helper.from_array(np.asarray(value), name) for name, value in zip(names[1:], values)]
        settings: dict[str, Any] = {"pads": [self.pad] * 4, "strides": [self.stride] * 2} if self.is_conv else {}
        node = helper.make_node(self.operator, names, ["y"], **settings)
        given = helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), self.x)
        made = helper.make_tensor_value_info("y", TensorProto.UINT8 if self.is_quantized else TensorProto.INT32, None)
        graph = helper.make_graph([node], "case", [given], [made], constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


MATRICES = [((512, 512), (512, 512)), ((1024, 1024), (1024, 1024)), ((128, 768), (768, 3072)), ((1, 768), (768, 3072)),
            ((1, 4096), (4096, 4096))]  # fmt: skip
IMAGES = [((1, 64, 56, 56), (64, 64, 3, 3)), ((1, 128, 28, 28), (128, 128, 3, 3)), ((1, 256, 14, 14), (256, 256, 3, 3)),
          ((1, 64, 56, 56), (256, 64, 1, 1))]  # fmt: skip
CASES = (
    [Case("MatMulInteger", *shapes, x_type) for shapes in MATRICES for x_type in ("uint8", "int8")]
    + [Case("QLinearMatMul", *shapes) for shapes in MATRICES[:4]]
    + [Case("ConvInteger", *shapes) for shapes in IMAGES]
    + [Case("QLinearConv", *shapes) for shapes in IMAGES]
)


def ours(case: Case, folder: pathlib.Path) -> Run:
    path = folder / "case.onnx"
    onnx.save(case.model(), path)
    graph = crt.graph.ModelGraph.from_onnx(os.fspath(path))
    graph.optimize()
    graph.finalize(threads=1)
    x = crt.tensor(case.arrays()[0])
    out = [crt.empty(y.shape, dtype=y.dtype) for y in graph.run([x])]

    def run() -> Array:
        graph.run_into([x], out)
        return out[0].numpy()

    return run


def ort(case: Case, folder: pathlib.Path) -> Run:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    try:
        session = onnxruntime.InferenceSession(case.model().SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its exceptions have no base of their own
        raise NotImplementedError(str(error)) from error
    given = {"x": case.arrays()[0]}
    return lambda: session.run(None, given)[0]


def in_torch(case: Case, folder: pathlib.Path) -> Run:
    if torch is None:
        raise NotImplementedError("it is not installed")
    torch.set_num_threads(1)
    torch.backends.quantized.engine = "onednn"
    x, w = (torch.from_numpy(array) for array in case.arrays())
    if case.is_quantized:
        x = torch._make_per_tensor_quantized_tensor(x, X_SCALE, X_ZERO)
        weight = torch._make_per_tensor_quantized_tensor(w if case.is_conv else w.t().contiguous(), W_SCALE, 0)
        if not case.is_conv:
            packed = torch.ops.quantized.linear_prepack(weight, None)
            return lambda: torch.ops.quantized.linear(x, packed, case.y_scale, Y_ZERO).int_repr().numpy()
        packed = torch.ops.quantized.conv2d_prepack(weight, None, [case.stride] * 2, [case.pad] * 2, [1, 1], 1)
        x = x.contiguous(memory_format=torch.channels_last)
        return lambda: torch.ops.quantized.conv2d(x, packed, case.y_scale, Y_ZERO).int_repr().numpy()
    if case.is_conv or case.x_type != "int8":
        raise NotImplementedError("it has no such operator")
    return lambda: torch._int_mm(x, w).numpy()


CONTENDERS = {OURS: ours, ORT: ort, TORCH: in_torch}


def timed(run: Run, seconds: float) -> float:
    """Seconds of a run, as the mean of those of a turn."""
    runs, start = 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds or runs == 0:
        run()
        runs += 1
    return spent / runs


def require_same(case: Case, name: str, got: Array, expected: Array) -> None:
    apart = int(np.abs(got.astype(np.int64) - expected.astype(np.int64)).max(initial=0))
    if got.shape != expected.shape or apart > case.is_quantized:
        raise SystemExit(f"{case.name}: {name} computes other numbers, up to {apart} apart")


def measure(case: Case, turns: int) -> dict[str, float | str]:
    """Microseconds of each contender, or why there are none."""
    runs: dict[str, Run] = {}
    found: dict[str, float | str] = {}
    expected = None
    with tempfile.TemporaryDirectory() as folder:
        for name, make in CONTENDERS.items():
            try:
                run = make(case, pathlib.Path(folder))
                got = run()
            except NotImplementedError as error:
                found[name] = str(error).splitlines()[0]
                continue
            expected = got.copy() if expected is None else expected
            require_same(case, name, got, expected)
            runs[name] = run
        times = [{name: timed(run, TURN_SECONDS) for name, run in runs.items()} for _ in range(turns)]
    return found | {name: statistics.median(turn[name] for turn in times) * 1e6 for name in runs}


def rows_of(case: Case, found: dict[str, float | str]) -> list[dict[str, Any]]:
    rows = []
    for name, time_or_reason in found.items():
        whole = f"int8/{case.name}/{name}"
        row: dict[str, Any] = {"name": whole, "run_name": whole, "run_type": "aggregate", "aggregate_name": "median", "threads": 1}
        if isinstance(time_or_reason, str):
            row |= {"error_occurred": True, "error_message": time_or_reason}
        else:
            row |= {"real_time": time_or_reason, "cpu_time": time_or_reason, "time_unit": "us",
                    "Gop/s": case.operations / time_or_reason * 1e-3}  # fmt: skip
        rows.append(row)
    return rows


def line(case: Case, found: dict[str, float | str]) -> str:
    cells = []
    for name in CONTENDERS:
        value = found[name]
        cells.append("–" if isinstance(value, str) else f"{value:.1f} µs ({case.operations / value * 1e-3:.0f} Gop/s)")
    peers = [value for name, value in found.items() if name != OURS and not isinstance(value, str)]
    mine = found[OURS]
    ratio = f"{min(peers) / mine:.2f}" if peers and not isinstance(mine, str) else "–"
    return f"| {case.name} | {' | '.join(cells)} | {ratio} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark_filter", "--filter", default="", metavar="REGEX", help="only the cases whose names match")
    parser.add_argument("--benchmark_out", type=pathlib.Path, help="where to write JSON")
    parser.add_argument("--quick", action="store_true", help="three turns instead of nine")
    options, _ = parser.parse_known_args()
    print(f"| | {' | '.join(CONTENDERS)} | times as fast as the fastest other |\n|---|{'---|' * (len(CONTENDERS) + 1)}")
    rows = []
    for case in CASES:
        if re.search(options.benchmark_filter, f"int8/{case.name}"):
            found = measure(case, 3 if options.quick else TURNS)
            print(line(case, found), flush=True)
            rows += rows_of(case, found)
    if options.benchmark_out:
        options.benchmark_out.write_text(json.dumps({"context": {}, "benchmarks": rows}, indent=1))


if __name__ == "__main__":
    main()
