"""Transforms on random graphs: each keeps what a graph computes, within its exactness, and planted faults are found.

CLIKA_RANDOM_GRAPHS sets how many graphs are grown (2,000 in ./dev check)."""

from __future__ import annotations

import os
import random
from collections import Counter

import numpy as np
import pytest
import random_graph
import random_recipes

import clika_runtime as crt
from clika_runtime.graph import OpCode, Pattern, transforms

GRAPHS = int(os.environ.get("CLIKA_RANDOM_GRAPHS", "2000"))
# The graphs are shared out over so many tests, in each of which every op comes its part of 50 times.
PARTS = 8
# One graph in so many is compiled whole as well.
COMPILED_EACH = 25
RUNTIME = transforms.runtime_transforms()


def lists_for(seed: int, graph: crt.graph.ModelGraph) -> list[list[crt.graph.Transform]]:
    """The default list, the same shuffled, and one transform alone, each in its turn."""
    default = graph.default_transforms()
    shuffled = list(default)
    random.Random(seed).shuffle(shuffled)
    return [default, shuffled, *[[t] for t in RUNTIME if (seed + len(t.name)) % 4 == 0]]


def failure_of(grown: random_graph.Grown, graph: crt.graph.ModelGraph, run: list[crt.graph.Transform]) -> str:
    try:
        graph.optimize(run, check=grown.inputs)
    except crt.Error as error:
        return str(error)
    return ""


def reduced(grown: random_graph.Grown, run: list[crt.graph.Transform]) -> str:
    """The graph of the fewest first steps on which the list still fails, as text."""
    for count in range(1, len(grown.steps) + 1):
        try:
            graph = grown.first(count)
        except crt.Error:
            continue
        text = graph.to_string()
        if failure_of(grown, graph, run):
            return text
    return grown.graph.to_string()


def check_seed(seed: int, counts: Counter[str]) -> None:
    grown = random_graph.grow(seed, counts)
    for run in lists_for(seed, grown.graph):
        failure = failure_of(grown, grown.graph.clone(), run)
        names = ", ".join(t.name for t in run)
        assert not failure, f"seed {seed}, list [{names}]: {failure}\n{reduced(grown, run)}"
    if seed % COMPILED_EACH == 0:
        check_compiled(grown)


def check_compiled(grown: random_graph.Grown) -> None:
    """Compiled whole, a graph gives the bits that its ops give one at a time."""
    graph = grown.graph.clone()
    graph.finalize()
    for index, (actual, expected) in enumerate(zip(graph.run(grown.inputs), grown.outputs, strict=True)):
        np.testing.assert_array_equal(
            actual.numpy(), expected, f"seed {grown.seed}, output {index}, compiled and eager\n{grown.graph.to_string()}")


def test_every_op_has_a_recipe():
    assert [op for op in random_recipes.NAMES if not random_recipes.has_rule(op)] == []


@pytest.mark.parametrize("part", range(PARTS))
def test_transforms_keep_what_random_graphs_compute(part):
    counts: Counter[str] = Counter()
    for seed in range(part, GRAPHS, PARTS):
        check_seed(seed, counts)
    wanted = -(-50 * GRAPHS // (2000 * PARTS))
    rare = {op: counts[op] for op in random_recipes.NAMES if counts[op] < wanted}
    assert not rare, f"ops that came fewer than {wanted} times: {rare}"


def test_a_seed_gives_one_graph():
    assert random_graph.grow(7).graph.to_mlir() == random_graph.grow(7).graph.to_mlir()


# Planted faults: rules that are wrong, which the check must find on some random graph where they fire.


def pick(index):
    return lambda match, tensors: tensors[index]


FAULTS = {
    "swapped_ports": (OpCode.Sub, lambda m, t: crt.sub(t[-1], t[0]), lambda m: m.nodes[0].attribute("alpha") == 1),
    "lost_alpha": (OpCode.Add, lambda m, t: crt.add(t[0], t[-1]), lambda m: m.nodes[0].attribute("alpha") == 2),
    "one_taken_for_zero": (
        OpCode.Add,
        pick(0),
        lambda m: len(m.inputs) == 2 and m.inputs[1].constant_scalar() == 1 and m.inputs[0].shape == m.outputs[0].shape,
    ),
    "dropped_relu": (OpCode.Relu, pick(0), None),
    "lost_activation": (
        OpCode.Mul,
        lambda m, t: crt.mul(t[0], t[-1]),
        lambda m: m.nodes[0].attribute("activation") != "Identity",
    ),
    "largest_for_smallest": (OpCode.Maximum, lambda m, t: crt.minimum(t[0], t[-1]), None),
    "unordered_transpose": (
        OpCode.Transpose,
        lambda m, t: crt.reshape(t[0], list(m.outputs[0].shape)),
        lambda m: all(isinstance(size, int) and size > 1 for size in m.outputs[0].shape),
    ),
    "softmax_elsewhere": (
        OpCode.Softmax,
        lambda m, t: crt.softmax(t[0], 0),
        lambda m: len(m.outputs[0].shape) > 1,
    ),
    "floor_for_round": (OpCode.Round, lambda m, t: crt.floor(t[0]), None),
    "zero_product": (
        OpCode.Mul,
        lambda m, t: crt.sub(t[0], t[0]),
        lambda m: len(m.inputs) == 2 and m.inputs[1].constant_scalar() == 0 and m.inputs[0].shape == m.outputs[0].shape,
    ),
    "kept_sign": (OpCode.Abs, pick(0), None),
    "cut_flip": (OpCode.Flip, pick(0), None),
}


@pytest.mark.parametrize("name", FAULTS)
def test_planted_fault_is_found(name):
    code, replacement, condition = FAULTS[name]
    fault = transforms.rewrite(name, Pattern([code]), replacement, condition)
    for seed in range(200):
        grown = random_graph.grow(seed, favoured=code.name.lower())
        if failure_of(grown, grown.graph, [fault]):
            return
    pytest.fail("no random graph told the faulty rule from a right one")
