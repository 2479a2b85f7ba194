"""What optimize() costs from Python against the size of the graph: the default list, a rule and a function transform, on a
chain (each node reads the one before) and on a wide graph (every block reads the input). Medians of five; the cost per
node should not grow with the size. Each repetition is a process of its own, as a model's only optimize() is: in a heap full
of holes that other graphs left, the nodes of a large graph lie scattered, and each costs up to three times as much.
--one_process measures that. Prints a line a benchmark; --benchmark_out=FILE writes JSON as Google Benchmark does."""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import statistics
import time
from collections.abc import Callable, Iterator

import clika_runtime as crt
from clika_runtime.graph import ModelGraph, OpCode, Pattern, Transform, transforms

SIZES = (1_000, 10_000, 100_000)
REPETITIONS = 5


def block(x: crt.Tensor) -> crt.Tensor:
    return crt.neg(crt.relu(crt.relu(crt.exp(x))))


def traced(fn: Callable[[crt.Tensor], crt.Tensor]) -> ModelGraph:
    return crt.trace(lambda inputs: fn(inputs[0]), [crt.TensorSpec("x", crt.float32, [8])]).graph


def chain(nodes: int) -> ModelGraph:
    def fn(x: crt.Tensor) -> crt.Tensor:
        for _ in range(nodes // 4):
            x = block(x)
        return x

    return traced(fn)


def wide(nodes: int) -> ModelGraph:
    """Each block has a factor of its own, so that none is a duplicate; concat reads them all."""
    return traced(lambda x: crt.concat([block(crt.add(x, x, alpha=float(i + 2))) for i in range(nodes // 5)], 0))


def relu_pair() -> Transform:
    return transforms.rewrite("relu_pair", Pattern([OpCode.Relu, OpCode.Relu]), lambda match, tensors: crt.relu(tensors[0]))


def asked_pair() -> Transform:
    """A rule whose condition is asked of every pair and accepts."""
    return transforms.rewrite("asked_pair", Pattern([OpCode.Relu, OpCode.Relu]), lambda match, tensors: crt.relu(tensors[0]),
                              lambda match: len(match.outputs) == 1)  # fmt: skip


def drop_repeated_relu(graph: ModelGraph) -> None:
    for node in graph.find_nodes(OpCode.Relu):
        producer = node.input(0).producer()
        if producer is not None and producer.op_code == OpCode.Relu:
            graph.replace_all_uses_with(node.output(0), node.input(0))


LISTS: dict[str, Callable[[], list[Transform] | None]] = {
    "default_list": lambda: None,
    "python_rule": lambda: [relu_pair()],
    "python_rule_condition": lambda: [asked_pair()],
    "python_function": lambda: [Transform("drop_repeated_relu", drop_repeated_relu)],
}


def measured(wanted: str, once: Callable[..., tuple[float, float]]) -> Iterator[dict[str, object]]:
    for shape in (chain, wide):
        for size in SIZES:
            names = [name for name in LISTS if re.search(wanted, f"optimize/{shape.__name__}/{name}/{size}")]
            original = shape(size) if names else None
            for name in names:
                yield measure(f"optimize/{shape.__name__}/{name}/{size}", original, LISTS[name](), once)


def optimized(original: ModelGraph, run: list[Transform] | None) -> tuple[float, float]:
    """Seconds of the clock and of the CPU that one optimize() of a clone takes."""
    graph = original.clone()
    gc.collect()
    start, cpu_start = time.perf_counter(), time.process_time()
    graph.optimize(run)
    return time.perf_counter() - start, time.process_time() - cpu_start


def in_child(original: ModelGraph, run: list[Transform] | None) -> tuple[float, float]:
    """The same in a process of its own."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.write(write_end, json.dumps(optimized(original, run)).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(write_end)
    with os.fdopen(read_end) as answer:
        text = answer.read()
    _, status = os.waitpid(child, 0)
    if status != 0:
        raise RuntimeError("the process that measures has failed; see its message above")
    seconds, cpu = json.loads(text)
    return seconds, cpu


def measure(name: str, original: ModelGraph, run: list[Transform] | None, once: Callable[..., tuple[float, float]]) -> dict[str, object]:
    nodes = len(original.nodes())
    seconds, cpu = zip(*(once(original, run) for _ in range(REPETITIONS)))
    median = statistics.median(seconds)
    return {"name": f"{name}_median", "run_name": name, "run_type": "aggregate", "aggregate_name": "median",
            "repetitions": REPETITIONS, "real_time": median * 1e3, "cpu_time": statistics.median(cpu) * 1e3, "time_unit": "ms",
            "ns_per_node": statistics.median(cpu) * 1e9 / nodes}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--benchmark_filter", default="", help="run those whose name matches this regular expression")
    parser.add_argument("--benchmark_out", help="write the figures to this file as JSON")
    parser.add_argument("--one_process", action="store_true", help="measure all in this process, one after the other")
    options, _ = parser.parse_known_args()
    rows = []
    for row in measured(options.benchmark_filter, optimized if options.one_process else in_child):
        print(f"{row['run_name']:45} {row['real_time']:10.2f} ms {row['ns_per_node']:9.0f} ns/node", flush=True)
        rows.append(row)
    if options.benchmark_out:
        with open(options.benchmark_out, "w") as file:
            json.dump({"benchmarks": rows}, file, indent=1)


if __name__ == "__main__":
    main()
