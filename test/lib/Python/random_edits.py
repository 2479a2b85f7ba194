"""Random edits of a graph, of every kind; each either applies or is refused and changes nothing."""

from __future__ import annotations

import random
from collections.abc import Callable

import clika_runtime as crt
from clika_runtime.graph import ModelGraph, Node, NodeKind, Value

# What leaves a value as it is: each is something that a transform takes away again.
WRAPPERS: list[Callable[[crt.Tensor], crt.Tensor]] = [
    lambda t: crt.neg(crt.neg(t)),
    crt.identity,
    lambda t: crt.mul(t, 1),
    lambda t: crt.squeeze(crt.unsqueeze(t, [0]), [0]),
    lambda t: crt.transpose(crt.transpose(t)),
    lambda t: (crt.abs(t), crt.identity(t))[1],
]


class Editor:
    def __init__(self, graph: ModelGraph, rng: random.Random):
        self.graph, self.rng = graph, rng

    def node(self) -> Node | None:
        nodes = [node for node in self.graph.nodes() if node.kind == NodeKind.Operator]
        return self.rng.choice(nodes) if nodes else None

    def value(self) -> Value:
        return self.rng.choice(self.rng.choice(self.graph.nodes()).outputs)

    def wrap(self) -> None:
        value = self.value()
        way = self.rng.choice(WRAPPERS)
        self.graph.replace([value], lambda t: way(t[0]), [value])

    def insert(self) -> None:
        value = self.value()
        (made,) = self.graph.insert(lambda t: crt.relu(t[0]), [value])
        others = [v for node in self.graph.nodes() for v in node.outputs if v.dtype == made.dtype and v.shape == made.shape]
        self.graph.replace_all_uses_with(self.rng.choice(others), made)

    def bypass(self) -> None:
        self.graph.bypass_node(self.node())

    def remove(self) -> None:
        unread = [node for node in self.graph.nodes() if node.kind == NodeKind.Operator and node.out_degree() == 0]
        self.graph.remove_node(self.rng.choice(unread) if unread and self.rng.random() < 0.8 else self.node())

    def redirect(self) -> None:
        node = self.node()
        ports = len(node.inputs) if node else 0  # a graph may have lost its last operator
        self.graph.set_input(node, self.rng.randrange(max(1, ports)), self.value())

    def set_attribute(self) -> None:
        name, value = self.rng.choice([("alpha", 2.0), ("activation", "Relu"), ("keepdims", True), ("axis", 0)])
        self.graph.set_attribute(self.node(), name, value)

    def add_output(self) -> None:
        self.graph.add_output(self.value(), f"more_{self.rng.randrange(1000)}")

    def remove_output(self) -> None:
        names = self.graph.output_names()
        if len(names) > 1:
            self.graph.remove_output(self.rng.choice(names))

    def rename(self) -> None:
        self.graph.rename_node(self.node(), f"node {self.rng.randrange(1000)}")


KINDS = ("wrap", "insert", "bypass", "remove", "redirect", "set_attribute", "add_output", "remove_output", "rename")


def wrap_values(graph: ModelGraph, rng: random.Random, count: int) -> int:
    """Wraps so many values in something that leaves them as they are; how many took it."""
    editor = Editor(graph, rng)
    return sum(attempt(editor, "wrap") for _ in range(count))


def edit(graph: ModelGraph, rng: random.Random, count: int) -> dict[str, int]:
    """So many edits of random kinds; how often each kind applied."""
    editor = Editor(graph, rng)
    applied = dict.fromkeys(KINDS, 0)
    for _ in range(count):
        kind = rng.choice(KINDS)
        applied[kind] += attempt(editor, kind)
    return applied


def attempt(editor: Editor, kind: str) -> bool:
    before = editor.graph.to_mlir()
    try:
        getattr(editor, kind)()
    except (crt.Error, TypeError):
        # A refused edit leaves the graph as it was; `insert` is two edits, of which the first stands.
        assert kind == "insert" or editor.graph.to_mlir() == before, f"a refused {kind} changed the graph"
        return False
    editor.graph.verify()
    return True
