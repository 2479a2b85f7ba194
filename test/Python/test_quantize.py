"""quantize and dequantize: per tensor, per axis and per block, in each dtype."""

import itertools

import numpy as np
import pytest
from agreement import agree, graph_of, random

import clika_runtime as crt

QUANTIZED = ["int8", "uint8", "int16", "uint16", "int32"]


def steps(case, float_dtype, dtype):
    """Scale and zero point, and each spread over x."""
    if case == "tensor":
        scale, zero = np.array(0.5, float_dtype), np.array(5, dtype)
        return scale, zero, scale, zero
    if case == "axis":
        scale, zero = np.array([0.5, 1, 2, 0.25], float_dtype), np.array([0, 1, 2, 3], dtype)
        return scale, zero, scale, zero
    scale = np.array([[0.5, 1], [2, 0.25], [1, 1]], float_dtype)
    zero = np.array([[0, 1], [2, 3], [4, 5]], dtype)
    return scale, zero, np.repeat(scale, 3, 1)[:, :4], np.repeat(zero, 3, 1)[:, :4]


@pytest.mark.parametrize("dtype, float_dtype, case", [*itertools.product(QUANTIZED, ["float32", "float16", "float64"], ["tensor", "axis", "block"])])
def test_quantize_and_dequantize(dtype, float_dtype, case):
    info, block = np.iinfo(dtype), 3 if case == "block" else 0
    computed = np.float64 if float_dtype == "float64" else np.float32
    x = (random((3, 4)) * 50).astype(float_dtype)
    far = 1e4 if float_dtype == "float16" else 1e20
    x[0] = [2.5, -0.5, far, -far]
    x[1, :2] = [np.inf, -np.inf]
    scale, zero, scales, zeros = steps(case, float_dtype, dtype)
    rounded = np.rint(x.astype(computed) / scales.astype(computed)).astype(np.float64)

    def saturated(values):
        return np.array([int(value) for value in np.clip(values, info.min, info.max).flat], object).reshape(x.shape).astype(dtype)

    expected = saturated(rounded + zeros)
    agree(lambda x, s, z: crt.quantize(x, s, z, 1, block), expected, x, scale, zero)
    agree(lambda x, s: crt.quantize(x, s, None, 1, block, getattr(crt, dtype)), saturated(rounded), x, scale)
    with np.errstate(over="ignore"):
        back = ((expected.astype(np.int64) - zeros.astype(np.int64)).astype(computed) * scales.astype(computed)).astype(float_dtype)
    agree(lambda q, s, z: crt.dequantize(q, s, z, 1, block), back, expected, scale, zero)


def test_nan_scalars_and_no_elements():
    one = np.array(1, np.float32)
    agree(crt.quantize, np.array([7, 8], np.uint8), np.array([np.nan, 1], np.float32), one, np.array(7, np.uint8))
    agree(crt.quantize, np.zeros((0, 3), np.uint8), np.zeros((0, 3), np.float32), one)
    agree(crt.quantize, np.array(3, np.uint8), np.array(3.2, np.float32), one)


def test_sizes_that_differ_end_the_run():
    x, scale = random((2, 3)), np.ones(3, np.float32)
    graph = graph_of(lambda x, s: crt.quantize(x, s), x, scale)
    graph.run([x, scale])
    with pytest.raises(crt.InvalidArgumentError, match="quantize.*sizes"):
        graph.run([x, np.ones(2, np.float32)])
