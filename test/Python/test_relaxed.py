"""finalize(precision="relaxed"): 3x3 convolutions with fewer products, held to the bound that docs/semantics.md states."""

import numpy as np
import pytest

import clika_runtime as crt

# What a result may be off by, as a part of the largest sum of absolute products.
BOUND = 1e-5


def convolution(x, weight, pads, strides=1, dilations=1):
    """In double precision, with the absolute values alone as well."""
    top, left, bottom, right = pads
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (top, bottom), (left, right)))
    height = (padded.shape[2] - 2 * dilations - 1) // strides + 1
    width = (padded.shape[3] - 2 * dilations - 1) // strides + 1
    sums, sizes = 0.0, 0.0
    for i in range(3):
        for j in range(3):
            part = padded[:, :, i * dilations :, j * dilations :][:, :, ::strides, ::strides][:, :, :height, :width]
            kernel = weight[:, :, i, j].astype(np.float64)
            sums = sums + np.einsum("nchw,fc->nfhw", part, kernel)
            sizes = sizes + np.einsum("nchw,fc->nfhw", np.abs(part), np.abs(kernel))
    return sums, sizes.max()


def data(batch, channels, outputs, height, width, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((batch, channels, height, width)).astype(np.float32)
    weight = rng.uniform(-1, 1, (outputs, channels, 3, 3)).astype(np.float32)
    return x, weight, rng.standard_normal(outputs).astype(np.float32)


def results(function, x, **options):
    """Of the function compiled at both precisions."""
    graphs = []
    for precision in ("full", "relaxed"):
        graph = crt.trace(lambda t: function(t[0]), [crt.TensorSpec("x", crt.float32, list(x.shape))]).graph
        graph.finalize(precision=precision, **options)
        graphs.append(graph)
    return [graph.run([x])[0].numpy() for graph in graphs]


@pytest.mark.parametrize("batch, channels, outputs, height, width, pads", [
    (1, 16, 16, 16, 16, (1, 1, 1, 1)),
    (1, 64, 96, 14, 14, (1, 1, 1, 1)),
    (3, 17, 33, 13, 18, (1, 1, 1, 1)),
    (1, 32, 16, 30, 19, (0, 0, 0, 0)),
    (2, 20, 40, 15, 16, (2, 0, 1, 3)),
    (16, 16, 24, 3, 3, (0, 0, 0, 0)),
    (4, 40, 160, 7, 9, (1, 1, 1, 1)),
])  # fmt: skip
def test_winograd_agrees(batch, channels, outputs, height, width, pads):
    x, weight, bias = data(batch, channels, outputs, height, width)
    expected, size = convolution(x, weight, pads)
    expected += bias.astype(np.float64)[:, None, None]
    full, relaxed = results(lambda t: crt.conv(t, crt.tensor(weight), crt.tensor(bias), pads=pads), x)
    assert np.abs(relaxed - expected).max() <= BOUND * size
    assert np.abs(full - expected).max() <= BOUND * size
    assert (full != relaxed).any(), "the relaxed convolution is another computation"


@pytest.mark.parametrize("batch, channels, outputs, side, options", [
    (1, 15, 16, 16, {}),
    (1, 16, 15, 16, {}),
    (1, 16, 16, 12, {}),
    (1, 16, 16, 40, {"strides": [2, 2]}),
    (1, 16, 16, 20, {"dilations": [2, 2]}),
    (1, 32, 32, 16, {"groups": 2}),
])  # fmt: skip
def test_other_convolutions_stay(batch, channels, outputs, side, options):
    x, weight, _ = data(batch, channels // options.get("groups", 1), outputs, side, side)
    x = np.repeat(x, options.get("groups", 1), axis=1)
    full, relaxed = results(lambda t: crt.conv(t, crt.tensor(weight), pads=[1, 1, 1, 1], **options), x)
    np.testing.assert_array_equal(full, relaxed)


def test_weights_that_are_no_constants_stay():
    x, weight, _ = data(1, 16, 16, 16, 16)
    outputs = []
    for precision in ("full", "relaxed"):
        specs = [crt.TensorSpec("x", crt.float32, x.shape), crt.TensorSpec("w", crt.float32, weight.shape)]
        graph = crt.trace(lambda t: crt.conv(t[0], t[1]), specs).graph
        graph.finalize(precision=precision)
        outputs.append(graph.run([x, weight])[0].numpy())
    np.testing.assert_array_equal(*outputs)


def test_half_precision_stays():
    x, weight, _ = data(1, 16, 16, 16, 16)
    specs = [crt.TensorSpec("x", crt.float16, x.shape)]
    outputs = []
    for precision in ("full", "relaxed"):
        graph = crt.trace(lambda t: crt.conv(t[0], crt.tensor(weight.astype(np.float16))), specs).graph
        graph.finalize(precision=precision)
        outputs.append(graph.run([x.astype(np.float16)])[0].numpy())
    np.testing.assert_array_equal(*outputs)


def two_layers(t):
    x, weight, bias = data(1, 24, 24, 4, 4, seed=2)
    first = crt.conv(t, crt.tensor(weight), crt.tensor(bias), pads=[1, 1, 1, 1], activation="Relu")
    second = crt.conv(first, crt.tensor(weight), pads=[1, 1, 1, 1])
    return crt.add(second, t, activation="Relu")


def test_what_follows_is_part_of_the_tiles_and_right():
    x, weight, bias = data(1, 24, 24, 4, 4, seed=2)
    x = np.random.default_rng(5).standard_normal((1, 24, 20, 28)).astype(np.float32)
    full, relaxed = results(two_layers, x)
    first, one = convolution(x, weight, (1, 1, 1, 1))
    first = np.maximum(first + bias.astype(np.float64)[:, None, None], 0)
    second, two = convolution(first.astype(np.float32), weight, (1, 1, 1, 1))
    expected = np.maximum(second + x, 0)
    assert np.abs(relaxed - expected).max() <= BOUND * two * 3
    assert (full != relaxed).any()


def test_threads_do_not_change_it():
    x = np.random.default_rng(5).standard_normal((2, 24, 33, 28)).astype(np.float32)
    one, four = (results(two_layers, x, threads=threads)[1] for threads in (1, 4))
    np.testing.assert_array_equal(one, four)


def test_a_saved_graph_keeps_it(tmp_path):
    x = np.random.default_rng(5).standard_normal((1, 24, 16, 16)).astype(np.float32)
    graph = crt.trace(lambda t: two_layers(t[0]), [crt.TensorSpec("x", crt.float32, x.shape)]).graph
    graph.finalize(precision="relaxed")
    graph.save(str(tmp_path / "graph"))
    loaded = crt.graph.ModelGraph.load(str(tmp_path / "graph"))
    np.testing.assert_array_equal(graph.run([x])[0].numpy(), loaded.run([x])[0].numpy())
