"""What from_onnx promises beside the numbers: names, errors, files on the side, operators that are not covered."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx_models import helper, model_of, numpy_helper, read, run_here

import clika_runtime as crt
from clika_runtime.graph import ModelGraph, OpCode

ROOT = pathlib.Path(__file__).resolve().parents[2]
X = np.array([[1.0, -2.0], [3.0, -4.0]], np.float32)


def test_a_missing_file_is_an_io_error(tmp_path):
    with pytest.raises(crt.IoError, match="from_onnx: cannot read .*gone.onnx"):
        ModelGraph.from_onnx(tmp_path / "gone.onnx")


def test_a_cut_file_is_an_error_that_names_the_byte(tmp_path):
    model = model_of([helper.make_node("Relu", ["x"], ["y"])], {"x": X}, ["y"], 17)
    data = model.SerializeToString()
    (tmp_path / "cut.onnx").write_bytes(data[: len(data) // 2])
    with pytest.raises(crt.IoError, match=r"from_onnx: '.*cut.onnx', byte \d+: "):
        ModelGraph.from_onnx(tmp_path / "cut.onnx")


def test_names_of_the_file_are_names_of_the_graph(tmp_path):
    nodes = [helper.make_node("Relu", ["x"], ["h"], name="act"), helper.make_node("Neg", ["h"], ["y"])]
    graph = read(model_of(nodes, {"x": X}, ["y"], 17, dynamic=True), tmp_path)
    assert graph.input_names() == ["x"]
    assert graph.output_names() == ["y"]
    assert [node.name for node in graph.nodes()] == ["x", "act", "y"]
    assert list(graph.inputs()[0].shape) == ["x_a", "x_b"]


def test_equal_names_of_sizes_are_equal_sizes(tmp_path):
    inputs = [helper.make_tensor_value_info(name, 1, ["n", 2]) for name in "ab"]
    out = onnx.ValueInfoProto(name="y")
    graph = helper.make_graph([helper.make_node("Add", ["a", "b"], ["y"])], "g", inputs, [out])
    compiled = read(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10), tmp_path)
    compiled.finalize()
    with pytest.raises(crt.InvalidArgumentError, match="n"):
        compiled.run([X, X[:1]])


def test_weights_in_a_file_beside_the_model(tmp_path):
    weight = np.arange(4000, dtype=np.float32).reshape(2, 2000)
    model = model_of([helper.make_node("MatMul", ["x", "w"], ["y"])], {"x": X}, ["y"], 17, {"w": weight})
    path = tmp_path / "model.onnx"
    onnx.save(model, path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    graph = ModelGraph.from_onnx(path)
    graph.finalize()
    np.testing.assert_allclose(graph.run([X])[0].numpy(), X @ weight, rtol=1e-6)


@pytest.mark.parametrize("location", ["../weights.bin", "/etc/hosts", "sub/../../weights.bin"])
def test_weights_elsewhere_are_refused(location, tmp_path):
    model = model_of([helper.make_node("Add", ["x", "w"], ["y"])], {"x": X}, ["y"], 17, {"w": X})
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.append(onnx.StringStringEntryProto(key="location", value=location))
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(crt.IoError, match="initializer 'w': external data may only be beside the model"):
        ModelGraph.from_onnx(tmp_path / "model.onnx")


def unknown_model() -> onnx.ModelProto:
    nodes = [
        helper.make_node("Relu", ["x"], ["a"]),
        helper.make_node("Frobnicate", ["a"], ["b"], name="odd", domain="vendor", strength=3, modes=["p", "q"]),
        helper.make_node("Twist", ["b"], ["y"], domain="vendor"),
    ]
    model = model_of(nodes, {"x": X}, ["y"], 17)
    model.opset_import.append(helper.make_opsetid("vendor", 1))
    del model.graph.output[:]
    model.graph.output.append(helper.make_tensor_value_info("y", 1, [2, 2]))
    model.graph.value_info.append(helper.make_tensor_value_info("b", 1, [2, 2]))
    return model


def test_each_uncovered_operator_is_named(tmp_path):
    with pytest.raises(crt.UnsupportedError) as error:
        read(unknown_model(), tmp_path)
    assert "node 'odd' (vendor.Frobnicate), the vendor.Twist node that makes 'y'" in str(error.value)


def test_an_uncovered_operator_can_be_looked_at(tmp_path):
    graph = read(unknown_model(), tmp_path, allow_unknown=True)
    node = graph.find_node("odd")
    assert node.op_code == OpCode.Opaque
    assert node.attributes["type"] == "Frobnicate"
    assert node.attributes["strength"] == 3
    assert node.attribute("modes") == '["p", "q"]'
    with pytest.raises(crt.UnsupportedError, match="odd"):
        graph.finalize()


def test_functions_of_the_model(tmp_path):
    """Two levels of them; the inner one takes an attribute of its call."""
    body = helper.make_node("LeakyRelu", ["a"], ["b"])
    attribute = onnx.AttributeProto(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT)
    body.attribute.append(attribute)
    inner = helper.make_function("local", "Lean", ["a"], ["b"], [body], [helper.make_opsetid("", 17)], ["slope"])
    nodes = [helper.make_node("Lean", ["p"], ["q"], domain="local", slope=0.5), helper.make_node("Add", ["p", "q"], ["r"])]
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    outer = helper.make_function("local", "Sum", ["p"], ["r"], nodes, opsets)
    call = helper.make_node("Sum", ["x"], ["y"], domain="local")
    model = model_of([call], {"x": X}, ["y"], 17, functions=[inner, outer])
    del model.opset_import[2:]
    (y,) = run_here(model, {"x": X}, tmp_path)
    np.testing.assert_array_equal(y, X + np.where(X > 0, X, X * np.float32(0.5)))


def test_sizes_computed_from_shapes_leave_no_operators(tmp_path):
    """flatten(1), as exporters write it: shape, gather, concat, reshape."""
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Gather", ["s", "zero"], ["n"]),
        helper.make_node("Unsqueeze", ["n", "axes"], ["n1"]),
        helper.make_node("Concat", ["n1", "rest"], ["to"], axis=0),
        helper.make_node("Reshape", ["x", "to"], ["y"]),
    ]
    constants = {"zero": np.int64(0), "axes": np.array([0]), "rest": np.array([-1])}
    info = helper.make_tensor_value_info("x", 1, ["n", 3, 4])
    graph = helper.make_graph(nodes, "g", [info], [onnx.ValueInfoProto(name="y")],
                              [numpy_helper.from_array(np.asarray(a), name) for name, a in constants.items()])  # fmt: skip
    model = read(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10), tmp_path)
    assert [node.op_code for node in model.nodes()] == [OpCode.Input, OpCode.Reshape]


def test_the_quickstart(tmp_path):
    script = ROOT / "examples" / "python" / "quickstart" / "quickstart.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "reciprocal_root                   1         2" in done.stdout
    assert "labels equal to magika's: 12 of 12" in done.stdout
