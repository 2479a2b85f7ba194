"""What the drivers of contenders share: a process for each contender, which stands still while another is measured, their
turns, and the comparison of what they compute."""

from __future__ import annotations

import collections
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np


class CannotDo(Exception):
    pass


class Worker:
    """A contender in its process, which stands still unless it is asked."""

    script: ClassVar[pathlib.Path]
    #: Seconds that an order may take, by its name; any other takes `otherwise`.
    patience: ClassVar[dict[str, float]] = {}
    otherwise: ClassVar[float] = 180.0

    def __init__(self, name: str, threads: int, folder: pathlib.Path) -> None:
        self.name = name
        command = [sys.executable, str(self.script), name, str(threads), str(folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, env=self.environment(threads))  # fmt: skip

    def environment(self, threads: int) -> dict[str, str]:
        return os.environ | {"OMP_NUM_THREADS": str(threads)}

    def ask(self, do: str, **order: Any) -> Any:
        assert self.process.stdin is not None and self.process.stdout is not None
        patience = self.patience.get(do, self.otherwise)
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

    def outputs(self, folder: pathlib.Path) -> list[np.ndarray]:
        path = folder / "outputs.npz"
        self.ask("outputs", outputs=str(path))
        with np.load(path) as file:
            return [file[f"arr_{i}"] for i in range(len(file.files))]

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()


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


def require_within(off: float, tolerance: float) -> None:
    if not off <= tolerance:
        raise CannotDo(f"computes other numbers: {off:.1g} of the largest apart, more than {tolerance:g}")


def take_turns(workers: Mapping[str, Worker], rounds: int, refused: dict[str, object], seconds: float,
               between: Callable[[], None] = lambda: None) -> dict[str, list[tuple[float, float]]]:  # fmt: skip
    """The clock's and the CPU's seconds of a run in each turn of `seconds`; who fails goes to `refused`, with the reason."""
    times: dict[str, list[tuple[float, float]]] = collections.defaultdict(list)
    for _ in range(rounds):
        between()
        for name, worker in workers.items():
            if name in refused:
                continue
            expected = times[name][-1][0] if times[name] else 0.0
            try:
                times[name].append(worker.ask("time", seconds=seconds, expected=expected))
            except CannotDo as reason:
                refused[name] = reason
    return times
