"""Random graphs over every public op, for the tests of transforms and of compiled code.

A graph is grown inside a trace, one step at a time; each step is computed on concrete tensors too, so every value of the
graph comes with what it must be. The same seed gives the same graph."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import ml_dtypes  # noqa: F401 - tells NumPy what bfloat16 is
import numpy as np
import random_patterns
import random_recipes

import clika_runtime as crt

SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5]
FLOATS = ["float32", "float32", "float32", "float64", "float16", "bfloat16"]
INTEGERS = ["int32", "int64", "int8", "uint8", "int16", "uint16", "uint32", "uint64"]
MOST_ELEMENTS = 3000


@dataclass
class Entry:
    """A value: what the graph holds and what it must be. `traced` is the tensor itself for a constant; nothing may read
    a value that is last."""

    traced: crt.Tensor
    actual: crt.Tensor
    is_constant: bool = False
    is_last: bool = False
    array: np.ndarray = field(init=False)

    def __post_init__(self):
        self.array = self.actual.numpy()

    @property
    def dtype(self) -> str:
        return self.array.dtype.name

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def is_static(self) -> bool:
        return self.is_constant or -1 not in tuple(self.traced.shape)


class Grower:
    """What a recipe works with: the values so far, random choices, and constants."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.numbers = np.random.default_rng(rng.getrandbits(64))
        self.values: list[Entry] = []
        self.read: set[int] = set()

    def data(self, shape: Sequence[int], dtype: str) -> np.ndarray:
        """Small numbers, with NaN, infinities and both zeros among the floats."""
        if dtype == "bool":
            return self.numbers.integers(0, 2, shape).astype(bool)
        if dtype.startswith(("int", "uint")):
            return self.numbers.integers(0 if dtype.startswith("u") else -4, 5, shape).astype(dtype)
        array = self.numbers.uniform(-2, 2, shape)
        special = self.numbers.choice(SPECIAL, shape)
        return np.where(self.numbers.random(shape) < 0.06, special, array).astype(dtype)

    def constant(self, array: np.ndarray) -> Entry:
        tensor = crt.tensor(np.ascontiguousarray(array))
        return Entry(tensor, tensor, True)

    def pick(self, accepts: Callable[[Entry], bool]) -> Entry | None:
        """A value that is no constant and is accepted, late ones rather than early ones."""
        found = [entry for entry in self.values if not entry.is_last and accepts(entry)]
        if not found:
            return None
        return found[-1 - int(len(found) * self.rng.random() ** 2)]

    def beside(self, entry: Entry, dtype: str | None = None) -> Entry:
        """A second operand for an op that broadcasts: a value or a constant of a shape that `entry`'s takes."""
        dtype = dtype or entry.dtype
        if self.rng.random() < 0.5:
            other = self.pick(lambda e: e.dtype == dtype and e.shape == entry.shape and _same_sizes(e, entry))
            if other is not None:
                return other
        cut = self.rng.randint(0, len(entry.shape))
        shape = [1 if self.rng.random() < 0.3 else size for size in entry.shape][cut:]
        if not entry.is_static:
            sizes = tuple(entry.traced.shape)[cut:]
            shape = [1 if traced == -1 else size for size, traced in zip(shape, sizes, strict=True)]
        if self.rng.random() < 0.25:
            return self.constant(np.full((), self.rng.choice([0, 1, 2]), dtype))
        return self.constant(self.data(shape, dtype))


def _same_sizes(a: Entry, b: Entry) -> bool:
    return a.is_static and b.is_static or a is b


@dataclass
class Step:
    op: str
    call: Callable[..., object]
    operands: list[int | crt.Tensor]
    results: int


@dataclass
class Grown:
    """A graph with its inputs, what it must return for them, and how it came to be. `values` is what the inputs and then
    the results of the steps are, `kept` the places of those that it returns."""

    seed: int
    graph: crt.graph.ModelGraph
    inputs: list[crt.Tensor]
    steps: list[Step]
    specs: list[crt.TensorSpec]
    values: list[crt.Tensor]
    kept: list[int]

    @property
    def outputs(self) -> list[np.ndarray]:
        return [self.values[place].numpy() for place in self.kept]

    @property
    def ops(self) -> Counter[str]:
        return Counter(step.op for step in self.steps)

    @property
    def is_dynamic(self) -> bool:
        return any(isinstance(size, str) for value in self.graph.inputs() for size in value.shape)


def results_of(result: object) -> list[crt.Tensor]:
    return [result] if isinstance(result, crt.Tensor) else list(result)


def _specs(grower: Grower, dynamic: bool) -> tuple[list[crt.TensorSpec], list[crt.Tensor]]:
    rng = grower.rng
    sizes = {"n": rng.choice([0, 1, 2, 3, 5]) if rng.random() < 0.3 else rng.choice([2, 3]), "m": rng.choice([1, 4])}
    shapes = [["n", 3], ["n", "m"], [2, "m", 3], ["n", 4, 4, 4]] if dynamic else []
    shapes += [[3, 4], [2, 3], [], [5], [1, 4], [2, 4, 4, 4], [0, 3], [2, 3, 4], [1, 4, 6], [33]]
    specs, inputs = [], []
    for i in range(rng.randint(2, 4)):
        dtype = rng.choice(FLOATS if i < 2 or rng.random() < 0.5 else [*INTEGERS, "bool"])
        shape = rng.choice(shapes[:4] if dynamic and i == 0 else shapes)
        specs.append(crt.TensorSpec(f"x{i}", getattr(crt, "bool_" if dtype == "bool" else dtype), shape))
        inputs.append(crt.tensor(grower.data([sizes.get(size, size) for size in shape], dtype)))
    return specs, inputs


def grow(seed: int, counts: Counter[str] | None = None, favoured: str = "") -> Grown:
    """The graph of a seed, of 5 to 60 steps, a third with dynamic sizes. `counts` (ops so far) steers to rare ops, and a
    third of the steps tries the favoured op first."""
    rng = random.Random(seed)
    grower = Grower(rng)
    specs, inputs = _specs(grower, dynamic=seed % 3 == 0)
    wanted = rng.choice([20, 30, 60] if seed % 10 == 0 else [5, 8, 10, 14])
    done: list[Step] = []
    kept: list[int] = []

    def body(tensors: list[crt.Tensor]) -> list[crt.Tensor]:
        grower.values = [Entry(t, a) for t, a in zip(tensors, inputs, strict=True)]
        for _ in range(wanted * 8):
            if len(done) == wanted:
                break
            _take_step(grower, done, Counter() if counts is None else counts, favoured)
        unread = [i for i in range(len(grower.values)) if i not in grower.read]
        kept.extend([i for i in unread if rng.random() < 0.85] or unread[-1:])
        return [grower.values[i].traced for i in kept]

    graph = crt.trace(body, specs).graph
    return Grown(seed, graph, inputs, done, specs, [entry.actual for entry in grower.values], kept)


def _choose(grower: Grower, counts: Counter[str], favoured: str) -> str:
    """An op, or in a third of the steps what a transform looks for; a rare one rather than others."""
    rng = grower.rng
    if favoured and rng.random() < 1 / 3:
        return favoured
    if not favoured and rng.random() < 1 / 3:
        return min(rng.sample(sorted(random_patterns.PATTERNS), 3), key=lambda name: counts[name])
    return min(rng.sample(random_recipes.NAMES, 12), key=lambda name: counts[name])


def _take_step(grower: Grower, done: list[Step], counts: Counter[str], favoured: str) -> None:
    op = _choose(grower, counts, favoured)
    made = random_patterns.PATTERNS[op](grower) if op in random_patterns.PATTERNS else random_recipes.make(op, grower)
    if made is None:
        return
    call, operands, *known = made
    # An op without operands is recorded wherever it is called inside a trace, so its recipe says what it computes.
    results = known or results_of(call(*[entry.actual for entry in operands]))
    if any(result.size > MOST_ELEMENTS for result in results):
        return
    traced = results_of(call(*[entry.traced for entry in operands]))
    places = {id(entry): i for i, entry in enumerate(grower.values)}
    refs: list[int | crt.Tensor] = [places.get(id(entry), entry.actual) for entry in operands]
    grower.read |= {ref for ref in refs if isinstance(ref, int)}
    last = op in random_patterns.BOUNDED
    grower.values += [Entry(t, a, is_last=last) for t, a in zip(traced, results, strict=True)]
    done.append(Step(op, call, refs, len(results)))
    counts[op] += 1
