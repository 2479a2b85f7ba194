"""Random graphs with parts of them in private functions: equal to the graphs that they were, whatever is done to both.

CLIKA_RANDOM_FUNCTIONS sets how many graphs are grown."""

from __future__ import annotations

import os
import random
from collections import Counter

import numpy as np
import pytest
import random_functions
import random_graph
import random_rules
import test_pattern_search as search
import test_random_failures as failures

import clika_runtime as crt
from clika_runtime.graph import ModelGraph, Transform

GRAPHS = int(os.environ.get("CLIKA_RANDOM_FUNCTIONS", "60"))
PARTS = 4
INLINE = Transform("inline", lambda graph: graph.inline_functions())


def grown_with_functions(seed: int) -> tuple[random_graph.Grown, ModelGraph | None]:
    grown = random_graph.grow(70_000 + seed)
    rng = random.Random(seed)
    return grown, random_functions.outline(grown.graph, rng, rng.randint(1, 4))


def check_seed(seed: int, tally: Counter[str]) -> None:
    grown, graph = grown_with_functions(seed)
    if graph is None:
        tally["none"] += 1
        return
    what = f"seed {seed}\n{graph.to_mlir()}"
    graph.verify()
    assert ModelGraph.from_mlir(graph.to_mlir()).to_mlir() == graph.to_mlir(), what
    tally["made"] += 1
    tally["nested"] += any(node.op_code.name == "Call" for f in graph.function_names() for node in graph.function_nodes(f))
    # The check computes calls one by one, and what was inlined, to the same bits.
    inlined = graph.clone()
    inlined.optimize([INLINE], check=grown.inputs, verify=True, max_iterations=1)
    optimized = graph.clone()
    report = optimized.optimize(check=grown.inputs, verify=True, record=True)
    replayed = graph.clone()
    replayed.replay(report.log)
    assert replayed.to_mlir() == optimized.to_mlir(), what
    tally["rewritten"] += any(row.rewrites for row in report.regions if row.path.startswith("@"))
    if seed // PARTS % 5 == 0:
        tally["compiled"] += 1
        for each in (graph.clone(), inlined):
            each.finalize()
            for got, want in zip(each.run(grown.inputs), grown.outputs, strict=True):
                assert got.numpy().dtype == want.dtype and got.shape == want.shape, what
                assert np.array_equal(got.numpy().astype(want.dtype), want, equal_nan=want.dtype.kind in "fV"), what


@pytest.mark.parametrize("part", range(PARTS))
def test_functions_change_nothing(part):
    tally: Counter[str] = Counter()
    for seed in range(part, GRAPHS, PARTS):
        check_seed(seed, tally)
    if GRAPHS >= 60:
        assert tally["made"] > 2 * tally["none"] and all(tally[key] for key in ("nested", "rewritten", "compiled")), tally


def state_of(graph: ModelGraph) -> tuple[object, ...]:
    functions = [(f, graph.function_inputs(f), graph.function_nodes(f), graph.function_outputs(f)) for f in graph.function_names()]
    return (*failures.state_of(graph), functions, [[v.name for v in inputs] for _, inputs, _, _ in functions])


def add_and_inline(rng: random.Random, fuse: failures.Fuse) -> Transform:
    """Adds a function, and a call of it at times; removes or inlines functions at others."""

    def edits(graph):
        name = f"more_{rng.randrange(3)}"
        choice = rng.random()
        if choice < 0.2:
            graph.inline_functions()
        elif name not in graph.function_names():
            graph.add_function(name, lambda t: [crt.identity(t[0])], [crt.TensorSpec("x", crt.float32, ["a", "b"])])
        else:
            for node in graph.nodes():
                for value in node.outputs:
                    if value.dtype == crt.float32 and len(value.shape) == 2 and rng.random() < 0.3:
                        graph.insert(lambda t: crt.call(name, t), [value])
        if fuse.pass_by() is not None:
            raise failures.Planted

    return Transform("adds_and_inlines", edits)


def fails_at_random(seed: int) -> bool:
    _, graph = grown_with_functions(1000 + seed)
    if graph is None:
        return False
    rng = random.Random(seed)
    fuse = failures.Fuse(rng.choice([0, 1, 2, 3, 5, 8, 13]), rng.choice(failures.FAULTS))
    run = [*failures.random_list(graph, rng, fuse), add_and_inline(rng, fuse)]
    rng.shuffle(run)
    nodes = [node for _, _, inner, _ in state_of(graph)[-2] for node in inner]
    return failures.fails_cleanly(graph, run, fuse, seed, state_of, nodes)


@pytest.mark.parametrize("part", range(PARTS))
def test_a_run_that_fails_leaves_functions_as_they_were(part):
    failed = sum(fails_at_random(seed) for seed in range(part, GRAPHS, PARTS))
    assert failed >= GRAPHS // PARTS // 3 or GRAPHS < 60


def test_the_work_list_gives_what_a_full_search_gives():
    asked = 0
    for seed in range(GRAPHS):
        rng = random.Random(seed)
        graph = random_functions.outline(random_rules.grow(seed), rng, rng.randint(1, 3))
        if graph is None:
            continue
        expected = search.outcome(graph.clone(), seed, full_search=True)
        actual = search.outcome(graph.clone(), seed)
        for got, want in zip(actual, expected, strict=True):
            assert got == want, f"seed {seed}"
        asked += len(actual[1])
    assert asked > GRAPHS
