"""Products of numbers that dequantize makes of bytes: integer sums, against NumPy's, and whole models against ONNX Runtime."""

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx_models import helper, model_of, read, run_ort
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

import clika_runtime as crt
from clika_runtime.graph import OpCode

U8, S8, F32 = np.uint8, np.int8, np.float32
STEPS = (F32(0.017), F32(0.0031))


def numbers(rng, shape, dtype):
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max + 1, shape).astype(dtype)


def wide(bytes_, zero=0):
    return bytes_.astype(np.int64) - np.asarray(zero).astype(np.int64)


DTYPES = {U8: crt.uint8, S8: crt.int8, F32: crt.float32, np.float16: crt.float16, np.int32: crt.int32}


def graph_of(fn, *arrays, constant=True):
    """Its inputs are the arrays or, where they are constants, the first of them. (What ops make of tensors with data is data.)"""
    specs = [crt.TensorSpec(f"x{i}", DTYPES[array.dtype.type], list(array.shape)) for i, array in enumerate(arrays)]
    graph = crt.trace(lambda t: [fn(*t)], specs).graph
    for value, array in list(zip(graph.inputs(), arrays, strict=True))[1:] if constant else []:
        name = value.name
        graph.replace_all_uses_with(value, graph.add_constant(crt.tensor(array)))
        graph.remove_input(name)
    return graph


def run(fn, *arrays, constant=True):
    graph = graph_of(fn, *arrays, constant=constant)
    graph.optimize()
    graph.finalize()
    return graph.run(list(arrays[: len(graph.inputs())]))[0].numpy()


def scaled(sums, left, right):
    """As stated: the exact sum rounded to float32, times the product of both steps."""
    return sums.astype(F32) * (left * right)


@pytest.mark.parametrize("types", [(U8, S8), (S8, S8), (U8, U8), (S8, U8)], ids=lambda t: " ".join(x.__name__ for x in t))
@pytest.mark.parametrize("per_column", [False, True])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("constant", [False, True])
def test_matmul(types, per_column, transposed, constant):
    rng = np.random.default_rng(1)
    for m, k, n in ((1, 1500, 33), (5, 1024, 16), (17, 3, 1)):
        a, b = numbers(rng, (m, k), types[0]), numbers(rng, (k, n), types[1])
        a_zero, b_zero = numbers(rng, (), types[0]), numbers(rng, (n,) if per_column else (), types[1])
        steps = (rng.random(n) + 0.5).astype(F32) if per_column else STEPS[1]
        expected = scaled(wide(a, a_zero) @ wide(b, b_zero), STEPS[0], steps)
        stored = np.ascontiguousarray(b.T) if transposed else b

        def fn(x, w, x_zero, step, zero, axis=0 if transposed else -1):
            right = crt.dequantize(w, step, zero, axis=axis)
            return crt.matmul(crt.dequantize(x, STEPS[0], x_zero), right, transpose_b=transposed)

        assert np.array_equal(run(fn, a, stored, a_zero, np.asarray(steps), b_zero, constant=constant), expected)


def test_the_longest_sums_fit():
    k = 33_025
    x, w = np.full((1, k), 255, U8), np.full((k, 2), -128, S8)
    x_zero, w_zero, step = np.asarray(U8(0)), np.asarray(S8(127)), np.asarray(STEPS[1])

    def fn(t, weight, zero, by, weight_zero):
        return crt.matmul(crt.dequantize(t, STEPS[0], zero), crt.dequantize(weight, by, weight_zero))

    expected = scaled(wide(x, x_zero) @ wide(w, w_zero), STEPS[0], STEPS[1])
    assert np.array_equal(run(fn, x, w, x_zero, step, w_zero), expected)


@pytest.mark.parametrize("has_zero", [False, True])
def test_linear_with_bias_and_activation(has_zero):
    rng = np.random.default_rng(2)
    x, w = numbers(rng, (2, 3, 700), U8), numbers(rng, (40, 700), S8)
    bias, steps = rng.standard_normal(40).astype(F32), (rng.random(40) + 0.5).astype(F32)
    zero = numbers(rng, (), U8) if has_zero else U8(0)

    def fn(t, weight, step, b):
        left = crt.dequantize(t, STEPS[0], zero) if has_zero else crt.dequantize(t, STEPS[0])
        return crt.relu(crt.linear(left, crt.dequantize(weight, step, axis=0), b))

    expected = np.maximum(scaled(wide(x, zero) @ wide(w).T, STEPS[0], steps) + bias, F32(0))
    assert np.array_equal(run(fn, x, w, steps, bias), expected)


CONVOLUTIONS = {
    "1-d": ((2, 6, 40), (8, 6, 5), 1),
    "plane": ((1, 32, 9, 11), (24, 32, 3, 3), 1),
    "point": ((1, 300, 5, 4), (7, 300, 1, 1), 1),
    "each channel": ((1, 20, 8, 8), (20, 1, 3, 3), 20),
    "groups": ((1, 12, 7, 7), (8, 6, 3, 3), 2),
    "3-d": ((1, 5, 4, 5, 6), (6, 5, 3, 3, 3), 1),
}


@pytest.mark.parametrize("types", [(U8, S8), (S8, S8), (U8, U8)], ids=lambda t: " ".join(x.__name__ for x in t))
@pytest.mark.parametrize("case", CONVOLUTIONS)
@pytest.mark.parametrize("per_channel", [False, True])
def test_conv(case, types, per_channel):
    """Sums of integers by a convolution in float64, which has them exactly."""
    rng = np.random.default_rng(3)
    x_shape, w_shape, groups = CONVOLUTIONS[case]
    x, w = numbers(rng, x_shape, types[0]), numbers(rng, w_shape, types[1])
    x_zero = numbers(rng, (), types[0])
    outputs, rank = w_shape[0], len(x_shape) - 2
    w_zero = numbers(rng, (outputs,) if per_channel else (), types[1])
    steps = (rng.random(outputs) + 0.5).astype(F32) if per_channel else np.asarray(STEPS[1])
    columns = (outputs, *[1] * (rank + 1))
    centered = wide(w, w_zero.reshape(columns) if per_channel else w_zero)
    graph = crt.trace(lambda t: [crt.conv(t[0], t[1], pads=[1] * rank, groups=groups)],
                      [crt.TensorSpec("x", crt.float64, list(x_shape)), crt.TensorSpec("w", crt.float64, list(w_shape))]).graph  # fmt: skip
    graph.finalize()
    sums = graph.run([wide(x, x_zero).astype(np.float64), centered.astype(np.float64)])[0].numpy()
    expected = scaled(sums, STEPS[0], steps.reshape(columns[:1] + columns[2:]) if per_channel else steps)

    def fn(t, weight, zero, step, weight_zero):
        left, right = crt.dequantize(t, STEPS[0], zero), crt.dequantize(weight, step, weight_zero, axis=0)
        return crt.conv(left, right, pads=[1] * rank, groups=groups)

    assert np.array_equal(run(fn, x, w, x_zero, steps, w_zero), expected)


def folded(fn, *arrays):
    """Whether the weights are numbers after optimize()."""
    graph = graph_of(fn, *arrays)
    graph.optimize()
    return not any(all(value.is_constant() for value in node.inputs) for node in graph.find_nodes(OpCode.Dequantize))


def test_bytes_of_weights_stay_where_products_read_them():
    rng = np.random.default_rng(4)
    x, w, step = numbers(rng, (4, 16), U8), numbers(rng, (16, 8), S8), np.asarray(F32(0.5))

    def product(x, weight, step, axis=1):
        return crt.matmul(crt.dequantize(x, STEPS[0]), crt.dequantize(weight, step, axis=axis))

    assert not folded(product, x, w, step)
    assert not folded(product, x, w, np.full(8, 0.5, F32))
    # A step for each of what is summed, something between, a left side of numbers.
    assert folded(lambda *t: product(*t, axis=0), x, w, np.full(16, 0.5, F32))
    assert folded(lambda x, w, step: crt.matmul(crt.dequantize(x, STEPS[0]), crt.relu(crt.dequantize(w, step))), x, w, step)
    assert folded(lambda x, w, step: crt.matmul(crt.cast(x, crt.float32), crt.dequantize(w, step)), x, w, step)


@pytest.mark.parametrize("case", ["summed axis", "too many", "half", "wide"])
def test_other_products_are_computed_of_numbers(case):
    rng = np.random.default_rng(5)
    k = 33_026 if case == "too many" else 64
    x, w = np.full((2, k), 200, U8), np.full((k, 3), -20 if case == "half" else -128, S8)
    left_step = np.float16(0.5) if case == "half" else F32(0.5)
    steps = np.full(k, 0.25, F32) if case == "summed axis" else np.asarray(np.float16(0.25) if case == "half" else F32(0.25))
    if case == "wide":
        w = rng.integers(-(2**30), 2**30, (k, 3)).astype(np.int32)

    def fn(t, weight, step):
        return crt.matmul(crt.dequantize(t, left_step), crt.dequantize(weight, step, axis=0))

    expected = (wide(x) * 0.5) @ (w.astype(np.float64) * 0.25)
    if case == "half":
        expected = expected.astype(np.float16)
    assert np.allclose(run(fn, x, w, steps).astype(np.float64), expected, rtol=1e-3 if case == "half" else 1e-5, atol=0)


class Batches(CalibrationDataReader):
    def __init__(self, batches):
        self.batches = iter(batches)

    def get_next(self):
        return next(self.batches, None)


def network(rng):
    """A convolution of all channels, one of each, one of points, a sum, a pool and a dense layer."""
    nodes, weights = [], {}

    def conv(x, name, inputs, outputs, size, stride=1, groups=1):
        weights[f"{name}_w"] = (rng.standard_normal((outputs, inputs // groups, size, size)) / size / np.sqrt(inputs / groups)).astype(F32)
        weights[f"{name}_b"] = (rng.standard_normal(outputs) / 10).astype(F32)
        nodes.append(helper.make_node("Conv", [x, f"{name}_w", f"{name}_b"], [name], kernel_shape=[size] * 2, pads=[size // 2] * 4,
                                      strides=[stride] * 2, group=groups))  # fmt: skip
        nodes.append(helper.make_node("Relu", [name], [f"{name}_relu"]))
        return f"{name}_relu"

    each = conv(conv("x", "first", 3, 16, 3, stride=2), "each", 16, 16, 3, groups=16)
    points = conv(each, "points", 16, 16, 1)
    nodes.append(helper.make_node("Add", [points, each], ["sum"]))
    nodes.append(helper.make_node("MaxPool", ["sum"], ["pooled"], kernel_shape=[2, 2], strides=[2, 2]))
    nodes.append(helper.make_node("GlobalAveragePool", ["pooled"], ["mean"]))
    nodes.append(helper.make_node("Flatten", ["mean"], ["flat"]))
    weights["dense"], weights["dense_b"] = rng.standard_normal((10, 16)).astype(F32), rng.standard_normal(10).astype(F32)
    nodes.append(helper.make_node("Gemm", ["flat", "dense", "dense_b"], ["y"], transB=1))
    return model_of(nodes, {"x": np.zeros((1, 3, 32, 32), F32)}, ["y"], 17, weights)


@pytest.mark.parametrize("activations", [QuantType.QUInt8, QuantType.QInt8], ids=str)
@pytest.mark.parametrize("per_channel", [False, True])
def test_a_model_that_onnx_runtime_quantized(tmp_path, activations, per_channel):
    rng = np.random.default_rng(6)
    plain, path = tmp_path / "plain.onnx", tmp_path / "quantized.onnx"
    onnx.save(network(rng), plain)
    batches = [{"x": rng.standard_normal((1, 3, 32, 32)).astype(F32)} for _ in range(4)]
    quantize_static(plain, path, Batches(batches), quant_format=QuantFormat.QDQ, per_channel=per_channel,
                    activation_type=activations, weight_type=QuantType.QInt8)  # fmt: skip
    model = onnx.load(path)
    step = max(float(numpy_helper.to_array(each)) for each in model.graph.initializer if each.name == "y_scale")
    graph = read(model, tmp_path)
    unchanged = graph.clone()
    graph.optimize()
    products = [node for code in (OpCode.Conv, OpCode.Linear, OpCode.Matmul) for node in graph.find_nodes(code)]
    assert len(products) == 4
    for node in products:
        assert [value.producer().op_code for value in node.inputs[:2]] == [OpCode.Dequantize] * 2
    for each in (graph, unchanged):
        each.finalize()
    for batch in batches:
        (expected,) = run_ort(model, batch)
        for each in (graph, unchanged):
            steps = np.abs(each.run(batch)[0].numpy() - expected) / step
            assert steps.max() < 1.01 and np.mean(steps > 0.01) < 0.2
