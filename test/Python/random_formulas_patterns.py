"""Steps of random graphs for the transforms of formulas written out that one operator stands for."""

import numpy as np
from random_pattern_registry import FLOATS, any_of, float_of, moderate, pattern

import clika_runtime as crt


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
