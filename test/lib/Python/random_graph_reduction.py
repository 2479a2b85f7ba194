"""Makes a failing random graph small: keeps the fewest steps on which it still fails (delta debugging). What a step that
is left out computed becomes an input that holds it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import random_graph

import clika_runtime as crt


@dataclass
class Reduced:
    graph: crt.graph.ModelGraph
    inputs: list[crt.Tensor]
    steps: list[int]

    def __str__(self) -> str:
        arrays = "\n".join(f"// {value.name} = {tensor.numpy().tolist()}"
                           for value, tensor in zip(self.graph.inputs(), self.inputs, strict=True))  # fmt: skip
        return f"{arrays}\n{self.graph.to_mlir()}"


def places(grown: random_graph.Grown) -> list[range]:
    """Where the results of each step are among the values."""
    found, at = [], len(grown.specs)
    for step in grown.steps:
        found.append(range(at, at + step.results))
        at += step.results
    return found


def part(grown: random_graph.Grown, steps: list[int]) -> Reduced:
    """The graph of these steps alone; every value that none of them reads is an output."""
    made = places(grown)
    produced = {place for i in steps for place in made[i]}
    read = {ref for i in steps for ref in grown.steps[i].operands if isinstance(ref, int)}
    given = sorted(read - produced)
    specs = []
    for place in given:
        if place < len(grown.specs):
            specs.append(grown.specs[place])
        else:
            value = grown.values[place]
            specs.append(crt.TensorSpec(f"value_{place}", value.dtype, list(value.shape)))

    def replay(tensors: list[crt.Tensor]) -> list[crt.Tensor]:
        values = dict(zip(given, tensors, strict=True))
        for i in steps:
            step = grown.steps[i]
            results = random_graph.results_of(step.call(*[values[r] if isinstance(r, int) else r for r in step.operands]))
            values |= dict(zip(made[i], results, strict=True))
        return [values[place] for place in sorted(produced - read)]

    return Reduced(crt.trace(replay, specs).graph, [grown.values[place] for place in given], steps)


def reduce(grown: random_graph.Grown, fails: Callable[[Reduced], bool]) -> Reduced | None:
    """The fewest steps found on which it still fails; None where no part of the graph does by itself."""

    def failing(steps: list[int]) -> Reduced | None:
        try:
            candidate = part(grown, steps)
        except crt.Error:
            return None
        return candidate if fails(candidate) else None

    best = failing(list(range(len(grown.steps))))
    size = len(grown.steps)
    while best is not None and size > 0:
        for start in range(0, len(best.steps), size):
            fewer = best.steps[:start] + best.steps[start + size :]
            smaller = failing(fewer) if fewer else None
            if smaller is not None:
                best = smaller
                break
        else:
            size //= 2
    return best
