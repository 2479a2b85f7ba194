"""Random graphs that are dense in what random patterns look for, and random rules over such patterns."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import clika_runtime as crt
from clika_runtime.graph import ModelGraph, OpCode, Pattern, RewriteMatch, Transform, any_operand, transforms

UNARY = {
    OpCode.Relu: crt.relu,
    OpCode.Neg: crt.neg,
    OpCode.Abs: crt.abs,
    OpCode.Sign: crt.sign,
    OpCode.Floor: crt.floor,
}
BINARY = {OpCode.Add: crt.add, OpCode.Maximum: crt.maximum, OpCode.Mul: crt.mul}


def grow(seed: int, size: int | None = None) -> ModelGraph:
    """A random graph of these ops, of which most are read."""
    rng = random.Random(seed)
    count = size or rng.randint(5, 40)

    def fn(inputs: list[crt.Tensor]) -> list[crt.Tensor]:
        values = list(inputs)
        for _ in range(count):
            near = values[-6:]
            if rng.random() < 0.6:
                values.append(rng.choice(list(UNARY.values()))(rng.choice(near)))
            else:
                values.append(rng.choice(list(BINARY.values()))(rng.choice(near), rng.choice(values)))
        return [values[-1], *rng.sample(values[len(inputs) :], rng.randint(1, 3))]

    specs = [crt.TensorSpec(name, crt.float32, [4]) for name in ("x", "y")]
    return crt.trace(fn, specs, output_names=None).graph


def one_of(rng: random.Random) -> OpCode | list[OpCode] | None:
    if rng.random() < 0.2:
        return None
    if rng.random() < 0.7:
        return rng.sample(list(UNARY), rng.randint(2, 4))
    return rng.choice(list(UNARY))


def binary(rng: random.Random) -> list[OpCode]:
    return rng.sample(list(BINARY), rng.randint(1, 3))


@dataclass
class Shape:
    """A pattern, and the same as data."""

    pattern: Pattern = field(default_factory=Pattern)
    codes: list[set[OpCode] | None] = field(default_factory=list)
    commutative: list[bool] = field(default_factory=list)
    optional: list[bool] = field(default_factory=list)
    edges: list[tuple[int, int, int | None]] = field(default_factory=list)

    def add(self, code, commutative=False, optional=False, where=None) -> int:
        codes = None if code is None else set(code) if isinstance(code, list) else {code}
        self.codes.append(codes)
        self.commutative.append(commutative)
        self.optional.append(optional)
        return self.pattern.add_node(code, commutative=commutative, optional=optional, where=where)

    def join(self, source: int, target: int, port: int | None) -> None:
        self.edges.append((source, target, port))
        self.pattern.add_edge(source, target, 0, any_operand if port is None else port)


def shape(rng: random.Random, where: Callable | None = None) -> Shape:
    """A tree of up to six nodes, at times with a second reader of one of them or a node read twice."""
    made = Shape()
    root = made.add(binary(rng) if rng.random() < 0.6 else one_of(rng), rng.random() < 0.5, where=where)
    open_ports = [(root, 0), (root, 1)] if made.codes[root] and made.codes[root] & set(BINARY) else [(root, 0)]
    for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4])):
        if not open_ports:
            break
        target, port = open_ports.pop(rng.randrange(len(open_ports)))
        way = None if rng.random() < 0.3 else port
        kind = rng.random()
        if kind < 0.2:
            middle, end = made.add(one_of(rng), optional=True), made.add(one_of(rng))
            made.join(middle, target, way)
            made.join(end, middle, 0)
            open_ports.append((end, 0))
        elif kind < 0.45:
            node = made.add(binary(rng), rng.random() < 0.5)
            made.join(node, target, way)
            open_ports += [(node, 0), (node, 1)]
        else:
            node = made.add(one_of(rng))
            made.join(node, target, way)
            open_ports.append((node, 0))
    fixed = [i for i in range(1, len(made.codes)) if not made.optional[i]]
    if fixed and rng.random() < 0.3:
        made.join(rng.choice(fixed), made.add(one_of(rng)), 0)
    if fixed and open_ports and rng.random() < 0.3:
        target, port = rng.choice(open_ports)
        source = rng.choice(fixed)
        below = {target}
        for _ in made.edges:
            below |= {b for a, b, _ in made.edges if a in below}
        if source not in below and not made.optional[target]:
            made.join(source, target, port)
    return made


def chance(*parts: object) -> float:
    """A number from 0 to 1 that depends on nothing but `parts`."""
    return zlib.crc32(repr(parts).encode()) / 2**32


def rule(name: str, rng: random.Random, log: list[tuple], with_where: bool = False) -> Transform:
    """A rule that accepts some occurrences, by their nodes' names, and tells `log` of each it is asked about."""
    salt = rng.random()
    where = (lambda node: chance(salt, node.name) < 0.8) if with_where else None

    def condition(match: RewriteMatch) -> bool:
        names = tuple(node and node.name for node in match.nodes)
        log.append((name, names, tuple(v.name for v in match.inputs), tuple(v.name for v in match.outputs)))
        return chance(salt, names) < 0.4

    def replacement(match: RewriteMatch, tensors: list[crt.Tensor]) -> list[crt.Tensor]:
        made = []
        for i in range(len(match.outputs)):
            value = tensors[i % len(tensors)]
            for step in range(int(3 * chance(salt, i))):
                value = list(UNARY.values())[int(5 * chance(salt, i, step))](value)
            if len(tensors) > 1 and chance(salt, i, "binary") < 0.4:
                value = crt.add(value, tensors[0])
            made.append(value)
        return made

    return transforms.rewrite(name, shape(rng, where).pattern, replacement, condition)
