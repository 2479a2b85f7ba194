"""Steps of random graphs for the transforms of casts, conditions and other operators of one element."""

import numpy as np
from random_pattern_registry import FLOATS, any_of, float_of, moderate, pattern

import clika_runtime as crt


@pattern
def remove_double_neg(g):
    x = any_of(g)
    if g.rng.random() < 0.2:
        return x and (lambda t: crt.neg(crt.abs(crt.neg(t))), [x])
    return x and (lambda t: crt.neg(crt.neg(t)), [x])


@pattern
def remove_double_not(g):
    x = g.pick(lambda e: e.dtype not in FLOATS)
    if x is None:
        return None
    negate = crt.logical_not if x.dtype == "bool" and g.rng.random() < 0.7 else crt.bitwise_not
    return lambda t: negate(negate(t)), [x]


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
        if g.rng.random() < 0.3:
            op = g.rng.choice([crt.add, crt.mul, crt.sub, crt.div])
            return x and (lambda t, u: crt.cast(op(crt.cast(t, wide), crt.cast(u, wide)), t.dtype), [x, g.beside(x)])
        return x and (lambda t, u: op(crt.cast(t, wide), crt.cast(u, wide)), [x, g.beside(x)])
    scalar = g.rng.choice([0.5, 0.1, -3.0])
    ops = [
        crt.exp, crt.sqrt, crt.silu, crt.softmax, crt.layer_norm, crt.rms_norm, crt.sigmoid,
        lambda t: crt.mul(t, scalar), lambda t: crt.add(t, t), lambda t: crt.sub(t, scalar, alpha=2.0),
        lambda t: crt.reduce_sum(t, axes=[-1], keepdims=True), lambda t: crt.div(scalar, t), crt.mish, crt.transpose,
        lambda t: crt.clamp(t, scalar, 70000.0), lambda t: crt.cumsum(t, 0), lambda t: crt.pow(t, scalar),
    ]  # fmt: skip
    op, half = g.rng.choice(ops), getattr(crt, x.dtype)
    return lambda t: crt.cast(op(crt.cast(t, crt.float32)), half), [x]


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
def reassociate(g):
    x = any_of(g, lambda e: e.is_static and len(e.shape) >= 1)
    if x is None:
        return None
    op = g.rng.choice([crt.maximum, crt.minimum] + ([] if x.dtype in FLOATS and g.rng.random() < 0.7 else [crt.add, crt.mul]))
    one, two = g.constant(g.data([1], x.dtype)), g.constant(g.data([x.shape[-1]], x.dtype))
    return lambda t, a, b: op(b, op(t, a)), [x, one, two]


@pattern
def merge_scales(g):
    x = float_of(g, moderate)
    if x is None:
        return None
    one, two = (g.rng.choice([3.0, 1.7, -5.0, 2.0, 1.0, 0.3, 0.0]) for _ in range(2))
    ways = [lambda t: crt.mul(crt.mul(t, one), two), lambda t: crt.div(crt.mul(one, t), two or 1.0)]
    return g.rng.choice(ways), [x]


@pattern
def reciprocal_mul_to_div(g):
    x = float_of(g, moderate)
    if x is None:
        return None
    inverse = g.rng.choice([crt.reciprocal, lambda t: crt.div(1.0, t)])
    root = g.rng.choice([lambda t: crt.sqrt(crt.abs(t)), crt.sqrt, crt.abs])
    return lambda t: crt.mul(t, inverse(root(t))), [x]
