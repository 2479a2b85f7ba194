"""One contender of bench_kernels.py in a process of its own. Arrays are made from the shape's name; results go into a .npz file."""

from __future__ import annotations

import pathlib
import sys
import time
from typing import Any

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

import serving  # noqa: E402
from contenders import CONTENDERS, Contender, Form  # noqa: E402
from shapes import SHAPES  # noqa: E402

TRIALS = 3
TRIAL_SECONDS = 0.005


class Chosen:
    """A contender, the forms of the shape it has now, and the one of them that is timed."""

    def __init__(self, contender: Contender) -> None:
        self.contender = contender
        self.forms: list[Form] = []

    def load(self, order: dict[str, Any]) -> int:
        """How many forms there are; none where it does not compute such a thing."""
        self.forms = []
        self.forms = list(self.contender.forms(SHAPES[order["shape"]]))
        return len(self.forms)

    def outputs(self, order: dict[str, Any]) -> None:
        """Of each form: of the second run, which reads what the first has left behind."""
        for form in self.forms:
            form.call()
        np.savez(order["outputs"], *(form.array(form.call()) for form in self.forms))

    def choose(self, order: dict[str, Any]) -> str:
        """The fastest form: by the CPU's time, or the clock where several threads work."""
        best = {form.name: min(self.seconds(form) for _ in range(TRIALS)) for form in self.forms}
        self.forms.sort(key=lambda form: best[form.name])
        return self.forms[0].name

    def seconds(self, form: Form) -> float:
        now = time.process_time if self.contender.threads == 1 else time.perf_counter
        count, start = 0, now()
        while (took := now() - start) < TRIAL_SECONDS or not count:
            form.call()
            count += 1
        return took / count

    def time(self, order: dict[str, Any]) -> tuple[float, float]:
        return serving.timed(self.forms[0].call, order["seconds"], order["expected"])


ORDERS = {"load": Chosen.load, "outputs": Chosen.outputs, "choose": Chosen.choose, "time": Chosen.time}


def main() -> None:
    name, threads, _ = sys.argv[1:]
    serving.serve(ORDERS, lambda: Chosen(CONTENDERS[name](int(threads))))


if __name__ == "__main__":
    main()
