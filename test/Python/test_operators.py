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


#
# A Python number takes the tensor's dtype, and must fit it
#


@pytest.mark.parametrize("number", [2**63, 2**64 - 1, np.uint64(2**63 + 1)])
def test_numbers_beyond_int64(number):
    whole = np.array([0, 5, 2**63], np.uint64)
    assert np.array_equal(both(lambda a: a + number, whole), whole + np.uint64(number))
    assert np.array_equal(both(lambda a: number - a, whole), np.uint64(number) - whole)
    assert np.array_equal(both(lambda a: crt.clamp(a, number), whole), np.maximum(whole, np.uint64(number)))
    assert np.array_equal(both(lambda a: crt.maximum(a, number), whole), np.maximum(whole, np.uint64(number)))


def test_large_integers_in_floats():
    assert np.array_equal(both(lambda a: a + 2**70, A), A + np.float32(2.0**70))
    assert np.array_equal(both(lambda a: crt.clamp(a, -(2**80), 2**70), A * np.float32(1e22)),
                          np.clip(A * np.float32(1e22), -(2.0**80), 2.0**70))  # fmt: skip


HALF, WHOLE = np.ones(2, np.float16), np.ones(2, np.uint64)


@pytest.mark.parametrize(("x", "number", "dtype"), [
    (HALF, 70000.0, "float16"), (HALF, 70000, "float16"), (HALF, -(2**70), "float16"), (A, 1e39, "float32"), (A, 2**130, "float32"),
    (A, 10**400, "float32"), (WHOLE, 2**64, "uint64"), (WHOLE, -1, "uint64"), (WHOLE, -(2**63) - 1, "uint64"), (I, 2**31, "int32"),
    (I, 2**63, "int32"), (I, 2**70, "int32")])  # fmt: skip
def test_numbers_that_do_not_fit(x, number, dtype):
    tensor = crt.tensor(x)
    with pytest.raises(crt.InvalidArgumentError, match=f"^add: .* does not fit a tensor of {dtype}, whose range it leaves"):
        tensor + number
    with pytest.raises(crt.InvalidArgumentError, match=f"^clamp: .*does not fit a tensor of {dtype}, whose range it leaves"):
        crt.clamp(tensor, max=number)


def test_numbers_that_just_fit():
    assert crt.mul(crt.tensor(HALF), 65519.0).numpy().tolist() == [65504, 65504]
    assert np.isinf(crt.mul(crt.tensor(HALF), float("inf")).numpy()).all()
    assert crt.mul(crt.tensor(A), 3.4028235e38).dtype == crt.float32
    assert np.isnan(crt.add(crt.tensor(HALF), float("nan")).numpy()).all()
    assert crt.clamp(crt.tensor(HALF), max=float("inf")).numpy().tolist() == [1, 1]


def test_numbers_beside_tensors_of_another_kind():
    quantized = np.array([[2, 4]], np.uint8)
    assert np.array_equal(both(lambda q: crt.dequantize(q, 0.5), quantized), np.array([[1, 2]], np.float32))
    assert np.array_equal(both(lambda q: crt.dequantize(q, 2, 1), quantized), np.array([[2, 6]], np.float32))
    assert np.array_equal(both(lambda x: crt.quantize(x, 0.5, 3), np.array([[1, 2]], np.float16)), np.array([[5, 7]], np.uint8))
    assert np.array_equal(both(lambda x: crt.gather(x, 1), A), A[1])
    with pytest.raises(crt.InvalidArgumentError, match="^quantize: .*does not fit a tensor of uint8"):
        crt.quantize(crt.tensor(A), 0.5, -3)
