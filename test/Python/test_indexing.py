"""Indexing of concrete and of traced tensors, and matmul's operator, against NumPy."""

import operator

import numpy as np
import pytest
from graphs import both, traced

import clika_runtime as crt

A = np.array([[1.5, -2.0, 3.0], [0.5, 5.0, -6.25]], np.float32)
DATA = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)
KEYS = {
    "int": 1,
    "negative int": -1,
    "ints": (1, -2, 3),
    "all ints": (1, 2, 3, 4),
    "slice": slice(1, None),
    "negative slice": (slice(None), slice(-2, -1)),
    "empty slice": (slice(None), slice(2, 1)),
    "past the end": (..., slice(2, 100)),
    "step": (..., slice(None, None, 2)),
    "reversed": (slice(None), slice(None, None, -1)),
    "reversed part": (..., slice(3, 0, -2)),
    "reversed to the start": (..., slice(2, None, -1)),
    "ellipsis": (0, ..., 1),
    "only ellipsis": ...,
    "new axes": (None, 1, None, ..., None),
    "new axis between": (slice(None), None, 0, slice(1, 3)),
    "empty key": (),
    "list": [1, 0, 1],
    "array": (slice(None), np.array([[2, 0], [1, -1]])),
    "array and slices": (slice(1), ..., np.array([4, 0]), None),
    "index tensor": (slice(None), slice(None), np.int64(2)),
}


@pytest.mark.parametrize("name", KEYS)
def test_indexing(name):
    key = KEYS[name]
    assert np.array_equal(both(lambda x: x[key], DATA), DATA[key])
    assert both(lambda x: x[key], DATA).shape == DATA[key].shape


def test_tensors_as_indices():
    indices = np.array([2, 0], np.int32)
    assert np.array_equal(both(lambda x: x[:, crt.tensor(indices)], DATA), DATA[:, indices])
    assert np.array_equal(both(lambda x, i: x[:, i], DATA, indices), DATA[:, indices])
    assert crt.tensor([1.5, 2.5], "bfloat16")[1].item() == 2.5


def test_dynamic_sizes():
    graph = traced(lambda x: [x[0][1:, ::-1], x[0][-1]], ["n", "m"])
    graph.finalize()
    part, last = graph.run([A])
    assert np.array_equal(part.numpy(), A[1:, ::-1]) and np.array_equal(last.numpy(), A[-1])


def test_iteration():
    assert [row.tolist() for row in crt.tensor(A)] == A.tolist()
    graph = traced(lambda x: [row for row in x[0]])
    assert len(graph.outputs()) == 2
    with pytest.raises(TypeError):
        list(crt.tensor(1.0))
    with pytest.raises(crt.InvalidArgumentError, match="^len: "):
        traced(lambda x: list(x[0]), ["n"])


@pytest.mark.parametrize("key", [2, -3, (0, 3), (0, 0, 0, 0, 0), 1.0, "a", True, (..., ...), 2**70, -(2**70), np.array([True, False]),
                                 np.array([0.5]), ([0], [0]), (0, [1]), slice(None, None, 0), slice("a", None), [5]],
                         ids=repr)
def test_bad_indices(key):
    with pytest.raises((crt.InvalidArgumentError, ValueError, TypeError)) as eager:
        crt.tensor(DATA)[key]
    assert isinstance(eager.value, crt.InvalidArgumentError), eager.value
    assert str(eager.value).startswith("index: ")
    if not isinstance(key, list):
        with pytest.raises(crt.InvalidArgumentError, match="^index: "):
            traced(lambda x: x[0][key], [2, 3, 4, 5])


def test_matmul():
    assert np.allclose(both(operator.matmul, A, A.T.copy()), A @ A.T, rtol=1e-6)
