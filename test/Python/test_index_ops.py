"""gather, gather_elements, gather_nd, scatter_elements, scatter_nd, one_hot, topk, non_zero."""

import numpy as np
import pytest
from agreement import agree, graph_of, int64, random
from shape_references import topk

import clika_runtime as crt

REDUCTIONS = {"Replace": lambda old, new: new, "Add": np.add, "Mul": np.multiply, "Max": np.maximum, "Min": np.minimum}


def positions(shape, size, dtype=np.int64, seed=3):
    """Indices of that shape that are good for an axis of `size`, negative ones included."""
    return np.asarray(np.random.default_rng(seed).integers(-size, size, shape) if size else np.zeros(shape)).astype(dtype)


def rows_of_positions(shape, sizes):
    return np.stack([positions(shape, size, seed=k) for k, size in enumerate(sizes)], -1)


GATHERS = [((5, 3), (2,), 0), ((5, 3), (2, 2), 1), ((5, 3), (), 0), ((5,), (0,), 0), ((2, 5, 3), (4,), -2), ((0, 3), (0,), 0),
           ((3, 0), (2,), 0), ((7, 64), (3,), 0)]  # fmt: skip


@pytest.mark.parametrize("shape, many, axis", GATHERS, ids=str)
@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_gather(shape, many, axis, dtype):
    x, indices = random(shape), positions(many, shape[axis], dtype)
    agree(lambda x, i: crt.gather(x, i, axis), np.take(x, indices, axis), x, indices)
    agree(lambda x: crt.gather(x, indices, axis), np.take(x, indices, axis), x)


@pytest.mark.parametrize("index", [4, -5, 2**62, -(2**63)])
def test_an_index_out_of_range_ends_the_run(index):
    x, good = random((4, 4)), int64(0, 3)
    bad, name = int64(0, index), "is out of range"
    for fn in (crt.gather, lambda x, i: crt.gather_elements(x, crt.unsqueeze(i, [0]), 1),
               lambda x, i: crt.gather_nd(x, crt.unsqueeze(i, [1])),
               lambda x, i: crt.scatter_elements(x, crt.unsqueeze(i, [0]), np.ones((1, 2), np.float32), 1),
               lambda x, i: crt.scatter_nd(x, crt.unsqueeze(i, [0]), np.ones((1,), np.float32))):  # fmt: skip
        graph = graph_of(fn, x, good, fixed=[1])
        graph.run([x, good])
        with pytest.raises(crt.InvalidArgumentError, match=f"(gather|scatter).*{name}"):
            graph.run([x, bad])
        with pytest.raises(crt.InvalidArgumentError, match=name):
            fn(crt.tensor(x), crt.tensor(bad))


def test_an_index_out_of_range_is_named():
    x, updates = np.zeros((2, 5), np.float32), np.zeros((1, 1), np.float32)
    at = lambda index: np.array([[index]])  # noqa: E731
    calls = {
        "gather: the index 7 at [0, 0] of indices is out of range for axis 1 of x, whose size is 5": lambda t: crt.gather(t, at(7), 1),
        "gather: the index -3 at [1] of indices is out of range for axis 0 of x, whose size is 2": lambda t: crt.gather(t, np.array([1, -3])),
        "gather_elements: the index 5 at [0, 0] of indices is out of range for axis 1 of x, whose size is 5":
            lambda t: crt.gather_elements(t, at(5), -1),
        "scatter_elements: the index 9 at [0, 0] of indices is out of range for axis 1 of x, whose size is 5":
            lambda t: crt.scatter_elements(t, at(9), updates, 1),
        "gather_nd: the index 5 at [0, 1] of indices is out of range for axis 1 of x, whose size is 5":
            lambda t: crt.gather_nd(t, np.array([[1, 5]])),
        "gather_nd: the index 6 at [1, 0] of indices is out of range for axis 1 of x, whose size is 5":
            lambda t: crt.gather_nd(t, np.array([[4], [6]]), 1),
        "scatter_nd: the index 2 at [0, 0] of indices is out of range for axis 0 of x, whose size is 2":
            lambda t: crt.scatter_nd(t, at(2), np.zeros((1, 5), np.float32)),
    }  # fmt: skip
    for message, call in calls.items():
        with pytest.raises(crt.InvalidArgumentError) as raised:
            call(crt.tensor(x))
        assert str(raised.value) == message
    # A graph tells the axis, and what it knows of the size.
    for shape, size in ((["n", 5], "n"), ([2, 5], "2")):
        specs = [crt.TensorSpec("x", crt.float32, shape), crt.TensorSpec("i", crt.int64, [1])]
        graph = crt.trace(lambda t: crt.gather(t[0], t[1]), specs).graph
        graph.finalize()
        with pytest.raises(crt.InvalidArgumentError, match=f"an index is out of range for axis 0 of x, whose size is {size}$"):
            graph.run([x, np.array([2])])


def test_a_shape_of_another_count_is_named():
    x = crt.tensor(np.zeros((2, 3), np.float32))
    for shape in ([4], np.array([4]), crt.tensor([4])):
        with pytest.raises(crt.InvalidArgumentError, match=r"^reshape: \[2, 3\] has 6 elements, \[4\] has 4$"):
            crt.reshape(x, shape)
    specs = [crt.TensorSpec("x", crt.float32, ["n", 3]), crt.TensorSpec("s", crt.int64, [1])]
    graph = crt.trace(lambda t: crt.reshape(t[0], t[1]), specs).graph
    graph.finalize()
    with pytest.raises(crt.InvalidArgumentError, match=r"x of shape \[n, 3\] has another number of elements than the shape asks for"):
        graph.run([x, np.array([4])])


ALONG = [((5, 3), (2, 3), 0), ((5, 3), (4, 7), 1), ((5,), (3,), 0), ((2, 3, 4), (1, 2, 4), -1), ((2, 3), (0, 2), 1)]


@pytest.mark.parametrize("shape, many, axis", ALONG, ids=str)
def test_gather_elements(shape, many, axis):
    x, indices = random(shape), positions(many, shape[axis])
    kept = tuple(slice(None) if i == axis % len(shape) else slice(size) for i, size in enumerate(many))
    expected = np.take_along_axis(x[kept], np.where(indices < 0, indices + shape[axis], indices), axis)
    agree(lambda x, i: crt.gather_elements(x, i, axis), expected, x, indices)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("shape, many, axis", ALONG, ids=str)
def test_scatter_elements(shape, many, axis, reduction):
    x, indices, updates = random(shape), positions(many, shape[axis]), random(many, seed=1)
    expected = x.copy()
    for place in np.ndindex(*many):
        target = list(place)
        target[axis] = indices[place]
        expected[tuple(target)] = REDUCTIONS[reduction](expected[tuple(target)], updates[place])
    agree(lambda x, i, u: crt.scatter_elements(x, i, u, axis, reduction), expected, x, indices, updates)


ROWS = [((3, 4, 5), (2,), 1, 0), ((3, 4, 5), (2, 2), 3, 0), ((3, 4, 5), (3, 2), 1, 1), ((3, 4, 5), (3, 4), 1, 2), ((3, 4), (), 2, 0),
        ((3, 4), (0,), 2, 0)]  # fmt: skip


@pytest.mark.parametrize("shape, many, length, batch", ROWS, ids=str)
def test_gather_nd(shape, many, length, batch):
    x, indices = random(shape), rows_of_positions(many, shape[batch : batch + length])
    expected = np.zeros(many + shape[batch + length :], np.float32)
    for place in np.ndindex(*many):
        expected[place] = x[place[:batch] + tuple(indices[place])]
    agree(lambda x, i: crt.gather_nd(x, i, batch), expected, x, indices, fixed=[1])


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("shape, many, length", [((5, 3), (2,), 1), ((5, 3), (2, 2), 2), ((5,), (4,), 1), ((2, 3, 4), (3,), 2), ((5, 3), (0,), 1), ((5, 3), (), 1)])
def test_scatter_nd(shape, many, length, reduction):
    x, indices, updates = random(shape), rows_of_positions(many, shape[:length]), random(many + shape[length:], seed=1)
    expected = x.copy()
    for place in np.ndindex(*many):
        target = tuple(indices[place])
        expected[target] = REDUCTIONS[reduction](expected[target], updates[place])
    agree(lambda x, i, u: crt.scatter_nd(x, i, u, reduction), expected, x, indices, updates, fixed=[1])


@pytest.mark.parametrize("shape, axis", [((3,), -1), ((3,), 0), ((2, 3), 1), ((), -1), ((0,), -1)])
@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "float32"])
def test_one_hot(shape, axis, dtype):
    indices = np.asarray(np.random.default_rng(4).integers(0 if dtype == "uint8" else -6, 7, shape)).astype(dtype)
    whole, rank = indices.astype(np.int64), len(shape) + 1
    line = np.arange(4).reshape([-1 if i == axis % rank else 1 for i in range(rank)])
    hot = np.expand_dims(np.where(whole < 0, whole + 4, whole), axis) == line
    values = random((2,))
    expected = np.where(hot, values[1], values[0])
    agree(lambda i, v: crt.one_hot(i, v, 4, axis), expected, indices, values)
    for depth in (np.array(4), np.array([4.0], np.float32)):
        agree(lambda i, v, d: crt.one_hot(i, v, d, axis), expected, indices, values, depth)


TOPS = [((5,), 3, 0), ((5,), 0, 0), ((5,), 5, 0), ((2, 7), 3, -1), ((7, 2), 4, 0), ((2, 33, 3), 33, 1), ((1,), 1, 0), ((3, 0), 0, 1),
        ((0, 3), 2, 1), ((2, 64), 10, -1), ((2, 2), 2, 1)]  # fmt: skip


@pytest.mark.parametrize("shape, k, axis", TOPS, ids=str)
@pytest.mark.parametrize("largest", [True, False])
def test_topk(shape, k, axis, largest):
    x = random(shape)
    if x.size > 4:
        x.flat[:4] = [-np.inf, np.nan, np.inf, np.nan]
    agree(lambda x: crt.topk(x, k, axis, largest), topk(x, k, axis, largest, True), x)
    agree(lambda x, k: crt.topk(x, k, axis, largest), topk(x, k, axis, largest, True), x, np.array([k]))


def test_topk_of_zeros_and_errors():
    x = np.array([0.0, -0.0, 0.0, -0.0], np.float32)
    agree(lambda x: crt.topk(x, 3)[1], int64(0, 1, 2), x)
    graph = graph_of(lambda x, k: crt.topk(x, k), x, np.array(2))
    for k in (5, -1):
        with pytest.raises(crt.InvalidArgumentError, match="topk.*k is"):
            graph.run([x, np.array(k)])


@pytest.mark.parametrize("shape", [(5,), (3, 4), (0, 3), (2, 3, 2), ()])
@pytest.mark.parametrize("dtype", ["float32", "bool", "int8", "float64"])
def test_non_zero(shape, dtype):
    x = random(shape, dtype) * random(shape, "bool", 1)
    expected = np.array(np.nonzero(x), np.int64) if shape else np.zeros((0, int(x != 0)), np.int64)
    agree(crt.non_zero, expected.reshape(len(shape), -1) if shape else expected, x)
