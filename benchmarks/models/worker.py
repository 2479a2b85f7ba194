"""One contender of bench_models.py in a process of its own. The inputs come as a .npz file, and the outputs go into one."""

from __future__ import annotations

import gc
import pathlib
import re
import sys
import time
from typing import Any

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

import serving  # noqa: E402
from contenders import CONTENDERS, Contender  # noqa: E402


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
    return serving.timed(contender.call, order["seconds"], order["expected"])


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
    name, threads, cache = sys.argv[1:]
    serving.serve(ORDERS, lambda: CONTENDERS[name](int(threads), pathlib.Path(cache)))


if __name__ == "__main__":
    main()
