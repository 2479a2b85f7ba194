"""The side of a contender's process: reads an order a line as JSON and answers with a line. What the libraries print goes
to standard error."""

from __future__ import annotations

import gc
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

FEWEST_BATCHES = 3
#: Calls that take less are timed together, as many as take so long.
BATCH_SECONDS = 5e-4
#: A call of so many seconds needs no other before it to warm the caches.
LONG = 0.3


def timed(call: Callable[[], Any], seconds: float, expected: float) -> tuple[float, float]:
    """The median seconds of a call by the clock and by the CPU, of calls for `seconds`; one is expected to take `expected`."""
    gc.collect()
    gc.disable()
    count = 1 if expected >= LONG else calls_of_a_batch(call)
    clock: list[float] = []
    cpu: list[float] = []
    while sum(clock) < seconds or (len(clock) < FEWEST_BATCHES and sum(clock) < 4 * seconds):
        start, cpu_start = time.perf_counter(), time.process_time()
        for _ in range(count):
            result = call()
        clock.append(time.perf_counter() - start)
        cpu.append(time.process_time() - cpu_start)
        del result
    gc.enable()
    return statistics.median(clock) / count, statistics.median(cpu) / count


def calls_of_a_batch(call: Callable[[], Any]) -> int:
    count = 1
    while True:
        start = time.perf_counter()
        for _ in range(count):
            call()
        took = time.perf_counter() - start
        if took >= BATCH_SECONDS:
            return count
        count = min(10 * count, max(count + 1, int(1.2 * count * BATCH_SECONDS / max(took, 1e-7))))


def serve(orders: Mapping[str, Callable[[Any, dict[str, Any]], Any]], make: Callable[[], Any]) -> None:
    """Carries out orders until there are no more; `make` makes the contender, for the first of them."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    contender: Any = None
    for line in sys.stdin:
        order = json.loads(line)
        try:
            contender = contender or make()
            reply = {"answer": orders[order["do"]](contender, order)}
        except Exception as error:  # what a library raises is what the table says of it
            reply = {"cannot": f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"}
        print(json.dumps(reply), file=answers, flush=True)
