"""Steps of random graphs for the transforms of transposes, reshapes and expands."""

from random_pattern_registry import any_of, pattern

import clika_runtime as crt


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
    # Without axes every size must be known.
    dropped = [axis] if g.rng.random() < 0.8 or -1 in x.traced.shape else []
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
