"""The search for patterns, against one that tries everything; and the work list, against a search of the whole graph.

CLIKA_RANDOM_RULES sets how many graphs the latter is tried on (500 in ./dev check)."""

from __future__ import annotations

import itertools
import os
import random
from collections import Counter

import numpy as np
import pytest
import random_edits
import random_graph
import random_rules

import clika_runtime as crt
from clika_runtime.graph import NodeKind, OpCode, Transform, transforms

RULES = int(os.environ.get("CLIKA_RANDOM_RULES", "500"))
PARTS = 4


def ports_fit(shape, target, taken, sources) -> bool:
    """Whether the edges into `target` can each have a port of its own."""
    node = taken[target]
    edges = [(source, port) for source, to, port in sources if to == target]
    reads = node.inputs
    named = [port for _, port in edges if port is not None]

    def allowed(port: int | None, at: int) -> bool:
        if shape.commutative[target]:
            return True
        return at not in named if port is None else at == port

    for ports in itertools.permutations(range(len(reads)), len(edges)):
        if all(
            allowed(port, at) and reads[at].producer() == taken[source]
            for (source, port), at in zip(edges, ports, strict=True)
        ):
            return True
    return False


def bridged(shape, lacking):
    """The edges without the optional nodes that are lacking."""
    edges = list(shape.edges)
    for node in lacking:
        into = [edge for edge in edges if edge[1] == node]
        (out,) = [edge for edge in edges if edge[0] == node]
        edges = [edge for edge in edges if node not in edge[:2]]
        edges += [(source, out[1], out[2]) for source, _, _ in into]
    return edges


def assignments(graph, shape):
    """Every convex occurrence that something outside reads, by trying every node for every pattern node."""
    operators = [node for node in graph.nodes() if node.kind == NodeKind.Operator]
    optional = [i for i, may in enumerate(shape.optional) if may]
    for count in range(len(optional) + 1):
        for lacking in itertools.combinations(optional, count):
            edges = bridged(shape, lacking)
            yield from extend(graph, shape, edges, operators, {}, [i for i in range(len(shape.codes)) if i not in lacking])


def extend(graph, shape, edges, operators, taken, left):
    if not left:
        nodes = list(taken.values())
        outputs = [v for n in nodes for v in n.outputs if v.is_graph_output() or any(u not in nodes for u in v.users())]
        if outputs and graph.is_convex(nodes):
            yield dict(taken)
        return
    node = left[0]
    for operator in operators:
        codes = shape.codes[node]
        if operator in taken.values() or (codes is not None and operator.op_code not in codes):
            continue
        taken[node] = operator
        done = [to for _, to, _ in edges if to in taken]
        known = [edge for edge in edges if edge[0] in taken and edge[1] in taken]
        if all(ports_fit(shape, to, taken, known) for to in done):
            yield from extend(graph, shape, edges, operators, taken, left[1:])
        del taken[node]


def test_occurrences_are_those_of_a_search_that_tries_everything():
    found = missing = 0
    for seed in range(600):
        rng = random.Random(seed)
        graph, shape = random_rules.grow(seed, rng.randint(6, 12)), random_rules.shape(rng)
        if len(shape.codes) > 5:
            continue
        expected = list(assignments(graph, shape))
        roots = [match.nodes[0].name for match in graph.find_occurrences(shape.pattern)]
        order = [node.name for node in graph.nodes()]
        assert roots == sorted({taken[0].name for taken in expected}, key=order.index), (seed, shape)
        for match in graph.find_occurrences(shape.pattern):
            taken = {i: node for i, node in enumerate(match.nodes) if node is not None}
            assert taken in expected, (seed, shape)
        found += len(roots)
        missing += not roots
    assert found > 100 and missing > 50, (found, missing)


def test_a_condition_is_asked_about_every_assignment():
    several = 0
    for seed in range(600):
        rng = random.Random(seed)
        graph, shape = random_rules.grow(seed, rng.randint(6, 12)), random_rules.shape(rng)
        if len(shape.codes) > 5 or any(shape.optional):
            continue
        asked = []
        rule = transforms.rewrite("r", shape.pattern, lambda m, t: t, lambda m: asked.append([n.name for n in m.nodes]))
        graph.optimize([rule])
        expected = [[taken[i].name for i in range(len(shape.codes))] for taken in assignments(graph, shape)]
        assert sorted(asked) == sorted(expected), (seed, shape)
        several += len(asked) > len({names[0] for names in asked})
    assert several > 5


def entries(seed: int, log: list) -> list[Transform]:
    """Rules, edits and the runtime's transforms in one list, the same each time it is made of a seed."""
    rng = random.Random(seed)
    made = [random_rules.rule(f"rule_{i}", rng, log, with_where=rng.random() < 0.2) for i in range(rng.randint(2, 4))]
    left = [rng.randint(0, 4)]

    def edit(graph):
        if left[0] > 0:
            left[0] -= 1
            random_edits.edit(graph, random.Random(seed + left[0]), 2)

    others = [Transform("edits", edit), transforms.remove_unused(), transforms.remove_duplicates(),
              transforms.remove_double_neg(), Transform.from_pass_pipeline("cse")]
    made += rng.sample(others, rng.randint(0, 3))
    rng.shuffle(made)
    return made


def outcome(graph, seed: int, **options):
    log: list = []
    try:
        report = graph.optimize(entries(seed, log), max_iterations=6, **options).to_dict()
    except crt.Error as error:
        # A replacement of another shape, after an edit.
        report = {"error": str(error)}
    report.pop("seconds", None)
    report.pop("phases", None)
    for row in report.get("transforms", []):
        row.pop("seconds")
        row.pop("attempts", None)
    for row in report.get("regions", []):
        row.pop("seconds")
        row.pop("attempts")
    return report, log, graph.to_mlir(), [node.name for node in graph.nodes()]


@pytest.mark.parametrize("part", range(PARTS))
def test_the_work_list_gives_what_a_full_search_gives(part):
    tally: Counter[str] = Counter()
    for seed in range(part, RULES, PARTS):
        graph = random_rules.grow(seed) if seed % 40 else random_graph.grow(seed).graph
        expected = outcome(graph.clone(), seed, full_search=True)
        actual = outcome(graph.clone(), seed)
        for got, want in zip(actual, expected, strict=True):
            assert got == want, f"seed {seed}"
        tally["asked"] += len(actual[1])
        tally["errors"] += "error" in actual[0]
        tally["several"] += actual[0].get("iterations", 0) > 2
        tally["rewrites"] += sum(row["rewrites"] for row in actual[0].get("transforms", []))
    graphs = RULES // PARTS
    if graphs < 50:
        return  # too few to be asked for counts
    assert tally["asked"] > 4 * graphs and tally["rewrites"] > graphs and tally["several"] > graphs // 6, tally
    assert tally["errors"] < graphs // 4, tally


def test_a_ladder_is_matched_in_a_moment():
    """2^40 lines lead down it, none of which is convex."""

    def ladder(inputs):
        a, b = inputs
        for _ in range(60):
            a, b = crt.add(a, b), crt.add(a, b, alpha=2.0)
        return a + b

    graph = crt.trace(ladder, [crt.TensorSpec(n, crt.float32, [2]) for n in "xy"]).graph
    pattern = crt.graph.Pattern()
    nodes = [pattern.add_node(OpCode.Add, commutative=True) for _ in range(40)]
    for source, target in itertools.pairwise(nodes):
        pattern.add_edge(source, target)
    assert graph.find_occurrences(pattern) == []
    asked = []
    report = graph.optimize([transforms.rewrite("r", pattern, lambda m, t: t[0], lambda m: asked.append(m))])
    assert asked == [] and report.transforms[0].skipped > 0


def test_replaced_occurrences_are_found_where_edits_made_them():
    """Each rewrite makes the next occurrence one that the condition accepts."""

    def chain(inputs):
        value = inputs[0]
        for _ in range(300):
            value = crt.neg(crt.relu(value))
        return value

    graph = crt.trace(chain, [crt.TensorSpec("x", crt.float32, [2])]).graph
    drop = transforms.rewrite("drop", crt.graph.Pattern([OpCode.Relu, OpCode.Neg]), lambda m, t: crt.abs(t[0]),
                              lambda m: m.inputs[0].is_graph_input() or m.inputs[0].producer().op_code == OpCode.Abs)
    report = graph.optimize([drop])
    assert report.transforms[0].rewrites == 300
    assert [n.op_code for n in graph.nodes()[1:]] == [OpCode.Abs] * 300
    expected = np.abs(np.float32([1, -2]))
    graph.finalize()
    np.testing.assert_array_equal(graph.run([np.float32([1, -2])])[0].numpy(), expected)


@pytest.mark.parametrize("full_search", [False, True])
def test_an_operator_that_has_become_a_constant_is_no_occurrence(full_search):
    graph = crt.trace(lambda t: [t[0] + crt.neg(t[1])], [crt.TensorSpec(n, crt.float32, [2]) for n in "xy"]).graph
    graph.set_input(graph.find_nodes(OpCode.Neg)[0], 0, graph.add_constant(np.float32([3, 4])))
    asked = []
    rule = transforms.rewrite("r", crt.graph.Pattern([OpCode.Neg]), lambda m, t: crt.abs(t[0]),
                              lambda m: asked.append(m.nodes[0].name))
    report = graph.optimize([rule, transforms.fold_constants()], full_search=full_search)
    assert asked == ["neg_1"] and report.transforms[0].occurrences == 1 and report.iterations == 2


RELU_OF_NEG_ABS = """pdl.pattern @p : benefit(1) {
  %x = operand
  %t = type
  %inner = operation "clika.abs"(%x : !pdl.value) -> (%t : !pdl.type)
  %value = result 0 of %inner
  %outer = operation "clika.neg"(%value : !pdl.value) -> (%t : !pdl.type)
  rewrite %outer {
    %new = operation "clika.relu"(%x : !pdl.value)
    replace %outer with %new
  }
}"""


@pytest.mark.parametrize("full_search", [False, True])
def test_an_operator_that_is_of_another_code_by_now_is_no_occurrence(full_search):
    """What PDL puts in a node's place takes its identity."""
    graph = crt.trace(lambda t: [crt.neg(crt.abs(t[0]))], [crt.TensorSpec("x", crt.float32, [2])]).graph
    asked = []
    rule = transforms.rewrite("r", crt.graph.Pattern([OpCode.Neg]), lambda m, t: t[0] * -1.0,
                              lambda m: asked.append(m.nodes[0].op_code) or len(asked) > 1)
    report = graph.optimize([rule, Transform.from_pdl("relu", RELU_OF_NEG_ABS)], full_search=full_search)
    assert asked == [OpCode.Neg] and report.transforms[0].rewrites == 0
    assert [node.op_code for node in graph.nodes()[1:]] == [OpCode.Relu]


@pytest.mark.parametrize("full_search", [False, True])
def test_the_regions_of_regions_are_searched_in_their_order(full_search):
    """The second region of an If that lies in the first of another comes ahead of the second of that."""

    def nested(inputs):
        x, y, c = inputs
        return crt.if_(c, lambda: crt.if_(c, lambda: x + y, lambda: crt.relu(x)), lambda: crt.relu(crt.abs(y)))

    specs = [*(crt.TensorSpec(name, crt.float32, [2]) for name in "xy"), crt.TensorSpec("c", crt.bool, [])]
    graph = crt.trace(nested, specs).graph
    rounds: list[list[str]] = []

    def touch(g):
        rounds.append([])
        if len(rounds) == 2:
            (inner,) = [n for n in g.find_nodes(OpCode.If)[0].region_nodes(0) if n.op_code == OpCode.If]
            g.set_input(inner.region_nodes(1)[0], 0, g.inputs()[1])

    rule = transforms.rewrite("r", crt.graph.Pattern([OpCode.Relu]), lambda m, t: crt.neg(t[0]),
                              lambda m: rounds[-1].append(m.nodes[0].name))

    # The list runs again where something has changed.
    def change(g):
        if len(rounds) < 3:
            g.rename_node(g.find_nodes(OpCode.If)[0], f"outer_{len(rounds)}")

    graph.optimize([Transform("touch", touch), rule, Transform("change", change)], full_search=full_search)
    assert len(rounds) >= 3 and all(names == ["relu_1", "relu_2"] for names in rounds), rounds
