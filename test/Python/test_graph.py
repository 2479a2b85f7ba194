"""ModelGraph, Node and Value from Python: traces, queries, edits, and what each refuses."""

import copy
import enum
import gc
import weakref

import numpy as np
import pytest
from graphs import formula, formulas, relu_chain, traced

import clika_runtime as crt
from clika_runtime.graph import ModelGraph, NodeKind, OpCode, Pattern, transforms


def model(inputs):
    x = inputs[0]
    return crt.relu(crt.relu(x)) + crt.neg(x)


def test_trace_accepts_a_tensor_or_a_sequence():
    for result in (lambda x: x[0], lambda x: [crt.relu(x[0])], lambda x: (crt.relu(x[0]), crt.neg(x[0]))):
        graph = traced(result)
        assert len(graph.outputs()) == (2 if isinstance(result([crt.tensor([1.0])]), tuple) else 1)
    named = crt.trace(model, [crt.TensorSpec("x", crt.float32, [2])], name="m", output_names=["y"]).graph
    assert (named.name, named.input_names(), named.output_names()) == ("m", ["x"], ["y"])


def test_trace_refuses():
    spec = crt.TensorSpec("x", crt.float32, [2])
    for arguments, message in [((1, [spec]), "is a function"), ((model, spec), "given as a list"),
                               ((model, [1]), "TensorSpec"), ((lambda x: None, [spec]), "Tensor"),
                               ((lambda x: "y", [spec]), "Tensor"), ((lambda x: [1], [spec]), "Tensor")]:
        with pytest.raises(crt.InvalidArgumentError, match=f"^trace: .*{message}"):
            crt.trace(*arguments)


def test_what_the_function_raises_comes_back_itself():
    class Mine(Exception):
        pass

    error = Mine("no")

    def fails(_):
        raise error

    with pytest.raises(Mine) as caught:
        traced(fails)
    assert caught.value is error
    assert any(entry.name == "fails" for entry in caught.traceback)
    graph = relu_chain(1)
    before = graph.to_mlir()
    with pytest.raises(Mine) as caught:
        graph.insert(fails, [graph.inputs()[0]])
    assert caught.value is error and graph.to_mlir() == before
    with pytest.raises(Mine) as caught:
        graph.find_nodes(fails)
    assert caught.value is error


def test_reading_a_traced_tensor_is_refused():
    held = []

    def fn(inputs):
        x = inputs[0]
        held.append(x)
        for read in (lambda: x.item(), lambda: bool(x), lambda: float(x), lambda: x.numpy(), lambda: np.asarray(x),
                     lambda: x.tolist(), lambda: x.__dlpack__()):
            with pytest.raises(crt.InvalidArgumentError, match="trace") as caught:
                read()
            assert caught.value.code_name == "FAILED_PRECONDITION"
        with pytest.raises(BufferError):
            memoryview(x)
        assert "traced" in repr(x) and x.is_traced
        return x

    traced(fn)
    with pytest.raises(crt.InvalidArgumentError, match="trace"):
        held[0].numpy()
    with pytest.raises(crt.InvalidArgumentError, match="trace"):
        crt.relu(held[0])
    with pytest.raises(crt.InvalidArgumentError, match="trace"):
        traced(lambda inputs: inputs[0] + held[0])


def test_nodes_and_values():
    graph = traced(model, [2, "n"], outputs=["y"])
    x, first, second, negated, added = graph.nodes()
    assert [node.kind for node in graph.nodes()] == [NodeKind.Input] + [NodeKind.Operator] * 4
    assert x.op_code is OpCode.Input and first.op_code is OpCode.Relu
    assert isinstance(first.op_code, enum.IntEnum)
    assert x.name == "x0" and len({node.name for node in graph.nodes()}) == 5
    assert second.inputs == [first.output(0)] and second.input(0) == first.output(0)
    assert second.input(0).producer() == first and first.output(0).users() == [second]
    assert x.out_degree() == 2 and added.in_degree() == 2
    assert added.attributes == {"alpha": 1.0, "activation": "Identity"}
    assert added.attribute("alpha") == 1 and added.attribute("no such") is None
    assert added.fused_activation() == first.fused_activation() == "Identity"
    value = added.output(0)
    assert value.is_graph_output() and not value.is_graph_input() and not value.is_constant()
    assert value.dtype is crt.float32 and value.shape == (2, "n") and value.device == "cpu"
    assert x.output(0).is_graph_input() and x.output(0) == graph.inputs()[0]
    assert first.is_valid() and value.is_valid() and value.constant() is None and value.constant_scalar() is None
    assert graph.outputs() == [value] and formulas(graph) == ["Add(Relu(Relu(x0)), Neg(x0))"]


def test_handles_are_values():
    graph = relu_chain(2)
    first, again = graph.nodes()[1], graph.nodes()[1]
    assert first == again and hash(first) == hash(again) and first is not again
    assert first != graph.nodes()[2] and first != "relu" and first.output(0) != first
    assert len({node.output(0) for node in graph.nodes() + graph.nodes()}) == 3
    assert copy.copy(first) == copy.deepcopy(first) == first
    other = relu_chain(2)
    assert other.nodes()[1] != first


def test_ports_are_checked():
    relu = relu_chain(1).nodes()[1]
    for port in (-1, 1, "0", 0.0, 2**70):
        with pytest.raises(crt.InvalidArgumentError):
            relu.input(port)
        with pytest.raises(crt.InvalidArgumentError):
            relu.output(port)


def test_removed_nodes():
    graph = relu_chain(2)
    relu = graph.nodes()[1]
    name, value = relu.name, relu.output(0)
    graph.bypass_node(relu)
    assert not relu.is_valid() and not value.is_valid()
    for ask in (lambda: relu.name, lambda: relu.inputs, lambda: value.shape, lambda: value.producer(),
                lambda: graph.bypass_node(relu), lambda: graph.remove_node(relu)):
        with pytest.raises(crt.NotFoundError, match=name) as caught:
            ask()
        assert caught.value.code_name == "NOT_FOUND" and isinstance(caught.value, KeyError)
    repr(relu), repr(value)


def test_find_nodes():
    graph = traced(model)
    assert [node.op_code for node in graph.find_nodes(OpCode.Relu)] == [OpCode.Relu, OpCode.Relu]
    assert graph.find_nodes(lambda node: node.out_degree() == 2) == [graph.nodes()[0]]
    assert graph.find_node(graph.nodes()[1].name) == graph.nodes()[1]
    assert graph.find_node("no such") is None
    for wrong in (OpCode.Input, OpCode.Constant, "Relu", 20, None, OpCode):
        with pytest.raises(crt.InvalidArgumentError, match="^find_nodes: "):
            graph.find_nodes(wrong)
    for refused in (lambda: graph.find_nodes(OpCode.Constant), lambda: Pattern([OpCode.Relu, OpCode.Constant])):
        with pytest.raises(crt.InvalidArgumentError, match=r"Constant is the code of constants.* is_constant\(\) of "):
            refused()
    with pytest.raises(crt.UnsupportedError, match="^add_node: Constant is the code of constants.* call add_constant$"):
        graph.add_node(OpCode.Constant, [])


def test_add_node_and_wiring():
    graph = traced(model)
    added = graph.nodes()[-1]
    negated = added.input(1).producer()
    sub = graph.add_node(OpCode.Sub, [added.input(0), negated.input(0)], added.attributes)
    assert sub.attributes == added.attributes and sub.out_degree() == 0
    graph.replace_all_uses_with(added.output(0), sub.output(0))
    graph.remove_node(added)
    graph.remove_node(negated)
    assert formulas(graph) == ["Sub(Relu(Relu(x0)), x0)"]
    graph.verify()
    clamp = graph.add_node(OpCode.Clamp, [graph.inputs()[0], None, None], {"min": 0, "max": None})
    assert clamp.attribute("min") == 0 and clamp.attribute("max") is None
    assert clamp.input(1) is None and clamp.inputs == [graph.inputs()[0]]


@pytest.mark.parametrize("code, inputs, attributes", [
    (OpCode.Input, ["x"], None), ("Relu", ["x"], None), (OpCode.Relu, ["x", "x"], None), (OpCode.Relu, [], None),
    (OpCode.Relu, [None], None), (OpCode.Add, ["x", "x"], {"beta": 1}), (OpCode.Add, ["x", "x"], {"alpha": "1"}),
    (OpCode.Add, ["x", "x"], {"activation": "Rleu"}), (OpCode.Add, ["x", "x"], [("alpha", 1)]),
    (OpCode.Add, ["x", "x"], {3: 1}), (OpCode.Relu, "x", None), (OpCode.Relu, ["node"], None),
    (OpCode.Add, ["x", "x"], {"alpha": object()}),
])
def test_add_node_refuses_and_leaves_the_graph(code, inputs, attributes):
    graph = relu_chain(1)
    values = {"x": graph.inputs()[0], "node": graph.nodes()[1], None: None}
    given = [values[entry] for entry in inputs] if isinstance(inputs, list) else inputs
    before = graph.to_mlir()
    with pytest.raises(crt.Error, match="^add_node: "):
        graph.add_node(code, given, attributes)
    assert graph.to_mlir() == before


def test_insert_and_replace():
    graph = relu_chain(2)
    outer = graph.nodes()[2]
    (made,) = graph.insert(lambda tensors: crt.neg(tensors[0]), [graph.inputs()[0]])
    assert formula(made) == "Neg(x0)" and not made.users()
    (new,) = graph.replace([outer.output(0)], lambda tensors: [crt.exp(tensors[0])], [graph.inputs()[0]])
    assert formulas(graph) == ["Exp(x0)"] and new.is_graph_output()
    (same,) = graph.insert(lambda tensors: tensors[0], [graph.inputs()[0]])
    assert same == graph.inputs()[0]
    (constant,) = graph.insert(lambda tensors: crt.tensor([1.0, 2.0]), [])
    assert constant.is_constant() and constant.constant().tolist() == [1.0, 2.0]
    with pytest.raises(crt.InvalidArgumentError, match="^replace: "):
        graph.replace([new], lambda tensors: [], [graph.inputs()[0]])
    with pytest.raises(crt.InvalidArgumentError, match="node.output"):
        graph.insert(lambda tensors: tensors[0], [graph.nodes()[0]])


def test_constants_share_their_memory():
    graph = ModelGraph("built")
    data = crt.tensor(np.arange(1000, dtype=np.float32))
    value = graph.add_constant(data, "weight")
    assert value.name == "weight" and value.producer() is None and value.shape == (1000,)
    assert np.shares_memory(value.constant().numpy(), data.numpy())
    assert graph.add_constant(np.full(3, 2.5, np.float32)).constant_scalar() == 2.5
    assert value.constant_scalar() is None


def test_inputs_and_outputs():
    graph = ModelGraph("built")
    x = graph.add_input(crt.TensorSpec("x", crt.float32, ["batch", 3]))
    relu = graph.add_node(OpCode.Relu, [x], name="r")
    graph.add_output(relu.output(0), "y")
    assert relu.name == "r" and x.shape == ("batch", 3)
    graph.rename_input("x", "a")
    graph.rename_output("y", "b")
    graph.rename_node(relu, "s")
    assert (graph.input_names(), graph.output_names(), relu.name) == (["a"], ["b"], "s")
    with pytest.raises(crt.InvalidArgumentError):
        graph.remove_input("a")
    graph.remove_output("b")
    with pytest.raises(crt.NotFoundError):
        graph.remove_output("b")
    graph.remove_node(relu)
    graph.remove_input("a")
    assert graph.nodes() == []


def test_set_input_and_attribute():
    graph = traced(lambda inputs: crt.relu(inputs[0]) + inputs[1], [2], [2])
    added = graph.nodes()[-1]
    graph.set_input(added, 0, graph.inputs()[1])
    graph.set_attribute(added, "alpha", 2)
    assert formulas(graph) == ["Add(x1, x1)"] and added.attribute("alpha") == 2.0
    with pytest.raises(crt.InvalidArgumentError, match="cycle"):
        graph.set_input(added, 0, added.output(0))
    with pytest.raises(crt.InvalidArgumentError):
        graph.set_attribute(added, "activation", 3)
    with pytest.raises(crt.InvalidArgumentError):
        graph.set_input(added, 0, relu_chain(1).inputs()[0])


def test_a_constants_memory_is_given_back_once_nothing_reads_it():
    array = np.arange(4096, dtype=np.float32)
    alive = weakref.ref(array)
    graph = traced(lambda inputs: inputs[0] + crt.from_dlpack(array), [4096])
    del array
    copied = graph.clone()
    for edited in (graph, copied):
        assert alive() is not None
        edited.replace(edited.outputs(), lambda inputs: crt.relu(inputs[0]), edited.inputs())
    gc.collect()
    assert alive() is None


def test_clone_and_deepcopy():
    graph = relu_chain(2)
    for copied in (graph.clone(), copy.deepcopy(graph)):
        assert copied != graph and copied.to_mlir() == graph.to_mlir()
        copied.bypass_node(copied.nodes()[1])
        assert len(copied.nodes()) == 2 and len(graph.nodes()) == 3
    with pytest.raises(TypeError):
        copy.copy(graph)


def test_text():
    graph = relu_chain(1)
    assert "clika.relu" in graph.to_mlir() and formulas(ModelGraph.from_mlir(graph.to_mlir())) == ["Relu(x0)"]
    assert graph.to_string() == str(graph) and "graph" in repr(graph)
    assert graph.to_dot().startswith("digraph")
    with pytest.raises(crt.InvalidArgumentError, match="^from_mlir: "):
        ModelGraph.from_mlir("func.func @")


def test_who_reads_a_value():
    def model(inputs):
        x, flag = inputs
        twice = crt.neg(x)
        once = crt.exp(twice + twice)
        (chosen,) = crt.if_(flag, lambda: [crt.abs(x)], lambda: [x])
        return [once, twice, chosen]

    graph = crt.trace(model, [crt.TensorSpec("x", crt.float32, [2]), crt.TensorSpec("flag", crt.bool_, [])]).graph
    x, flag = graph.inputs()
    neg, add, exp = (graph.find_nodes(code)[0] for code in (OpCode.Neg, OpCode.Add, OpCode.Exp))
    assert [value.out_degree() for value in (neg.output(0), add.output(0), exp.output(0))] == [3, 1, 1]
    # Neg, and twice inside the regions: Abs and the other branch's result.
    assert x.out_degree() == 3 and x.is_read_in_region() and not flag.is_read_in_region()
    assert not neg.output(0).is_read_in_region()
    assert [node.position() for node in graph.nodes()] == list(range(len(graph.nodes())))
    (branch,) = graph.find_nodes(OpCode.If)
    assert [node.position() for node in branch.region_nodes(0)] == [0]


@pytest.mark.parametrize("dtype", [crt.float16, crt.bfloat16, crt.float32, crt.float64, crt.int8, crt.uint64, crt.bool_])
def test_constants_near_a_number(dtype):
    graph = ModelGraph()
    one = graph.add_constant(crt.cast(crt.tensor([1.0, 1.0]), dtype))
    assert one.is_constant_scalar(1) and not one.is_constant_scalar(2) and not one.is_constant_scalar(np.nan)
    mixed = graph.add_constant(crt.cast(crt.tensor([1.0, 0.0]), dtype))
    assert not mixed.is_constant_scalar(1) and not mixed.is_constant_scalar(0)
    assert not graph.add_constant(crt.empty([0], dtype)).is_constant_scalar(1)


def test_the_one_number_of_a_large_unsigned_constant():
    graph = ModelGraph()
    for number, scalar in ((2**63 - 1, 2**63 - 1), (2**63, None), (2**64 - 1, None)):
        constant = graph.add_constant(np.full(2, number, np.uint64))
        assert constant.constant_scalar() == scalar
    # A rule that asks goes on.
    specs = [crt.TensorSpec("x", crt.uint64, [2])]
    graph = crt.trace(lambda t: crt.mul(t[0], np.full(2, 2**63, np.uint64)), specs).graph
    rule = transforms.rewrite("one", Pattern([OpCode.Mul]), lambda m, t: t[0], lambda m: m.inputs[1].constant_scalar() == 1)
    graph.optimize([rule])
    assert [node.op_code for node in graph.nodes()][-1] == OpCode.Mul


def test_tolerances_of_constants():
    graph = ModelGraph()
    near = graph.add_constant(np.array([0.7071, 0.7072], np.float32))
    assert near.is_constant_scalar(2**-0.5, 1e-3) and not near.is_constant_scalar(2**-0.5, 1e-5)
    large = graph.add_constant(np.array([1000.5, 999.5]))
    assert large.is_constant_scalar(1000, 0.0006) and not large.is_constant_scalar(1000, 0.0004)
    assert graph.add_constant(np.array([np.nan])).is_constant_scalar(np.nan)
    assert graph.add_constant(np.array([np.inf])).is_constant_scalar(np.inf)
    assert not graph.add_input(crt.TensorSpec("x", crt.float32, [])).is_constant_scalar(0)
    for wrong in (-1.0, np.nan, np.inf):
        with pytest.raises(crt.InvalidArgumentError, match="^is_constant_scalar: tolerance is .*; give a finite number"):
            near.is_constant_scalar(1, wrong)


def test_what_a_value_folds_to():
    weight = np.arange(6, dtype=np.float32).reshape(2, 3)
    graph = ModelGraph()
    x, w = graph.add_input(crt.TensorSpec("x", crt.float32, ["n", 3])), graph.add_constant(weight)

    def model(inputs):
        x, w = inputs
        folded = crt.exp(crt.transpose(w, [1, 0])) * 2.0
        parts = crt.split(w, [1, 1, 1], axis=1)
        return [crt.matmul(x, folded), folded, parts[1] + parts[2], crt.shape(x), crt.shape(folded), x * 0.0]

    for i, value in enumerate(graph.insert(model, [x, w])):
        graph.add_output(value, f"y{i}")
    before = graph.to_mlir()
    product, folded, parts, sizes, known, zero = (value.folded_constant() for value in graph.outputs())
    np.testing.assert_allclose(folded.numpy(), np.exp(weight.T) * 2, rtol=1e-6)
    np.testing.assert_array_equal(parts.numpy(), weight[:, 1:2] + weight[:, 2:3])
    assert known.numpy().tolist() == [3, 2]
    assert product is None and sizes is None and zero is None and graph.to_mlir() == before
    assert np.shares_memory(w.folded_constant().numpy(), w.constant().numpy())
    graph.optimize([crt.graph.transforms.fold_constants()])
    np.testing.assert_array_equal(graph.outputs()[1].constant().numpy(), folded.numpy())


def test_what_does_not_fold():
    graph = ModelGraph()
    one, three = graph.add_constant(np.array([1.0])), graph.add_constant(np.array([-3]))

    def model(inputs):
        wide = crt.expand(inputs[0], [1 << 23])
        return [crt.reduce_sum(wide), crt.reshape(inputs[0], crt.neg(inputs[1]))]

    assert [value.folded_constant() for value in graph.insert(model, [one, three])] == [None, None]


def test_a_fresh_size_is_none_that_the_signature_names():
    graph = crt.trace(lambda t: [crt.neg(t[0]), crt.neg(t[1]), crt.neg(t[2])],
                      [crt.TensorSpec("x", crt.float32, [None]), crt.TensorSpec("y", crt.float32, ["dim_0"]),
                       crt.TensorSpec("z", crt.float32, [-1, "dim_1"])]).graph
    graph.finalize()
    shapes = [[3], [4], [5, 6]]
    assert [list(y.shape) for y in graph.run([np.ones(shape, np.float32) for shape in shapes])] == shapes
    other = ModelGraph()
    other.add_function("f", lambda t: [t[0], t[1]], [crt.TensorSpec("a", crt.float32, [None]),
                                                      crt.TensorSpec("b", crt.float32, ["dim_0"])])
    assert '"dim_0"' not in other.to_mlir().split("->")[0].split("%arg1")[0]
