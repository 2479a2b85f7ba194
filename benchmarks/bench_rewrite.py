"""What a rewrite costs against the size of the graph, in ClikaRT and in the other libraries that rewrite ONNX models:
fusion (six nodes of a norm become one, as a rule that a user states), identity (a rule that removes Identity nodes) and
cleanup (identities, casts and products that do nothing, duplicates, nodes that nothing reads). All get the same ONNX
models. Each contender has a process of its own, and they take turns; each repetition rewrites a fresh copy in memory,
and neither loading nor copying is timed. Before anything is timed, the nodes that are left are counted at each size,
and the numbers that the result computes are compared with ONNX Runtime's for the model as it was.
Prints Markdown tables; --benchmark_out=FILE writes JSON as Google Benchmark does."""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import select
import statistics
import subprocess
import sys
import tempfile
from typing import Any

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER / "rewrite"))

import models  # noqa: E402
import onnx  # noqa: E402
from contenders import CONTENDERS  # noqa: E402

LIBRARY = FOLDER.parent / "build" / "benchmarks" / "rewrite" / "librewrite_rules.so"
REFERENCE = "onnxscript"
NUMBERS_AT = 3
REPETITIONS = 5
# A contender that needs more seconds for one repetition is not asked for larger graphs.
PATIENCE = 60.0


class CannotDo(Exception):
    pass


class Worker:
    """A contender in its process, which is started again after it has ended."""

    def __init__(self, name: str, library: str) -> None:
        self.name, self.library = name, library
        self.process: subprocess.Popen[str] | None = None

    def ask(self, **order: Any) -> Any:
        if self.process is None or self.process.poll() is not None:
            command = [sys.executable, str(FOLDER / "rewrite" / "worker.py"), self.name, self.library]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps(order), file=self.process.stdin, flush=True)
        if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
            self.stop()
            raise CannotDo(f"took more than {PATIENCE:.0f} s")
        line = self.process.stdout.readline()
        if not line:
            raise CannotDo(f"ended with status {self.process.wait()}")
        reply = json.loads(line)
        if "cannot" in reply:
            raise CannotDo(reply["cannot"])
        return reply["answer"]

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def saved(folder: pathlib.Path, case: str, blocks: int) -> str:
    path = folder / f"{case}_{blocks}.onnx"
    if not path.exists():
        onnx.save(models.model(case, blocks), path)
    return str(path)


def able(workers: list[Worker], order: dict[str, Any], refused: dict[str, str]) -> list[Worker]:
    """Those that carry `order` out; why the others do not goes to `refused`."""
    left = []
    for worker in workers:
        try:
            worker.ask(**order)
            left.append(worker)
        except CannotDo as reason:
            refused[worker.name] = str(reason)
    return left


def measure(workers: list[Worker], case: str, blocks: int, path: str, repetitions: int, refused: dict[str, str]) -> list[dict[str, Any]]:
    """A row for each contender that can do the case at this size: medians of turns taken one after the other."""
    for do in ("load", "counts"):
        workers = able(workers, {"do": do, "case": case, "path": path, "blocks": blocks}, refused)
    times: dict[str, list[tuple[float, float]]] = {worker.name: [] for worker in workers}
    for _ in range(repetitions):
        for worker in list(workers):
            try:
                times[worker.name].append(worker.ask(do="time"))
            except CannotDo as reason:
                refused[worker.name] = str(reason)
                workers.remove(worker)
    nodes = models.node_count(case, blocks)
    rows = []
    for worker in workers:
        seconds, cpu = (statistics.median(column) for column in zip(*times[worker.name]))
        name = f"rewrite/{case}/{worker.name}/{nodes}"
        rows.append({"name": f"{name}_median", "run_name": name, "run_type": "aggregate", "aggregate_name": "median",
                     "repetitions": repetitions, "real_time": seconds * 1e3, "cpu_time": cpu * 1e3, "time_unit": "ms",
                     "ns_per_node": seconds * 1e9 / nodes, "cpu_ns_per_node": cpu * 1e9 / nodes,
                     "Mnodes_per_s": nodes / seconds / 1e6, "contender": worker.name, "nodes": nodes})  # fmt: skip
    compare(rows)
    return rows


def compare(rows: list[dict[str, Any]]) -> None:
    """How many times faster than the reference each is, by the clock and by the CPU's time, which other work on the
    machine changes less."""
    reference = [row for row in rows if row["contender"] == REFERENCE]
    for row in rows if reference else []:
        row[f"x_{REFERENCE}"] = reference[0]["ns_per_node"] / row["ns_per_node"]
        row[f"x_{REFERENCE}_CPU"] = reference[0]["cpu_ns_per_node"] / row["cpu_ns_per_node"]


def refusals(case: str, refused: dict[str, str]) -> list[dict[str, Any]]:
    return [{"name": f"rewrite/{case}/{name}", "run_name": f"rewrite/{case}/{name}", "run_type": "iteration",
             "error_occurred": True, "error_message": reason, "contender": name} for name, reason in refused.items()]  # fmt: skip


def table(case: str, rows: list[dict[str, Any]], refused: dict[str, str]) -> str:
    """Nanoseconds a node by size; at the largest size the CPU's too, and how many times faster than the reference."""
    sizes = sorted({row["nodes"] for row in rows})
    heads = [f"{size:,} nodes" for size in sizes]
    lines = [f"| {case}, ns/node | {' | '.join(heads)} | CPU | Mnodes/s | x {REFERENCE} | by CPU |", f"|---|{'---:|' * (len(sizes) + 4)}"]
    for name in CONTENDERS:
        own = {row["nodes"]: row for row in rows if row["contender"] == name}
        if own:
            last = own[max(own)]
            cells = [f"{own[size]['ns_per_node']:,.0f}" if size in own else "–" for size in sizes]
            ratios = [last.get(f"x_{REFERENCE}{suffix}") for suffix in ("", "_CPU")]
            cells += [f"{last['cpu_ns_per_node']:,.0f}", f"{last['Mnodes_per_s']:.3g}"]
            cells += [f"{ratio:.1f}" if ratio else "–" for ratio in ratios]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += [f"| {name} | {reason} |{' |' * (len(sizes) + 3)}" for name, reason in refused.items()]
    return "\n".join(lines) + "\n"


def run_case(workers: list[Worker], case: str, folder: pathlib.Path, options: argparse.Namespace) -> list[dict[str, Any]]:
    refused: dict[str, str] = {}
    small = {"case": case, "path": saved(folder, case, NUMBERS_AT), "blocks": NUMBERS_AT}
    for do in ("load", "counts", "numbers"):
        workers = able(workers, {"do": do} | small, refused)
    rows: list[dict[str, Any]] = []
    for blocks in models.sizes(case)[: 2 if options.quick else None]:
        rows += measure(workers, case, blocks, saved(folder, case, blocks), options.repetitions, refused)
        workers = [worker for worker in workers if worker.name not in refused]
    print(table(case, rows, refused), flush=True)
    return rows + refusals(case, refused)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--benchmark_filter", default="", help="run those whose name, as in rewrite/fusion/onnxscript, matches this regular expression")
    parser.add_argument("--benchmark_out", help="write the figures to this file as JSON")
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--quick", action="store_true", help="leave out the largest graphs")
    parser.add_argument("--library", default=str(LIBRARY), help="the built rules in C++")
    options, _ = parser.parse_known_args()
    library = options.library if pathlib.Path(options.library).exists() else ""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for case in models.CASES:
            workers = [Worker(name, library) for name in CONTENDERS if re.search(options.benchmark_filter, f"rewrite/{case}/{name}")]
            try:
                rows += run_case(workers, case, pathlib.Path(folder), options) if workers else []
            finally:
                for worker in workers:
                    worker.stop()
    if options.benchmark_out:
        pathlib.Path(options.benchmark_out).write_text(json.dumps({"benchmarks": rows}, indent=1))


if __name__ == "__main__":
    main()
