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
import importlib.metadata
import json
import os
import pathlib
import re
import select
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER / "models"))
sys.path.insert(0, str(FOLDER.parent / "test" / "lib" / "Python"))

import tables  # noqa: E402

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
# Seconds that loading a model may take (some compile it for minutes), and anything else.
PATIENCE = {"load": 1800.0, "start": 1800.0}
OTHERWISE = 180.0

Row = dict[str, Any]


class CannotDo(Exception):
    pass


class Worker:
    """A contender in its process, which stands still unless it is asked."""

    def __init__(self, name: str, threads: int, cache: pathlib.Path) -> None:
        self.name = name
        command = [sys.executable, str(FOLDER / "models" / "worker.py"), name, str(threads), str(cache)]
        env = os.environ | {"OMP_NUM_THREADS": str(threads)}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, env=env)  # fmt: skip

    def ask(self, do: str, **order: Any) -> Any:
        assert self.process.stdin is not None and self.process.stdout is not None
        patience = PATIENCE.get(do, OTHERWISE)
        self.process.send_signal(signal.SIGCONT)
        try:
            print(json.dumps({"do": do} | order), file=self.process.stdin, flush=True)
        except BrokenPipeError:
            raise CannotDo(f"ended with status {self.process.wait()}") from None
        if not select.select([self.process.stdout], [], [], patience)[0]:
            self.stop()
            raise CannotDo(f"took more than {patience:.0f} s")
        line = self.process.stdout.readline()
        if not line:
            raise CannotDo(f"ended with status {self.process.wait()}")
        self.process.send_signal(signal.SIGSTOP)
        reply = json.loads(line)
        if "cannot" in reply:
            raise CannotDo(reply["cannot"])
        return reply["answer"]

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()


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
            return self.asked(worker)
        finally:
            worker.stop()

    def asked(self, worker: Worker) -> list[np.ndarray]:
        path = self.folder / "outputs.npz"
        worker.ask("outputs", outputs=str(path))
        with np.load(path) as file:
            return [file[f"arr_{i}"] for i in range(len(file.files))]

    def row(self, kind: str, contender: str, threads: int) -> Row:
        what = f"batch{self.batch}/threads{threads}" if kind == "run" else kind
        name = f"models/{self.model}/{what}/{contender}"
        return {"name": name, "run_name": name, "run_type": "aggregate", "aggregate_name": "median", "kind": kind,
                "model": self.model, "batch": self.batch, "threads": threads, "contender": contender}  # fmt: skip

    def refusal(self, kind: str, contender: str, threads: int, reason: object) -> Row:
        return self.row(kind, contender, threads) | {"error_occurred": True, "error_message": str(reason)}

    def file_bytes(self) -> int:
        return sum(path.stat().st_size for path in self.folder.glob(f"{self.path.name}*") if path.suffix in (".onnx", ".weights"))


def apart(got: list[np.ndarray], expected: list[np.ndarray]) -> float:
    """By how much of an output's largest element another is off, at most."""
    if len(got) != len(expected):
        raise CannotDo(f"gives {len(got)} outputs, {len(expected)} expected")
    worst = [0.0]
    for mine, theirs in zip(got, expected):
        if mine.shape != theirs.shape:
            raise CannotDo(f"gives an output of the shape {mine.shape}, {theirs.shape} expected")
        difference = np.abs(mine.astype(np.float64) - theirs.astype(np.float64)).max(initial=0)
        worst.append(difference / (np.abs(theirs).max(initial=0) or 1.0))
    return float(np.max(worst))  # which hands a NaN on, as max() may not


def check_numbers(name: str, off: float) -> None:
    tolerance = RELAXED_TOLERANCE if name == RELAXED else TOLERANCE
    if not off <= tolerance:
        raise CannotDo(f"computes other numbers: {off:.1g} of the largest apart, more than {tolerance:g}")


def ready(case: Case, worker: Worker) -> float:
    """Loads the model; by how much its numbers are off."""
    worker.ask("load", **case.place)
    off = apart(case.asked(worker), case.expected)
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
        times = take_turns({name: workers[name] for name in off}, rounds, refused)
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


def take_turns(workers: dict[str, Worker], rounds: int, refused: dict[str, object]) -> dict[str, list[tuple[float, float]]]:
    times: dict[str, list[tuple[float, float]]] = collections.defaultdict(list)
    for _ in range(rounds):
        for name, worker in workers.items():
            if name in refused:
                continue
            expected = times[name][-1][0] if times[name] else 0.0
            try:
                times[name].append(worker.ask("time", seconds=TURN_SECONDS, expected=expected))
            except CannotDo as reason:
                refused[name] = reason
    return times


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


def cpu_name() -> str:
    text = pathlib.Path("/proc/cpuinfo").read_text()
    facts = {key: match[1] for key in ("model name", "cpu family", "model") if (match := re.search(rf"^{key}\s*: (.*)$", text, re.M))}
    widest = next((name for name in ("avx512f", "avx2", "avx") if f" {name} " in text), "")
    return f"{facts.get('model name', 'unknown')} (family {facts.get('cpu family', '?')}, model {facts.get('model', '?')}, {widest})"


def context(peers: list[str]) -> dict[str, str]:
    """What the figures hold for."""
    load = f"{os.getloadavg()[0]:.1f}"
    found = {"CPU": cpu_name(), "CPUs": str(len(os.sched_getaffinity(0))), "load of the machine before": load}
    for peer in peers:
        name, package = PEERS[peer]
        try:
            found[name] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


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
    about, rows = context(options.peers), []
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.cache or pathlib.Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for row in measure(options, folder):
            rows.append(row)
            told = row.get("error_message") or f"{row['real_time']:.3f} ms"
            print(f"{row['name']}: {told}", flush=True)
            if options.benchmark_out:  # what is there is kept even where this ends early
                options.benchmark_out.write_text(json.dumps({"context": about, "benchmarks": rows}, indent=1))
    report = tables.report(rows, about)
    print(report, flush=True)
    if options.benchmark_out:
        options.benchmark_out.with_suffix(".md").write_text(report)
    return int(any(row["contender"] == OURS and row.get("error_occurred") for row in rows))


if __name__ == "__main__":
    sys.exit(main())
