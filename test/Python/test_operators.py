"""Python's operators and indexing on concrete and on traced tensors, against NumPy."""

import operator

import numpy as np
import pytest
from graphs import traced

import clika_runtime as crt

A = np.array([[1.5, -2.0, 3.0], [0.5, 5.0, -6.25]], np.float32)
B = np.array([[2.0, 3.0, -1.5], [4.0, -2.5, 0.75]], np.float32)
I, J = np.array([[7, -8, 9]], np.int32), np.array([[2], [-3]], np.int32)
BINARY = [operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod]
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
BITS = [operator.and_, operator.or_, operator.xor]


def both(fn, *arrays):
    """What `fn` computes eagerly, checked to equal what it computes in a graph."""
    eager = fn(*map(crt.tensor, arrays)).numpy()
    specs = [crt.TensorSpec(f"x{i}", array.dtype, array.shape) for i, array in enumerate(arrays)]
    graph = crt.trace(lambda inputs: fn(*inputs), specs).graph
    graph.finalize()
    (compiled,) = graph.run(list(arrays))
    assert compiled.numpy().dtype == eager.dtype and np.array_equal(compiled.numpy(), eager, equal_nan=True)
    return eager


@pytest.mark.parametrize("op", BINARY + COMPARISONS + [operator.truediv], ids=lambda op: op.__name__)
def test_floats(op):
    assert np.array_equal(both(op, A, B), op(A, B))
    assert np.array_equal(both(lambda a: op(a, 2.5), A), op(A, np.float32(2.5)))
    assert np.array_equal(both(lambda a: op(2, a), A), op(np.float32(2), A))
    assert np.array_equal(both(lambda a: op(B, a), A), op(B, A))
    assert np.array_equal(both(lambda a: op(np.float32(1.5), a), A), op(np.float32(1.5), A))


@pytest.mark.parametrize("op", BINARY + COMPARISONS + BITS, ids=lambda op: op.__name__)
def test_integers(op):
    assert np.array_equal(both(op, I, J), op(I, J))
    assert np.array_equal(both(lambda a: op(a, 3), I), op(I, 3))
    assert np.array_equal(both(lambda a: op(3, a), J), op(3, J))


def test_integer_division_truncates():
    assert both(operator.truediv, I, J).tolist() == [[3, -4, 4], [-2, 2, -3]]


@pytest.mark.parametrize("op", BITS, ids=lambda op: op.__name__)
def test_bools(op):
    p, q = np.array([True, True, False, False]), np.array([True, False, True, False])
    assert np.array_equal(both(op, p, q), op(p, q))


def test_unary_and_others():
    assert np.array_equal(both(operator.neg, A), -A)
    assert np.array_equal(both(abs, A), np.abs(A))
    assert np.array_equal(both(operator.invert, I), ~I)
    assert np.array_equal(both(operator.invert, A > 0), ~(A > 0))
    assert np.allclose(both(operator.matmul, A, B.T.copy()), A @ B.T, rtol=1e-6)
    assert np.array_equal(both(operator.pow, np.abs(A), np.full((2, 3), 2, np.float32)), np.abs(A) ** 2)


def test_what_is_no_operand():
    tensor = crt.tensor(A)
    for other in ("x", None, object(), [1, 2, 3]):
        for op in (operator.add, operator.lt, operator.and_):
            with pytest.raises(TypeError):
                op(tensor, other)
    assert (tensor == "x") is False and (tensor != None) is True  # noqa: E711
    with pytest.raises(crt.InvalidArgumentError, match="float64"):
        tensor + A.astype(np.float64)
    with pytest.raises(crt.InvalidArgumentError):
        crt.tensor([1]) + 1.5
    with pytest.raises(TypeError):
        tensor[0] = 1


def test_tensors_hash_by_identity():
    tensor = crt.tensor(A)
    assert {tensor: 1}[tensor] == 1


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


@pytest.mark.parametrize("key", [2, -3, (0, 3), (0, 0, 0, 0, 0), 1.0, "a", True, (..., ...), np.array([True, False]),
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
