"""Models in half precision as exporters write them: one operator is found, and is nearer to float64 than what it replaced."""

import ml_dtypes
import numpy as np
import pytest

import clika_runtime as crt
from clika_runtime.graph import transforms

HALVES = {"float16": (np.float16, 2.0**-11), "bfloat16": (ml_dtypes.bfloat16, 2.0**-8)}
FUSE = transforms.fuse_half_precision()


def numbers(shape, seed, scale=1.0):
    return np.random.default_rng(seed).normal(0.0, scale, shape)


def computed(graph, arrays):
    graph.finalize()
    return graph.run([crt.tensor(array) for array in arrays])[0].numpy().astype(np.float64)


def compare(body, arrays, wanted, codes, added, exact):
    """Traces `body`, optimizes it (with `added` beside the default list) to operators of these codes, and holds the result to
    so many rounding units of the float64 numbers, and to be no further off than the chain is."""
    dtype = arrays[0].dtype
    unit = HALVES[dtype.name][1]
    specs = [crt.TensorSpec(f"x{i}", getattr(crt, array.dtype.name), list(array.shape)) for i, array in enumerate(arrays)]
    graph = crt.trace(lambda tensors: [body(*tensors)], specs).graph
    chain = computed(graph.clone(), arrays)
    graph.optimize([*graph.default_transforms(), *added])
    assert [node.op_code.name for node in graph.nodes()][len(arrays) :] == codes, graph.to_string()
    got = computed(graph, arrays)
    exact = exact([array.astype(np.float64) for array in arrays])
    np.testing.assert_allclose(got, exact, wanted * unit, wanted * unit)
    assert np.abs(got - exact).max() <= np.abs(chain - exact).max()


def rms(x, w):
    return x / np.sqrt(np.mean(x * x, -1, keepdims=True) + 1e-6) * w


@pytest.mark.parametrize("name", HALVES)
def test_rms_norm_in_float32_and_scaled_after_it(name):
    """As Llama has it."""
    half = getattr(crt, name)

    def body(x, w):
        wide = crt.cast(x, crt.float32)
        mean = crt.reduce_mean(crt.pow(wide, 2.0), axes=[-1], keepdims=True)
        return crt.mul(w, crt.cast(crt.mul(wide, crt.rsqrt(crt.add(mean, 1e-6))), half))

    arrays = [numbers([3, 64], 0).astype(HALVES[name][0]), numbers([64], 1).astype(HALVES[name][0])]
    compare(body, arrays, 1.01, ["RmsNorm"], [], lambda a: rms(*a))


@pytest.mark.parametrize("name", HALVES)
def test_layer_norm_between_casts(name):
    """As automatic mixed precision has it, with a mean that half precision would lose the deviations in."""
    half = getattr(crt, name)

    def body(x, w, b):
        wide, w, b = (crt.cast(t, crt.float32) for t in (x, w, b))
        centered = crt.sub(wide, crt.reduce_mean(wide, axes=[-1], keepdims=True))
        variance = crt.reduce_mean(crt.mul(centered, centered), axes=[-1], keepdims=True)
        y = crt.div(centered, crt.sqrt(crt.add(variance, 1e-5)))
        return crt.cast(crt.add(crt.mul(y, w), b), half)

    def exact(a):
        x, w, b = a
        centered = x - x.mean(-1, keepdims=True)
        return centered / np.sqrt((centered**2).mean(-1, keepdims=True) + 1e-5) * w + b

    arrays = [(numbers([3, 64], 2) + 20.0).astype(HALVES[name][0])]
    arrays += [numbers([64], seed).astype(HALVES[name][0]) for seed in (3, 4)]
    compare(body, arrays, 1.01, ["LayerNorm"], [], exact)


@pytest.mark.parametrize("name", HALVES)
def test_norms_in_half_precision_alone(name):
    """fuse_half_precision needs no other entry to take in a scale and a bias."""
    half = HALVES[name][0]
    scale, bias = (crt.tensor(numbers([64], seed).astype(half)) for seed in (14, 15))

    def rms_norm(x):
        return x * crt.rsqrt(crt.reduce_mean(x * x, [-1], True) + 1e-6) * scale

    def layer_norm(x):
        centered = x - crt.reduce_mean(x, [-1], True)
        return scale * (centered / crt.sqrt(crt.reduce_mean(centered * centered, [-1], True) + 1e-5)) + bias

    for body, code in ((rms_norm, "RmsNorm"), (layer_norm, "LayerNorm")):
        graph = crt.trace(lambda t, body=body: [body(t[0])], [crt.TensorSpec("x", getattr(crt, name), [3, 64])]).graph
        graph.optimize([FUSE], check=True)
        assert [node.op_code.name for node in graph.nodes()] == ["Input", code]


def softmax(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("name", HALVES)
@pytest.mark.parametrize("wide", [False, True])
def test_attention(name, wide):
    """Scores in half precision and their softmax in float32, as transformers' eager attention has it; or all in float32."""
    half = getattr(crt, name)

    def body(q, k, v):
        if wide:
            q, k, v = (crt.cast(t, crt.float32) for t in (q, k, v))
        scores = crt.mul(crt.matmul(q, crt.transpose(k, [0, 1, 3, 2])), 0.25)
        weights = crt.softmax(crt.cast(scores, crt.float32))
        return crt.cast(crt.matmul(weights if wide else crt.cast(weights, half), v), half)

    def exact(a):
        q, k, v = a
        return softmax(q @ k.swapaxes(-1, -2) * 0.25) @ v

    arrays = [numbers([1, 2, 5, 16], seed, 1.5).astype(HALVES[name][0]) for seed in (5, 6, 7)]
    compare(body, arrays, 1.01, ["Attention"], [] if wide else [FUSE], exact)


@pytest.mark.parametrize("name", HALVES)
def test_linear(name):
    w, b = (numbers(shape, seed).astype(HALVES[name][0]) for shape, seed in (([32, 8], 8), ([8], 9)))
    arrays = [numbers([4, 32], 10).astype(HALVES[name][0])]
    compare(lambda x: crt.add(crt.matmul(x, crt.tensor(w)), crt.tensor(b)), arrays, 1.01, ["Linear"], [FUSE],
            lambda a: a[0] @ w.astype(np.float64) + b.astype(np.float64))  # fmt: skip


@pytest.mark.parametrize("name", HALVES)
def test_rotary_embedding(name):
    angles = numbers([1, 1, 6, 4], 11)
    cos, sin = (np.concatenate([f(angles)] * 2, -1).astype(HALVES[name][0]) for f in (np.cos, np.sin))

    def body(x):
        first, second = crt.split(x, [4, 4], axis=3)
        turn = crt.concat([crt.neg(second), first], 3)
        return crt.add(crt.mul(x, crt.tensor(cos)), crt.mul(turn, crt.tensor(sin)))

    def exact(a):
        x = a[0]
        turn = np.concatenate([-x[..., 4:], x[..., :4]], -1)
        return x * cos.astype(np.float64) + turn * sin.astype(np.float64)

    arrays = [numbers([1, 2, 6, 8], 12).astype(HALVES[name][0])]
    compare(body, arrays, 1.01, ["RotaryEmbedding"], [FUSE], exact)
