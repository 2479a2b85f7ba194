"""reduce_*, argmax, argmin: the order of sums, whole numbers, what is refused. test_ops_numbers.py has their numbers."""

import numpy as np
import pytest
from agreement import agree, random

import clika_runtime as crt


def test_integer_mean_truncates():
    x = np.array([[-7, 0], [250, 251]], np.int32)
    agree(lambda x: crt.reduce_mean(x, axes=[1]), np.array([-3, 250], np.int32), x)
    agree(lambda x: crt.reduce_mean(x, axes=[1]), np.zeros(2, np.int32), np.zeros((2, 0), np.int32))


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


def test_search_among_nothing():
    with pytest.raises(crt.InvalidArgumentError, match="argmax: dimension 1 of x .* has no elements"):
        crt.argmax(crt.tensor(np.zeros((3, 0), np.float32)), axis=1)
    graph = crt.trace(lambda inputs: crt.argmax(inputs[0], axis=1), [crt.TensorSpec("x", crt.float32, [None, None])]).graph
    graph.finalize()
    with pytest.raises(crt.InvalidArgumentError, match="argmax.*dimension 1 of x has no elements"):
        graph.run([np.zeros((3, 0), np.float32)])


def test_what_is_refused():
    x = crt.tensor(random((2, 3)))
    with pytest.raises(crt.InvalidArgumentError, match="reduce_sum: axis 2 is out of range, x has 2 dimensions"):
        crt.reduce_sum(x, axes=[2])
    with pytest.raises(crt.InvalidArgumentError, match="reduce_max: axis 1 is named twice"):
        crt.reduce_max(x, axes=[1, -1])
