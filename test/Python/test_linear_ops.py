"""matmul, linear, conv, conv_transpose."""

import functools

import numpy as np
import pytest
import sums
import window_references
from agreement import random

import clika_runtime as crt

MATRICES = [((3, 4), (4, 5)), ((4,), (4,)), ((4,), (4, 5)), ((3, 4), (4,)), ((2, 3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)),
            ((7, 2, 3, 4), (7, 1, 4, 5)), ((2, 1, 3, 4), (5, 4, 6)), ((4,), (2, 4, 5)), ((2, 3, 4), (4,)), ((3, 0), (0, 5)),
            ((0, 4), (4, 5)), ((1, 33), (33, 1)), ((2, 0, 4), (2, 4, 3)), ((17, 65), (65, 35))]  # fmt: skip


@pytest.mark.parametrize("left, right", MATRICES, ids=str)
def test_matmul(left, right):
    sums.agree(crt.matmul, np.matmul, random(left), random(right, seed=1), terms=left[-1])


def test_matmul_transposes():
    a, b = random((2, 4, 3)), random((5, 4), seed=1)
    fn = functools.partial(crt.matmul, transpose_a=True, transpose_b=True)
    sums.agree(fn, lambda a, b: np.swapaxes(a, -1, -2) @ b.T, a, b, terms=4)


def test_matmul_hands_on_nan_and_infinity():
    a = np.array([[np.nan, 1.0], [np.inf, 1.0], [np.inf, -np.inf], [0.0, -0.0]], np.float32)
    sums.agree(crt.matmul, np.matmul, a, np.array([[0.0, 1.0], [1.0, 1.0]], np.float32))


def test_order_of_sums():
    """k ascending, each step one fused multiply-add."""
    a, b = random((2, 300)), random((300, 3), seed=1)
    expected = np.zeros((2, 3), np.float32)
    for k in range(300):  # a product of two float32 is exact in float64, and so is its sum with a third but for ties
        expected = (a[:, k : k + 1].astype(np.longdouble) * b[k].astype(np.longdouble) + expected).astype(np.float32)
    np.testing.assert_array_equal(crt.matmul(crt.tensor(a), crt.tensor(b)).numpy(), expected)


@pytest.mark.parametrize("shape", [(3, 4), (4,), (2, 3, 4), (0, 4)], ids=str)
@pytest.mark.parametrize("activation", ["Identity", "Relu", "Silu"])
def test_linear(shape, activation):
    act = {"Identity": lambda y: y, "Relu": lambda y: np.maximum(y, 0), "Silu": lambda y: y / (1 + np.exp(-y))}[activation]
    fn = functools.partial(crt.linear, activation=activation)
    arrays = random(shape), random((5, 4), seed=1), random((5,), seed=2)
    sums.agree(fn, lambda x, w, b: act(x @ w.T + b), *arrays, terms=12, size=lambda x, w, b: x @ w.T + b)


CONVOLUTIONS = [((1, 3, 8), (4, 3, 3), {}), ((2, 4, 9), (6, 2, 3), {"groups": 2, "strides": [2], "pads": [1, 0]}),
                ((2, 4, 9), (4, 1, 3), {"groups": 4, "pads": [1]}), ((1, 3, 8, 9), (5, 3, 3, 3), {"pads": [1, 1]}),
                ((2, 3, 8, 9), (5, 3, 3, 2), {"strides": [2, 3], "pads": [1, 0, 2, 1], "dilations": [2, 1]}),
                ((1, 3, 7, 5), (8, 3, 1, 1), {}), ((1, 3, 7, 5), (8, 3, 1, 1), {"strides": [2, 2]}),
                ((1, 4, 7, 5), (4, 1, 3, 3), {"groups": 4, "pads": [1, 1], "strides": [2, 2]}),
                ((1, 4, 7, 5), (8, 1, 3, 3), {"groups": 4}),
                ((1, 6, 7, 5), (4, 3, 3, 3), {"groups": 2, "auto_pad": "SameUpper", "strides": [2, 2]}),
                ((1, 3, 7, 5), (4, 3, 4, 2), {"auto_pad": "SameLower", "strides": [3, 2]}),
                ((1, 3, 7, 5), (4, 3, 4, 2), {"auto_pad": "Valid"}),
                ((1, 2, 4, 5, 6), (3, 2, 2, 3, 2), {"strides": [1, 2, 2], "pads": [0, 1, 1]}),
                ((1, 4, 4, 5, 6), (4, 1, 2, 3, 2), {"groups": 4}), ((0, 3, 8, 9), (5, 3, 3, 3), {}),
                ((1, 33, 5, 5), (40, 33, 3, 3), {})]  # fmt: skip


@pytest.mark.parametrize("x, weight, settings", CONVOLUTIONS, ids=str)
def test_conv(x, weight, settings):
    arrays, terms = [random(x), random(weight, seed=1)], int(np.prod(weight[1:])) + 1
    reference = functools.partial(window_references.conv, **settings)
    sums.agree(functools.partial(crt.conv, **settings), reference, *arrays, terms=terms)
    relu = functools.partial(crt.conv, **settings, activation="Relu")
    arrays.append(random(weight[:1], seed=2))
    sums.agree(relu, lambda *operands: np.maximum(reference(*operands), 0), *arrays, terms=terms, size=reference)


TRANSPOSED = [((1, 3, 5), (3, 4, 3), {"strides": [2]}),
              ((2, 4, 5), (4, 3, 3), {"groups": 2, "strides": [2], "pads": [1, 0], "output_padding": [1]}),
              ((1, 3, 4, 5), (3, 2, 3, 3), {"strides": [2, 2], "pads": [1, 1], "output_padding": [1, 0]}),
              ((1, 3, 4, 5), (3, 2, 3, 2), {"dilations": [2, 3]}), ((1, 2, 4, 5), (2, 1, 1, 1), {"groups": 2}),
              ((1, 3, 4, 4), (3, 2, 3, 3), {"strides": [3, 3], "auto_pad": "SameUpper"}),
              ((1, 3, 4, 4), (3, 2, 2, 2), {"strides": [2, 3], "auto_pad": "SameLower"}),
              ((1, 3, 3, 3), (3, 2, 3, 3), {"strides": [3, 2], "output_shape": [10, 8]}),
              ((1, 3, 3, 3), (3, 2, 4, 4), {"strides": [2, 2], "pads": [3, 4]}),
              ((1, 2, 2, 3, 2), (2, 2, 2, 2, 2), {"strides": [2, 1, 2]}), ((1, 4, 3), (4, 1, 2), {"groups": 4, "strides": [2]})]  # fmt: skip


@pytest.mark.parametrize("x, weight, settings", TRANSPOSED, ids=str)
def test_conv_transpose(x, weight, settings):
    bias = random((weight[1] * settings.get("groups", 1),), seed=2)
    fn, reference = crt.conv_transpose, window_references.conv_transpose
    fn, reference = functools.partial(fn, **settings), functools.partial(reference, **settings)
    sums.agree(fn, reference, random(x), random(weight, seed=1), bias, terms=int(np.prod(weight)) + 1)


def order_matters(shape, seed):
    """Numbers of few digits and many sizes: a product and a sum of them in float64 are exact."""
    rng = np.random.default_rng(seed)
    return (rng.integers(-255, 256, shape) * 2.0 ** rng.integers(-6, 7, shape)).astype(np.float32)


@pytest.mark.parametrize("x, weight, settings", TRANSPOSED + [((1, 5, 3, 4), (5, 3, 2, 2), {"strides": [2, 2]})], ids=str)
def test_order_of_a_transposed_convolutions_sums(x, weight, settings):
    """Kernel positions ascend, and within each its channels."""
    x, weight = order_matters(x, 0), order_matters(weight, 1)
    sums_in_order = window_references.conv_transpose(x.astype(np.float64), weight.astype(np.float64), **settings, ordered=True)
    for got in sums.computed(functools.partial(crt.conv_transpose, **settings), [x, weight]):
        np.testing.assert_array_equal(got, sums_in_order.astype(np.float32))


@pytest.mark.parametrize("x, weight, settings", TRANSPOSED + [((1, 3, 4, 5), (3, 2, 2, 3), {"strides": [2, 3]})], ids=str)
def test_infinite_weights_of_a_transposed_convolution(x, weight, settings):
    """No term stands for the places between and beyond the input's elements."""
    fn, reference = crt.conv_transpose, window_references.conv_transpose
    fn, reference = functools.partial(fn, **settings), functools.partial(reference, **settings)
    for at in range(0, int(np.prod(weight)), 5):
        data = random(weight, seed=1)
        data.reshape(-1)[at] = [np.inf, -np.inf, np.nan][at % 3]
        sums.agree(fn, reference, random(x), data, terms=int(np.prod(weight)) + 1)


def test_depthwise_of_ones():
    """Field case B19."""
    x, weight = np.ones((1, 2, 3, 3), np.float32), np.ones((2, 1, 3, 3), np.float32)
    result = crt.conv(crt.tensor(x), crt.tensor(weight), strides=[2, 2], pads=[1, 1], groups=2).numpy()
    assert result.tolist() == [[[[4, 4], [4, 4]]] * 2]


def test_one_column():
    a, b = random((37, 130)), random((130, 1), seed=1)
    sums.agree(crt.matmul, np.matmul, a, b, terms=130)
    sums.agree(crt.matmul, np.matmul, random((3, 37, 130)), random((3, 130, 1), seed=1), terms=130)


def test_convolutions_in_a_row():
    """Their layout, pads and sums of two branches; against the same with each step computed at once."""
    x, weights = random((2, 3, 9, 11)), [random(s, seed=i) for i, s in enumerate([(40, 3, 3, 3), (96, 40, 1, 1), (96, 1, 3, 3), (96, 96, 1, 1)])]
    bias = random((96,), seed=9)

    def network(x, w0, w1, w2, w3, b):
        y = crt.conv(x, w0, pads=[1, 1], activation="Relu")
        skip = crt.conv(y, w1, b)
        z = crt.conv(crt.relu(skip), w2, b, pads=[1, 1], groups=96, activation="HardSwish")
        z = crt.conv(z, w3, b) + skip
        z = crt.concat([crt.max_pool(z, kernel=[3, 3], strides=[2, 2], pads=[1, 1]), crt.avg_pool(z, kernel=[2, 2], strides=[2, 2], pads=[0, 0, 1, 1])], axis=1)
        return z, crt.global_avg_pool(z) * crt.sigmoid(z)

    eager = network(*map(crt.tensor, (x, *weights, bias)))
    constants = [crt.tensor(a) for a in (*weights, bias)]
    for shape in (x.shape, [None, 3, None, None]):
        graph = crt.trace(lambda inputs: list(network(inputs[0], *constants)), [crt.TensorSpec("x", crt.float32, shape)]).graph
        graph.finalize()
        for got, wanted in zip(graph.run([x]), eager, strict=True):
            np.testing.assert_array_equal(got.numpy().view(np.int32), wanted.numpy().view(np.int32))


@pytest.mark.parametrize("x, weight, message", [((1, 4, 8), (4, 3, 3), "conv.*x's channels are not those that weight expects"),
                                                ((1, 3, 2), (4, 3, 3), "conv.*the window reaches over more")])  # fmt: skip
def test_sizes_that_do_not_fit_at_run_time(x, weight, message):
    specs = [crt.TensorSpec(f"x{i}", crt.float32, [None] * 3) for i in range(2)]
    graph = crt.trace(lambda inputs: crt.conv(*inputs), specs).graph
    graph.finalize()
    with pytest.raises(crt.InvalidArgumentError, match=message):
        graph.run([random(x), random(weight)])


def test_sizes_that_never_fit():
    with pytest.raises(crt.InvalidArgumentError, match="x has 3 channels, weight expects 4"):
        crt.conv(crt.tensor(random((1, 3, 8))), crt.tensor(random((2, 4, 3))))
    with pytest.raises(crt.InvalidArgumentError, match=r"a \[2, 3\] has 3 columns, b \[4, 5\] has 4 rows"):
        crt.matmul(crt.tensor(random((2, 3))), crt.tensor(random((4, 5))))
