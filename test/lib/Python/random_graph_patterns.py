"""Steps of random graphs for the transforms of what is read, shared, constant or duplicate, and moves that move nothing."""

from collections.abc import Callable

import numpy as np
from random_pattern_registry import FLOATS, any_of, pattern

import clika_runtime as crt


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
def remove_duplicates(g):
    x = any_of(g)
    if x is None:
        return None
    alpha = g.rng.choice([1.0, 2.0])
    return lambda t: crt.maximum(crt.add(t, t), crt.neg(crt.add(t, t, alpha=alpha))), [x]


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
def shift_range(g):
    dtype = g.rng.choice(["int8", "int32", "int64", "uint8", "int64", "float32"])
    start, delta = g.rng.randint(0, 5), g.rng.choice([1, 2, 3])
    shift = g.rng.choice([5, 7, 30, 120])
    limit = start + 4 * delta
    x = any_of(g, lambda e: len(e.shape) >= 1)
    if x is not None and dtype == "int64":
        # A range of a size that only a run knows, or a term of one: an edit may put another number in a size's place, which
        # a known length would not fit.
        axis, sign = g.rng.randrange(len(x.shape)), g.rng.choice([1, -1])
        change = crt.add if sign > 0 else crt.sub
        if tuple(x.traced.shape)[axis] != -1:
            shifted = crt.tensor(np.arange(start, limit, delta) + sign * x.shape[axis])
            return lambda t: change(crt.range(start, limit, delta), crt.shape(t, start=axis, end=axis + 1)), [x], shifted
        return lambda t: change(crt.range(0, crt.shape(t, start=axis, end=axis + 1), delta), shift), [x]
    numbers = crt.tensor(np.arange(start, limit, delta).astype(dtype) + np.asarray(shift, dtype))
    return lambda: crt.add(crt.range(start, limit, delta, dtype=getattr(crt, dtype)), shift), [], numbers
