"""Products and convolutions of bytes at one shape each, on one thread, in ClikaRT, in ONNX Runtime, and in PyTorch's oneDNN where
PyTorch is installed. The contenders are in one process and take turns; a figure is the median of a contender's turns. Nothing is
timed before outputs were compared with ONNX Runtime's: int32 sums are equal, and requantized bytes differ by 1 at most.
Prints a Markdown table; --benchmark_out=FILE writes JSON as Google Benchmark does."""

from __future__ import annotations

import argparse
import json
import math
import os
import pathlib
import re
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import clika_runtime as crt  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

try:
    import torch
except ImportError:
    torch = None  # type: ignore[assignment]

TURNS = 9
TURN_SECONDS = 0.02
#: Rows, columns and terms of a product.
PRODUCTS = [(512, 512, 512), (1024, 1024, 1024), (128, 3072, 768), (1, 3072, 768), (1, 4096, 4096)]
#: Size of the image, channels in and out, size of the kernel.
CONVOLUTIONS = [(56, 64, 64, 3), (28, 128, 128, 3), (14, 256, 256, 3), (56, 64, 256, 1)]
X_SCALE, X_ZERO, W_SCALE, Y_ZERO = np.float32(0.02), np.uint8(120), np.float32(0.005), np.uint8(128)

Run = Callable[[], np.ndarray]


class Case:
    """One op over random bytes."""

    def __init__(self, op: str, shape: tuple[int, ...]) -> None:
        self.op, self.shape, self.name = op, shape, f"{op}/{'x'.join(map(str, shape))}"
        rng = np.random.default_rng(0)
        self.is_convolution = op.endswith("Conv") or op.startswith("Conv")
        if self.is_convolution:
            size, channels, outputs, kernel = shape
            self.x = rng.integers(0, 256, (1, channels, size, size), np.uint8)
            self.w = rng.integers(-127, 128, (outputs, channels, kernel, kernel), np.int8)
            self.operations, terms = 2 * size * size * outputs * channels * kernel**2, channels * kernel**2
        else:
            rows, columns, terms = shape
            self.x = rng.integers(0, 256, (rows, terms), np.uint8)
            self.w = rng.integers(-127, 128, (terms, columns), np.int8)
            self.operations = 2 * rows * columns * terms
        # Results then fill the range of a byte.
        self.y_scale = np.float32(float(X_SCALE) * float(W_SCALE) * 75 * 73 * math.sqrt(terms) / 40)

    def model(self) -> onnx.ModelProto:
        values = {"x": None, "xs": X_SCALE, "xz": X_ZERO, "w": self.w, "ws": W_SCALE, "wz": np.int8(0), "ys": self.y_scale, "yz": Y_ZERO}
        names = list(values) if self.op.startswith("QLinear") else ["x", "w", "xz"]
        settings = {"pads": [self.shape[-1] // 2] * 4} if self.is_convolution else {}
        result = TensorProto.UINT8 if self.op.startswith("QLinear") else TensorProto.INT32
        graph = helper.make_graph([helper.make_node(self.op, names, ["y"], **settings)], "int8",
                                  [helper.make_tensor_value_info("x", TensorProto.UINT8, self.x.shape)],
                                  [helper.make_tensor_value_info("y", result, None)],
                                  [numpy_helper.from_array(np.asarray(values[name]), name) for name in names if name != "x"])  # fmt: skip
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def in_clika(path: str, case: Case) -> Run:
    graph = crt.graph.ModelGraph.from_onnx(path)
    graph.optimize()
    graph.finalize(threads=1)
    inputs = [crt.tensor(case.x)]
    return lambda: graph.run(inputs)[0].numpy()


def in_onnxruntime(path: str, case: Case) -> Run:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    inputs = {"x": case.x}
    return lambda: session.run(None, inputs)[0]


def in_torch(case: Case) -> Run | None:
    """PyTorch has the requantized ops alone."""
    if torch is None or not case.op.startswith("QLinear"):
        return None
    warnings.simplefilter("ignore", UserWarning)  # its quantized tensors will go one day
    torch.set_num_threads(1)
    torch.backends.quantized.engine = "onednn"
    x = torch._make_per_tensor_quantized_tensor(torch.from_numpy(case.x), float(X_SCALE), int(X_ZERO))
    w = case.w if case.is_convolution else np.ascontiguousarray(case.w.T)
    weight = torch._make_per_tensor_quantized_tensor(torch.from_numpy(w), float(W_SCALE), 0)
    scale, zero = float(case.y_scale), int(Y_ZERO)
    if case.is_convolution:
        x = x.contiguous(memory_format=torch.channels_last)
        pads = [case.shape[-1] // 2] * 2
        packed = torch.ops.quantized.conv2d_prepack(weight, None, [1, 1], pads, [1, 1], 1)
        return lambda: torch.ops.quantized.conv2d(x, packed, scale, zero).int_repr().numpy()
    packed = torch.ops.quantized.linear_prepack(weight, None)
    return lambda: torch.ops.quantized.linear(x, packed, scale, zero).int_repr().numpy()


def contenders(case: Case) -> dict[str, Run]:
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "model.onnx")
        onnx.save(case.model(), path)
        found: dict[str, Run | None] = {"ClikaRT": in_clika(path, case), "ONNX Runtime": in_onnxruntime(path, case)}
    try:
        found["oneDNN in PyTorch"] = in_torch(case)
    except RuntimeError as error:
        print(f"{case.name}: PyTorch cannot: {error}", file=sys.stderr)
    return {name: run for name, run in found.items() if run is not None}


def compare(case: Case, runs: dict[str, Run]) -> None:
    expected = runs["ONNX Runtime"]().astype(np.int64)
    allowed = 1 if case.op.startswith("QLinear") else 0
    for name, run in runs.items():
        if (apart := int(np.abs(run().astype(np.int64) - expected).max())) > allowed:
            raise SystemExit(f"{case.name}: {name} computes other numbers: {apart} apart")


def timed(runs: dict[str, Run]) -> dict[str, float]:
    """Seconds a run."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(TURNS):
        for name, run in runs.items():
            count, start = 0, time.perf_counter()
            while not count or time.perf_counter() < start + TURN_SECONDS:
                run()
                count += 1
            times[name].append((time.perf_counter() - start) / count)
    return {name: statistics.median(each) for name, each in times.items()}


def rows(case: Case) -> Iterator[dict[str, Any]]:
    runs = contenders(case)
    compare(case, runs)
    for name, seconds in timed(runs).items():
        yield {"name": f"int8/{case.name}/{name}", "run_type": "iteration", "real_time": seconds * 1e6, "cpu_time": seconds * 1e6,
               "time_unit": "us", "Gop/s": case.operations / seconds * 1e-9}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filter", "--benchmark_filter", default="", help="run those whose name, as in QLinearConv/56x64x64x3, matches")
    parser.add_argument("--quick", action="store_true", help="one shape of each op")
    parser.add_argument("--benchmark_out", type=pathlib.Path, help="write the figures to this file as JSON")
    options, _ = parser.parse_known_args()
    cases = [(op, shape) for ops, shapes in ((("MatMulInteger", "QLinearMatMul"), PRODUCTS), (("ConvInteger", "QLinearConv"), CONVOLUTIONS))
             for op in ops for shape in (shapes[:1] if options.quick else shapes)]  # fmt: skip
    found: list[dict[str, Any]] = []
    print("| | µs | Gop/s |\n|---|---:|---:|")
    for case in (Case(op, shape) for op, shape in cases):
        if re.search(options.filter, case.name):
            for row in rows(case):
                found.append(row)
                print(f"| {row['name']} | {row['real_time']:.1f} | {row['Gop/s']:.0f} |", flush=True)
    if options.benchmark_out:
        options.benchmark_out.write_text(json.dumps({"context": {"onnxruntime": onnxruntime.__version__}, "benchmarks": found}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
