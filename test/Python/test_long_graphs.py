"""Graphs of thousands of operators: they compile in a time that grows with their length, and every operator counts."""

import numpy as np
import pytest
from graphs import traced

import clika_runtime as crt

SHAPES = [(3, 4), ("rows", 4)]
VALUES = np.random.default_rng(7).standard_normal((3, 4)).astype(np.float32)


def run_chain(step, count, shape):
    def model(inputs):
        value = inputs[0]
        for i in range(count):
            value = step(value, i)
        return value

    graph = traced(model, shape)
    graph.finalize()
    (result,) = graph.run([crt.tensor(VALUES)])
    return result.numpy()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_chain_of_elementwise_operators(shape):
    """All of these would be one loop with a body of 12,000 operations."""

    def step(value, i):
        return crt.neg(crt.mul(crt.maximum(crt.add(value, float(i % 5)), -2.0), 0.5))

    expected = VALUES
    for i in range(3000):
        expected = -(np.maximum(expected + np.float32(i % 5), np.float32(-2.0)) * np.float32(0.5))
    np.testing.assert_array_equal(run_chain(step, 3000, shape), expected)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_chain_of_kernels(shape):
    """A thousand calls of kernels, one after the other, with no test or loop between them."""
    weight = np.random.default_rng(8).permutation(np.eye(4, dtype=np.float32))
    weight[0, 0] += 0.25
    steps = [crt.tensor(np.roll(weight, k, 0)) for k in range(3)]

    def step(value, i):
        return crt.matmul(value, steps[i % 3])

    expected = VALUES.astype(np.float64)
    for i in range(600):
        expected = expected @ np.roll(weight, i % 3, 0).astype(np.float64)
    np.testing.assert_allclose(run_chain(step, 600, shape), expected, rtol=1e-4)
