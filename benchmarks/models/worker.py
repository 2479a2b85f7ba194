"""One contender of bench_models.py in a process of its own: reads an order a line as JSON and answers with a line. What
the libraries print goes to standard error. The inputs come as a .npz file, and the outputs go into one."""

from __future__ import annotations

import gc
import json
import os
import pathlib
import re
import statistics
import sys
import time
from typing import Any

import numpy as np
from contenders import CONTENDERS, Contender

FEWEST_RUNS = 3
#: A run of so many seconds needs no other before it to warm the caches.
LONG = 0.3


def arrays_of(path: str) -> list[np.ndarray]:
    with np.load(path) as file:
        return [file[f"arr_{i}"] for i in range(len(file.files))]


def resident(field: str) -> int:
    """Bytes of memory of this process: VmRSS now, VmHWM at most."""
    found = re.search(rf"{field}:\s+(\d+) kB", pathlib.Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) << 10


def loaded(contender: Contender, order: dict[str, Any]) -> None:
    contender.load(order["path"])
    contender.feed(arrays_of(order["inputs"]))


def outputs(contender: Contender, order: dict[str, Any]) -> None:
    """Of the second run, which reads what the first has left behind."""
    contender.call()
    np.savez(order["outputs"], *contender.outputs(contender.call()))


def timed(contender: Contender, order: dict[str, Any]) -> tuple[float, float]:
    """The median seconds of a run, and the CPU's seconds a run, of runs for order["seconds"]."""
    if order["expected"] < LONG:
        contender.call()
    gc.collect()
    gc.disable()
    times: list[float] = []
    start, cpu_start = time.perf_counter(), time.process_time()
    while sum(times) < order["seconds"] or (len(times) < FEWEST_RUNS and sum(times) < 4 * order["seconds"]):
        before = time.perf_counter()
        result = contender.call()
        times.append(time.perf_counter() - before)
        del result
    cpu = time.process_time() - cpu_start
    gc.enable()
    return statistics.median(times), cpu / len(times)


def started(contender: Contender, order: dict[str, Any]) -> dict[str, float]:
    """Seconds from the file to where the model can run, with parts of that, and by how much the process has grown at
    most after a run: as asked of a process that has loaded its libraries and nothing else."""
    arrays = arrays_of(order["inputs"])
    gc.collect()
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # VmHWM counts from here
    before, start = resident("VmRSS"), time.perf_counter()
    parts = contender.load(order["path"])
    seconds = time.perf_counter() - start
    contender.feed(arrays)
    contender.outputs(contender.call())
    return parts | {"seconds": seconds, "bytes": resident("VmHWM") - before}


def saved(contender: Contender, order: dict[str, Any]) -> None:
    contender.load(order["path"])
    contender.save(order["saved"])  # type: ignore[attr-defined]


ORDERS = {"load": loaded, "outputs": outputs, "time": timed, "start": started, "save": saved}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    name, threads, cache = sys.argv[1:]
    contender: Contender | None = None
    for line in sys.stdin:
        order = json.loads(line)
        try:
            contender = contender or CONTENDERS[name](int(threads), pathlib.Path(cache))
            reply = {"answer": ORDERS[order["do"]](contender, order)}
        except Exception as error:  # what a library raises is what the table says of it
            reply = {"cannot": f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"}
        print(json.dumps(reply), file=answers, flush=True)


if __name__ == "__main__":
    main()
