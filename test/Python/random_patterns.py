"""What the runtime's transforms look for, and near misses of it, as steps of a random graph: per transform a function
that gives the call and its operands, or None where no value fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

import clika_runtime as crt

if TYPE_CHECKING:
    from random_graph import Entry, Grower
    from random_recipes import Made

PATTERNS: dict[str, Callable[[Grower], Made]] = {}
FLOATS = ("float32", "float64", "float16", "bfloat16")
# What these compute changes within a bound. Nothing else may read it, or a rounding that follows would not be bounded.
BOUNDED = {"decomposed_softmax", "decomposed_layer_norm", "decomposed_gelu", "decomposed_silu", "fold_batch_norm"}


def pattern(fn: Callable[[Grower], Made]) -> Callable[[Grower], Made]:
    PATTERNS[fn.__name__] = fn
    return fn


def any_of(g: Grower, accepts: Callable[[Entry], bool] = lambda e: True) -> Entry | None:
    return g.pick(lambda e: e.dtype != "bool" and accepts(e))


def float_of(g: Grower, accepts: Callable[[Entry], bool] = lambda e: True) -> Entry | None:
    return g.pick(lambda e: e.dtype in FLOATS and accepts(e))


def moderate(entry: Entry) -> bool:
    """No finite element is so large that a bound, which knows nothing of cancellation, would not hold."""
    with np.errstate(invalid="ignore"):
        sizes = np.abs(entry.array.astype(np.float64))
    return not np.any(np.isfinite(sizes) & (sizes > 30))


@pattern
def remove_unused(g):
    x = any_of(g)
    return x and (lambda t: (crt.abs(t), crt.neg(t))[1], [x])


@pattern
def share_constants(g):
    x = any_of(g)
    if x is None:
        return None
    data = g.data([1], x.dtype)
    other = data if g.rng.random() < 0.7 else g.data([1], x.dtype)
    return lambda t, k, l: crt.maximum(crt.mul(t, k), l), [x, g.constant(data), g.constant(other.copy())]


@pattern
def fold_constants(g):
    x = any_of(g)
    return x and (lambda t: crt.mul(t, crt.cast(crt.size(t), t.dtype)), [x])


@pattern
def remove_identity(g):
    x = any_of(g)
    if x is None:
        return None
    rank, is_float = len(x.shape), x.dtype in FLOATS
    ways: list[Callable[[crt.Tensor], crt.Tensor]] = [
        crt.identity,
        lambda t: crt.cast(t, t.dtype),
        lambda t: crt.transpose(t, list(range(rank))),
        lambda t: crt.transpose(t, list(reversed(range(rank)))),
        lambda t: crt.clamp(t),
        lambda t: crt.mul(t, 1),
        lambda t: crt.div(t, 1),
        lambda t: crt.sub(t, 0, alpha=3.0),
        lambda t: crt.add(t, 0),
        lambda t: crt.mul(t, 0),
        lambda t: crt.reshape(t, crt.shape(t)),
        lambda t: crt.pad(t, [0] * (2 * rank)),
    ]
    if is_float:
        ways += [lambda t: crt.add(t, -0.0), lambda t: crt.add(t, 0.0), lambda t: crt.sub(t, -0.0)]
    if rank > 0:
        ways += [
            lambda t: crt.slice(t, [0], [2**62], [0]),
            lambda t: crt.slice(t, [-1], [-(2**62)], [0], [-1]),
            lambda t: crt.concat([t], 0),
            lambda t: crt.tile(t, [1] * rank),
            lambda t: crt.expand(t, [1] * rank),
        ]
    return g.rng.choice(ways), [x]


@pattern
def remove_double_neg(g):
    x = any_of(g)
    if g.rng.random() < 0.2:
        return x and (lambda t: crt.neg(crt.abs(crt.neg(t))), [x])
    return x and (lambda t: crt.neg(crt.neg(t)), [x])


@pattern
def merge_transposes(g):
    x = g.pick(lambda e: len(e.shape) >= 2)
    if x is None:
        return None
    first, second = list(range(len(x.shape))), list(range(len(x.shape)))
    g.rng.shuffle(first)
    g.rng.shuffle(second)
    return lambda t: crt.transpose(crt.transpose(t, first), second), [x]


@pattern
def merge_reshapes(g):
    x = g.pick(lambda e: True)
    if x is None:
        return None
    if not x.is_static or g.rng.random() < 0.3:
        return lambda t: crt.squeeze(crt.unsqueeze(t, [0]), [0]), [x]
    target = list(reversed(x.shape))
    return lambda t: crt.reshape(crt.reshape(t, [x.array.size], allow_zero=True), target, allow_zero=True), [x]


@pattern
def remove_redundant_relu(g):
    x = any_of(g)
    return x and (lambda t: crt.relu(crt.relu(t)), [x])


@pattern
def merge_clamps(g):
    x = any_of(g)
    if x is None:
        return None
    bounds = [None, 0, 1, 3] if x.dtype not in FLOATS else [None, 0, 0.0, -0.0, 1.5, -1.5, 3, float("inf"), float("nan")]
    one, two = ([g.rng.choice(bounds) for _ in range(2)] for _ in range(2))
    outer = crt.relu if g.rng.random() < 0.3 else lambda t: crt.clamp(t, *two)
    return lambda t: outer(crt.clamp(t, *one)), [x]


@pattern
def clamp_to_relu(g):
    x = any_of(g)
    if x is None:
        return None
    floor = g.rng.choice([0, 0.0, -0.0, float("nan")] if x.dtype in FLOATS else [0])
    return lambda t: crt.clamp(t, floor), [x]


@pattern
def add_neg_to_sub(g):
    x = any_of(g)
    if x is None:
        return None
    alpha = g.rng.choice([1.0, 1.0, 2.0])
    activation = g.rng.choice(["Identity", "Relu"])
    settings = {"alpha": alpha, "activation": activation}
    if g.rng.random() < 0.5:
        return lambda t, u: crt.add(t, crt.neg(u), **settings), [x, g.beside(x)]
    return lambda t, u: crt.add(crt.neg(t), u, **settings), [x, g.beside(x)]


@pattern
def decomposed_softmax(g):
    x = float_of(g, lambda e: len(e.shape) >= 1 and moderate(e))
    if x is None:
        return None
    axis = g.rng.randrange(-len(x.shape), len(x.shape))
    other = g.rng.choice([axis, axis, axis, 0])

    def call(t):
        e = crt.exp(crt.sub(t, crt.reduce_max(t, axes=[axis], keepdims=True)))
        return crt.div(e, crt.reduce_sum(e, axes=[other], keepdims=True))

    return call, [x]


@pattern
def decomposed_layer_norm(g):
    x = float_of(g, lambda e: len(e.shape) >= 1 and moderate(e))
    if x is None:
        return None
    axis = -1 if g.rng.random() < 0.8 else 0
    square = g.rng.choice([lambda t: crt.mul(t, t), lambda t: crt.pow(t, 2)])
    over = g.rng.choice(
        [
            lambda t, v: crt.div(t, crt.sqrt(v)),
            lambda t, v: crt.mul(t, crt.rsqrt(v)),
            lambda t, v: crt.mul(crt.reciprocal(crt.sqrt(v)), t),
        ]
    )
    scaled = g.rng.random() < 0.5

    def call(t, scale, bias):
        d = crt.sub(t, crt.reduce_mean(t, axes=[axis], keepdims=True))
        y = over(d, crt.add(crt.reduce_mean(square(d), axes=[axis], keepdims=True), 0.01))
        return crt.add(crt.mul(y, scale), bias) if scaled else y

    last = tuple(x.traced.shape)[-1]
    shape = [1 if last == -1 else x.shape[-1]]
    return call, [x, g.constant(np.full(shape, 0.5, x.dtype)), g.constant(np.full(shape, -2, x.dtype))]


@pattern
def decomposed_gelu(g):
    x = float_of(g, moderate)
    if x is None:
        return None
    root = g.rng.choice([2**-0.5, 2**-0.5, 0.6])
    cubic = g.rng.choice([0.044715, 0.044715, 0.05])

    def erf(t):
        return crt.mul(crt.mul(t, 0.5), crt.add(crt.erf(crt.mul(t, root)), 1.0))

    def tanh(t):
        inner = crt.mul(crt.add(t, crt.mul(crt.mul(crt.mul(t, t), t), cubic)), (2 / np.pi) ** 0.5)
        return crt.mul(0.5, crt.mul(t, crt.add(1.0, crt.tanh(inner))))

    return g.rng.choice([erf, tanh]), [x]


@pattern
def decomposed_silu(g):
    x = float_of(g, moderate)
    ways = [
        lambda t: crt.mul(t, crt.sigmoid(t)),
        lambda t: crt.mul(crt.sigmoid(t), t),
        lambda t: crt.div(t, crt.add(crt.exp(crt.neg(t)), 1.0)),
        lambda t: crt.mul(t, crt.reciprocal(crt.add(1.0, crt.exp(crt.mul(t, -1.0))))),
        lambda t: crt.mul(t, crt.sigmoid(crt.neg(t))),
    ]
    return x and (g.rng.choice(ways), [x])


@pattern
def fold_batch_norm(g):
    x = g.pick(lambda e: e.is_static and e.dtype in ("float32", "float64") and len(e.shape) in (2, 3, 4)
               and 0 not in e.shape and moderate(e))  # fmt: skip
    if x is None:
        return None
    groups = g.rng.choice([1, x.shape[1]])
    is_matrix = len(x.shape) == 2
    channels = 3 if is_matrix else 2 * groups
    kernel = [] if is_matrix else [1] * (len(x.shape) - 2)
    data = g.numbers.uniform(-1, 1, [channels, x.shape[1] // (1 if is_matrix else groups), *kernel])
    per_channel = [g.constant(g.numbers.uniform(0.5, 2, [channels]).astype(x.dtype)) for _ in range(4)]
    activation = g.rng.choice(["Identity", "Relu"])

    def call(t, w, mean, variance, scale, bias):
        y = crt.linear(t, w) if is_matrix else crt.conv(t, w, bias, groups=groups)
        return crt.batch_norm(y, mean, variance, scale, bias, activation=activation)

    return call, [x, g.constant(data.astype(x.dtype)), *per_channel]


@pattern
def matmul_add_to_linear(g):
    x = float_of(g, lambda e: e.is_static and len(e.shape) >= 2)
    if x is None:
        return None
    columns = g.rng.choice([1, 3, 8])
    transposed = g.rng.random() < 0.3
    weight = g.data([columns, x.shape[-1]] if transposed else [x.shape[-1], columns], x.dtype)
    bias = g.data(g.rng.choice([[columns], [columns], [1, columns]]), x.dtype)
    alpha, swapped = g.rng.choice([1.0, 1.0, 2.0]), g.rng.random() < 0.5

    def call(t, w, b):
        product = crt.matmul(t, w, transpose_b=transposed)
        return crt.add(b, product, alpha=alpha) if swapped else crt.add(product, b, alpha=alpha)

    return call, [x, g.constant(weight), g.constant(bias)]


@pattern
def fuse_activation(g):
    x = float_of(g)
    if x is None:
        return None
    before = g.rng.choice([lambda t: crt.add(t, t), lambda t: crt.mul(t, 3), lambda t: crt.sub(t, 1, activation="Relu")])
    after = g.rng.choice(
        [
            crt.relu,
            crt.silu,
            crt.tanh,
            crt.sigmoid,
            crt.gelu,
            crt.hard_swish,
            lambda t: crt.gelu(t, form="Tanh"),
            lambda t: crt.clamp(t, 0, 6),
            lambda t: crt.leaky_relu(t, alpha=0.3),
        ]
    )
    return lambda t: after(before(t)), [x]


@pattern
def remove_duplicates(g):
    x = any_of(g)
    if x is None:
        return None
    alpha = g.rng.choice([1.0, 2.0])
    return lambda t: crt.maximum(crt.add(t, t), crt.neg(crt.add(t, t, alpha=alpha))), [x]
