"""The numeric cases of the ops that add up or search: reductions, norms, pools, products. For each op, of a dtype."""

import functools

import numpy as np
from op_cases import Case, Exact, Sums, is_float


def values(dtype, shape, seed=0):
    generator = np.random.default_rng(seed)
    if is_float(dtype):
        return np.asarray(generator.standard_normal(shape)).astype(dtype)
    if dtype == bool:
        return np.asarray(generator.integers(0, 2, shape)).astype(bool)
    info = np.iinfo(dtype)
    return np.asarray(generator.integers(info.min, info.max, shape, dtype, endpoint=True))


SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0]


def special(dtype, shape, seed=5, every=9):
    """Each ninth element is NaN, an infinity or a zero of either sign, where the dtype has them."""
    x = values(dtype, shape, seed)
    if is_float(dtype):
        places = x.reshape(-1)[seed % every :: every] if x.size > 1 else x.reshape(-1)
        places[:] = np.resize(np.roll(SPECIAL, seed), places.size).astype(dtype)
    return x


def some(dtype, cases, many=4, full=(np.float32, np.int32, np.uint8, bool)):
    """All for one dtype of each group; `many` for the others, which differ in nothing but the element's own code."""
    return cases if dtype in full else cases[:many]


#
# Reductions and searches
#

REDUCED = [((3, 45), [1]), ((), []), ((0, 3), [0]), ((40, 3), [0]), ((5,), []), ((3, 4), [1]), ((2, 100), [1]), ((2, 3, 37), [0, 2]),
           ((2, 3, 4), [0, 1]), ((2, 3, 4), []), ((2, 5, 64), [1, 2]), ((3, 0), [1]), ((0, 3), [1]), ((2, 3, 4, 5), [1, 3]),
           ((33,), [0]), ((2, 3, 4), [-2]), ((0,), [])]  # fmt: skip


def reduction(op, dtype, terms=2, least=0.0, exact=False):
    for i, (shape, axes) in enumerate(some(dtype, REDUCED)):
        count = int(np.prod([shape[axis] for axis in axes] if axes else shape))
        bound = Exact() if exact else Sums(terms + count, least)
        yield Case(op, [values(dtype, shape, i)], {"axes": axes, "keepdims": i % 2 == 1}, bound)
    for axis in (0, 1) if is_float(dtype) else ():
        yield Case(op, [special(dtype, (7, 37))], {"axes": [axis]}, Exact() if exact else Sums(terms + 37, least))


SEARCHED = [((7, 45), 1), ((), None), ((0, 3), 1), ((7, 45), None), ((5,), 0), ((3, 4), 0), ((3, 70), 1), ((2, 3, 4), -2), ((2, 3), None),
            ((2, 40, 3), 1)]  # fmt: skip


def search(op, dtype):
    for i, (shape, axis) in enumerate(some(dtype, SEARCHED)):
        for last in (False, True):
            x = special(dtype, shape, i)
            yield Case(op, [x if is_float(dtype) else (x % 3).astype(dtype)], {"axis": axis, "select_last": last, "keepdims": i % 2 == 1})


SUMMED = [((3, 45), 1), ((), 0), ((0, 3), 1), ((2, 3, 4), -2), ((3, 0), 1), ((5,), 0), ((40, 3), 0), ((1,), 0)]


def cumsum(op, dtype):
    for i, (shape, axis) in enumerate(some(dtype, SUMMED)):
        for settings in ({}, {"exclusive": True}, {"reverse": True}, {"exclusive": True, "reverse": True}):
            yield Case(op, [values(dtype, shape, i)], {"axis": axis, **settings}, Sums(2 * (shape[axis] if shape else 1)))
    for reverse in (False, True):
        yield Case(op, [special(dtype, (9, 20))], {"exclusive": True, "reverse": reverse}, Sums(40))


#
# Softmax and norms
#

ROWS = [((3, 70), 1), ((), -1), ((0, 3), 1), ((40, 3), 0), ((5,), -1), ((2, 3, 4), 1), ((2, 3, 4), 2), ((3, 0), 1), ((1, 1), 1)]


def softmax(op, dtype, least=0.0):
    for i, (shape, axis) in enumerate(some(dtype, ROWS)):
        yield Case(op, [values(dtype, shape, i)], {"axis": axis}, Sums(20, least))
    yield Case(op, [special(dtype, (6, 37))], {"axis": 1}, Sums(20, least))
    edges = [[1000, 1001], [-np.inf, -np.inf], [np.nan, 0], [np.inf, 0], [-np.inf, 0]]
    yield Case(op, [np.array(edges).astype(dtype)], {}, Sums(20, least))


NORMED = [((3, 40), -1), ((), -1), ((2, 3, 4), 1), ((0, 3), -1), ((4,), 0), ((2, 3, 5), -1), ((2, 3, 4), 0), ((3, 1), -1)]


def row_norm(op, dtype, bias=True):
    """The roundings are of what the scale makes of a few times one."""
    for i, (shape, axis) in enumerate(some(dtype, NORMED)):
        more = [values(dtype, shape[axis:] if axis else shape[-1:], i + 1), values(dtype, shape[-1:], i + 2)][: 1 + bias]
        yield Case(op, [values(dtype, shape, i), *more], {"axis": axis, "epsilon": 1e-3}, Sums(24, 24.0))
        yield Case(op, [values(dtype, shape, i)], {"axis": axis}, Sums(24, 8.0))
    yield Case(op, [special(dtype, (6, 37))], {}, Sums(24, 8.0))


CHANNELS = [(2, 6, 5, 4), (2, 6), (0, 6, 3), (2, 6, 37), (1, 6, 2, 3, 2), (2, 6, 0)]


def channel_norm(op, dtype):
    settings = {"groups": 3} if op == "group_norm" else {}
    for shape in some(dtype, [shape for shape in CHANNELS if len(shape) > 2 or op == "group_norm"]):
        scale, bias = values(dtype, (6,), 1), values(dtype, (6,), 2)
        yield Case(op, [values(dtype, shape), scale, bias], settings, Sums(24, 24.0))
        yield Case(op, [values(dtype, shape)], {**settings, "epsilon": 1e-3}, Sums(24, 8.0))
    yield Case(op, [special(dtype, (2, 6, 7))], settings, Sums(24, 8.0))


def batch_norm(op, dtype):
    mean, scale, bias = (values(dtype, (6,), seed) for seed in (1, 2, 3))
    variance = np.abs(values(dtype, (6,), 4)) + np.asarray(0.1, dtype)
    for i, shape in enumerate(some(dtype, CHANNELS)):
        activation = "Relu" if i % 2 else "Identity"
        yield Case(op, [values(dtype, shape), mean, variance, scale, bias], {"activation": activation}, Sums(24, 24.0))
        yield Case(op, [values(dtype, shape), mean, variance], {"epsilon": 1e-3}, Sums(24, 8.0))
    yield Case(op, [special(dtype, (2, 6, 7)), mean, variance, scale, bias], {}, Sums(24, 24.0))


def lrn(op, dtype):
    for shape in some(dtype, [shape for shape in CHANNELS if 0 not in shape[1:]]):
        for size in (1, 3, 4, 9) if len(shape) == 2 else (3, 4):
            yield Case(op, [values(dtype, shape)], {"size": size, "alpha": 0.5, "bias": 2.0, "beta": 0.75 if size % 2 else 1.5}, Sums(16))
    yield Case(op, [special(dtype, (2, 6, 7))], {"size": 3}, Sums(16))


#
# Pools
#

WINDOWS = [((2, 3, 7, 8), {"kernel": [3, 3], "strides": [2, 2], "pads": [1, 1]}), ((0, 2, 7, 7), {"kernel": [2, 2]}),
           ((1, 2, 5, 6), {"kernel": [3, 3], "pads": [1, 1], "ceil_mode": True}), ((1, 2, 8), {"kernel": [3], "strides": [1]}),
           ((1, 2, 6, 5), {"kernel": [2, 3], "pads": [1, 0, 0, 1]}), ((1, 2, 7, 7), {"kernel": [2, 2], "ceil_mode": True}),
           ((1, 1, 4, 4), {"kernel": [1, 1], "strides": [2, 2], "ceil_mode": True}),
           ((1, 2, 9, 9), {"kernel": [2, 2], "dilations": [2, 3], "strides": [1, 1]}),
           ((1, 2, 5, 5), {"kernel": [3, 2], "strides": [2, 2], "auto_pad": "SameUpper"}),
           ((1, 2, 5, 5), {"kernel": [4, 2], "strides": [2, 3], "auto_pad": "SameLower"}),
           ((1, 2, 5, 5), {"kernel": [4, 2], "strides": [2, 3], "auto_pad": "Valid"}),
           ((1, 2, 4, 5, 3), {"kernel": [2, 2, 2], "strides": [1, 2, 1]})]  # fmt: skip


def pool(op, dtype, more=({},), terms=2, exact=False):
    for i, (shape, settings) in enumerate(some(dtype, WINDOWS, 2, [np.float32])):
        x = special(dtype, shape) if exact else values(dtype, shape, i)
        for extra in more if i == 0 else [more[i % len(more)]]:
            count = int(np.prod(settings["kernel"]))
            yield Case(op, [x], {**settings, **extra}, Exact() if exact else Sums(terms + count))
    if not exact:
        yield Case(op, [special(dtype, (2, 3, 9, 9))], {"kernel": [3, 3], **more[0]}, Sums(terms + 9))


WHOLE = [(2, 3, 4, 5), (2, 3), (1, 3, 0), (1, 70, 3, 2), (2, 3, 7), (0, 3, 4)]


def global_pool(op, dtype, more=({},), terms=2, exact=False):
    for i, shape in enumerate(some(dtype, WHOLE)):
        for extra in more:
            count = int(np.prod(shape[2:]))
            yield Case(op, [values(dtype, shape, i)], extra, Exact() if exact else Sums(terms + count))
    yield Case(op, [special(dtype, (3, 3, 5))], more[0], Exact() if exact else Sums(terms + 5))


#
# Products
#

MATRICES = [((3, 4), (4, 5)), ((4,), (4,)), ((3, 0), (0, 5)), ((7, 2, 3, 4), (7, 1, 4, 5)), ((4,), (4, 5)), ((3, 4), (4,)),
            ((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (5, 4, 6)), ((4,), (2, 4, 5)), ((2, 3, 4), (4,)), ((0, 4), (4, 5)), ((1, 33), (33, 1)),
            ((2, 0, 4), (2, 4, 3)), ((17, 65), (65, 35))]  # fmt: skip


def matmul(op, dtype):
    for left, right in some(dtype, MATRICES):
        yield Case(op, [values(dtype, left), values(dtype, right, 1)], {}, Sums(left[-1]))
    for a, b in ((True, False), (False, True), (True, True)):
        shapes = ((4, 3) if a else (3, 4)), ((5, 4) if b else (4, 5))
        yield Case(op, [values(dtype, shapes[0]), values(dtype, shapes[1], 1)], {"transpose_a": a, "transpose_b": b}, Sums(4))
    yield Case(op, [special(dtype, (9, 6)), special(dtype, (6, 5), 6)], {}, Sums(6))


def linear(op, dtype):
    for shape in some(dtype, [(3, 4), (4,), (0, 4), (2, 3, 4)]):
        weight, bias = values(dtype, (5, 4), 1), values(dtype, (5,), 2)
        yield Case(op, [values(dtype, shape), weight, bias], {"activation": "Relu"}, Sums(8))
        yield Case(op, [values(dtype, shape), weight], {}, Sums(8))
    yield Case(op, [special(dtype, (9, 6)), values(dtype, (5, 6), 6)], {}, Sums(8))


CONVOLUTIONS = [((2, 4, 5, 6), (6, 2, 3, 2), {"strides": [2, 1], "pads": [1, 0], "groups": 2}), ((0, 3, 8, 9), (5, 3, 3, 3), {}),
                ((1, 3, 8), (4, 3, 3), {}), ((2, 4, 9), (4, 1, 3), {"groups": 4, "pads": [1, 0], "dilations": [2]}),
                ((1, 3, 7, 5), (4, 3, 4, 2), {"auto_pad": "SameLower", "strides": [3, 2]}),
                ((1, 2, 4, 5, 6), (3, 2, 2, 3, 2), {"strides": [1, 2, 2], "pads": [0, 1, 1]})]  # fmt: skip
TRANSPOSED = [((2, 4, 5, 6), (4, 3, 3, 2), {"strides": [2, 1], "pads": [1, 0], "groups": 2}), ((0, 3, 8, 9), (3, 5, 3, 3), {}),
              ((1, 3, 5), (3, 4, 3), {"strides": [2]}), ((2, 4, 5), (4, 1, 3), {"groups": 4, "strides": [2], "output_padding": [1]}),
              ((1, 3, 3, 3), (3, 2, 3, 3), {"strides": [3, 2], "output_shape": [10, 8]}),
              ((1, 2, 2, 3, 2), (2, 2, 2, 2, 2), {"strides": [2, 1, 2]})]  # fmt: skip


def convolution(op, dtype, table, outputs):
    for i, (shape, weight, settings) in enumerate(some(dtype, table, 2, [np.float32])):
        bias = values(dtype, (outputs(weight, settings),), 2)
        operands = [values(dtype, shape), values(dtype, weight, 1), bias][: 2 + i % 2]
        activation = {"activation": "Relu"} if i % 2 else {}
        yield Case(op, operands, {**settings, **activation}, Sums(int(np.prod(weight)) + 1))
    shape, weight, settings = table[2]
    yield Case(op, [special(dtype, shape, every=3), values(dtype, weight, 1)], settings, Sums(int(np.prod(weight)) + 1))


CASES = {
    **dict.fromkeys(["reduce_sum", "reduce_l1", "reduce_sumsq", "reduce_l2", "reduce_prod", "reduce_mean"], reduction),
    "reduce_logsumexp": functools.partial(reduction, terms=6, least=1.0),
    **dict.fromkeys(["reduce_max", "reduce_min"], functools.partial(reduction, exact=True)),
    **dict.fromkeys(["argmax", "argmin"], search),
    "cumsum": cumsum,
    "softmax": softmax,
    "log_softmax": functools.partial(softmax, least=1.0),
    "layer_norm": row_norm,
    "rms_norm": functools.partial(row_norm, bias=False),
    **dict.fromkeys(["group_norm", "instance_norm"], channel_norm),
    "batch_norm": batch_norm,
    "lrn": lrn,
    **dict.fromkeys(["max_pool", "max_pool_with_indices"], functools.partial(pool, exact=True)),
    "avg_pool": functools.partial(pool, more=({"count_include_pad": False}, {"count_include_pad": True})),
    "lp_pool": functools.partial(pool, more=({"p": 2.0}, {"p": 1.0}, {"p": 3.0}), terms=8),
    "global_max_pool": functools.partial(global_pool, exact=True),
    "global_avg_pool": global_pool,
    "global_lp_pool": functools.partial(global_pool, more=({"p": 2.0}, {"p": 3.0}), terms=8),
    "matmul": matmul,
    "linear": linear,
    "conv": functools.partial(convolution, table=CONVOLUTIONS, outputs=lambda weight, _: weight[0]),
    "conv_transpose": functools.partial(convolution, table=TRANSPOSED, outputs=lambda weight, settings: weight[1] * settings.get("groups", 1)),
}  # fmt: skip
