"""One contender of bench_rewrite.py in a process of its own, which keeps its libraries loaded: reads an order a line as
JSON and answers with a line. What the libraries print goes to standard error."""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from typing import Any

import models
import numpy as np
from contenders import CONTENDERS, CannotDo


def check_numbers(contender: Any, original_path: str) -> None:
    """Refuses a result that is not the one asked for, or computes other numbers than the model does."""
    import onnx
    from contenders import onnx_run

    array = np.random.default_rng(0).standard_normal(models.SHAPE).astype(np.float32)
    wanted = onnx_run(onnx.load(original_path), array)
    got = contender.run(contender.rewrite(contender.copy()), array)
    if not np.allclose(got, wanted, rtol=1e-5, atol=1e-6):
        raise CannotDo(f"computes other numbers: up to {np.abs(got - wanted).max():g} apart")


def check_counts(contender: Any, case: str, blocks: int) -> None:
    found, wanted = contender.counts(contender.rewrite(contender.copy())), models.expected(case, blocks)
    if found != wanted:
        others = ", ".join(f"{found[name]} {name} ({wanted[name]} expected)" for name in sorted(found | wanted) if found[name] != wanted[name])
        raise CannotDo(f"leaves {found.total()} nodes of {models.node_count(case, blocks)}, {wanted.total()} expected: {others}")


def timed(contender: Any) -> tuple[float, float]:
    """Seconds of the clock and of the CPU that one rewriting of a fresh copy takes."""
    model = contender.copy()
    gc.collect()
    start, cpu_start = time.perf_counter(), time.process_time()
    contender.rewrite(model)
    return time.perf_counter() - start, time.process_time() - cpu_start


def answer(contender: Any, order: dict[str, Any]) -> Any:
    if order["do"] == "load":
        return contender.load(order["path"], order["case"])
    if order["do"] == "numbers":
        return check_numbers(contender, order["path"])
    if order["do"] == "counts":
        return check_counts(contender, order["case"], order["blocks"])
    return timed(contender)


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    contender = CONTENDERS[sys.argv[1]](sys.argv[2])
    for line in sys.stdin:
        order = json.loads(line)
        try:
            reply = {"answer": answer(contender, order)}
        except CannotDo as reason:
            reply = {"cannot": str(reason)}
        except Exception as error:  # what a library raises is what the table says of it
            reply = {"cannot": f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"}
        print(json.dumps(reply), file=answers, flush=True)


if __name__ == "__main__":
    main()
