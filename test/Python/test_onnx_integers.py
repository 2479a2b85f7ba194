"""Quantized products of ONNX against sums of integers, scaled in float32 as ONNX Runtime does."""
import clika_runtime as crt
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_models import read

F32 = np.float32


def model(nodes, x, y_type, constants):
    types = {np.dtype(np.uint8): TensorProto.UINT8, np.dtype(np.int8): TensorProto.INT8, np.dtype(F32): TensorProto.FLOAT}
    graph = helper.make_graph(nodes, "integers", [helper.make_tensor_value_info("x", types[x.dtype], x.shape)],
                              [helper.make_tensor_value_info("y", y_type, None)],
                              [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()])  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def run(onnx_model, folder, x):
    graph = read(onnx_model, folder)
    graph.optimize()
    graph.finalize(threads=1)
    kernels = [row for row in graph.profile([crt.tensor(x)], runs=1, warmup=0).rows if row.flops]
    return graph.run([crt.tensor(x)])[0].numpy(), len(kernels)


def requantized(sums, scale, zero):
    info = np.iinfo(zero.dtype)
    return np.clip(np.rint(sums.astype(np.int32).astype(F32) * scale) + zero.astype(F32), info.min, info.max).astype(zero.dtype)


def bytes_of(rng, dtype, shape):
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max + 1, shape).astype(dtype)


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("types", ["u8 s8 u8", "s8 s8 s8", "u8 u8 u8"])
def test_qlinear_conv(types, per_channel, tmp_path):
    rng = np.random.default_rng(1)
    x_type, w_type, y_type = ({"u": np.uint8, "s": np.int8}[name[0]] for name in types.split())
    x, w = bytes_of(rng, x_type, (1, 16, 9, 9)), bytes_of(rng, w_type, (32, 16, 3, 3))
    x_zero, y_zero = x_type(3), y_type(10)
    w_zero = bytes_of(rng, w_type, 32) if per_channel else w_type(0)
    w_scale = (rng.random(32) * 0.01).astype(F32) if per_channel else F32(0.004)
    x_scale, y_scale, bias = F32(0.02), F32(0.9), rng.integers(-9000, 9000, 32).astype(np.int32)
    node = helper.make_node("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"], ["y"], pads=[1, 1, 1, 1])
    constants = dict(xs=x_scale, xz=x_zero, w=w, ws=w_scale, wz=w_zero, ys=y_scale, yz=y_zero, b=bias)
    got, kernels = run(model([node], x, helper.np_dtype_to_tensor_dtype(np.dtype(y_type)), constants), tmp_path, x)
    wide = np.pad(x.astype(np.int64) - int(x_zero), [(0, 0), (0, 0), (1, 1), (1, 1)])
    kernel = w.astype(np.int64) - w_zero.astype(np.int64).reshape(-1, 1, 1, 1)
    windows = np.lib.stride_tricks.sliding_window_view(wide, (3, 3), axis=(2, 3))
    sums = np.einsum("nchwij,ocij->nohw", windows, kernel) + bias.reshape(-1, 1, 1)
    expected = requantized(sums, (x_scale * w_scale / y_scale).reshape(-1, 1, 1), np.asarray(y_zero))
    np.testing.assert_array_equal(got, expected)
    if w_type == np.int8 and not per_channel:
        assert kernels == 1  # the sums are scaled where they are made


@pytest.mark.parametrize("shape", [(5, 64, 32), (1, 100, 64), (7, 31, 33)])
@pytest.mark.parametrize("per_row_and_column", [False, True])
def test_qlinear_matmul(shape, per_row_and_column, tmp_path):
    rng = np.random.default_rng(2)
    m, k, n = shape
    a, b = bytes_of(rng, np.uint8, (m, k)), bytes_of(rng, np.int8, (k, n))
    rows, columns = (m, n) if per_row_and_column else ((), ())
    a_zero, b_zero = bytes_of(rng, np.uint8, rows), bytes_of(rng, np.int8, columns)
    a_scale, b_scale = (rng.random(rows) * 0.01 + 0.01).astype(F32), (rng.random(columns) * 0.01 + 0.01).astype(F32)
    y_scale, y_zero = F32(2), np.uint8(128)
    node = helper.make_node("QLinearMatMul", ["x", "as", "az", "b", "bs", "bz", "ys", "yz"], ["y"])
    constants = {"as": a_scale, "az": a_zero, "b": b, "bs": b_scale, "bz": b_zero, "ys": y_scale, "yz": y_zero}
    got, _ = run(model([node], a, TensorProto.UINT8, constants), tmp_path, a)
    left = a.astype(np.int64) - (a_zero.astype(np.int64).reshape(-1, 1) if per_row_and_column else int(a_zero))
    scale = (a_scale.reshape(-1, 1) if per_row_and_column else a_scale) * b_scale / y_scale
    np.testing.assert_array_equal(got, requantized(left @ (b.astype(np.int64) - b_zero.astype(np.int64)), scale, np.asarray(y_zero)))


def test_dynamically_quantized_matmul(tmp_path):
    rng = np.random.default_rng(3)
    x, b = rng.standard_normal((9, 64)).astype(F32), bytes_of(rng, np.int8, (64, 96))
    nodes = [helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
             helper.make_node("MatMulInteger", ["q", "b", "z", "bz"], ["i"]),
             helper.make_node("Cast", ["i"], ["f"], to=TensorProto.FLOAT),
             helper.make_node("Mul", ["s", "bs"], ["t"]), helper.make_node("Mul", ["f", "t"], ["y"])]  # fmt: skip
    got, _ = run(model(nodes, x, TensorProto.FLOAT, dict(b=b, bz=np.int8(0), bs=F32(0.01))), tmp_path, x)
    low, high = min(x.min(), F32(0)), max(x.max(), F32(0))
    scale = (high - low) / F32(255)
    zero = np.clip(np.rint(-low / scale), 0, 255)
    quantized = np.clip(np.rint(x / scale) + zero, 0, 255).astype(np.int64)
    sums = (quantized - int(zero)) @ b.astype(np.int64)
    np.testing.assert_array_equal(got, sums.astype(F32) * (scale * F32(0.01)))
