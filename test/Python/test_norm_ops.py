"""softmax, log_softmax, layer_norm, rms_norm."""

import functools

import numpy as np
import pytest
import sums
from agreement import random

import clika_runtime as crt


def softmax(x, axis):
    if x.size == 0:
        return x
    shifted = np.exp(x - x.max(axis, keepdims=True)) if x.ndim else np.exp(x - x)
    return shifted / shifted.sum(axis if x.ndim else None, keepdims=True)


def log_softmax(x, axis):
    if x.size == 0:
        return x
    shifted = x - x.max(axis, keepdims=True) if x.ndim else x - x
    return shifted - np.log(np.exp(shifted).sum(axis if x.ndim else None, keepdims=True))


SOFTMAXES = [((5,), -1), ((3, 70), 1), ((3, 70), 0), ((2, 3, 4), 1), ((2, 3, 4), 2), ((), -1), ((3, 0), 1), ((0, 3), 1)]


@pytest.mark.parametrize("shape, axis", SOFTMAXES, ids=str)
def test_softmax(shape, axis):
    for dtype in sums.FLOATS if shape == (3, 70) else ["float32"]:
        x = random(shape, dtype)
        sums.agree(functools.partial(crt.softmax, axis=axis), lambda x: softmax(x, axis), x, terms=20)
        sums.agree(functools.partial(crt.log_softmax, axis=axis), lambda x: log_softmax(x, axis), x, terms=20,
                   size=lambda x: np.maximum(1, np.abs(log_softmax(x, axis))))  # fmt: skip


def test_softmax_at_the_edges():
    """Field case B17."""
    result = crt.softmax(crt.tensor(np.array([[1000, 1001], [-np.inf, -np.inf], [np.nan, 0], [np.inf, 0]], np.float32))).numpy()
    np.testing.assert_allclose(result[0], [0.268941, 0.731059], 1e-5)
    assert np.isnan(result[1:3]).all() and np.isnan(result[3, 0])


def normalized(x, axes, epsilon):
    mean = x.mean(axes, keepdims=True)
    variance = ((x - mean) ** 2).mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(variance + epsilon)


def affine(x, scale, bias):
    """The factor of the roundings: what the scale makes of a few times one."""
    return lambda *_: np.broadcast_to(8 * np.abs(scale).max() + np.abs(bias).max(), x.shape)


@pytest.mark.parametrize("shape, axis", [((3, 40), -1), ((2, 3, 4), 1), ((2, 3, 5), -1), ((2, 3, 4), 0), ((4,), 0)], ids=str)
@pytest.mark.parametrize("dtype", sums.FLOATS)
def test_layer_and_rms_norm(shape, axis, dtype):
    axes = tuple(range(axis % len(shape), len(shape)))
    x, scale, bias = random(shape, dtype), random(shape[axis:] if axis else shape[-1:], dtype, 1), random(shape[-1:], dtype, 2)
    size = affine(x, sums.wide(scale), sums.wide(bias))
    sums.agree(functools.partial(crt.layer_norm, axis=axis), lambda x, s, b: normalized(x, axes, 1e-5) * s + b, x, scale, bias,
               terms=24, size=size)  # fmt: skip
    sums.agree(functools.partial(crt.layer_norm, axis=axis, epsilon=1e-3), lambda x: normalized(x, axes, 1e-3), x, terms=24,
               size=affine(x, np.ones(1), np.zeros(1)))  # fmt: skip
    rms = lambda x, s: x / np.sqrt((x * x).mean(axes, keepdims=True) + 1e-5) * s  # noqa: E731
    sums.agree(functools.partial(crt.rms_norm, axis=axis), rms, x, scale, terms=24, size=size)
