"""Steps of random graphs for the transforms of pads, slices, gathers and concats."""

import numpy as np
from random_pattern_registry import FLOATS, any_of, pattern

import clika_runtime as crt


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
        lambda t, u: crt.reshape(t, [*x.shape[: axis + 1], *([] if axis == rank - 1 else [-1])]),
        lambda t, u: crt.squeeze(crt.abs(crt.unsqueeze(t, [rank])), [rank]),
    ]
    if x.dtype in FLOATS:
        ways += [lambda t, u: crt.softmax(t), lambda t, u: crt.layer_norm(t), lambda t, u: crt.rms_norm(t, axis=0)]
        if rank > 1:
            ways += [lambda t, u: crt.matmul(t, t, transpose_b=True), lambda t, u: crt.linear(t, t)][: 2 if rank == 2 else 1]
    made = g.rng.choice(ways)
    # The last axis of a product is as long as the one before it.
    size = x.shape[perm[axis]] if made is ways[3] else x.shape[axis]
    if made in ways[9:]:
        size = x.shape[min(axis, rank - 2)]
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
