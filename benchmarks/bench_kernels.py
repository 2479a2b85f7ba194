"""Matmuls, convolutions and row-wise ops at one shape each, in ClikaRT, in PyTorch (oneDNN) and in NumPy (OpenBLAS), at the same
number of threads, against the multiply-adds that an assembly loop reaches in the same minute.
Each contender has a process of its own, which stands still while another is measured; they take turns on a shape, and all of
it is repeated with fresh processes. A figure is the median of the processes' medians of turns. Nothing is timed before its
outputs were compared with float64: no element may be further off than 1e-4 of the largest. A contender that can state a
shape in several forms (layouts, packed weights, calls) is timed in the one that is fastest when tried.
Prints Markdown tables; --benchmark_out=FILE writes JSON as Google Benchmark does, and the tables beside it."""

from __future__ import annotations

import argparse
import collections
import ctypes
import json
import pathlib
import re
import signal
import statistics
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER / "kernels"), str(FOLDER / "lib")]

import about  # noqa: E402
import report  # noqa: E402
import turns  # noqa: E402
from shapes import QUICK, SHAPES, Shape  # noqa: E402
from turns import CannotDo  # noqa: E402

OURS = report.OURS
#: By what --peers calls them: what the tables call them, and the package whose version they show.
PEERS = {"torch": ("oneDNN in PyTorch", "torch"), "numpy": ("OpenBLAS in NumPy", "numpy")}
TOLERANCE = 1e-4
ROUNDS = 5
PROCESSES = 3
QUICK_ROUNDS = 2
TURN_SECONDS = 0.04
LIBRARY = FOLDER.parent / "build" / "benchmarks" / "kernels" / "libfma_peak.so"

Row = dict[str, Any]


class Worker(turns.Worker):
    """A contender of kernels/contenders.py."""

    script = FOLDER / "kernels" / "worker.py"

    def environment(self, threads: int) -> dict[str, str]:
        """OpenBLAS takes the kernels that it has for this CPU."""
        own = super().environment(threads) | {"OPENBLAS_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
        return {name: value for name, value in own.items() if name not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}


class Figures:
    """What all processes have found of a shape, at a number of threads."""

    def __init__(self, shape: Shape, threads: int) -> None:
        self.shape, self.threads = shape, threads
        self.expected = shape.expected(shape.arrays())
        self.times: dict[str, list[list[tuple[float, float]]]] = collections.defaultdict(list)
        self.forms: dict[str, list[str]] = collections.defaultdict(list)
        self.off: dict[str, float] = {}
        self.refused: dict[str, object] = {}
        self.peaks: list[float] = []

    def rows(self, names: list[str]) -> list[Row]:
        return [row for name in names if (row := self.row(name)) is not None]

    def row(self, name: str) -> Row | None:
        """None of a contender that does not compute such a thing."""
        threads = self.threads
        whole = f"kernels/{self.shape.name}/threads{threads}/{name}"
        row: Row = {"name": whole, "run_name": whole, "run_type": "aggregate", "aggregate_name": "median", "shape": self.shape.name,
                    "threads": threads, "contender": name, "reached": self.shape.reached if threads == 1 else None}  # fmt: skip
        if name in self.refused:
            return row | {"error_occurred": True, "error_message": str(self.refused[name])}
        if not self.times[name]:
            return None
        medians = [[statistics.median(column) for column in zip(*times)] for times in self.times[name]]
        clock, cpu = (statistics.median(column) for column in zip(*medians))
        row |= {"repetitions": len(medians), "real_time": clock * 1e6, "cpu_time": cpu * 1e6, "time_unit": "us",
                "least_cpu_time": min(cpu for times in self.times[name] for _, cpu in times) * 1e6,
                "form": collections.Counter(self.forms[name]).most_common(1)[0][0], "apart": self.off[name]}  # fmt: skip
        if self.shape.flops is not None:
            row["GFlop/s"] = self.shape.flops / clock * 1e-9
            if self.peaks:
                row["percent"] = 100 * row["GFlop/s"] / (threads * statistics.median(self.peaks))
        return row


def peak_measure(library: pathlib.Path) -> Callable[[], float] | None:
    """What measures the GF/s of the assembly loop; None where the benchmarks are not built."""
    if not library.exists():
        return None
    function = ctypes.CDLL(str(library)).clika_fma_peak
    function.restype = ctypes.c_double
    return function


def ready(worker: Worker, figures: Figures, folder: pathlib.Path) -> bool:
    """Loads the shape, compares what each form computes, and chooses one; False where the contender has none."""
    forms = worker.ask("load", shape=figures.shape.name)
    if not forms:
        return False
    outputs: list[np.ndarray] = worker.outputs(folder)
    off = turns.apart(outputs, [figures.expected] * forms)
    turns.require_within(off, TOLERANCE)
    figures.off[worker.name] = max(off, figures.off.get(worker.name, 0.0))
    figures.forms[worker.name].append(worker.ask("choose"))
    return True


def measure(workers: dict[str, Worker], figures: Figures, rounds: int, folder: pathlib.Path, peak: Callable[[], float] | None) -> None:
    """A process' turns on a shape."""
    able = {}
    for name, worker in workers.items():
        try:
            if name not in figures.refused and ready(worker, figures, folder):
                able[name] = worker
        except CannotDo as reason:
            figures.refused[name] = reason
    between = (lambda: figures.peaks.append(peak())) if peak is not None else lambda: None
    for name, times in turns.take_turns(able, rounds, figures.refused, TURN_SECONDS, between).items():
        figures.times[name].append(times)


def measure_all(options: argparse.Namespace, names: list[str], found: list[Figures], folder: pathlib.Path) -> None:
    """Of figures at one number of threads."""
    peak = peak_measure(options.library)
    for process in range(options.processes):
        workers: dict[str, Worker] = {}
        try:
            for figures in found:
                for name in names:
                    if name not in workers or workers[name].process.poll() is not None:
                        workers[name] = Worker(name, figures.threads, folder)
                measure(workers, figures, options.rounds, folder, peak)
                print(f"process {process + 1} of {options.processes}: {told(figures, names)}", flush=True)
        finally:
            for worker in workers.values():
                worker.stop()


def told(figures: Figures, names: list[str]) -> str:
    rows = figures.rows(names)
    words = [row["error_message"] if "error_message" in row else f"{row['real_time']:.1f} µs" for row in rows]
    times = ", ".join(f"{row['contender']} {word}" for row, word in zip(rows, words))
    return f"{figures.shape.name}, threads {figures.threads}: {times}"


def split(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def parse(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filter", "--benchmark_filter", default="", help="run those whose name, as in matmul/128x128x128/constant, matches")
    parser.add_argument("--peers", type=split, default=list(PEERS), help=f"of {', '.join(PEERS)}")
    parser.add_argument("--threads", type=lambda text: [int(word) for word in split(text)], default=[1])
    parser.add_argument("--rounds", type=int, help="turns of each contender in a process")
    parser.add_argument("--processes", type=int, help="how often fresh processes repeat it all")
    parser.add_argument("--quick", action="store_true", help="one shape of each kind, one process, two rounds")
    parser.add_argument("--library", type=pathlib.Path, default=LIBRARY, help="the built assembly loop")
    parser.add_argument("--benchmark_out", type=pathlib.Path, help="write the figures to this file as JSON, the tables beside it")
    options, _ = parser.parse_known_args(words)
    if unknown := [word for word in options.peers if word not in PEERS]:
        parser.error(f"--peers: no {', '.join(unknown)}; there are {', '.join(PEERS)}")
    options.rounds = options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS)
    options.processes = options.processes or (1 if options.quick else PROCESSES)
    options.shapes = [name for name in (QUICK if options.quick else SHAPES) if re.search(options.filter, name)]
    return options


def blas() -> str:
    """Which BLAS NumPy was built with."""
    built = np.show_config(mode="dicts")["Build Dependencies"]["blas"]  # type: ignore[call-overload, index]
    return f"{built['name']} {built['version']}"


def context(options: argparse.Namespace) -> dict[str, str]:
    found = about.context({PEERS[peer][1]: PEERS[peer][1] for peer in options.peers})
    if "numpy" in options.peers:
        found["BLAS"] = blas()
    return found


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # workers that stand still would stay
    options = parse()
    facts, names = context(options), [OURS, *(PEERS[peer][0] for peer in options.peers)]
    found: list[Figures] = []
    for threads in options.threads:
        found += (own := [Figures(SHAPES[name], threads) for name in options.shapes])
        with tempfile.TemporaryDirectory() as scratch:
            measure_all(options, names, own, pathlib.Path(scratch))
    if peaks := [peak for figures in found for peak in figures.peaks]:
        facts["FMA peak of a core, GF/s"] = f"{statistics.median(peaks):.1f}"
    rows = [row for figures in found for row in figures.rows(names)]
    text = report.report(rows, facts)
    print(text, flush=True)
    if options.benchmark_out:
        options.benchmark_out.write_text(json.dumps({"context": facts, "benchmarks": rows}, indent=1))
        options.benchmark_out.with_suffix(".md").write_text(text)
    return int(any(row["contender"] == OURS and row.get("error_occurred") for row in rows))


if __name__ == "__main__":
    sys.exit(main())
