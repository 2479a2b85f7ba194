"""Whole models as ONNX Runtime's quantizer writes them (QDQ: bytes, a step for each out channel of a weight) on one thread, in
ClikaRT and in ONNX Runtime, beside the float32 models that they were made of.
Contenders take turns, and a figure is the median of its turns. Nothing is timed before outputs were compared: those of
the quantized models may be a few steps of 1/255 of the largest apart, as their roundings add up.
Prints a Markdown table; --benchmark_out=FILE writes JSON as Google Benchmark does."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER / "models"), str(FOLDER / "lib"), str(FOLDER.parent / "test" / "lib" / "Python")]

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
import zoo  # noqa: E402
from onnxruntime import quantization  # noqa: E402
from onnxruntime.quantization.shape_inference import quant_pre_process  # noqa: E402

import clika_runtime as crt  # noqa: E402

MODELS = ["squeezenet", "mobilenet_v2", "resnet50"]
TURNS, TURN_SECONDS = 9, 0.2
STEPS_APART = 8 / 255
OURS, ORT = "ClikaRT", "ONNX Runtime"

Run = Callable[[], np.ndarray]


class Batches(quantization.CalibrationDataReader):
    def __init__(self, batches: list[dict[str, np.ndarray]]) -> None:
        self.batches = iter(batches)

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self.batches, None)


def plain(name: str, folder: pathlib.Path) -> pathlib.Path:
    """The model with its weights in the file, of a version that has a step for each channel."""
    model = onnx.load(zoo.saved(name, 1, folder))
    model.opset_import[0].version = max(model.opset_import[0].version, 13)
    path = folder / f"{name}.onnx"
    onnx.save(model, path)
    return path


def quantized(path: pathlib.Path, given: dict[str, np.ndarray]) -> pathlib.Path:
    prepared, result = path.with_suffix(".prepared.onnx"), path.with_suffix(".int8.onnx")
    quant_pre_process(path, prepared, skip_symbolic_shape=True)
    quantization.quantize_static(prepared, result, Batches([given]), quant_format=quantization.QuantFormat.QDQ, per_channel=True,
                                 activation_type=quantization.QuantType.QUInt8, weight_type=quantization.QuantType.QInt8)  # fmt: skip
    return result


def ours(path: pathlib.Path, given: dict[str, np.ndarray]) -> Run:
    graph = crt.graph.ModelGraph.from_onnx(os.fspath(path))
    graph.optimize()
    graph.finalize(threads=1)
    inputs = [crt.tensor(given[name]) for name in graph.input_names()]
    out = [crt.empty(y.shape, dtype=y.dtype) for y in graph.run(inputs)]

    def run() -> np.ndarray:
        graph.run_into(inputs, out)
        return out[0].numpy()

    return run


def ort(path: pathlib.Path, given: dict[str, np.ndarray]) -> Run:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    session = onnxruntime.InferenceSession(os.fspath(path), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, given)[0]


def timed(run: Run) -> float:
    """Seconds of a run, as the mean of those of a turn."""
    runs, start = 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < TURN_SECONDS or runs == 0:
        run()
        runs += 1
    return spent / runs


def contenders(name: str, folder: pathlib.Path) -> dict[str, Run]:
    path = plain(name, folder)
    given = dict(zip((value.name for value in onnx.load(path).graph.input), zoo.inputs(path), strict=True))
    bytes_ = quantized(path, given)
    runs = {f"{OURS}, int8": ours(bytes_, given), f"{ORT}, int8": ort(bytes_, given),
            f"{OURS}, float32": ours(path, given), f"{ORT}, float32": ort(path, given)}  # fmt: skip
    for form, most in (("int8", STEPS_APART), ("float32", 1e-4)):
        expected, got = runs[f"{ORT}, {form}"](), runs[f"{OURS}, {form}"]()
        apart = float(np.abs(got - expected).max() / np.abs(expected).max())
        if not apart <= most:
            raise SystemExit(f"{name}, {form}: the outputs are {apart:.2g} of the largest apart")
    return runs


def measure(name: str, turns: int) -> dict[str, float]:
    """Milliseconds of each contender."""
    with tempfile.TemporaryDirectory() as folder:
        runs = contenders(name, pathlib.Path(folder))
        times = [{each: timed(run) for each, run in runs.items()} for _ in range(turns)]
    return {each: statistics.median(turn[each] for turn in times) * 1e3 for each in times[0]}


def rows_of(name: str, found: dict[str, float]) -> list[dict[str, Any]]:
    rows = []
    for contender, milliseconds in found.items():
        whole = f"quantized/{name}/{contender}"
        rows.append({"name": whole, "run_name": whole, "run_type": "aggregate", "aggregate_name": "median", "threads": 1,
                     "real_time": milliseconds, "cpu_time": milliseconds, "time_unit": "ms"})  # fmt: skip
    return rows


def main() -> None:
    onnxruntime.set_default_logger_severity(3)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark_filter", "--filter", default="", metavar="REGEX", help="only the models whose names match")
    parser.add_argument("--benchmark_out", type=pathlib.Path, help="where to write JSON")
    parser.add_argument("--quick", action="store_true", help="the smallest model, and three turns instead of nine")
    options, _ = parser.parse_known_args()
    rows: list[dict[str, Any]] = []
    for name in MODELS[: 1 if options.quick else None]:
        if not re.search(options.benchmark_filter, f"quantized/{name}"):
            continue
        found = measure(name, 3 if options.quick else TURNS)
        if not rows:
            print(f"| ms | {' | '.join(found)} | {ORT} / {OURS}, int8 |\n|---|{'---:|' * (len(found) + 1)}")
        cells = " | ".join(f"{value:.2f}" for value in found.values())
        print(f"| {name} | {cells} | {found[f'{ORT}, int8'] / found[f'{OURS}, int8']:.2f} |", flush=True)
        rows += rows_of(name, found)
    if options.benchmark_out:
        options.benchmark_out.write_text(json.dumps({"context": {}, "benchmarks": rows}, indent=1))


if __name__ == "__main__":
    main()
