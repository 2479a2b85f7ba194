"""Products and convolutions of quantized operands, against ONNX Runtime and integer sums."""

import itertools

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator
from onnx_models import helper, model_of, read, run_here, run_ort

import clika_runtime as crt

U8, S8 = np.uint8, np.int8
MATMUL = ["a", "a_scale", "a_zero", "b", "b_scale", "b_zero", "y_scale", "y_zero"]
CONV = ["x", "x_scale", "x_zero", "w", "w_scale", "w_zero", "y_scale", "y_zero", "bias"]


def name_of(types):
    return " ".join(type.__name__ for type in types)


def numbers(rng, shape, dtype):
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max + 1, shape).astype(dtype)


def requantized(sums, multiplier, zero):
    """The integers, and which of them are no tie or near one, where the last bit of a factor decides."""
    exact = sums.astype(np.float64) * multiplier
    limits = np.iinfo(zero.dtype)
    near = np.abs(exact - np.floor(exact) - 0.5) < 1e-4 * np.maximum(1, np.abs(exact))
    return np.clip(np.rint(exact) + int(zero), limits.min, limits.max).astype(zero.dtype), ~near


def multiplier_for(sums):
    """One that spreads the sums over the range and beyond it."""
    return np.float32(200 / max(1.0, float(np.abs(sums).max())))


def run_quantized(op, given, constants, folder, optimized=False, **attributes):
    inputs = {name: array for name, array in given.items() if name not in constants}
    fixed = {name: array for name, array in given.items() if name in constants}
    model = model_of([helper.make_node(op, list(given), ["y"], **attributes)], inputs, ["y"], 21, fixed)
    graph = read(model, folder)
    if optimized:
        graph.optimize()
    graph.finalize()
    (y,) = graph.run({name: inputs[name] for name in graph.input_names()})
    return y.numpy(), model, inputs


@pytest.mark.parametrize("optimized", [False, True])
@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("per_column", [False, True])
@pytest.mark.parametrize("types", [(U8, S8, U8), (S8, S8, S8), (U8, U8, U8), (S8, S8, U8)], ids=name_of)
def test_qlinear_matmul(types, per_column, constant, optimized, tmp_path):
    rng = np.random.default_rng(5)
    for m, n, k in ((1, 33, 64), (5, 3, 4), (33, 64, 31), (4, 100, 333)):
        a, b = numbers(rng, (m, k), types[0]), numbers(rng, (k, n), types[1])
        a_zero, y_zero = numbers(rng, (), types[0]), numbers(rng, (), types[2])
        b_zero = numbers(rng, (n,), types[1]) if per_column else numbers(rng, (), types[1])
        sums = (a.astype(np.int64) - a_zero) @ (b.astype(np.int64) - b_zero)
        a_scale, b_scale = np.float32(0.25), rng.uniform(0.1, 0.2, b_zero.shape).astype(np.float32)
        y_scale = np.float32(0.125) * a_scale / multiplier_for(sums)
        values = a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero
        given = {name: np.asarray(value) for name, value in zip(MATMUL, values)}
        y, model, inputs = run_quantized("QLinearMatMul", given, MATMUL[3:6] if constant else (), tmp_path, optimized)
        expected, sure = requantized(sums, a_scale.astype(np.float64) * b_scale / y_scale, y_zero)
        assert y.dtype == types[2] and sure.mean() > 0.9
        np.testing.assert_array_equal(y[sure], expected[sure])
        assert np.abs(y.astype(int) - expected).max() <= 1
        if constant and types != (S8, S8, U8):  # ONNX Runtime has no form for that
            (theirs,) = run_ort(model, inputs)
            np.testing.assert_array_equal(y, theirs)
        reference = ReferenceEvaluator(model).run(None, inputs)[0]
        np.testing.assert_array_equal(y[sure], reference[sure])


WINDOWS = [((8, 3, 3, 3), {"pads": [1, 1, 1, 1]}), ((5, 3, 1, 1), {}), ((6, 3, 3, 2), {"strides": [2, 1], "dilations": [1, 2], "pads": [2, 0, 1, 1]}),
           ((33, 3, 5, 5), {"strides": [2, 2], "auto_pad": "SAME_UPPER"}), ((6, 1, 3, 3), {"group": 3, "pads": [1, 1, 1, 1]})]  # fmt: skip


@pytest.mark.parametrize("optimized", [False, True])
@pytest.mark.parametrize("with_bias, per_channel", list(itertools.product([False, True], repeat=2)))
@pytest.mark.parametrize("types", [(U8, S8, U8), (S8, S8, S8), (U8, U8, U8)], ids=name_of)
def test_qlinear_conv(types, with_bias, per_channel, optimized, tmp_path):
    rng = np.random.default_rng(6)
    x = numbers(rng, (2, 3, 9, 11), types[0])
    for shape, attributes in WINDOWS:
        w, y_zero, x_zero = numbers(rng, shape, types[1]), numbers(rng, (), types[2]), numbers(rng, (), types[0])
        count = shape[:1] if per_channel else ()
        # ONNX Runtime wants one zero point for all channels of the weight, and none but 0 of signed ones.
        w_zero = np.full(count, 0 if types[1] == S8 else 131, types[1])
        w_scale = rng.uniform(0.01, 0.02, count).astype(np.float32)
        x_scale, y_scale = np.float32(0.5), np.float32(0.7) * np.float32(np.prod(shape[1:]))
        values = [x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero]
        if with_bias:
            values.append(rng.integers(-5000, 5000, shape[0]).astype(np.int32))
        given = {name: np.asarray(value) for name, value in zip(CONV, values)}
        y, model, inputs = run_quantized("QLinearConv", given, CONV[1:], tmp_path, optimized, **attributes)
        (theirs,) = run_ort(model, inputs)
        np.testing.assert_array_equal(y, theirs)
        assert np.unique(y).size > 20


@pytest.mark.parametrize("type", [U8, S8])
def test_dynamic_quantization(type, tmp_path):
    """The form that transformers are exported in."""
    rng = np.random.default_rng(7)
    w, w_zero = numbers(rng, (64, 96), type), np.array(0 if type == S8 else 120, type)
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "scale", "zero"]),
        helper.make_node("MatMulInteger", ["q", "w", "zero", "w_zero"], ["sums"]),
        helper.make_node("Cast", ["sums"], ["steps"], to=1),
        helper.make_node("Mul", ["scale", "w_scale"], ["scales"]),
        helper.make_node("Mul", ["steps", "scales"], ["product"]),
        helper.make_node("Add", ["product", "bias"], ["y"]),
    ]
    constants = {"w": w, "w_zero": w_zero, "w_scale": np.float32(0.01), "bias": rng.standard_normal(96).astype(np.float32)}
    for shape in ((3, 64), (2, 5, 64)):
        x = rng.standard_normal(shape).astype(np.float32)
        model = model_of(nodes, {"x": x}, ["y"], 17, constants, dynamic=True)
        model.graph.input[0].type.tensor_type.shape.dim[len(shape) - 1].dim_value = 64
        (y,), (theirs,) = run_here(model, {"x": x}, tmp_path), run_ort(model, {"x": x})
        np.testing.assert_allclose(y, theirs, 1e-6, 1e-5)
