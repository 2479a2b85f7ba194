"""reshape, squeeze, unsqueeze, transpose, flip, depth_to_space, space_to_depth, shape, size, expand, tile."""

import numpy as np
import pytest
from agreement import agree, graph_of, int64, random

import clika_runtime as crt


def test_squeeze_without_axes_needs_sizes():
    """Its result's rank follows from them, so that a graph would have another than the same call on tensors."""
    x = crt.tensor(random((1, 3, 1, 2)))
    assert crt.squeeze(x).shape == (3, 2) and crt.squeeze(x, [0, 2]).shape == (3, 2)
    for shape in (["a", "b"], [1, None]):
        with pytest.raises(crt.InvalidArgumentError, match="squeeze: without axes each dimension of size 1 goes, and of .* is not known before a run; give axes"):
            crt.trace(lambda inputs: [crt.squeeze(inputs[0])], [crt.TensorSpec("x", crt.float32, shape)])
    graph = crt.trace(lambda inputs: [crt.squeeze(inputs[0], [1])], [crt.TensorSpec("x", crt.float32, ["a", "b"])]).graph
    graph.finalize()
    assert graph.run([random((3, 1))])[0].shape == (3,)

RESHAPES = [((2, 3, 4), [4, 6]), ((2, 3, 4), [-1]), ((2, 3, 4), [0, -1]), ((2, 3, 4), [2, 3, 2, 2]), ((6, 4), [2, 3, 4]),
            ((), [1, 1]), ((1, 1), []), ((), []), ((0, 3), [0, 5]), ((2, 3, 4), [4, 0, -1]), ((2, 12), [-1, 3, 4]),
            ((5,), [5]), ((2, 3, 4), [6, 4]), ((1, 6, 1), [2, 1, 3])]  # fmt: skip


@pytest.mark.parametrize("shape, target", RESHAPES, ids=str)
def test_reshape(shape, target):
    x = random(shape)
    sizes = [shape[i] if size == 0 else size for i, size in enumerate(target)]
    expected = x.reshape(sizes) if x.size else np.zeros(sizes, np.float32)
    agree(lambda x: crt.reshape(x, target), expected, x)
    if target:
        agree(lambda x: crt.reshape(x, int64(*target)), expected, x)
        agree(crt.reshape, expected, x, int64(*target), fixed=[1])


def test_reshape_with_sizes_of_zero():
    agree(lambda x: crt.reshape(x, [3, 0], allow_zero=True), np.zeros((3, 0), np.float32), np.zeros((0, 3), np.float32))


@pytest.mark.parametrize("target, message", [((4, -1), "number of elements"), ((-1, -1), "negative"), ((-2, -3), "negative")])
def test_reshape_refuses_at_run_time(target, message):
    graph = graph_of(crt.reshape, random((2, 3)), int64(0, 0), fixed=[1])
    with pytest.raises(crt.InvalidArgumentError, match=f"reshape.*{message}"):
        graph.run([random((2, 3)), int64(*target)])
    assert graph.run([random((2, 3)), int64(3, 2)])[0].shape == (3, 2)


TRANSPOSES = [((), []), ((3,), [0]), ((0, 3), [1, 0]), ((1, 3, 1), [2, 1, 0]), ((2, 3, 4, 5), [0, 2, 1, 3]),
              ((2, 3, 4, 5), [0, 1, -1, 2]), ((33, 17), [1, 0])]  # fmt: skip


@pytest.mark.parametrize("shape, perm", TRANSPOSES, ids=str)
def test_transpose(shape, perm):
    x = random(shape)
    agree(lambda x: crt.transpose(x, perm), np.transpose(x, perm or None), x)


@pytest.mark.parametrize("shape, axes", [((1, 3, 1), [0]), ((1, 3, 1), [-1, 0]), ((2, 1, 1, 3), [1, 2]), ((1, 1), [0, 1]), ((1, 0, 1), [0])])
def test_squeeze(shape, axes):
    x = random(shape)
    agree(lambda x: crt.squeeze(x, axes), np.squeeze(x, tuple(axes)), x)


def test_squeeze_refuses_at_run_time():
    graph = graph_of(lambda x: crt.squeeze(x, [0]), random((1, 3)))
    with pytest.raises(crt.InvalidArgumentError, match="squeeze.*dimension 0"):
        graph.run([random((2, 3))])


@pytest.mark.parametrize("shape, axes", [((3,), [0]), ((3, 4), [0, 2]), ((3, 4), [-1, 0]), ((), [0, 1]), ((), []), ((0, 2), [1]), ((3, 4), [1, 2, 3])])
def test_unsqueeze(shape, axes):
    x = random(shape)
    agree(lambda x: crt.unsqueeze(x, axes), np.expand_dims(x, tuple(axes)), x)


EXPANDS = [((3, 1), [2, 1, 6]), ((3,), [3]), ((3, 4), [1]), ((1, 4), [3, 1]), ((), [2, 3]), ((), []), ((1,), [0]),
           ((2, 3), [2, 3]), ((1, 0), [3, 1]), ((1, 1, 5), [4, 1])]  # fmt: skip


@pytest.mark.parametrize("shape, target", EXPANDS, ids=str)
def test_expand(shape, target):
    x = random(shape)
    expected = x * np.ones(target, np.float32)
    agree(lambda x: crt.expand(x, target), expected, x)
    if target:
        agree(crt.expand, expected, x, int64(*target), fixed=[1])


def test_expand_refuses_at_run_time():
    graph = graph_of(crt.expand, random((2, 3)), int64(2, 3), fixed=[1])
    for target in (int64(2, 4), int64(2, -1)):
        with pytest.raises(crt.InvalidArgumentError, match="expand"):
            graph.run([random((2, 3)), target])


TILES = [((2, 3), [2, 1]), ((2, 3), [2, 2]), ((), []), ((2,), [0]), ((0, 2), [2, 2]), ((2, 1, 3), [1, 4, 2])]


@pytest.mark.parametrize("shape, repeats", TILES, ids=str)
def test_tile(shape, repeats):
    x = random(shape)
    agree(lambda x: crt.tile(x, repeats), np.tile(x, repeats) if repeats else x, x)
    if repeats:
        agree(crt.tile, np.tile(x, repeats), x, int64(*repeats), fixed=[1])


@pytest.mark.parametrize("shape, axes", [((2, 3), [0]), ((2, 3), [-1]), ((), []), ((0, 3), [0]), ((5,), [0])])
def test_flip(shape, axes):
    x = random(shape)
    agree(lambda x: crt.flip(x, axes), np.flip(x, tuple(axes)) if axes else x, x)


def test_shape_and_size():
    x = random((2, 3, 4))
    agree(crt.shape, int64(2, 3, 4), x)
    agree(lambda x: crt.shape(x, 1), int64(3, 4), x)
    agree(lambda x: crt.shape(x, -2, -1), int64(3), x)
    agree(lambda x: crt.shape(x, 2, 1), np.zeros(0, np.int64), x)
    agree(lambda x: crt.shape(x, -10, 10), int64(2, 3, 4), x)
    agree(crt.shape, np.zeros(0, np.int64), random(()))
    for shape, count in [((2, 3, 4), 24), ((), 1), ((0, 2), 0)]:
        agree(crt.size, np.array(count), random(shape))


@pytest.mark.parametrize("mode", ["Dcr", "Crd"])
def test_depth_to_space(mode):
    x, block = random((2, 8, 2, 3)), 2
    n, c, h, w = x.shape
    if mode == "Dcr":
        expected = x.reshape(n, block, block, c // 4, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        expected = x.reshape(n, c // 4, block, block, h, w).transpose(0, 1, 4, 2, 5, 3)
    agree(lambda x: crt.depth_to_space(x, 2, mode), expected.reshape(n, c // 4, h * 2, w * 2), x)


def test_space_to_depth():
    x, block = random((2, 3, 6, 9), "int8"), 3
    n, c, h, w = x.shape
    expected = x.reshape(n, c, h // 3, 3, w // 3, 3).transpose(0, 3, 5, 1, 2, 4).reshape(n, c * 9, h // 3, w // 3)
    agree(lambda x: crt.space_to_depth(x, block), expected, x)
    graph = graph_of(lambda x: crt.space_to_depth(x, 2), random((1, 1, 2, 2)))
    with pytest.raises(crt.InvalidArgumentError, match="space_to_depth.*dimension 3"):
        graph.run([random((1, 1, 2, 3))])
