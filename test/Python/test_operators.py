"""Python's operators on concrete and on traced tensors, against NumPy."""

import operator

import numpy as np
import pytest
from graphs import both

import clika_runtime as crt

A = np.array([[1.5, -2.0, 3.0], [0.5, 5.0, -6.25]], np.float32)
B = np.array([[2.0, 3.0, -1.5], [4.0, -2.5, 0.75]], np.float32)
I, J = np.array([[7, -8, 9]], np.int32), np.array([[2], [-3]], np.int32)
BINARY = [operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod]
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
BITS = [operator.and_, operator.or_, operator.xor]


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
