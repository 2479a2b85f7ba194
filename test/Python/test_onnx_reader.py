"""What from_onnx promises beside the numbers: names, errors, files on the side, operators that are not covered."""

import ast
import json
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx_models import helper, model_of, numpy_helper, read, run_here

import clika_runtime as crt
from clika_runtime.graph import ModelGraph, OpCode, Transform

ROOT = pathlib.Path(__file__).resolve().parents[2]
X = np.array([[1.0, -2.0], [3.0, -4.0]], np.float32)


def test_a_missing_file_is_an_io_error(tmp_path):
    with pytest.raises(crt.IoError, match="from_onnx: cannot read .*gone.onnx"):
        ModelGraph.from_onnx(tmp_path / "gone.onnx")


def test_paths_of_any_bytes_and_the_bytes_of_a_model(tmp_path):
    with pytest.raises(crt.IoError, match=r"from_onnx: cannot read '/no\\xff.onnx'"):
        ModelGraph.from_onnx(b"/no\xff.onnx")
    model = model_of([helper.make_node("Relu", ["x"], ["y"])], {"x": X}, ["y"], 17)
    with pytest.raises(crt.ArgumentTypeError, match="from_onnx: path is the bytes of a model"):
        ModelGraph.from_onnx(model.SerializeToString())


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


def test_links_do_not_lead_out_of_the_folder(tmp_path):
    """The folder is that of the model as it is named, or that of the file which it links to, as a cache of downloads has it."""
    model = model_of([helper.make_node("Add", ["x", "w"], ["y"])], {"x": X}, ["y"], 17, {"w": X})
    blobs, folder = tmp_path / "blobs", tmp_path / "models"
    for place in (blobs, folder, folder / "inner"):
        place.mkdir()
    onnx.save(model, blobs / "model", save_as_external_data=True, location="data", size_threshold=0)
    (folder / "model.onnx").write_bytes((blobs / "model").read_bytes())
    data = folder / "data"
    data.symlink_to(blobs / "data")
    refused = "initializer 'w': external data may only be beside the model, and 'data' links to '.*/blobs/data'"
    with pytest.raises(crt.IoError, match=refused):
        ModelGraph.from_onnx(folder / "model.onnx")
    (folder / "link.onnx").symlink_to(blobs / "model")
    (folder / "inner" / "data").write_bytes((blobs / "data").read_bytes())
    for allowed in (True, False):
        if not allowed:
            data.unlink()
            data.symlink_to("inner/data")
        graph = ModelGraph.from_onnx(folder / ("link.onnx" if allowed else "model.onnx"))
        graph.finalize()
        np.testing.assert_array_equal(graph.run([X])[0].numpy(), X + X)
    data.unlink()
    data.symlink_to("/dev/zero")
    with pytest.raises(crt.IoError, match="external data may only be beside the model"):
        ModelGraph.from_onnx(folder / "model.onnx")


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


def test_a_model_that_states_no_types_can_be_looked_at(tmp_path):
    """What follows an uncovered operator is kept as the file has it, for nothing tells its types."""
    nodes = [
        helper.make_node("Relu", ["x"], ["a"]),
        helper.make_node("Foo", ["a"], ["b"], name="foo", domain="my"),
        helper.make_node("Bar", ["b"], ["c", "d"], name="bar", domain="my"),
        helper.make_node("Add", ["c", "a"], ["e"], name="sum"),
        helper.make_node("Reshape", ["e", "to"], ["f"], name="flat"),
        helper.make_node("Neg", ["x"], ["z"], name="minus"),
    ]
    model = model_of(nodes, {"x": X}, ["f", "z"], 17, {"to": np.array([-1])})
    model.opset_import.append(helper.make_opsetid("my", 1))
    graph = read(model, tmp_path, allow_unknown=True)
    kinds = {node.name: node.op_code for node in graph.nodes() if node.op_code != OpCode.Input}
    assert kinds == {"a": OpCode.Relu, "minus": OpCode.Neg, **dict.fromkeys(("foo", "bar", "sum", "flat"), OpCode.Opaque)}
    total = graph.find_node("sum")
    assert [value.name for value in total.inputs] == ["bar:0", "a"]
    assert total.attributes["type"] == "Add" and "reason" not in total.attributes
    assert graph.find_node("foo").attributes["reason"] == "the operator is not covered"
    assert [node.name for node in graph.find_node("foo").outputs[0].users()] == ["bar"]
    assert str(total) == "sum = Opaque(bar:0, a, type='Add', domain=''): unknown"
    assert "my.Bar" in graph.to_dot() and '"foo" -> "bar"' in graph.to_dot()
    for call in ("dtype", "shape"):
        with pytest.raises(crt.UnsupportedError, match=f"^{call}: the type of 'sum' is not known"):
            getattr(total.outputs[0], call)
    with pytest.raises(crt.UnsupportedError, match="^insert: the type of 'sum' is not known"):
        graph.insert(lambda t: t, [total.outputs[0]])
    again = ModelGraph.from_mlir(graph.to_mlir())
    assert again.to_mlir() == graph.to_mlir() and graph.clone().to_mlir() == graph.to_mlir()
    graph.save(tmp_path / "saved")
    assert ModelGraph.load(tmp_path / "saved").to_mlir() == graph.to_mlir()
    graph.optimize()
    with pytest.raises(crt.UnsupportedError) as error:
        graph.finalize()
    assert str(error.value) == (
        "finalize: operators that were read to be looked at cannot be compiled: my.Foo (node 'foo': the operator is not covered), "
        "my.Bar (node 'bar': the operator is not covered); replace each by the public ops that compute it (replace)"
    )


def test_an_uncovered_operator_can_be_replaced(tmp_path):
    graph = read(unknown_model(), tmp_path, allow_unknown=True)
    for name in ("odd", "y"):
        old = graph.find_node(name).outputs[0]
        graph.replace([old], lambda t: [crt.neg(t[0])], [graph.find_node(name).inputs[0]])
    graph.finalize()
    np.testing.assert_array_equal(graph.run([X])[0].numpy(), np.maximum(X, 0))


def test_an_uncovered_operator_of_unknown_type_can_be_replaced(tmp_path):
    """The file states no types, so that what reads the operator is opaque, too: each is replaced in turn."""
    nodes = [
        helper.make_node("Foo", ["x"], ["t"], name="foo", domain="my"),
        helper.make_node("Add", ["t", "x"], ["s"], name="sum"),
        helper.make_node("Relu", ["s"], ["y"], name="act"),
    ]
    model = model_of(nodes, {"x": X}, ["t", "y"], 17)
    model.opset_import.append(helper.make_opsetid("my", 1))
    graph = read(model, tmp_path, allow_unknown=True)
    ops = {"foo": lambda t: [crt.neg(t[0])], "sum": lambda t: [t[0] + t[1] * 3], "act": lambda t: [crt.relu(t[0])]}
    for name, op in ops.items():
        node = graph.find_node(name)
        graph.replace(node.outputs, op, node.inputs)
        graph.verify()
        assert graph.clone().to_mlir() == graph.to_mlir() == ModelGraph.from_mlir(graph.to_mlir()).to_mlir()
    assert [(value.dtype, value.shape) for value in graph.outputs()] == [(crt.float32, (2, 2))] * 2
    graph.finalize()
    results = graph.run([X])
    np.testing.assert_array_equal(results[0].numpy(), -X)
    np.testing.assert_array_equal(results[1].numpy(), np.maximum(-X + X * 3, 0))


FOO_IS_NEG = """pdl.pattern @foo_is_neg : benefit(1) {
  %type = type
  %x = operand : %type
  %name = attribute = "Foo"
  %unknown = type
  %foo = operation "clika.opaque"(%x : !pdl.value) {"type" = %name} -> (%unknown : !pdl.type)
  rewrite %foo {
    %neg = operation "clika.neg"(%x : !pdl.value) -> (%type : !pdl.type)
    replace %foo with %neg
  }
}"""


def test_a_rule_replaces_an_uncovered_operator_of_unknown_type(tmp_path):
    model = model_of([helper.make_node("Foo", ["x"], ["y"], name="foo", domain="my")], {"x": X}, ["y"], 17)
    model.opset_import.append(helper.make_opsetid("my", 1))
    graph = read(model, tmp_path, allow_unknown=True)
    graph.optimize([Transform.from_pdl("foo_is_neg", FOO_IS_NEG)], verify=True)
    assert (graph.outputs()[0].dtype, graph.outputs()[0].shape) == (crt.float32, (2, 2))
    graph.finalize()
    np.testing.assert_array_equal(graph.run([X])[0].numpy(), -X)


def test_attributes_of_an_opaque_node(tmp_path):
    tensor = helper.make_tensor("t", 1, [2, 2], [1, 2.5, -3, 4])
    ids = helper.make_tensor("ids", 7, [2], [2**62 + 1, -1])
    branch = helper.make_graph([helper.make_node("Neg", ["x"], ["n"])], "branch", [], [onnx.ValueInfoProto(name="n")])
    node = helper.make_node(
        "Foo", ["x"], ["y"], name="foo", domain="my", type="mine", reason="why", k=3, f=0.5, floats=[1.5, 2.0], ints=[1, 2],
        texts=["a", 'b"\\'], raw=b"\xff\x00\x01", tensor=tensor, ids=ids, big=helper.make_tensor("b", 1, [1000], [*range(1000)]),
        body=branch,
    )  # fmt: skip
    node.attribute.append(helper.make_attribute("domain", "other"))
    model = model_of([node], {"x": X}, ["y"], 17)
    model.opset_import.append(helper.make_opsetid("my", 1))
    graph = read(model, tmp_path, allow_unknown=True)
    expected = {
        "type": "Foo", "domain": "my", "reason": "the operator is not covered", "onnx.type": "mine", "onnx.domain": "other",
        "onnx.reason": "why", "k": 3, "f": 0.5, "floats": "[1.5, 2.0]", "ints": [1, 2], "texts": '["a", "b\\"\\\\"]',
        "raw": b"\xff\x00\x01".decode(errors="surrogateescape"), "tensor": "float32[2, 2] [1.0, 2.5, -3.0, 4.0]",
        "ids": "int64[2] [4611686018427387905, -1]", "big": "float32[1000]", "body": "[\"graph 'branch' of 1 node\"]",
    }  # fmt: skip
    graph.save(tmp_path / "saved")
    for each in (graph, ModelGraph.from_mlir(graph.to_mlir()), ModelGraph.load(tmp_path / "saved")):
        looked = each.find_node("foo")
        assert looked.attributes == expected
        assert {name: looked.attribute(name) for name in expected} == expected
        assert json.loads(looked.attribute("texts")) == ["a", 'b"\\'] and ast.literal_eval(looked.attribute("floats")) == [1.5, 2.0]
        assert each.to_mlir() == graph.to_mlir()
        assert os.fsencode(looked.attribute("raw")) == b"\xff\x00\x01"


def test_other_types_and_operator_sets_can_be_looked_at(tmp_path):
    """Texts, sparse weights, inputs without a shape, subgraphs, and an operator set older than the reader's."""
    branch = helper.make_graph([helper.make_node("Neg", ["h"], ["n"])], "branch", [], [onnx.ValueInfoProto(name="n")])
    nodes = [
        helper.make_node("LabelEncoder", ["word"], ["code"], name="encode", domain="ai.onnx.ml"),
        helper.make_node("Concat", ["word", "words"], ["all"], name="join", axis=0),
        helper.make_node("Relu", ["free"], ["h"], name="act"),
        helper.make_node("If", ["flag"], ["i"], name="choice", then_branch=branch, else_branch=branch),
        helper.make_node("Add", ["weights", "x"], ["s"], name="shifted"),
    ]
    inputs = [
        helper.make_tensor_value_info("word", onnx.TensorProto.STRING, [1]),
        helper.make_tensor_value_info("free", 1, None),
        helper.make_tensor_value_info("flag", onnx.TensorProto.BOOL, []),
        helper.make_tensor_value_info("x", 1, [3]),
        helper.make_tensor_sequence_value_info("list", 1, [2]),
    ]
    words = helper.make_tensor("words", onnx.TensorProto.STRING, [1], [b"a"])
    values = helper.make_tensor("weights", 1, [1], [5.0])
    sparse = helper.make_sparse_tensor(values, helper.make_tensor("at", 7, [1], [2]), [3])
    outputs = [onnx.ValueInfoProto(name=name) for name in ("code", "all", "i", "s")]
    graph = helper.make_graph(nodes, "g", inputs, outputs, [words], sparse_initializer=[sparse])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    looked = read(helper.make_model(graph, opset_imports=opsets, ir_version=10), tmp_path, allow_unknown=True)
    assert looked.input_names() == ["word", "free", "flag", "x", "list"]
    assert [value.name for value in looked.find_node("choice").inputs] == ["flag", "act", "act"]
    assert [value.name for value in looked.find_node("shifted").inputs] == ["weights", "x"]
    assert looked.find_node("words").attributes["value"] == "a tensor of string"
    with pytest.raises(crt.UnsupportedError, match=r"ai\.onnx\.ml\.LabelEncoder \(node 'encode'"):
        looked.finalize()
    old = model_of([helper.make_node("Relu", ["x"], ["y"])], {"x": X}, ["y"], 7)
    with pytest.raises(crt.UnsupportedError, match="imports version 7 of the operator set, covered are 9 to 24"):
        read(old, tmp_path)
    node = read(old, tmp_path, allow_unknown=True).find_node("y")
    assert node.attributes["reason"] == "version 7 of the operator set is not covered"


def test_values_known_only_at_run_time_are_named(tmp_path):
    """The node and the input are named, and allow_unknown keeps the node with the reason."""
    nodes = [helper.make_node("ReduceSum", ["x", "axes"], ["y"], name="total")]
    model = model_of(nodes, {"x": X, "axes": np.array([0])}, ["y"], 17)
    reason = "its axes (input 'axes') must be constant integers; values that are only known at run time are not covered"
    with pytest.raises(crt.UnsupportedError) as error:
        read(model, tmp_path)
    assert str(error.value) == f"from_onnx: '{tmp_path}/model.onnx': node 'total' (ReduceSum): {reason}"
    graph = read(model, tmp_path, allow_unknown=True)
    assert [node.name for node in graph.nodes()] == ["x", "axes", "total"]
    assert graph.find_node("total").attributes["reason"] == reason


def test_a_rank_that_follows_from_sizes_of_the_run_is_not_covered(tmp_path):
    """Squeeze without axes drops what is 1 in the run: taking names for larger sizes would be wrong numbers."""
    node = helper.make_node("Squeeze", ["x"], ["y"], name="drop")
    for shape in (["a", "b"], ["a", 1], [None, 2]):
        info = helper.make_tensor_value_info("x", 1, shape)
        graph = helper.make_graph([node], "g", [info], [onnx.ValueInfoProto(name="y")])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
        with pytest.raises(crt.UnsupportedError, match=r"node 'drop' \(Squeeze\): has no axes, .*float32\[.*; export the model with axes"):
            read(model, tmp_path)
        assert read(model, tmp_path, allow_unknown=True).find_node("drop").op_code == OpCode.Opaque


def test_axes_that_constants_make(tmp_path):
    """Operators over constants alone say their integers when the file is read."""
    nodes = [
        helper.make_node("Sub", ["one", "two"], ["minus"]),
        helper.make_node("Where", ["yes", "minus", "two"], ["axes"]),
        helper.make_node("ReduceSum", ["x", "axes"], ["y"], keepdims=0),
    ]
    constants = {"one": np.array([1]), "two": np.array([2]), "yes": np.array([True])}
    (y,) = run_here(model_of(nodes, {"x": X}, ["y"], 17, constants), {"x": X}, tmp_path)
    np.testing.assert_array_equal(y, X.sum(-1))


def test_sizes_beyond_memory_are_refused(tmp_path):
    node = helper.make_node("AveragePool", ["x"], ["y"], kernel_shape=[2, 2, 2])
    info = helper.make_tensor_value_info("x", 1, [1, 2**63 - 1, 32, 32, 32])
    graph = helper.make_graph([node], "g", [info], [onnx.ValueInfoProto(name="y")])
    with pytest.raises(crt.InvalidArgumentError, match="model.onnx': the value 'x' is float32.*, more elements than memory can hold"):
        read(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10), tmp_path)
    node = helper.make_node("Conv", ["x", "w"], ["y"], name="wide", pads=[2**62, 2**62])
    model = model_of([node], {"x": X[None]}, ["y"], 17, {"w": np.ones((2, 2, 1), np.float32)})
    with pytest.raises(crt.InvalidArgumentError, match=r"node 'wide' \(Conv\): conv: the result .* more elements than memory can hold"):
        read(model, tmp_path)


def test_half_scales_of_integer_products(tmp_path):
    """Scales in float16 round no element: the sum is of integers, as ONNX Runtime's and ONNX's references have it."""
    rng = np.random.default_rng(3)
    names = ["a", "a_scale", "a_zero", "b", "b_scale", "b_zero", "y_scale", "y_zero"]
    for _ in range(20):
        a, b = rng.integers(-128, 128, (2, 5, 64)).astype(np.int8), rng.integers(-128, 128, (64, 3)).astype(np.int8)
        scales = rng.uniform(0.01, 0.5, 3).astype(np.float16)
        zeros = rng.integers(-5, 6, 3).astype(np.int8)
        scales[2] *= np.float16(60)
        values = (a, scales[0], zeros[0], b, scales[1], zeros[1], scales[2], zeros[2])
        given = {name: np.asarray(value) for name, value in zip(names, values)}
        model = model_of([helper.make_node("QLinearMatMul", names, ["y"])], given, ["y"], 21)
        (y,) = run_here(model, given, tmp_path)
        exact = (a.astype(np.int64) - zeros[0]) @ (b.astype(np.int64) - zeros[1]) * float(scales[0]) * float(scales[1])
        exact = exact / float(scales[2])
        near = np.abs(exact - np.floor(exact) - 0.5) < 1e-3
        expected = np.clip(np.rint(exact) + zeros[2], -128, 127)
        assert near.mean() < 0.05
        np.testing.assert_array_equal(y[~near], expected[~near])


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
    assert re.search("^reciprocal_root +1 +2 ", done.stdout, re.MULTILINE)
    assert "labels equal to magika's: 12 of 12" in done.stdout
