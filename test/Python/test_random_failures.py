"""Random lists on random graphs, failing at a random callback: the graph is what it was, to the byte.

CLIKA_RANDOM_FAILURES sets how many runs are made."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable

import numpy as np
import pytest
import random_edits
import random_graph
import random_recipes

import clika_runtime as crt
from clika_runtime.graph import ModelGraph, Node, NodeKind, OpCode, Order, Pattern, PatternTransform, Transform, transforms

RUNS = int(os.environ.get("CLIKA_RANDOM_FAILURES", "160"))
PARTS = 4


class Planted(Exception):
    pass


class Fuse:
    """Counts callbacks, and at the chosen one does what is to go wrong."""

    def __init__(self, after: int, fault: Callable[[], object]):
        self.left, self.fault, self.blown = after, fault, False

    def pass_by(self) -> object | None:
        self.left -= 1
        if self.left >= 0 or self.blown:
            return None
        self.blown = True
        return self.fault()


def raise_planted() -> object:
    raise Planted


def failed_op() -> object:
    return crt.reshape(crt.tensor(np.zeros(3, np.float32)), [2, 2])


def wrong_count() -> object:
    return []


def wrong_type() -> object:
    return crt.tensor(np.zeros((7, 7, 7), np.int8))


def interrupt() -> object:
    raise KeyboardInterrupt


FAULTS = (raise_planted, failed_op, wrong_count, wrong_type, interrupt)


def takes_one_tensor(node: Node) -> bool:
    operands = random_recipes.TABLE.get(node.op_code.name.lower(), {"operands": []})["operands"]
    if len(node.outputs) != 1 or len(node.inputs) != 1 or not operands or operands[0]["variadic"]:
        return False
    # Called again, an op names the sizes that it makes afresh.
    return node.inputs[0].shape == node.outputs[0].shape


def again(nodes: list[Node], tensors: list[crt.Tensor]) -> crt.Tensor:
    """The same calls once more."""
    result = tensors[0]
    for old in nodes:
        settings = {name: value for name, value in old.attributes.items()}
        result = getattr(crt, old.op_code.name.lower(), crt.identity)(result, **settings)
    return result


def has_call(node: Node) -> bool:
    return hasattr(crt, node.op_code.name.lower())


class Repeat(PatternTransform):
    """What random_rule does for one operator, as a class: a fault in `match` or in `apply`."""

    def __init__(self, number: int, code: OpCode, rng: random.Random, fuse: Fuse):
        super().__init__(f"class_{number}")
        self.code, self.rng, self.fuse = code, rng, fuse

    def root_op_codes(self):
        return {self.code}

    def match(self, graph, node):
        wrong = self.fuse.pass_by()
        if wrong is not None:
            return wrong
        if not takes_one_tensor(node) or not has_call(node) or self.rng.random() < 0.5:
            return self.no_match(node, "not this time")
        return self.result([node], insert_at=node)

    def apply(self, graph, match, tensors):
        wrong = self.fuse.pass_by()
        return again(match.nodes, tensors) if wrong is None else wrong


PDL = """
pdl.pattern @{name} : benefit(1) {{
  %type = type
  %x = operand : %type
  %inner_op = operation "clika.{op}"(%x : !pdl.value) -> (%type : !pdl.type)
  %inner = result 0 of %inner_op
  %outer = operation "clika.{op}"(%inner : !pdl.value) -> (%type : !pdl.type)
  rewrite %outer {{ replace %outer with %inner_op }}
}}"""


def random_text(rng: random.Random, number: int) -> Transform:
    """A rule or a pipeline as text, which runs no function of ours and so never fails itself."""
    if rng.random() < 0.3:
        return Transform.from_pass_pipeline(["cse", "canonicalize", "cse,canonicalize"][number % 3])
    op = rng.choice(["relu", "abs", "floor", "ceil", "round", "sign", "identity"])
    return Transform.from_pdl(f"text_{number}", PDL.format(name=f"twice_{op}", op=op))


def random_rule(graph: ModelGraph, rng: random.Random, number: int, fuse: Fuse) -> Transform | PatternTransform | None:
    """One operator, or one and its producer, put in its own place again by the same call, more or less often."""
    nodes = [n for n in graph.nodes() if n.kind == NodeKind.Operator and takes_one_tensor(n)]
    if not nodes:
        return None
    node = rng.choice(nodes)
    producer = node.inputs[0].producer()
    codes = [node.op_code]
    if producer in nodes and rng.random() < 0.5:
        codes = [producer.op_code, node.op_code]

    def replacement(match, tensors):
        wrong = fuse.pass_by()
        return again(match.nodes, tensors) if wrong is None else wrong

    def condition(match):
        wrong = fuse.pass_by()
        return wrong is None and len(match.outputs) == 1 and all(map(has_call, match.nodes)) and rng.random() < 0.7

    if len(codes) == 1 and rng.random() < 0.4:
        return Repeat(number, node.op_code, rng, fuse)
    pattern = Pattern(codes) if len(codes) == 1 else Pattern.chain(codes)
    return transforms.rewrite(f"rule_{number}", pattern, replacement, condition)


def random_function(rng: random.Random, number: int, fuse: Fuse) -> Transform:
    def edits(graph):
        for _ in range(rng.randint(1, 4)):
            random_edits.attempt(random_edits.Editor(graph, rng), rng.choice(random_edits.KINDS))
            if fuse.pass_by() is not None:
                raise Planted

    return Transform(f"function_{number}", edits)


def random_list(graph: ModelGraph, rng: random.Random, fuse: Fuse) -> list[Transform | PatternTransform]:
    made = [random_function(rng, 0, fuse)]
    made += [r for i in range(rng.randint(1, 4)) if (r := random_rule(graph, rng, i, fuse)) is not None]
    made += [random_text(rng, i) for i in range(rng.randint(0, 2))]
    made += rng.sample(transforms.runtime_transforms(), rng.randint(0, 6))
    rng.shuffle(made)
    return made


def random_options(grown: random_graph.Grown, rng: random.Random) -> dict[str, object]:
    """Options of optimize() that add work around the entries."""
    names = [node.name for node in grown.graph.nodes() if node.kind == NodeKind.Operator]
    options = {
        "record": True,
        "verify": True,
        "explain": True,
        "full_search": True,
        "order": Order.Priority,
        "keep": rng.sample(names, min(2, len(names))),
        "target_device": "gpu",
    }
    chosen = {name: options[name] for name in rng.sample(sorted(options), rng.randint(0, 3))}
    # A check compiles what every entry makes.
    return chosen | ({"check": grown.inputs} if rng.random() < 0.1 else {})


def state_of(graph: ModelGraph) -> tuple[object, ...]:
    nodes = graph.nodes()
    return (graph.to_mlir(), graph.target_device, nodes, [n.name for n in nodes], graph.inputs(), graph.outputs(), graph.input_names(),
            graph.output_names(), repr([n.attributes for n in nodes]), [[v.name for v in n.inputs] for n in nodes])  # fmt: skip


def fails_cleanly(graph, run, fuse, seed, state_of, nodes, **options):
    """Whether the run fails, which leaves everything as it was and these handles good."""
    before = state_of(graph)
    try:
        graph.optimize(run, max_iterations=3, **options)
    except (Planted, crt.Error, KeyboardInterrupt) as error:
        what = f"seed {seed}: {fuse.fault.__name__}: {options}: {error}"
        # The functions change what is computed, which a check finds.
        assert fuse.blown or getattr(error, "code_name", "") == "CHECK_FAILED", what
        assert state_of(graph) == before, what
        assert all(node.is_valid() for node in nodes), what
        graph.verify()
        graph.optimize()
        graph.verify()
        return True
    graph.verify()
    return False


def run_once(seed: int) -> bool:
    """Whether the run failed, as it may not where the fuse is longer than the run."""
    rng = random.Random(seed)
    grown = random_graph.grow(40_000 + seed)
    graph = grown.graph
    fuse = Fuse(rng.choice([0, 1, 2, 3, 5, 8, 13]), rng.choice(FAULTS))
    run = random_list(graph, rng, fuse)
    return fails_cleanly(graph, run, fuse, seed, state_of, graph.nodes(), **random_options(grown, rng))


@pytest.mark.parametrize("part", range(PARTS))
def test_a_run_that_fails_leaves_the_graph_as_it_was(part):
    failed = sum(run_once(seed) for seed in range(part, RUNS, PARTS))
    assert failed >= RUNS // PARTS // 2


def test_a_check_that_fails_leaves_the_graph_as_it_was():
    found = 0
    for seed in range(200):
        if found == 3:
            break
        grown = random_graph.grow(50_000 + seed)
        rng, graph = random.Random(seed), grown.graph
        wrong = transforms.rewrite("wrong", Pattern([OpCode.Abs]), lambda m, t: t[0])
        run = [*rng.sample(transforms.runtime_transforms(), 5), wrong]
        before = state_of(graph)
        try:
            graph.optimize(run, check=grown.inputs)
        except crt.Error as error:
            assert error.code_name == "CHECK_FAILED", error
            assert state_of(graph) == before
            found += 1
    assert found == 3


def test_clones_optimize_to_the_same():
    """One after the other and at once: operators, names, constants."""
    for seed in range(24):
        grown = random_graph.grow(60_000 + seed)
        clones = [grown.graph.clone() for _ in range(4)]
        clones[0].optimize()
        threads = [threading.Thread(target=clone.optimize) for clone in clones[1:]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        texts = [clone.to_mlir() for clone in clones]
        assert texts[1:] == texts[:1] * 3, f"seed {seed}"


def test_large_constants_of_clones_are_the_same():
    """What is folded in two clones, or again in a third run, is one constant of one name."""
    weight = np.random.default_rng(0).standard_normal((64, 64)).astype(np.float32)

    graph = ModelGraph("folded")
    x = graph.add_input(crt.TensorSpec("x", crt.float32, [2, 64]))
    w = graph.add_constant(crt.tensor(weight), "w")
    exp = graph.add_node(OpCode.Exp, [w]).output(0)
    graph.add_output(graph.add_node(OpCode.Matmul, [x, exp]).output(0), "y")
    clones = [graph.clone() for _ in range(3)]
    for clone in clones:
        clone.optimize([transforms.fold_constants()])
    assert len({clone.to_mlir() for clone in clones}) == 1
    assert clones[0].to_mlir() != graph.to_mlir()
