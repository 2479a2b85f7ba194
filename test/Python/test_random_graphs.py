"""Transforms on random graphs: each keeps what a graph computes, within its exactness, and planted faults are found.

CLIKA_RANDOM_GRAPHS sets how many graphs are grown (2,000 in ./dev check)."""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest
import random_edits
import random_graph
import random_graph_reduction
import random_patterns
import random_recipes

import clika_runtime as crt
from clika_runtime.graph import OpCode, Pattern, transforms

GRAPHS = int(os.environ.get("CLIKA_RANDOM_GRAPHS", "2000"))
# The graphs are shared out over so many tests, in each of which every demand is met in its part.
PARTS = 8
# One graph in so many is compiled whole as well.
COMPILED_EACH = 50
RUNTIME = transforms.runtime_transforms()


def lists_for(seed: int, graph: crt.graph.ModelGraph) -> list[list[crt.graph.Transform]]:
    """The default list, the same shuffled, and each transform alone."""
    default = graph.default_transforms()
    shuffled = list(default)
    random.Random(seed).shuffle(shuffled)
    return [default, shuffled, *[[t] for t in RUNTIME]]


def failure_of(graph: crt.graph.ModelGraph, run: list[crt.graph.Transform], inputs: list[crt.Tensor]) -> str:
    try:
        graph.optimize(run, check=inputs)
    except crt.Error as error:
        return str(error)
    return ""


def reduced(grown: random_graph.Grown, run: list[crt.graph.Transform]) -> str:
    """The fewest steps on which the list still fails, as .mlir."""
    found = random_graph_reduction.reduce(grown, lambda part: bool(failure_of(part.graph.clone(), run, part.inputs)))
    return str(found) if found else f"// fails only as a whole\n{grown.graph.to_mlir()}"


@dataclass
class Tally:
    """What a part of the graphs amounts to."""

    graphs: int = 0
    dynamic: int = 0
    special: int = 0
    steps: Counter[str] = field(default_factory=Counter)
    fired: Counter[str] = field(default_factory=Counter)
    edits: Counter[str] = field(default_factory=Counter)

    def add(self, grown: random_graph.Grown) -> None:
        assert 5 <= len(grown.steps) <= 60, f"seed {grown.seed} has {len(grown.steps)} steps"
        self.graphs += 1
        self.dynamic += grown.is_dynamic
        self.special += any(not np.all(np.isfinite(i.numpy().astype(float))) for i in grown.inputs)


def check_seed(seed: int, tally: Tally) -> None:
    grown = random_graph.grow(seed, tally.steps)
    tally.add(grown)
    for run in lists_for(seed, grown.graph):
        changed = grown.graph.clone()
        rows = {row.transform.name: row.applications for row in changed.optimize(run).transforms}
        tally.fired.update({name for name, applications in rows.items() if applications and len(run) == 1})
        if not any(rows.values()):
            continue
        failure = failure_of(grown.graph.clone(), run, grown.inputs)
        names = ", ".join(t.name for t in run)
        assert not failure, f"seed {seed}, list [{names}]: {failure}\n{reduced(grown, run)}"
    check_edited(grown, tally)
    if seed % COMPILED_EACH == 0:
        check_compiled(grown)


def check_edited(grown: random_graph.Grown, tally: Tally) -> None:
    """The same after random edits, against what the edited graph computes."""
    graph, rng = grown.graph.clone(), random.Random(grown.seed)
    tally.edits.update(random_edits.edit(graph, rng, 6))
    # An edit may make an index or a shape one that a run refuses.
    if failure_of(graph.clone(), [], grown.inputs):
        return
    tally.edits["computed"] += 1
    failure = failure_of(graph.clone(), graph.default_transforms(), grown.inputs)
    assert not failure, f"seed {grown.seed}, edited, default list: {failure}\n{graph.to_mlir()}"


def check_compiled(grown: random_graph.Grown) -> None:
    """Compiled whole, a graph gives the bits that its ops give one at a time; values wrapped by edits in what leaves them
    as they are, too; and optimized, what the default list promises."""
    graph = grown.graph.clone()
    assert_computes(graph, grown)
    wrapped = grown.graph.clone()
    random_edits.wrap_values(wrapped, random.Random(grown.seed), 5)
    assert_computes(wrapped, grown)
    optimized = grown.graph.clone()
    fired = {row.transform.name for row in optimized.optimize().transforms if row.applications}
    bounded = fired & random_patterns.BOUNDED
    assert_computes(optimized, grown, 1e-4 if bounded else 0.0)


def assert_computes(graph: crt.graph.ModelGraph, grown: random_graph.Grown, tolerance: float = 0.0) -> None:
    text = graph.to_mlir()
    graph.finalize()
    for index, (actual, expected) in enumerate(zip(graph.run(grown.inputs), grown.outputs, strict=True)):
        got, what = actual.numpy(), f"seed {grown.seed}, output {index}, compiled and eager\n{text}"
        assert got.dtype == expected.dtype and got.shape == expected.shape, what
        half = {"float16": 2**-9, "bfloat16": 2**-6}.get(got.dtype.name, 0.0)
        if "float" in got.dtype.name:
            # NumPy does not know bfloat16's NaN from others.
            got, expected = got.astype(np.float64), expected.astype(np.float64)
        if tolerance and got.dtype == np.float64:
            bound = max(tolerance, half)
            np.testing.assert_allclose(got, expected, bound, bound, err_msg=what)
        else:
            np.testing.assert_array_equal(got, expected, what)


def test_every_op_has_a_recipe():
    assert [op for op in random_recipes.NAMES if not random_recipes.has_rule(op)] == []


def least(of_2000: int) -> int:
    """A part's share of what 2,000 graphs must come to, rounded up: the parts together come to it in any case. Of fewer
    graphs it is not asked: chance would decide."""
    return -(-of_2000 // PARTS) if GRAPHS >= 2000 else 0


@pytest.mark.parametrize("part", range(PARTS))
def test_transforms_keep_what_random_graphs_compute(part):
    tally = Tally()
    for seed in range(part, GRAPHS, PARTS):
        check_seed(seed, tally)
    rare = {op: tally.steps[op] for op in random_recipes.NAMES if tally.steps[op] < least(50)}
    assert not rare, f"ops that came fewer than {least(50)} times: {rare}"
    idle = {t.name: tally.fired[t.name] for t in RUNTIME if tally.fired[t.name] < least(16)}
    assert not idle, f"transforms that alone rewrote fewer than {least(16)} graphs: {idle}"
    unapplied = {kind: tally.edits[kind] for kind in random_edits.KINDS if tally.edits[kind] < least(16)}
    assert not unapplied, f"edits that applied fewer than {least(16)} times: {unapplied}"
    assert tally.edits["computed"] >= tally.graphs // 2
    assert tally.dynamic >= tally.graphs // 3
    assert tally.special >= tally.graphs // 4


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
        if failure_of(grown.graph.clone(), [fault], grown.inputs):
            break
    else:
        pytest.fail("no random graph told the faulty rule from a right one")
    # Reduced, the graph holds the faulty node's step and little else, whatever stood between and after.
    small = random_graph_reduction.reduce(grown, lambda part: bool(failure_of(part.graph.clone(), [fault], part.inputs)))
    assert small is not None and len(small.steps) == 1, small
    assert f"clika.{code.name.lower()} " in str(small), small
