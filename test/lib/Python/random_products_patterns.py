"""Steps of random graphs for the transforms of convolutions and products, and what goes into them."""

import numpy as np
from random_pattern_registry import float_of, moderate, pattern

import clika_runtime as crt


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
    x = float_of(g, lambda e: e.is_static and len(e.shape) >= 1)
    if x is None:
        return None
    columns, is_row = g.rng.choice([1, 3, 8]), len(x.shape) == 1
    transposed = g.rng.random() < 0.3
    weight = g.data([columns, x.shape[-1]] if transposed else [x.shape[-1], columns], x.dtype)
    bias = g.data(g.rng.choice([[columns], [columns], [1, columns]]), x.dtype)
    alpha, swapped = g.rng.choice([1.0] * 7 + [2.0]), g.rng.random() < 0.5

    def call(t, w, b):
        product = crt.matmul(crt.unsqueeze(t, [0]) if is_row else t, w, transpose_b=transposed)
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
