"""max_pool, max_pool_with_indices, global_max_pool."""

import functools

import numpy as np
import pytest
import sums
import window_references
from agreement import agree, random

import clika_runtime as crt

WINDOWS = [((1, 2, 8), {"kernel": [3], "strides": [1]}), ((2, 3, 7, 8), {"kernel": [3, 3], "strides": [2, 2], "pads": [1, 1]}),
           ((1, 2, 6, 5), {"kernel": [2, 3], "pads": [1, 0, 0, 1]}), ((1, 2, 7, 7), {"kernel": [2, 2], "ceil_mode": True}),
           ((1, 1, 4, 4), {"kernel": [1, 1], "strides": [2, 2], "ceil_mode": True}),
           ((1, 2, 5, 6), {"kernel": [3, 3], "pads": [1, 1], "ceil_mode": True}),
           ((1, 2, 9, 9), {"kernel": [2, 2], "dilations": [2, 3], "strides": [1, 1]}),
           ((1, 2, 5, 5), {"kernel": [3, 2], "strides": [2, 2], "auto_pad": "SameUpper"}),
           ((1, 2, 5, 5), {"kernel": [4, 2], "strides": [2, 3], "auto_pad": "SameLower"}),
           ((1, 2, 4, 5, 3), {"kernel": [2, 2, 2], "strides": [1, 2, 1]}), ((0, 2, 7, 7), {"kernel": [2, 2]})]  # fmt: skip
each_window = pytest.mark.parametrize("shape, settings", WINDOWS, ids=str)


def with_specials(x):
    """A ninth of the elements are NaN, infinities and zeros of both signs."""
    generator = np.random.default_rng(5)
    flat = x.reshape(-1)
    if x.dtype.kind == "f" and flat.size:
        at = generator.integers(0, flat.size, max(1, flat.size // 9))
        flat[at] = generator.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], at.size)
    return x


def largest(values, places, _):
    return values[np.argmax(values)], places[np.argmax(values)]  # argmax takes the first NaN as largest


@each_window
def test_max_pool(shape, settings):
    x = with_specials(random(shape))
    expected = window_references.pool(x, largest, **settings)
    values, places = expected if isinstance(expected, list) else (expected, expected.astype(np.int64))
    agree(functools.partial(crt.max_pool, **settings), values.astype(x.dtype), x)
    agree(functools.partial(crt.max_pool_with_indices, **settings), [values.astype(x.dtype), places], x)


@pytest.mark.parametrize("dtype", sums.FLOATS + sums.INTEGERS)
def test_dtypes(dtype):
    x, settings = random((1, 2, 5, 6), dtype), {"kernel": [2, 3], "strides": [1, 2], "pads": [1, 1]}
    values, places = window_references.pool(x, largest, **settings)
    agree(functools.partial(crt.max_pool_with_indices, **settings), [values.astype(x.dtype), places], x)
    agree(crt.global_max_pool, x.max((2, 3), keepdims=True), x)
