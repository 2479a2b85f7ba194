"""reduce_*, argmax, argmin."""

import functools

import numpy as np
import pytest
import sums
from agreement import agree, random

import clika_runtime as crt

SHAPES = [((5,), None), ((), None), ((3, 4), (1,)), ((3, 4), (0,)), ((3, 40), (1,)), ((2, 100), (1,)), ((40, 3), (0,)),
          ((2, 3, 4), (0, 2)), ((2, 3, 37), (0, 2)), ((2, 3, 4), (0, 1)), ((2, 3, 4), None), ((2, 5, 64), (1, 2)), ((3, 0), (1,)),
          ((0, 3), (1,)), ((0, 3), (0,)), ((2, 3, 4, 5), (1, 3)), ((33,), (0,)), ((2, 3, 4), (-2,))]  # fmt: skip
each_shape = pytest.mark.parametrize("shape, axes", SHAPES, ids=str)


def total(x, axes, keep):
    return x.sum(axes, keepdims=keep, dtype=x.dtype)


def edge(x, lowest):
    if x.dtype == bool:
        return not lowest
    if x.dtype.kind in "iu":
        return np.iinfo(x.dtype).min if lowest else np.iinfo(x.dtype).max
    return np.asarray(-np.inf if lowest else np.inf, x.dtype)


def logsumexp(x, axes, keep):
    highest = np.max(x, axes, keepdims=True, initial=-np.inf)
    result = highest + np.log(np.exp(x - highest).sum(axes, keepdims=True)) if x.size else highest
    return result if keep else result.reshape(np.sum(x, axes).shape)


SUMS = {"reduce_sum": total, "reduce_l1": lambda x, *how: total(np.abs(x), *how),
        "reduce_sumsq": lambda x, *how: total(x * x, *how), "reduce_l2": lambda x, *how: np.sqrt(total(x * x, *how))}  # fmt: skip
EXACT = {"reduce_max": lambda x, axes, keep: x.max(axes, keepdims=keep, initial=edge(x, True)),
         "reduce_min": lambda x, axes, keep: x.min(axes, keepdims=keep, initial=edge(x, False))}  # fmt: skip


def call(op, axes, keep):
    return functools.partial(getattr(crt, op), axes=list(axes or ()), keepdims=keep)


def count(shape, axes):
    return int(np.prod([shape[axis] for axis in axes] if axes else shape))


@each_shape
def test_mean_product_logsumexp(shape, axes):
    keep, x, terms = len(shape) % 2 == 1, random(shape), count(shape, axes) + 2
    mean = lambda x: total(x, axes, keep) / np.asarray(count(shape, axes), x.dtype)  # noqa: E731
    sums.agree(call("reduce_mean", axes, keep), mean, x, terms=terms)
    sums.agree(call("reduce_prod", axes, keep), lambda x: x.prod(axes, keepdims=keep), x, terms=terms)
    sums.agree(call("reduce_logsumexp", axes, keep), lambda x: logsumexp(x, axes, keep), x, terms=terms + 4,
               size=lambda x: np.maximum(1, logsumexp(x, axes, keep)))  # fmt: skip


@pytest.mark.parametrize("dtype", sums.FLOATS + sums.INTEGERS)
def test_dtypes(dtype):
    x = random((3, 45), dtype)
    for axes in ((0,), (1,)):
        for op in ("reduce_sum", "reduce_l1", "reduce_sumsq"):
            sums.agree(call(op, axes, False), lambda x: SUMS[op](x, axes, False), x, terms=50)
        for op in EXACT:
            agree(call(op, axes, False), EXACT[op](x, axes, False), x)
        sums.agree(call("reduce_prod", axes, False), lambda x: x.prod(axes, dtype=x.dtype), x, terms=50)


def test_integer_mean_truncates():
    x = np.array([[-7, 0], [250, 251]], np.int32)
    agree(call("reduce_mean", (1,), False), np.array([-3, 250], np.int32), x)
    agree(call("reduce_mean", (1,), False), np.zeros(2, np.int32), np.zeros((2, 0), np.int32))


def test_order_of_a_row():
    """32 partial sums by position mod 32, then a halving tree."""
    x = random((3, 1000))
    lanes = np.zeros((3, 32), np.float32)
    for i in range(1000):
        lanes[:, i % 32] += x[:, i]
    while lanes.shape[1] > 1:
        half = lanes.shape[1] // 2
        lanes = lanes[:, :half] + lanes[:, half:]
    np.testing.assert_array_equal(crt.reduce_sum(crt.tensor(x), axes=[1]).numpy(), lanes[:, 0])


SEARCHES = [((5,), 0), ((3, 4), 1), ((3, 4), 0), ((3, 70), 1), ((2, 3, 4), -2), ((), None), ((2, 3), None), ((0, 3), 1),
            ((2, 40, 3), 1), ((7, 45), None)]  # fmt: skip


@pytest.mark.parametrize("shape, axis", SEARCHES, ids=str)
@pytest.mark.parametrize("op", ["argmax", "argmin"])
@pytest.mark.parametrize("last", [False, True])
def test_searches(op, shape, axis, last):
    x, find = random(shape), getattr(np, op)
    if x.size > 9:
        x.reshape(-1)[[2, 5, -1]] = [np.nan, np.inf, -np.inf]
    for array in (x, (random(shape, "uint8") % 3).astype(np.uint8)):
        along = array.reshape(-1) if axis is None else array
        position = find(np.flip(along, axis or 0) if last else along, axis or 0)
        expected = along.shape[axis or 0] - 1 - position if last else position
        agree(functools.partial(getattr(crt, op), axis=axis, select_last=last), np.asarray(expected, np.int64), array)
