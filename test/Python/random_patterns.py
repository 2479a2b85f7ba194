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
BOUNDED = {
    "decomposed_softmax", "decomposed_layer_norm", "decomposed_rms_norm", "decomposed_gelu", "decomposed_silu",
    "fold_batch_norm", "fold_scale_and_shift", "drop_zero_bias", "matmul_scale", "merge_scales", "reciprocal_mul_to_div",
}  # fmt: skip


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
    bits = g.pick(lambda e: e.dtype == "bool") if g.rng.random() < 0.2 else None
    if bits is not None:
        op, other = g.rng.choice([(crt.logical_and, True), (crt.logical_or, False), (crt.bitwise_xor, False),
                                  (crt.logical_xor, True)])  # fmt: skip
        return op, [bits, g.constant(np.full([1] * min(1, len(bits.shape)), other))]
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
    dense = g.rng.choice([crt.linear, lambda t, w: crt.matmul(t, w, transpose_b=True)])

    def call(t, w, mean, variance, scale, bias):
        y = dense(t, w) if is_matrix else crt.conv(t, w, bias, groups=groups)
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
    alpha, swapped = g.rng.choice([1.0, 1.0, 1.0, 1.0, 2.0]), g.rng.random() < 0.5

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


@pattern
def merge_casts(g):
    x = any_of(g)
    if x is None:
        return None
    wider = {"int8": ["int16", "float16"], "uint8": ["int16", "bfloat16"], "float16": ["float32"], "int32": ["int64", "float64"]}
    via = g.rng.choice(wider.get(x.dtype, ["float64", "int32", x.dtype]))
    to = g.rng.choice([x.dtype, x.dtype, "int64", "float32", "uint8"])
    return lambda t: crt.cast(crt.cast(t, getattr(crt, via)), getattr(crt, to)), [x]


@pattern
def narrow_casts(g):
    x = float_of(g, lambda e: len(e.shape) >= 1 and e.dtype in ("float16", "bfloat16"))
    if x is None or g.rng.random() < 0.4:
        x = any_of(g, lambda e: e.dtype in ("int8", "uint8", "int16", "int32", "float16", "float32"))
        ops = [crt.less, crt.equal, crt.maximum, crt.minimum]
        op, wide = g.rng.choice(ops), g.rng.choice([crt.float64, crt.int64])
        return x and (lambda t, u: op(crt.cast(t, wide), crt.cast(u, wide)), [x, g.beside(x)])
    scalar = g.rng.choice([0.5, 0.1, -3.0])
    ops = [
        crt.exp, crt.sqrt, crt.silu, crt.softmax, crt.layer_norm, crt.rms_norm, crt.sigmoid,
        lambda t: crt.mul(t, scalar), lambda t: crt.add(t, t), lambda t: crt.sub(t, scalar, alpha=2.0),
        lambda t: crt.reduce_sum(t, axes=[-1], keepdims=True), lambda t: crt.div(scalar, t),
    ]  # fmt: skip
    op, half = g.rng.choice(ops), getattr(crt, x.dtype)
    return lambda t: crt.cast(op(crt.cast(t, crt.float32)), half), [x]


@pattern
def remove_double_not(g):
    x = g.pick(lambda e: e.dtype not in FLOATS)
    if x is None:
        return None
    negate = crt.logical_not if x.dtype == "bool" and g.rng.random() < 0.7 else crt.bitwise_not
    return lambda t: negate(negate(t)), [x]


@pattern
def simplify_where(g):
    x = any_of(g)
    if x is None:
        return None
    other, one = g.constant(g.data([1], x.dtype)), g.constant(np.full((), 1, x.dtype))
    f = g.rng.choice([lambda t, k: crt.mul(t, k), lambda t, k: crt.sub(k, t), lambda t, k: crt.maximum(t, k)])
    ways = [
        lambda t, k, l: crt.where(crt.logical_not(crt.equal(t, k)), t, l),
        lambda t, k, l: f(crt.where(crt.equal(t, k), k, l), l),
        lambda t, k, l: crt.where(crt.equal(t, k), f(t, k), f(crt.neg(t), k)),
        lambda t, k, l: crt.where(crt.equal(t, k), f(t, k), f(crt.neg(t), l)),
    ]
    return g.rng.choice(ways), [x, other, one]


@pattern
def merge_pads(g):
    x = any_of(g, lambda e: len(e.shape) >= 1)
    if x is None:
        return None
    pads = [[g.rng.choice([0, 0, 1, 2]) for _ in range(2 * len(x.shape))] for _ in range(2)]
    values = [0, 0, 2] if x.dtype not in FLOATS else [0, 0.0, -0.0, 2.0, float("inf")]
    one = g.rng.choice(values)
    two = one if g.rng.random() < 0.7 else g.rng.choice(values)
    return lambda t: crt.pad(crt.pad(t, pads[0], value=one), pads[1], value=two), [x]


@pattern
def fold_pad_into_conv(g):
    x = float_of(g, lambda e: e.is_static and len(e.shape) in (3, 4) and 0 not in e.shape)
    if x is None:
        return None
    spatial = len(x.shape) - 2
    added, own = ([g.rng.choice([0, 1, 2]) for _ in range(2 * spatial)] for _ in range(2))
    value = g.rng.choice([0, 0.0, 0.0, -0.0])
    own = g.rng.choice([None, own, own[:spatial]])
    weight = g.constant(g.data([2, x.shape[1], *[1] * spatial], x.dtype))
    axes = list(range(2, len(x.shape)))
    return lambda t, w: crt.conv(crt.pad(t, added, axes, value), w, pads=own or []), [x, weight]


def cut(g, size):
    """A slice of an axis: start, end and step."""
    step = g.rng.choice([1, 1, 1, 2, -1])
    return g.rng.randint(-size - 1, size), g.rng.choice([g.rng.randint(-size - 1, size), 2**62]), step


@pattern
def merge_slices(g):
    x = any_of(g, lambda e: len(e.shape) >= 1)
    if x is None:
        return None
    cuts = []
    for _ in range(2):
        axis = g.rng.randrange(len(x.shape))
        start, end, step = cut(g, x.shape[axis])
        cuts.append(([start], [end], [axis - g.rng.choice([0, len(x.shape)])], [step]))
    return lambda t: crt.slice(crt.slice(t, *cuts[0]), *cuts[1]), [x]


def some_indices(g, size, most=3):
    count = g.rng.randint(1, most)
    if g.rng.random() < 0.4:
        start = g.rng.randrange(size)
        return np.arange(start, min(size, start + count), dtype=np.int64)
    return g.numbers.integers(-size, size, [count]).astype(np.int64)


def list_of(g):
    return any_of(g, lambda e: e.is_static and len(e.shape) >= 1 and 0 not in e.shape)


@pattern
def merge_gathers(g):
    x = list_of(g)
    if x is None:
        return None
    axis = g.rng.randrange(len(x.shape))
    first = some_indices(g, x.shape[axis])
    second = some_indices(g, len(first))
    second = second[0] if g.rng.random() < 0.3 else second
    other = axis if g.rng.random() < 0.8 else 0
    if other != axis:
        second = np.zeros([1], np.int64)
    return (
        lambda t, i, j: crt.gather(crt.gather(t, i, axis=axis), j, axis=other),
        [x, g.constant(first), g.constant(np.asarray(second))],
    )


@pattern
def simplify_concat(g):
    x = any_of(g, lambda e: len(e.shape) >= 1)
    if x is None:
        return None
    axis = g.rng.randrange(len(x.shape))
    way = g.rng.randrange(3)
    if way == 0:
        return lambda t: crt.neg(crt.concat([t, t], axis)), [x]
    if not x.is_static:
        return None
    if way == 1:
        empty = np.zeros([0 if i == axis else size for i, size in enumerate(x.shape)], x.dtype)
        return lambda t, e: crt.concat([e, t, e], axis), [x, g.constant(empty)]
    first = g.rng.randint(0, x.shape[axis])
    parts = [first, x.shape[axis] - first]
    order = g.rng.choice([[0, 1], [0, 1], [1, 0]])

    def call(t):
        pieces = crt.split(t, parts, axis=axis)
        return crt.concat([pieces[i] for i in order], axis)

    return call, [x]


@pattern
def read_through_concat(g):
    x = list_of(g)
    if x is None:
        return None
    axis = g.rng.randrange(len(x.shape))
    size = x.shape[axis]
    before = g.rng.random() < 0.5

    def joined(t):
        return crt.concat([crt.neg(t), t, t] if before else [t, crt.abs(t)], axis)

    if g.rng.random() < 0.5:
        start = g.rng.randrange(2 * size)
        end = g.rng.choice([size, 2 * size, start + 1])
        return lambda t: crt.slice(joined(t), [start], [end], [axis]), [x]
    indices = some_indices(g, size) % size + g.rng.choice([0, size])
    return lambda t, i: crt.gather(joined(t), i, axis=axis), [x, g.constant(indices)]


@pattern
def shape_of_source(g):
    x = any_of(g, lambda e: len(e.shape) >= 1)
    if x is None:
        return None
    rank = len(x.shape)
    perm = list(range(rank))
    g.rng.shuffle(perm)
    start, pick = g.rng.randrange(rank), g.constant(np.array([g.rng.randrange(rank)], np.int64))
    ways = [
        lambda t, i: crt.shape(crt.abs(t), start=start),
        lambda t, i: crt.shape(crt.transpose(t, perm)),
        lambda t, i: crt.shape(crt.unsqueeze(t, [start, -1]), start=1),
        lambda t, i: crt.gather(crt.shape(t), i),
        lambda t, i: crt.slice(crt.shape(t), [start], [rank], [0]),
    ]
    return g.rng.choice(ways), [x, pick]


@pattern
def hoist_gather(g):
    x = list_of(g)
    if x is None:
        return None
    rank = len(x.shape)
    axis = g.rng.randrange(rank)
    perm = list(range(rank))
    g.rng.shuffle(perm)
    ways = [
        lambda t, u: crt.abs(t),
        lambda t, u: crt.mul(t, u),
        lambda t, u: crt.sub(u, t),
        lambda t, u: crt.transpose(t, perm),
    ]
    if x.dtype in FLOATS:
        ways += [lambda t, u: crt.softmax(t), lambda t, u: crt.layer_norm(t), lambda t, u: crt.rms_norm(t, axis=0)]
    made = g.rng.choice(ways)
    size = x.shape[perm[axis]] if made is ways[3] else x.shape[axis]
    indices = some_indices(g, size, 2)
    indices = indices[0] if g.rng.random() < 0.3 else indices
    return lambda t, u, i: crt.gather(made(t, u), i, axis=axis), [x, g.beside(x), g.constant(np.asarray(indices))]


@pattern
def slices_to_split(g):
    x = any_of(g, lambda e: e.is_static and any(size > 1 for size in e.shape))
    if x is None:
        return None
    axis = g.rng.choice([i for i, size in enumerate(x.shape) if size > 1])
    size = x.shape[axis]
    middle = g.rng.randrange(1, size)
    late = middle if g.rng.random() < 0.8 else middle - 1
    one = np.asarray(size - 1)
    if middle == size - 1 and g.rng.random() < 0.6:
        return lambda t, i: [crt.gather(t, i, axis=axis), crt.slice(t, [0], [-1], [axis])], [x, g.constant(one)]
    return lambda t: [crt.slice(t, [0], [middle], [axis]), crt.slice(t, [late], [2**62], [axis])], [x]


@pattern
def gather_to_slice(g):
    x = list_of(g)
    if x is None:
        return None
    axis = g.rng.randrange(len(x.shape))
    indices = some_indices(g, x.shape[axis])
    indices = indices[0] if g.rng.random() < 0.3 else indices
    return lambda t, i: crt.gather(t, i, axis=axis), [x, g.constant(np.asarray(indices))]


@pattern
def slices_to_space_to_depth(g):
    x = any_of(g, lambda e: e.is_static and 2 <= len(e.shape) <= 4 and 0 not in e.shape)
    if x is None:
        return None
    added = list(range(4 - len(x.shape)))
    phases = g.rng.choice([[(0, 0), (0, 1), (1, 0), (1, 1)]] * 4 + [[(0, 0), (1, 0), (0, 1), (1, 1)]])
    pads = [0, 0, 0, 0, 0, 0, x.shape[-2] % 2, x.shape[-1] % 2]

    def call(t):
        image = crt.unsqueeze(t, added) if added else t
        even = crt.pad(image, pads) if any(pads) else image
        return crt.concat([crt.slice(even, list(p), [2**62, 2**62], [2, 3], [2, 2]) for p in phases], 1)

    return call, [x]


@pattern
def literal_shapes(g):
    x = any_of(g, lambda e: len(e.shape) >= 1)
    if x is None:
        return None
    flattens = len(x.shape) > 1 and 0 not in x.shape and g.rng.random() < 0.5
    if g.rng.random() < 0.5:
        shape = [0, -1] if flattens else [2, *[1] * len(x.shape)]
        return lambda t, k: (crt.reshape if flattens else crt.expand)(t, k), [x, g.constant(np.array(shape, np.int64))]

    def computed(t, k):
        if flattens:
            return crt.reshape(t, crt.concat([crt.shape(t, end=1), k], 0))
        return crt.expand(t, crt.concat([k, crt.shape(t)], 0))

    return computed, [x, g.constant(np.array([-1 if flattens else 2], np.int64))]


@pattern
def reshape_to_squeeze(g):
    x = any_of(g, lambda e: e.is_static)
    if x is None:
        return None
    shape = list(x.shape)
    if 1 in shape and g.rng.random() < 0.5:
        shape.remove(1)
    else:
        shape.insert(g.rng.randint(0, len(shape)), 1)
    return lambda t: crt.reshape(t, shape, allow_zero=True), [x]


@pattern
def transpose_to_reshape(g):
    x = any_of(g, lambda e: len(e.shape) >= 1)
    if x is None:
        return None
    perm = list(range(len(x.shape) + 1))
    perm.insert(g.rng.randint(0, len(x.shape)), perm.pop(g.rng.choice([0, 0, len(x.shape)])))
    return lambda t: crt.transpose(crt.concat([crt.unsqueeze(t, [0])], 0), perm), [x]


@pattern
def unsqueeze_last(g):
    x = any_of(g)
    if x is None:
        return None
    rank = len(x.shape) + 1
    axis, perm = g.rng.randrange(rank), list(range(rank))
    g.rng.shuffle(perm)
    return lambda t: crt.transpose(crt.unsqueeze(t, [axis]), perm), [x]


@pattern
def drop_reduced_dims(g):
    x = any_of(g, lambda e: len(e.shape) >= 1 and 0 not in e.shape)
    if x is None:
        return None
    axis = g.rng.randrange(len(x.shape))
    dropped = [axis] if g.rng.random() < 0.8 else []
    reduce = g.rng.choice([crt.reduce_max, crt.reduce_sum, crt.reduce_min])
    return lambda t: crt.squeeze(reduce(t, axes=[axis], keepdims=True), dropped), [x]


@pattern
def merge_expands(g):
    x = any_of(g, lambda e: e.is_static)
    if x is None:
        return None
    shape = [2, *[1] * len(x.shape)]
    return lambda t: crt.expand(crt.expand(t, shape), [3, *shape]), [x]


@pattern
def remove_broadcast_expand(g):
    x = any_of(g, lambda e: e.is_static and len(e.shape) >= 1 and 0 not in e.shape)
    if x is None:
        return None
    axis, kept = g.rng.randrange(len(x.shape)), g.rng.random() < 0.7
    shape = [*g.rng.choice([[], [], [], [2]]), *x.shape]
    op = g.rng.choice([crt.mul, crt.maximum, lambda a, b: crt.where(crt.equal(a, b), a, b)])
    # Where the axis goes, the expand is of the largest element of all.
    axes = [axis] if kept else []
    return lambda t: op(t, crt.expand(crt.reduce_max(t, axes=axes, keepdims=kept), shape)), [x]


@pattern
def sink_expand(g):
    x = any_of(g)
    if x is None:
        return None
    shape = [2, *[1] * len(x.shape)]
    ways = [
        lambda t, k: crt.abs(crt.expand(t, shape)),
        lambda t, k: crt.mul(crt.expand(t, shape), crt.expand(crt.neg(t), shape)),
        lambda t, k: crt.where(crt.equal(crt.expand(t, shape), k), k, crt.expand(t, shape)),
        lambda t, k: crt.unsqueeze(crt.expand(crt.unsqueeze(t, [0]), shape), [1]),
    ]
    return g.rng.choice(ways), [x, g.constant(g.data([], x.dtype))]


@pattern
def sink_moves(g):
    x = any_of(g, lambda e: e.is_static and len(e.shape) >= 2)
    if x is None:
        return None
    flat, back, empty = [x.array.size], list(x.shape), x.array.size == 0
    perm = list(range(len(x.shape)))
    g.rng.shuffle(perm)
    ways = [
        lambda t, u, k: crt.abs(crt.transpose(t, perm)),
        lambda t, u, k: crt.mul(crt.transpose(t, perm), k),
        lambda t, u, k: crt.sub(crt.reshape(t, flat, empty), crt.reshape(crt.neg(t), flat, empty)),
        lambda t, u, k: crt.reshape(crt.sub(u, crt.reshape(t, flat, empty)), back, allow_zero=True),
    ]
    return g.rng.choice(ways), [x, g.constant(g.data(flat, x.dtype)), g.constant(g.data([1], x.dtype))]


@pattern
def decomposed_relu(g):
    x = any_of(g)
    if x is None:
        return None
    slope = g.rng.choice([0.5, 0.1, 3.0, -1.0]) if x.dtype in FLOATS else 1
    compare = g.rng.choice([crt.greater, crt.greater_equal])
    zero = g.rng.choice([0, 0, 0.0, -0.0]) if x.dtype in FLOATS else 0
    ways = [
        lambda t: crt.maximum(t, zero),
        lambda t: crt.maximum(zero, t),
        lambda t: crt.where(compare(t, zero), t, crt.mul(t, slope)),
        lambda t: crt.where(crt.less(t, zero), crt.mul(slope, t), t),
    ]
    return g.rng.choice(ways), [x]


@pattern
def reassociate(g):
    x = any_of(g, lambda e: e.is_static and len(e.shape) >= 1)
    if x is None:
        return None
    op = g.rng.choice([crt.maximum, crt.minimum] + ([] if x.dtype in FLOATS and g.rng.random() < 0.7 else [crt.add, crt.mul]))
    one, two = g.constant(g.data([1], x.dtype)), g.constant(g.data([x.shape[-1]], x.dtype))
    return lambda t, a, b: op(b, op(t, a)), [x, one, two]


@pattern
def shift_range(g):
    dtype = g.rng.choice(["int8", "int32", "int64", "uint8", "int64", "float32"])
    start, delta = g.rng.randint(0, 5), g.rng.choice([1, 2, 3])
    shift = g.rng.choice([5, 7, 30, 120])
    limit = start + 4 * delta
    numbers = crt.tensor(np.arange(start, limit, delta).astype(dtype) + np.asarray(shift, dtype))
    return lambda: crt.add(crt.range(start, limit, delta, dtype=getattr(crt, dtype)), shift), [], numbers


@pattern
def merge_scales(g):
    x = float_of(g, moderate)
    if x is None:
        return None
    one, two = (g.rng.choice([3.0, 1.7, -5.0, 2.0, 1.0, 0.3, 0.0]) for _ in range(2))
    ways = [lambda t: crt.mul(crt.mul(t, one), two), lambda t: crt.div(crt.mul(one, t), two or 1.0)]
    return g.rng.choice(ways), [x]


@pattern
def decomposed_rms_norm(g):
    x = float_of(g, lambda e: e.dtype in ("float32", "float64") and len(e.shape) >= 1 and moderate(e))
    if x is None:
        return None
    axis = -1 if g.rng.random() < 0.8 else 0
    over = g.rng.choice([lambda t, v: crt.div(t, crt.sqrt(v)), lambda t, v: crt.mul(t, crt.rsqrt(v))])
    last = tuple(x.traced.shape)[-1]
    scale = g.constant(np.full([1 if last == -1 else x.shape[-1]], 0.5, x.dtype))

    def call(t, s):
        mean = crt.reduce_mean(crt.mul(t, t), axes=[axis], keepdims=True)
        return crt.mul(over(t, crt.add(mean, 0.01)), s)

    return call, [x, scale]


@pattern
def reciprocal_mul_to_div(g):
    x = float_of(g, moderate)
    if x is None:
        return None
    inverse = g.rng.choice([crt.reciprocal, lambda t: crt.div(1.0, t)])
    root = g.rng.choice([lambda t: crt.sqrt(crt.abs(t)), crt.sqrt, crt.abs])
    return lambda t: crt.mul(t, inverse(root(t))), [x]


def matrix_of(g):
    return float_of(g, lambda e: e.is_static and len(e.shape) >= 2 and 0 not in e.shape)


@pattern
def fold_transpose_into_matmul(g):
    x = matrix_of(g)
    if x is None:
        return None
    rank = len(x.shape)
    perm = [*range(rank - 2), rank - 1, rank - 2]
    set_already = g.rng.random() < 0.3
    inner = x.shape[-1] if set_already else x.shape[-2]
    w = g.constant(g.data([inner, 3], x.dtype))
    return lambda t, u: crt.matmul(crt.transpose(t, perm), u, transpose_a=set_already), [x, w]


@pattern
def drop_matmul_reshapes(g):
    x = matrix_of(g)
    if x is None:
        return None
    rows, back = [-1, x.shape[-1]], [*x.shape[:-1], 3]
    if g.rng.random() < 0.3:
        back = [x.array.size // x.shape[-1], 1, 3]
    linear = g.rng.random() < 0.4
    w = g.constant(g.data([3, x.shape[-1]], x.dtype))

    def call(t, u):
        flat = crt.reshape(crt.concat([t], 0), rows)
        return crt.reshape(crt.linear(flat, u) if linear else crt.matmul(flat, u, transpose_b=True), back)

    return call, [x, w]


@pattern
def matmul_scale(g):
    x = float_of(g, lambda e: e.is_static and len(e.shape) >= 2 and 0 not in e.shape and moderate(e))
    if x is None or x.dtype not in ("float32", "float64"):
        return None
    one, two = g.rng.choice([0.5, 0.3, 3.0]), g.rng.choice([0.25, 7.0])
    w = g.constant(g.numbers.uniform(-1, 1, [x.shape[-1], 3]).astype(x.dtype))
    ways = [
        lambda t, u: crt.matmul(crt.mul(t, one), u),
        lambda t, u: crt.matmul(crt.mul(t, one), crt.div(u, two)),
        lambda t, u: crt.matmul(crt.mul(t, one), crt.mul(t, two), transpose_b=True),
    ]
    return g.rng.choice(ways), [x, w]


@pattern
def fold_scale_and_shift(g):
    x = float_of(g, lambda e: e.is_static and len(e.shape) in (2, 3, 4) and 0 not in e.shape and moderate(e))
    if x is None or x.dtype not in ("float32", "float64"):
        return None
    is_conv = len(x.shape) > 2
    weight = [3, x.shape[1], *[1] * (len(x.shape) - 2)]
    w = g.constant(g.numbers.uniform(-1, 1, weight).astype(x.dtype))
    shape = g.rng.choice([[3, *[1] * (len(x.shape) - 2)], [1, 3, *[1] * (len(x.shape) - 2)], []])
    k = g.constant(g.numbers.uniform(0.5, 2, shape).astype(x.dtype))
    change = g.rng.choice([crt.mul, crt.div, crt.sub, lambda a, b: crt.add(b, a), lambda a, b: crt.sub(b, a)])
    return lambda t, u, v: change(crt.conv(t, u) if is_conv else crt.linear(t, u), v), [x, w, k]


@pattern
def drop_zero_bias(g):
    x = float_of(g, lambda e: e.is_static and len(e.shape) >= 2 and 0 not in e.shape)
    if x is None:
        return None
    w = g.constant(g.data([3, x.shape[-1]], x.dtype))
    zeros = np.full([3], g.rng.choice([0.0, -0.0]), x.dtype)
    return lambda t, u, b: crt.linear(t, u, b), [x, w, g.constant(zeros)]
