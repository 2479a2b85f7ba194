"""Whole models in ClikaRT, ONNX Runtime, OpenVINO, torch.compile and IREE, at the same number of threads: how long a run
takes, how long it takes until a model can run, and what memory that needs.
Each contender has a process of its own, which stands still while another is measured; they take turns, and the medians of
the turns are compared. Nothing is timed before its outputs were compared with those of ONNX Runtime without its rewriting
of graphs: no element may be further off than 1e-4 (1e-2 at relaxed precision) of the output's largest. One that cannot take
a model, or computes other numbers, is listed with the reason. Start and memory are medians of processes that load a model once
and run it once.
Prints Markdown tables; --benchmark_out=FILE writes JSON as Google Benchmark does, and the tables beside it."""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import re
import signal
import statistics
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER / "models"), str(FOLDER / "lib"), str(FOLDER.parent / "test" / "lib" / "Python")]

import about  # noqa: E402
import tables  # noqa: E402
import turns  # noqa: E402
from turns import CannotDo, apart  # noqa: E402

OURS, RELAXED, SAVED, REFERENCE = tables.OURS, tables.RELAXED, "ClikaRT, saved", "reference"
#: By what --peers calls them: what the tables call them, and the package whose version they show.
PEERS = {"onnxruntime": ("ONNX Runtime", "onnxruntime"), "openvino": ("OpenVINO", "openvino"), "torch": ("torch.compile", "torch"),
         "iree": ("IREE", "iree-base-compiler")}  # fmt: skip
TOLERANCE = 1e-4
RELAXED_TOLERANCE = 1e-2
ROUNDS = 7
TURN_SECONDS = 0.25
STARTS = 3
QUICK = {"models": ["magika", "squeezenet"], "threads": [2], "batch": [1], "rounds": 2}

Row = dict[str, Any]


class Worker(turns.Worker):
    """A contender of models/contenders.py."""

    script = FOLDER / "models" / "worker.py"
    patience = {"load": 1800.0, "start": 1800.0}  # some compile a model for minutes


class Case:
    """A model for a batch size, with inputs, and the outputs that are expected."""

    def __init__(self, model: str, batch: int, folder: pathlib.Path) -> None:
        import zoo

        self.model, self.batch, self.folder = model, batch, folder
        self.path = zoo.saved(model, batch, folder)
        self.inputs = folder / f"{model}_{batch}_inputs.npz"
        np.savez(self.inputs, *zoo.inputs(self.path))
        self.place = {"path": str(self.path), "inputs": str(self.inputs)}
        self.expected = self.outputs_of(REFERENCE)

    def outputs_of(self, name: str) -> list[np.ndarray]:
        worker = Worker(name, 1, self.folder)
        try:
            worker.ask("load", **self.place)
            return worker.outputs(self.folder)
        finally:
            worker.stop()

    def row(self, kind: str, contender: str, threads: int) -> Row:
        what = f"batch{self.batch}/threads{threads}" if kind == "run" else kind
        name = f"models/{self.model}/{what}/{contender}"
        return {"name": name, "run_name": name, "run_type": "aggregate", "aggregate_name": "median", "kind": kind,
                "model": self.model, "batch": self.batch, "threads": threads, "contender": contender}  # fmt: skip

    def refusal(self, kind: str, contender: str, threads: int, reason: object) -> Row:
        return self.row(kind, contender, threads) | {"error_occurred": True, "error_message": str(reason)}

    def file_bytes(self) -> int:
        return sum(path.stat().st_size for path in self.folder.glob(f"{self.path.name}*") if path.suffix in (".onnx", ".weights"))


def check_numbers(name: str, off: float) -> None:
    turns.require_within(off, RELAXED_TOLERANCE if name == RELAXED else TOLERANCE)


def ready(case: Case, worker: Worker) -> float:
    """Loads the model; by how much its numbers are off."""
    worker.ask("load", **case.place)
    off = apart(worker.outputs(case.folder), case.expected)
    check_numbers(worker.name, off)
    return off


def measure_runs(case: Case, names: list[str], threads: int, rounds: int) -> Iterator[Row]:
    workers = {name: Worker(name, threads, case.folder) for name in names}
    refused: dict[str, object] = {}
    off: dict[str, float] = {}
    try:
        for name, worker in workers.items():
            try:
                off[name] = ready(case, worker)
            except CannotDo as reason:
                refused[name] = reason
        times = turns.take_turns({name: workers[name] for name in off}, rounds, refused, TURN_SECONDS)
    finally:
        for worker in workers.values():
            worker.stop()
    for name in names:
        if name in refused:
            yield case.refusal("run", name, threads, refused[name])
        elif times[name]:
            seconds, cpu = (statistics.median(column) for column in zip(*times[name]))
            yield case.row("run", name, threads) | {"repetitions": rounds, "real_time": seconds * 1e3, "cpu_time": cpu * 1e3,
                                                    "time_unit": "ms", "apart": off[name]}  # fmt: skip


def measure_start(case: Case, names: list[str], threads: int, starts: int) -> Iterator[Row]:
    """Fresh processes, each of which loads the model and runs it once."""
    saved = case.folder / f"{case.model}.clika"
    found: dict[str, list[dict[str, float]]] = collections.defaultdict(list)
    refused: dict[str, object] = {}
    for turn in range(starts + 1):
        for name in names:
            if name in refused:
                continue
            worker = Worker(name, threads, case.folder)
            try:
                if name == SAVED and turn == 0:
                    save(case, saved, threads)
                place = {"path": str(saved), "inputs": str(case.inputs)} if name == SAVED else case.place
                found[name].append(worker.ask("start", **place))
            except CannotDo as reason:
                refused[name] = reason
            finally:
                worker.stop()
    saved.unlink(missing_ok=True)
    for name in names:
        if name in refused:
            yield case.refusal("start", name, threads, refused[name])
            continue
        # The first of all reads files and libraries that lie on the disk.
        median = {key: statistics.median(each[key] for each in found[name][1:]) for key in found[name][0]}
        parts = {f"{key}_s": value for key, value in median.items() if key not in ("seconds", "bytes")}
        yield case.row("start", name, threads) | {
            "repetitions": starts, "real_time": median["seconds"] * 1e3, "cpu_time": median["seconds"] * 1e3, "time_unit": "ms",
            "peak_bytes": median["bytes"], "file_bytes": case.file_bytes()} | parts  # fmt: skip


def save(case: Case, saved: pathlib.Path, threads: int) -> None:
    worker = Worker(OURS, threads, case.folder)
    try:
        worker.ask("save", path=str(case.path), saved=str(saved))
    finally:
        worker.stop()


def split(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def numbers(text: str) -> list[int]:
    return [int(word) for word in split(text)]


def parse(words: list[str] | None = None) -> argparse.Namespace:
    import zoo

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=split, help=f"of {', '.join(zoo.MODELS)}")
    parser.add_argument("--peers", type=split, default=list(PEERS), help=f"of {', '.join(PEERS)}")
    parser.add_argument("--threads", type=numbers)
    parser.add_argument("--batch", type=numbers)
    parser.add_argument("--rounds", type=int, help="turns of each contender; 0 compares outputs and times nothing")
    parser.add_argument("--quick", action="store_true", help="two models, one batch and thread count, two rounds")
    parser.add_argument("--relaxed", action="store_true", help="measure finalize(precision='relaxed') in a column of its own")
    parser.add_argument("--cache", type=pathlib.Path, help="a folder where models and what the peers compiled are kept")
    parser.add_argument("--benchmark_filter", default="", help="run those whose name, as in models/bert/batch1/threads2, matches")
    parser.add_argument("--benchmark_out", type=pathlib.Path, help="write the figures to this file as JSON, the tables beside it")
    options, _ = parser.parse_known_args(words)
    full = {"models": list(zoo.MODELS), "threads": [1, 2], "batch": [1, 8], "rounds": ROUNDS}
    for name, value in (full | (QUICK if options.quick else {})).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    for name, known in (("models", zoo.MODELS), ("peers", PEERS)):
        if unknown := [word for word in getattr(options, name) if word not in known]:
            parser.error(f"--{name}: no {', '.join(unknown)}; there are {', '.join(known)}")
    return options


def measure(options: argparse.Namespace, folder: pathlib.Path) -> Iterator[Row]:
    names = [OURS, *(PEERS[peer][0] for peer in options.peers), *([RELAXED] if options.relaxed else [])]
    for model in options.models:
        for batch in options.batch:
            wanted = [threads for threads in options.threads
                      if re.search(options.benchmark_filter, f"models/{model}/batch{batch}/threads{threads}")]  # fmt: skip
            starts = STARTS if options.rounds and batch == min(options.batch) else 0
            starts = starts if re.search(options.benchmark_filter, f"models/{model}/start") else 0
            if not wanted and not starts:
                continue
            case = Case(model, batch, folder)
            for threads in wanted:
                yield from measure_runs(case, names, threads, options.rounds)
            if starts:
                starters = [OURS, SAVED, *(["ONNX Runtime"] if "onnxruntime" in options.peers else [])]
                yield from measure_start(case, starters, max(options.threads), starts)


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # workers that stand still would stay
    options = parse()
    context, rows = about.context(dict(PEERS[peer] for peer in options.peers)), []
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.cache or pathlib.Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for row in measure(options, folder):
            rows.append(row)
            told = row.get("error_message") or f"{row['real_time']:.3f} ms"
            print(f"{row['name']}: {told}", flush=True)
            if options.benchmark_out:  # what is there is kept even where this ends early
                options.benchmark_out.write_text(json.dumps({"context": context, "benchmarks": rows}, indent=1))
    report = tables.report(rows, context)
    print(report, flush=True)
    if options.benchmark_out:
        options.benchmark_out.with_suffix(".md").write_text(report)
    return int(any(row["contender"] == OURS and row.get("error_occurred") for row in rows))


if __name__ == "__main__":
    sys.exit(main())
