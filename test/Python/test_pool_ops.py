"""Pools: NaN, windows that begin in the padding, what is refused. test_ops_numbers.py has their numbers."""

import numpy as np
import pytest
from agreement import random

import clika_runtime as crt


def test_nan_and_edges():
    """Field cases B1 and B5."""
    assert np.isnan(crt.max_pool(crt.tensor(np.full((1, 1, 3, 3), np.nan, np.float32)), [3, 3]).item())
    assert np.isnan(crt.max_pool(crt.tensor(np.array([[[1, np.nan, 2]]], np.float32)), [3]).item())
    x = crt.tensor(np.arange(4, dtype=np.float32).reshape(1, 1, 4))
    # A window from 4 on would start in the padding at the end.
    assert crt.max_pool(x, [1], strides=[2], ceil_mode=True).numpy().tolist() == [[[0, 2]]]
    assert crt.avg_pool(x, [2], strides=[3], pads=[0, 1], ceil_mode=True).numpy().tolist() == [[[0.5, 3]]]


def test_what_is_refused():
    x = crt.tensor(random((1, 2, 5, 5)))
    with pytest.raises(crt.InvalidArgumentError, match="max_pool: kernel has 1 entry, x has 2 spatial dimensions"):
        crt.max_pool(x, [3])
    with pytest.raises(crt.InvalidArgumentError, match="avg_pool: pads of spatial dimension 0 are 2 and 2"):
        crt.avg_pool(x, [2, 2], pads=[2, 2])
    with pytest.raises(crt.InvalidArgumentError, match="lp_pool.* p is 0"):
        crt.lp_pool(x, [2, 2], p=0.0)
