"""quantize and dequantize: NaN, no elements, what does not fit. test_ops_numbers.py has their numbers."""

import numpy as np
import pytest
from agreement import agree, graph_of, random

import clika_runtime as crt

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
