"""Files that from_onnx refuses: all that is wrong in one error that names the file, and nothing contradictory is read."""

import os

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx_models import model_of, read

import clika_runtime as crt
from clika_runtime.graph import ModelGraph

X = np.array([[1.0, -2.0], [3.0, -4.0]], np.float32)


def refusal(model: onnx.ModelProto, folder, **options) -> str:
    """The error, which names the file, without the file."""
    with pytest.raises(crt.Error) as error:
        read(model, folder, **options)
    start = f"from_onnx: '{os.fspath(folder / 'model.onnx')}': "
    assert str(error.value).startswith(start)
    return str(error.value).removeprefix(start)


def typed(nodes, outputs=(), values=(), opsets=(("", 17),)) -> onnx.ModelProto:
    """A model of one input x, float32[2, 2], and i, int64[2], that states the types of the given values."""
    inputs = [helper.make_tensor_value_info("x", 1, [2, 2]), helper.make_tensor_value_info("i", 7, [2])]
    outputs = list(outputs) or [onnx.ValueInfoProto(name=nodes[-1].output[0])]
    graph = helper.make_graph(nodes, "g", inputs, outputs, value_info=list(values))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(*each) for each in opsets], ir_version=10)


def test_reasons_of_every_kind_come_in_one_error(tmp_path):
    nodes = [
        helper.make_node("CumSum", ["x", "i"], ["a"], name="sums"),
        helper.make_node("Resize", ["x", "", "i"], ["b"], name="sized", mode="odd"),
        helper.make_node("Unsqueeze", ["x", "i"], ["c"], name="wide"),
        helper.make_node("Relu", ["c"], ["d"], name="after"),
        helper.make_node("MaxPool", ["x"], ["e"], name="pool", kernel_shape=[1], foo=3),
        helper.make_node("Cast", ["x"], ["f"], name="text", to=TensorProto.STRING),
        helper.make_node("Foo", ["f"], ["y"], name="foo", domain="my"),
    ]
    told = refusal(typed(nodes, opsets=(("", 17), ("my", 1))), tmp_path)
    assert told.startswith("not covered: node 'foo' (my.Foo); node 'sums' (CumSum): its axis")
    for name in ("sums", "sized", "wide", "pool", "text", "foo"):
        assert told.count(f"node '{name}'") == 1
    assert "after" not in told
    with pytest.raises(crt.UnsupportedError):
        read(typed(nodes, opsets=(("", 17), ("my", 1))), tmp_path)


def test_what_a_subgraph_holds_is_told_and_not_what_follows(tmp_path):
    out = onnx.ValueInfoProto(name="n")
    yes = helper.make_graph([helper.make_node("Cast", ["x"], ["n"], name="text", to=TensorProto.STRING)], "yes", [], [out])
    no = helper.make_graph([helper.make_node("Cast", ["x"], ["n"], name="pair", to=TensorProto.COMPLEX64)], "no", [], [out])
    nodes = [
        helper.make_node("Cast", ["i"], ["flags"], to=TensorProto.BOOL),
        helper.make_node("ReduceMax", ["flags"], ["flag"], keepdims=0),
        helper.make_node("If", ["flag"], ["y"], name="choice", then_branch=yes, else_branch=no),
    ]
    told = refusal(typed(nodes, opsets=(("", 20),)), tmp_path)
    assert told.startswith("node 'text' (Cast): the type string is not covered")
    assert "choice" not in told


def test_errors_of_the_whole_file_name_it(tmp_path):
    relu = helper.make_node("Relu", ["x"], ["y"])
    assert refusal(typed([relu], opsets=(("", 8),)), tmp_path).startswith("the model imports version 8 of the operator set")
    assert refusal(onnx.ModelProto(), tmp_path).startswith("the file holds no graph")
    model = typed([relu])
    del model.opset_import[:]
    assert refusal(model, tmp_path).startswith("the file imports no operator set")
    only = typed([relu], opsets=(("my", 1),))
    assert "the Relu node that makes 'y', whose operator set is not imported" in refusal(only, tmp_path)
    gone = model_of([helper.make_node("Add", ["x", "w"], ["y"])], {"x": X}, ["y"], 17, {"w": X})
    gone.graph.initializer[0].raw_data = b"1"
    assert refusal(gone, tmp_path).startswith("initializer 'w' is float32[2, 2] and needs 16 bytes")


@pytest.mark.parametrize("allow_unknown", [False, True])
def test_stated_dtypes_must_be_true(tmp_path, allow_unknown):
    nodes = [helper.make_node("Relu", ["x"], ["t"], name="act"), helper.make_node("Neg", ["t"], ["y"])]
    inner = typed(nodes, values=[helper.make_tensor_value_info("t", 7, [2, 2])])
    expected = "node 'act' (Relu): its output 't' is float32, and the file states that it is int64"
    assert refusal(inner, tmp_path, allow_unknown=allow_unknown) == expected
    folded = [helper.make_node("Shape", ["x"], ["s"], name="sizes"), helper.make_node("Reshape", ["x", "s"], ["y"])]
    told = refusal(typed(folded, values=[helper.make_tensor_value_info("s", 1, [2])]), tmp_path, allow_unknown=allow_unknown)
    assert told == "node 'sizes' (Shape): its output 's' is int64, and the file states that it is float32"


def test_stated_shapes_do_not_replace_the_true_ones(tmp_path):
    nodes = [helper.make_node("Relu", ["x"], ["t"]), helper.make_node("Neg", ["t"], ["y"])]
    values = [helper.make_tensor_value_info("t", 1, [7, 9, 1])]
    graph = read(typed(nodes, [helper.make_tensor_value_info("y", 1, [5])], values), tmp_path)
    assert [value.shape for value in (graph.find_node("t").outputs[0], graph.outputs()[0])] == [(2, 2), (2, 2)]


def test_a_subgraph_states_types_too(tmp_path):
    body = helper.make_graph(
        [helper.make_node("Identity", ["c"], ["c2"]), helper.make_node("Neg", ["v"], ["w"], name="less")],
        "body",
        [helper.make_tensor_value_info("n", 7, []), helper.make_tensor_value_info("c", 9, []), helper.make_tensor_value_info("v", 7, [2, 2])],
        [helper.make_tensor_value_info("c2", 9, []), onnx.ValueInfoProto(name="w")],
    )  # fmt: skip
    model = model_of([helper.make_node("Loop", ["n", "", "x"], ["y"], body=body)], {"x": X}, ["y"], 17, {"n": np.array(2)})
    assert "'v' is float32, and the file states that it is int64" in refusal(model, tmp_path)


def covered_schemas():
    newest = 24
    for opset in range(9, newest + 1):
        for schema in onnx.defs.get_all_schemas():
            if schema.domain == "":
                try:
                    yield opset, onnx.defs.get_schema(schema.name, opset)
                except onnx.defs.SchemaError:
                    continue


def test_no_node_has_more_inputs_or_outputs_than_its_operator(tmp_path):
    """The counts are the same as those of ONNX's own records, for every operator that is read and every version."""
    checked, limit = set(), 2**31 - 1
    for opset, schema in covered_schemas():
        if (schema.name, schema.since_version) in checked:
            continue
        checked.add((schema.name, schema.since_version))
        for kind, most in (("input", schema.max_input), ("output", schema.max_output)):
            if most >= limit:
                continue
            inputs = ["x"] * (most + 1 if kind == "input" else max(schema.min_input, 1) if schema.max_input else 0)
            outputs = [f"y{i}" for i in range(most + 1 if kind == "output" else 1)]
            told = refusal(typed([helper.make_node(schema.name, inputs, outputs, name="n")], opsets=(("", opset),)), tmp_path)
            if told.startswith("not covered: node 'n'"):
                continue
            has = "none" if most == 0 else f"at most {most}"
            assert told == f"node 'n' ({schema.name}): has {most + 1} {kind}{'s' * (most > 0)}, and {schema.name} has {has}"
    assert len(checked) > 300


def test_two_attributes_of_one_name_and_two_operator_sets(tmp_path):
    node = helper.make_node("Softmax", ["x"], ["y"], name="soft", axis=0)
    node.attribute.append(helper.make_attribute("axis", 1))
    assert refusal(typed([node]), tmp_path) == "node 'soft' (Softmax): has two attributes named 'axis'"
    relu = helper.make_node("Relu", ["x"], ["y"])
    told = refusal(typed([relu], opsets=(("", 17), ("", 18))), tmp_path)
    assert told == "the model imports versions 17 and 18 of the operator set 'ai.onnx'"
    function = helper.make_function("my", "F", ["a"], ["b"], [helper.make_node("Relu", ["a"], ["b"])],
                                    [helper.make_opsetid("", 17), helper.make_opsetid("", 18)])  # fmt: skip
    told = refusal(model_of([helper.make_node("F", ["x"], ["y"], domain="my")], {"x": X}, ["y"], 17, functions=[function]), tmp_path)
    assert told == "the function 'F' imports versions 17 and 18 of the operator set 'ai.onnx'"


def test_a_dtype_that_an_operator_lacks_is_told_in_words(tmp_path):
    told = refusal(typed([helper.make_node("Exp", ["i"], ["y"], name="e")]), tmp_path)
    assert told == "node 'e' (Exp): Exp is given int64[2] as its operand 'x'; it takes a tensor of floating-point numbers"
    graph = read(typed([helper.make_node("Exp", ["i"], ["y"], name="e")]), tmp_path, allow_unknown=True)
    assert isinstance(graph, ModelGraph) and graph.find_node("e").attributes["type"] == "Exp"
