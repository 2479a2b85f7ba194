"""softmax and norms: the edges, what is refused. test_ops_numbers.py has their numbers."""

import numpy as np
import pytest
from agreement import random

import clika_runtime as crt


def test_softmax_at_the_edges():
    """Field case B17."""
    result = crt.softmax(crt.tensor(np.array([[1000, 1001], [-np.inf, -np.inf], [np.nan, 0], [np.inf, 0]], np.float32))).numpy()
    np.testing.assert_allclose(result[0], [0.268941, 0.731059], 1e-5)
    assert np.isnan(result[1:3]).all() and np.isnan(result[3, 0])


def test_what_is_refused():
    x = crt.tensor(random((2, 6, 3)))
    with pytest.raises(crt.InvalidArgumentError, match="group_norm: 6 channels do not divide into 4 groups"):
        crt.group_norm(x, 4)
    with pytest.raises(crt.InvalidArgumentError, match=r"layer_norm: scale \[4\] does not broadcast to x's shape"):
        crt.layer_norm(x, crt.tensor(random((4,))))
    with pytest.raises(crt.InvalidArgumentError, match=r"batch_norm: mean has shape \[5\], x has 6 channels"):
        crt.batch_norm(x, crt.tensor(random((5,))), crt.tensor(random((6,))))
