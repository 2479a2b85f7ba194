"""Weights of a file are read where they lie, at any address."""

import pathlib
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx_models import model_of, read, run_ort, value_info

from clika_runtime.graph import Check, ModelGraph, OpCode, Transform

RNG = np.random.default_rng(5)


def offset_of(path: pathlib.Path, array: np.ndarray) -> int:
    return path.read_bytes().find(array.tobytes())


def save_at(folder: pathlib.Path, build, array: np.ndarray, remainder: int) -> pathlib.Path:
    """A model whose weight lies at `remainder` from a multiple of the element's size; mappings begin at a page."""
    for padding in range(array.itemsize):
        model = build()
        model.graph.initializer[0].raw_data = array.tobytes()
        model.producer_name = "p" * padding
        # Fields are in the order of their numbers: the producer's name is before the graph.
        path = folder / "model.onnx"
        path.write_bytes(model.SerializeToString())
        if offset_of(path, array) % array.itemsize == remainder:
            return path
    raise AssertionError("the padding moves nothing")


def one_weight(nodes, weight, x, opset=17):
    graph = helper.make_graph(nodes, "g", [value_info("x", x, False)], [onnx.ValueInfoProto(name="y")],
                              [numpy_helper.from_array(weight, "w")])  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


CASES = {
    "add": ([helper.make_node("Add", ["x", "w"], ["y"])], (40, 33), (40, 33)),
    "broadcast": ([helper.make_node("Mul", ["x", "w"], ["y"])], (7, 5, 301), (301,)),
    "matmul": ([helper.make_node("MatMul", ["x", "w"], ["y"])], (9, 65), (65, 37)),
    "transposed": ([helper.make_node("Transpose", ["w"], ["t"]), helper.make_node("MatMul", ["x", "t"], ["y"])], (9, 65), (37, 65)),
    "sliced": (
        [helper.make_node("Split", ["w"], ["p", "q"], axis=1), helper.make_node("Gemm", ["x", "q"], ["y"])],
        (9, 40),
        (40, 30),
    ),
    "reduced": ([helper.make_node("Add", ["x", "w"], ["s"]), helper.make_node("ReduceMax", ["s"], ["y"], axes=[1])], (30, 41), (30, 41)),
    "conv": ([helper.make_node("Conv", ["x", "w"], ["y"], pads=[1, 1, 1, 1])], (1, 8, 9, 11), (16, 8, 3, 3)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_are_the_same_at_any_address(tmp_path, case, dtype):
    nodes, x_shape, w_shape = CASES[case]
    x = RNG.standard_normal(x_shape).astype(dtype)
    weight = RNG.standard_normal(w_shape).astype(dtype)
    if case == "conv" and dtype == np.float64:
        pytest.skip("ONNX Runtime has no such convolution")
    results = []
    for remainder in (0, 1, weight.itemsize - 1):
        path = save_at(tmp_path, lambda: one_weight(nodes, weight, x), weight, remainder)
        graph = ModelGraph.from_onnx(path)
        graph.finalize()
        results.append(graph.run([x])[0].numpy())
        optimized = ModelGraph.from_onnx(path)
        optimized.optimize()
        optimized.finalize()
        np.testing.assert_allclose(optimized.run([x])[0].numpy(), results[0], rtol=1e-5, atol=1e-5)
    (expected,) = run_ort(one_weight(nodes, weight, x), {"x": x})
    np.testing.assert_allclose(results[0], expected, rtol=1e-4, atol=1e-4)
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])


@pytest.mark.parametrize("dtype", ["float16", "int16", "int64", "uint32", "bool"])
def test_constants_are_read_and_saved_at_any_address(tmp_path, dtype):
    weight = RNG.integers(0, 2 if dtype == "bool" else 100, (30, 50)).astype(dtype)
    x = RNG.integers(0, 2 if dtype == "bool" else 100, (30, 50)).astype(dtype)
    nodes = [helper.make_node("Concat", ["x", "w"], ["y"], axis=0)]
    for remainder in range(weight.itemsize):
        path = save_at(tmp_path, lambda: one_weight(nodes, weight, x), weight, remainder)
        graph = ModelGraph.from_onnx(path)
        value = graph.outputs()[0].producer().inputs[1]
        held = value.constant()
        assert held.numpy().flags.aligned
        np.testing.assert_array_equal(held.numpy(), weight)
        np.testing.assert_array_equal(np.from_dlpack(held) if dtype != "bool" else held.numpy(), weight)
        assert value.constant_scalar() is None
        graph.save(tmp_path / "saved")
        for each in (graph, ModelGraph.load(tmp_path / "saved"), ModelGraph.from_mlir(graph.to_mlir())):
            each.finalize()
            np.testing.assert_array_equal(each.run([x])[0].numpy(), np.concatenate([x, weight]))


def test_a_constant_that_is_an_output(tmp_path):
    weight = RNG.standard_normal((50, 50)).astype(np.float32)
    x = np.zeros(1, np.float32)
    path = save_at(tmp_path, lambda: one_weight([helper.make_node("Identity", ["w"], ["y"])], weight, x), weight, 1)
    for optimizes in (False, True):
        graph = ModelGraph.from_onnx(path)
        if optimizes:
            graph.optimize(check=True)
        graph.finalize()
        result = graph.run([x])[0].numpy()
        assert result.flags.aligned
        np.testing.assert_array_equal(result, weight)


PRIVATE = """
import sys
import clika_runtime as crt

def private():
    with open("/proc/self/smaps_rollup") as rows:
        return next(int(row.split()[1]) for row in rows if row.startswith("Anonymous:")) // 1024

before = private()
graph = crt.graph.ModelGraph.from_onnx(sys.argv[1])
read = private() - before
graph.finalize()
print(read, private() - before)
"""


@pytest.mark.parametrize("remainder", [0, 1])
def test_reading_takes_no_memory_for_weights(tmp_path, remainder):
    weight = np.arange(64 << 18, dtype=np.float32)
    path = save_at(tmp_path, lambda: one_weight([helper.make_node("Add", ["x", "w"], ["y"])], weight, np.zeros(1, np.float32)), weight, remainder)
    done = subprocess.run([sys.executable, "-c", PRIVATE, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    read, compiled = map(int, done.stdout.split())
    assert read < 20 and compiled < 60


def dense(*weights):
    """y = (.. (x @ weights[0] + 1) @ weights[1] + 1) .."""
    x = np.float32(RNG.standard_normal((3, weights[0].shape[0])))
    nodes, constants, last = [], {}, "x"
    for i, weight in enumerate(weights):
        nodes += [helper.make_node("MatMul", [last, f"w{i}"], [f"p{i}"]), helper.make_node("Add", [f"p{i}", f"b{i}"], [f"y{i}"])]
        constants |= {f"w{i}": weight, f"b{i}": np.ones(weight.shape[1], np.float32)}
        last = f"y{i}"
    return model_of(nodes, {"x": x}, [last], 17, constants), x


def transposed_weights(graph):
    return [node.inputs[1].constant().numpy() for node in graph.find_nodes(OpCode.Linear)]


@pytest.mark.parametrize("read_first", [False, True])
def test_a_weight_that_is_transposed_is_what_it_says_whenever_it_is_read(tmp_path, read_first):
    # 30 columns fill no panel, 30 KiB are transposed at once, and two pairs of weights are equal.
    weights = [np.float32(RNG.standard_normal(shape)) for shape in ((30, 256), (256, 640), (640, 30))]
    square = np.float32(RNG.standard_normal((30, 900)) / 30)
    back = np.float32(RNG.standard_normal((900, 30)) / 900)
    weights += [square, back, square, back]
    model, x = dense(*weights)
    graph = read(model, tmp_path)
    plain = graph.clone()
    (expected,) = run_ort(model, {"x": x})
    again = graph.clone()
    graph.optimize(["matmul_add_to_linear"])
    if read_first:
        for got, weight in zip(transposed_weights(graph), weights, strict=True):
            np.testing.assert_array_equal(got, weight.T)
    again.optimize(["matmul_add_to_linear"])
    assert again.to_mlir() == graph.to_mlir()
    fresh = read(model, tmp_path)
    fresh.optimize(["matmul_add_to_linear"])
    unread = fresh.clone()
    for each in (graph, unread, fresh):
        each.finalize()
        np.testing.assert_allclose(each.run([x])[0].numpy(), expected, rtol=1e-4, atol=1e-4)
        for got, weight in zip(transposed_weights(each), weights, strict=True):
            np.testing.assert_array_equal(got, weight.T)
        np.testing.assert_allclose(each.run([x])[0].numpy(), expected, rtol=1e-4, atol=1e-4)
        assert each.profile([x]).to_dict()
    unread.save(tmp_path / "saved.clika")
    loaded = ModelGraph.load(tmp_path / "saved.clika")
    np.testing.assert_array_equal(loaded.run([x])[0].numpy(), unread.run([x])[0].numpy())
    plain.finalize()
    np.testing.assert_allclose(plain.run([x])[0].numpy(), expected, rtol=1e-4, atol=1e-4)


def test_a_transposed_weight_is_the_same_constant_after_an_undo_and_in_a_replay(tmp_path):
    weight = np.float32(RNG.standard_normal((200, 300)))
    model, x = dense(weight)
    graph = read(model, tmp_path)
    before = graph.to_mlir()

    def fails(g):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        graph.optimize(["matmul_add_to_linear", Transform("fails", fails)])
    assert graph.to_mlir() == before
    other = read(model, tmp_path)
    report = graph.optimize(["matmul_add_to_linear"], record=True)
    other.replay(report.log)
    assert other.to_mlir() == graph.to_mlir()
    np.testing.assert_array_equal(transposed_weights(other)[0], weight.T)
    checked = read(model, tmp_path)
    checked.optimize(["matmul_add_to_linear"], check=Check())
    np.testing.assert_array_equal(transposed_weights(checked)[0], weight.T)


def test_a_pass_reads_what_the_pass_before_it_has_transposed(tmp_path):
    weight = np.float32(RNG.standard_normal((300, 200)))
    graph = read(dense(weight)[0], tmp_path)
    shot = tmp_path / "shot.mlir"
    pipeline = f"matmul-add-to-linear,snapshot-op-locations{{filename={shot}}}"
    graph.optimize([Transform.from_pass_pipeline(pipeline)], max_iterations=1)
    assert len(graph.find_nodes(OpCode.Linear)) == 1
    # The resource's bytes stand after its alignment.
    assert "0x04000000" + weight.T.tobytes().hex().upper() in shot.read_text()


GROWTH = """
import pathlib, re, sys
from clika_runtime.graph import ModelGraph, OpCode

def most():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())[1]) >> 10

graph = ModelGraph.from_onnx(sys.argv[1])
start = most()
graph.optimize()
assert len(graph.find_nodes(OpCode.Linear)) == 4
print(most() - start)
graph.finalize()
print(most() - start)
"""


def test_transposed_weights_of_a_file_are_in_memory_once(tmp_path):
    """As they are packed; 64 MiB of them, and what compiling takes."""
    model, _ = dense(*[np.zeros((2048, 2048), np.float32) + np.float32(i) for i in range(4)])
    path = tmp_path / "model.onnx"
    onnx.save(model, path)
    result = subprocess.run([sys.executable, "-c", GROWTH, path], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    optimized, finalized = map(int, result.stdout.split())
    assert optimized < 40 and finalized < 64 + 48
