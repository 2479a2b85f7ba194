"""Private functions of a graph: made, called, asked, rewritten, inlined, saved, against the same program in NumPy."""

from __future__ import annotations

import re

import numpy as np
import pytest

import clika_runtime as crt
from clika_runtime.graph import ModelGraph, OpCode, Pattern, PatternTransform, Transform, transforms

F32 = np.float32
X = np.array([[1, -2, 3], [-4, 5, -6]], F32)


def spec(*shape, name="x", dtype=crt.float32):
    return crt.TensorSpec(name, dtype, list(shape))


def inner(t):
    return [crt.relu(crt.relu(t[0])) * 2.0]


def outer(t):
    return [crt.call("inner", t)[0] + crt.neg(crt.neg(t[0]))]


def calling(shape=(2, 3), calls=2):
    """`outer` over `inner`, called several times in a row, with dimensions of names that are the functions' own."""
    graph = ModelGraph("calling")
    graph.add_function("inner", inner, [spec("rows", "cols")])
    graph.add_function("outer", outer, [spec("m", "n")])

    def fn(t):
        for _ in range(calls):
            t = crt.call("outer", t)
        return t

    graph.add_output(graph.insert(fn, [graph.add_input(spec(*shape))])[0], "y")
    return graph


def expected(x, calls=2):
    for _ in range(calls):
        x = np.maximum(x, 0) * F32(2) + x
    return x


def run(graph, *inputs, **options):
    copy = graph.clone()
    copy.finalize(**options)
    return [y.numpy() for y in copy.run(list(inputs))]


@pytest.mark.parametrize("shape", [(2, 3), ("batch", 3), ("a", "b")])
def test_calls_run(shape):
    graph = calling(shape)
    graph.verify()
    np.testing.assert_array_equal(run(graph, X)[0], expected(X))
    assert graph.outputs()[0].shape == shape
    if shape == ("a", "b"):
        np.testing.assert_array_equal(run(graph, X.T.copy())[0], expected(X.T))


def test_every_call_has_sizes_of_its_own():
    graph = ModelGraph("sizes")
    graph.add_function("double", lambda t: [crt.concat([t[0], t[0]], 0)], [spec("n")])
    y = graph.insert(lambda t: crt.call("double", crt.call("double", t)), [graph.add_input(spec(3))])
    assert y[0].shape == (12,)
    z = graph.insert(lambda t: crt.call("double", crt.call("double", t)), [graph.add_input(spec("k", name="k"))])
    assert z[0].shape == ("k * 4",)
    graph.add_output(y[0], "y")
    graph.add_output(z[0], "z")
    a, b = np.arange(3, dtype=F32), np.arange(2, dtype=F32)
    got = run(graph, a, b)
    np.testing.assert_array_equal(got[0], np.tile(a, 4))
    np.testing.assert_array_equal(got[1], np.tile(b, 4))


def test_a_size_that_only_the_function_knows_is_another_in_each_call():
    graph = ModelGraph("found")
    graph.add_function("found", lambda t: [crt.non_zero(t[0])], [spec("n")])
    x, y = graph.add_input(spec("n")), graph.add_input(spec("n", name="y"))
    a, b = (graph.insert(lambda t: crt.call("found", t), [value])[0] for value in (x, y))
    assert a.shape[1] != b.shape[1]
    graph.add_output(a, "a")
    graph.add_output(b, "b")
    got = run(graph, np.array([1, 0, 2], F32), np.array([0, 0, 2], F32))
    assert [g.tolist() for g in got] == [[[0, 2]], [[2]]]


def test_a_squeeze_of_sizes_that_differ_from_call_to_call_names_its_axes():
    """Without axes its rank would follow from the call."""
    graph = ModelGraph("squeeze")
    with pytest.raises(crt.InvalidArgumentError, match="squeeze: without axes .* the size of dimension 0 is not known before a run; give axes"):
        graph.add_function("plain", lambda t: [crt.squeeze(t[0])], [spec("n", 1, "m")])
    graph.add_function("named", lambda t: [crt.squeeze(t[0], [1])], [spec("n", 1, "m")])
    x = graph.add_input(spec(1, 1, 3))
    graph.add_output(graph.insert(lambda t: crt.call("named", t), [x])[0], "a")
    values = np.arange(3, dtype=F32)
    np.testing.assert_array_equal(run(graph, values.reshape(1, 1, 3))[0], values.reshape(1, 3))


def test_text_and_files_keep_functions(tmp_path):
    graph = calling()
    text = graph.to_mlir()
    assert text.index("@inner") < text.index("@outer") < text.index("@main")
    again = ModelGraph.from_mlir(text)
    assert again.to_mlir() == text
    graph.save(tmp_path / "graph.clika")
    loaded = ModelGraph.load(tmp_path / "graph.clika")
    assert loaded.to_mlir() == text and loaded.function_names() == ["inner", "outer"]
    copy = graph.clone()
    assert copy.to_mlir() == text
    for each in (again, loaded, copy):
        each.verify()
        np.testing.assert_array_equal(run(each, X)[0], expected(X))


def test_functions_can_be_asked():
    graph = calling()
    assert graph.function_names() == ["inner", "outer"]
    nodes = graph.function_nodes("outer")
    assert [node.op_code.name for node in nodes] == ["Call", "Neg", "Neg", "Add"]
    call = nodes[0]
    assert call.attribute("callee") == "inner" and call.attributes == {"callee": "inner"} and call.function() == "outer"
    assert call.owner() is None and graph.nodes()[1].function() is None
    (x,) = graph.function_inputs("outer")
    assert x.name == "@outer/x" and x.producer() is None and not x.is_graph_input() and not x.is_graph_output()
    assert x.shape == ("m", "n") and x.users() == [call, nodes[1]]
    assert graph.function_outputs("outer") == nodes[3].outputs and not nodes[3].output(0).is_graph_output()
    assert nodes[3].out_degree() == 1 and graph.find_node(call.name) == call
    # nodes() is the graph's own.
    assert [node.op_code.name for node in graph.nodes()] == ["Input", "Call", "Call"]
    assert len(graph.find_nodes(OpCode.Call)) == 2 and "callee='inner'" in str(call)
    for ask in (graph.function_nodes, graph.function_inputs, graph.function_outputs, graph.remove_function):
        with pytest.raises(crt.NotFoundError, match="no private function 'none'; it has 'inner', 'outer'"):
            ask("none")


def test_names_are_the_whole_graphs():
    graph = calling()
    names = [node.name for f in graph.function_names() for node in graph.function_nodes(f)]
    names += [node.name for node in graph.nodes()]
    assert len(set(names)) == len(names)
    text = """
    func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> {
      %relu_1 = clika.relu %a : tensor<2xf32>
      return %relu_1 : tensor<2xf32>
    }
    func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> {
      %relu_1 = clika.relu %x : tensor<2xf32>
      %y = clika.call @f(%relu_1) : (tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }"""
    graph = ModelGraph.from_mlir(text)
    assert [node.name for node in graph.nodes()[1:]] == ["relu_1", "y"] and graph.function_nodes("f")[0].name != "relu_1"
    assert ModelGraph.from_mlir(graph.to_mlir()).to_mlir() == graph.to_mlir()


CALLEE = "func.func private @f(%a: tensor<?x3xf32, #clika.dims<n, 3>>, %b: tensor<?xf32, #clika.dims<n>>) -> tensor<?x3xf32, #clika.dims<n, 3>> {\n  return %a : tensor<?x3xf32, #clika.dims<n, 3>>\n}\n"


@pytest.mark.parametrize(("text", "message"), [
    ("func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> { %y = clika.call @h(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
     "return %y : tensor<2xf32> }", "calls 'h', and the module has no function of that name"),
    ("func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> { %y = clika.call @g(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
     "return %y : tensor<2xf32> }", "calls 'g', which is the graph itself"),
    (CALLEE + "func.func @g(%x: tensor<2x3xf32>) -> tensor<2x3xf32> { %y = clika.call @f(%x) : (tensor<2x3xf32>) -> "
     "tensor<2x3xf32>\nreturn %y : tensor<2x3xf32> }", "the call has 1 input, and the function takes 2"),
    (CALLEE + "func.func @g(%x: tensor<2x4xf32>, %z: tensor<2xf32>) -> tensor<2x3xf32> { %y = clika.call @f(%x, %z) : "
     "(tensor<2x4xf32>, tensor<2xf32>) -> tensor<2x3xf32>\nreturn %y : tensor<2x3xf32> }",
     r"input 0 is float32\[2, 4\], and the function takes float32\[n, 3\]"),
    (CALLEE + "func.func @g(%x: tensor<2x3xf32>, %z: tensor<4xf32>) -> tensor<2x3xf32> { %y = clika.call @f(%x, %z) : "
     "(tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>\nreturn %y : tensor<2x3xf32> }", "n is 2 in this call"),
    (CALLEE + "func.func @g(%x: tensor<?x3xf32>, %z: tensor<4xf32>) -> tensor<?x3xf32> { %y = clika.call @f(%x, %z) : "
     "(tensor<?x3xf32>, tensor<4xf32>) -> tensor<?x3xf32>\nreturn %y : tensor<?x3xf32> }",
     "the size n is not known of every input"),
    (CALLEE + "func.func @g(%x: tensor<2x3xf32>, %z: tensor<2xf32>) -> tensor<5x3xf32> { %y = clika.call @f(%x, %z) : "
     "(tensor<2x3xf32>, tensor<2xf32>) -> tensor<5x3xf32>\nreturn %y : tensor<5x3xf32> }",
     r"whose result 0 is float32\[2, 3\] in this call, and not float32\[5, 3\]"),
    ("func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> { %y = clika.call @h(%x) : (tensor<2xf32>) -> "
     "tensor<2xf32>\nreturn %y : tensor<2xf32> }\nfunc.func private @h(%x: tensor<2xf32>) -> tensor<2xf32> { %y = "
     "clika.call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>\nreturn %y : tensor<2xf32> }\nfunc.func @g() { return }",
     "functions call each other: 'f' calls 'h', which calls 'f'; none may come to call itself"),
    ("func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> { %y = clika.call @f(%x) : (tensor<2xf32>) -> "
     "tensor<2xf32>\nreturn %y : tensor<2xf32> }\nfunc.func @g() { return }", "'f' calls 'f'; none may come"),
    ("func.func private @f(tensor<2xf32>) -> tensor<2xf32>\nfunc.func @g() { return }",
     "the function 'f' has no body of one block"),
    ("func.func private @main() { return }\nfunc.func @g() { return }", "a private function is named 'main'"),
    ("func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }",
     "the module has no public function"),
])  # fmt: skip
def test_text_that_is_no_graph_is_refused(text, message):
    with pytest.raises(crt.InvalidArgumentError, match=f"^from_mlir: .*{message}"):
        ModelGraph.from_mlir(text)


def test_functions_may_stand_in_any_order():
    text = """
    func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = clika.call @a(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
    func.func private @a(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = clika.call @b(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
    func.func private @b(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = clika.exp %x : tensor<2xf32>
      return %y : tensor<2xf32>
    }"""
    graph = ModelGraph.from_mlir(text)
    assert graph.function_names() == ["b", "a"]
    x = np.array([0, 0], F32)
    assert run(graph, x)[0].tolist() == [1, 1]


def test_what_does_not_fit_is_refused():
    graph = calling()
    x = graph.inputs()[0]
    row = graph.insert(lambda t: [crt.reduce_sum(t[0], [0])], [x])[0]
    flags = graph.insert(lambda t: [t[0] > 0], [x])[0]
    node = graph.find_nodes(OpCode.Call)[0]
    state = graph.to_mlir()
    for refused, error, message in [
        (lambda: graph.insert(lambda t: crt.call("inner", t), [row]), crt.InvalidArgumentError,
         r"call: the function 'inner': input 0 is float32\[3\], and the function takes float32\[rows, cols\]"),
        (lambda: graph.insert(lambda t: crt.call("inner", t), [flags]), crt.InvalidArgumentError, r"input 0 is bool\[2, 3\]"),
        (lambda: graph.insert(lambda t: crt.call("inner", [t[0], t[0]]), [x]), crt.InvalidArgumentError, "has 2 inputs"),
        (lambda: graph.insert(lambda t: crt.call("none", t), [x]), crt.NotFoundError, "call: the graph has no private function 'none'"),
        (lambda: crt.call("inner", crt.tensor(X)), crt.InvalidArgumentError, "call: nothing is being recorded"),
        (lambda: crt.trace(lambda t: crt.call("inner", t), [spec(2, 3)]), crt.NotFoundError, "it has none"),
        (lambda: graph.add_function("inner", inner, [spec(2)]), crt.InvalidArgumentError, "'inner' is in use, by another function"),
        (lambda: graph.add_function("main", inner, [spec(2)]), crt.InvalidArgumentError, "'main' is the graph's own"),
        (lambda: graph.add_function("", inner, [spec(2)]), crt.InvalidArgumentError, "the function's name is empty"),
        (lambda: graph.add_function("f", inner, [spec(2), spec(3)]), crt.InvalidArgumentError, "two inputs are named 'x'"),
        (lambda: graph.add_function("f", lambda t: crt.call("f", t), [spec(2)]), crt.NotFoundError, "no private function 'f'"),
        (lambda: graph.remove_function("inner"), crt.InvalidArgumentError, "'inner' is called by 'call_"),
        (lambda: graph.add_node(OpCode.Call, [x]), crt.UnsupportedError, "insert()"),
        (lambda: graph.set_input(node, 0, row), crt.InvalidArgumentError, "set_input"),
        (lambda: graph.set_attribute(node, "callee", "inner"), crt.UnsupportedError, "set_attribute: the node 'call_.' calls one function for good; call another with insert"),
    ]:  # fmt: skip
        with pytest.raises(error, match=message) as refusal:
            refused()
        assert graph.to_mlir() == state, refusal


def test_no_function_comes_to_call_itself():
    graph = calling()
    relu = graph.function_nodes("inner")[0]
    for name in ("inner", "outer"):
        before = graph.to_mlir()
        with pytest.raises(crt.InvalidArgumentError, match=f"the function 'inner' would call itself{', by .outer.' if name == 'outer' else ''}; none"):
            graph.replace(relu.outputs, lambda t: crt.call(name, t), relu.inputs)  # noqa: B023
        assert graph.to_mlir() == before


def test_a_function_that_is_added_late_may_be_called_early():
    graph = calling()
    graph.add_function("late", lambda t: [crt.abs(t[0])], [spec("a", "b")])
    relu = graph.function_nodes("inner")[0]
    graph.replace(relu.outputs, lambda t: crt.call("late", t), relu.inputs)
    assert graph.function_names() == ["late", "inner", "outer"]
    graph.verify()
    assert ModelGraph.from_mlir(graph.to_mlir()).to_mlir() == graph.to_mlir()

    def late(x):
        return np.maximum(np.abs(x), 0) * F32(2) + x

    np.testing.assert_array_equal(run(graph, X)[0], late(late(X)))


def test_values_stay_in_their_function():
    graph = calling()
    relu, neg = graph.function_nodes("inner")[0], graph.function_nodes("outer")[1]
    for refused in (
        lambda: graph.set_input(neg, 0, relu.output(0)),
        lambda: graph.insert(lambda t: [t[0] + t[1]], [relu.output(0), graph.inputs()[0]]),
        lambda: graph.add_output(relu.output(0), "stray"),
        lambda: graph.set_input(graph.nodes()[1], 0, relu.output(0)),
    ):
        before = graph.to_mlir()
        with pytest.raises(crt.InvalidArgumentError):
            refused()
        assert graph.to_mlir() == before


def test_edits_inside_a_function():
    graph = calling()
    relu, second, mul = graph.function_nodes("inner")
    graph.bypass_node(second)
    graph.replace(relu.outputs, lambda t: [crt.exp(t[0])], relu.inputs)
    graph.rename_node(mul, "scaled")
    graph.set_input(mul, 0, graph.function_inputs("inner")[0])
    graph.verify()
    assert [node.op_code.name for node in graph.function_nodes("inner")] == ["Exp", "Mul"]
    x = expected(X, 0)
    for _ in range(2):
        x = x * F32(2) + x
    np.testing.assert_array_equal(run(graph, X)[0], x)
    with pytest.raises(crt.InvalidArgumentError, match="is read by the results of the function 'inner'"):
        graph.remove_node(mul)


def test_transforms_work_inside_functions_callees_first():
    graph = calling()
    order = []

    class Watch(PatternTransform):
        def match(self, graph, node):
            order.append(node.function())
            return None

        def apply(self, graph, match, tensors):
            raise NotImplementedError

    rule = transforms.rewrite("pair", Pattern([OpCode.Relu, OpCode.Relu]), lambda match, t: crt.relu(t[0]))
    report = graph.optimize([Watch("watch"), rule, "remove_double_neg"], check=True, verify=True)
    assert order[:9] == ["inner"] * 3 + ["outer"] * 4 + [None] * 2
    # Once each, however often it is called.
    assert [row.rewrites for row in report.transforms] == [0, 1, 1]
    assert [(row.path, row.rewrites, row.nodes_before, row.nodes_after) for row in report.regions] == [
        ("@inner", 1, 3, 2), ("@outer", 1, 4, 2)]  # fmt: skip
    assert report.nodes_before == 3 and report.phases.regions > 0
    np.testing.assert_array_equal(run(graph, X)[0], expected(X))
    everything = calling()
    everything.optimize(check=True, verify=True)
    np.testing.assert_array_equal(run(everything, X)[0], expected(X))


def test_the_check_sees_into_functions():
    graph = calling()
    wrong = transforms.rewrite("wrong", Pattern([OpCode.Relu, OpCode.Relu]), lambda match, t: crt.exp(t[0]))
    before = graph.to_mlir()
    with pytest.raises(crt.Error, match="wrong") as error:
        graph.optimize([wrong], check=True)
    assert error.value.code_name == "CHECK_FAILED" and graph.to_mlir() == before
    assert re.search(r"changes the function '(\w+)'; in '@\1' it .*removes 'relu_1', 'relu_2'$", str(error.value))


def test_calls_of_equal_values_are_merged():
    graph = ModelGraph("twice")
    graph.add_function("inner", inner, [spec("a", "b")])
    x = graph.add_input(spec(2, 3))
    ys = graph.insert(lambda t: crt.call("inner", t) + crt.call("inner", t), [x])
    graph.add_output(graph.insert(lambda t: [t[0] + t[1]], ys)[0], "y")
    graph.optimize(["remove_duplicates"], check=True)
    assert len(graph.find_nodes(OpCode.Call)) == 1


def test_a_failed_run_leaves_functions_as_they_were():
    graph = calling()
    before = graph.to_mlir()
    handles = [node for f in graph.function_names() for node in graph.function_nodes(f)]
    (x,) = graph.function_inputs("outer")
    names = [node.name for node in handles]

    def fails(g):
        g.add_function("more", inner, [spec(2, 3)])
        neg = g.function_nodes("outer")[1]
        g.replace(neg.outputs, lambda t: crt.call("more", t) if False else [crt.exp(t[0])], neg.inputs)
        g.inline_functions()
        assert g.function_names() == []
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        graph.optimize(["remove_double_neg", Transform("fails", fails)])
    assert graph.to_mlir() == before
    assert all(node.is_valid() for node in handles) and [node.name for node in handles] == names
    assert x.is_valid() and x == graph.function_inputs("outer")[0] and x.name == "@outer/x"
    graph.verify()


def test_a_pattern_class_may_add_functions():
    class Outline(PatternTransform):
        """Puts a Relu over a Relu into a function of its own."""

        def root_op_codes(self):
            return {OpCode.Relu}

        def match(self, graph, node):
            inner = node.input(0).producer()
            found = inner is not None and inner.op_code == OpCode.Relu and node.function() != "relus"
            return self.result([inner, node]) if found else self.no_match(node, "no relu over a relu")

        def apply(self, graph, match, tensors):
            if "relus" not in graph.function_names():
                graph.add_function("relus", lambda t: [crt.relu(crt.relu(t[0]))], [spec("a", "b")])
            return crt.call("relus", tensors)

    graph = calling()
    report = graph.optimize([Outline("outline")], check=True, verify=True)
    assert report.transforms[0].rewrites == 1 and graph.function_names() == ["relus", "inner", "outer"]
    np.testing.assert_array_equal(run(graph, X)[0], expected(X))


def test_a_constant_that_a_pattern_class_adds_is_where_the_match_is():
    class Shift(PatternTransform):
        def root_op_codes(self):
            return {OpCode.Exp}

        def match(self, graph, node):
            return self.result([node])

        def apply(self, graph, match, tensors):
            one = graph.add_constant(np.array(1, F32))
            return [crt.add(crt.neg(tensors[0]), self.value(one))]

    graph = ModelGraph("shift")
    graph.add_function("f", lambda t: [crt.exp(t[0])], [spec("a", "b")])
    graph.add_output(graph.insert(lambda t: crt.call("f", [crt.exp(t[0])]), [graph.add_input(spec(2, 3))])[0], "y")
    graph.optimize([Shift("shift")], verify=True)
    np.testing.assert_array_equal(run(graph, X)[0], -(-X + 1) + 1)


def test_functions_are_inlined_on_request():
    graph = calling()
    (call,) = (node for node in graph.nodes() if graph.outputs()[0].producer() == node)
    dangling = graph.function_nodes("inner")[0]
    graph.inline_functions()
    graph.verify()
    assert graph.function_names() == [] and "clika.call" not in graph.to_mlir() and not dangling.is_valid()
    # What takes the place of a call has its name and handle.
    assert call.is_valid() and call.op_code == OpCode.Add and graph.outputs()[0].producer() == call
    np.testing.assert_array_equal(run(graph, X)[0], expected(X))
    graph.inline_functions()
    unread = ModelGraph("unread")
    unread.add_function("inner", inner, [spec("a", "b")])
    unread.remove_function("inner")
    assert unread.to_mlir() == ModelGraph("unread").to_mlir()
    unread.add_function("inner", inner, [spec("a", "b")])
    assert unread.function_nodes("inner")[0].is_valid()


def test_a_call_that_the_function_does_not_suit_is_named():
    graph = ModelGraph("unfit")
    graph.add_function("add", lambda t: [t[0] + t[1]], [spec("n"), spec("m", name="y")])
    y = graph.insert(lambda t: crt.call("add", t), [graph.add_input(spec(2)), graph.add_input(spec(3, name="b"))])
    graph.add_output(y[0], "y")
    before = graph.to_mlir()
    with pytest.raises(crt.InvalidArgumentError, match="finalize: a function does not suit the sizes of one of its calls"):
        graph.finalize()
    with pytest.raises(crt.InvalidArgumentError, match="inline_functions: a function does not suit the sizes"):
        graph.inline_functions()
    assert graph.to_mlir() == before


def test_calls_in_branches_and_loops():
    graph = ModelGraph("control")
    graph.add_function("inner", inner, [spec("a", "b")])

    def fn(t):
        def body(i, x):
            return None, crt.if_(i > 0, lambda: crt.call("inner", x), lambda: [crt.neg(x)]), []

        return crt.loop(3, None, [t[0]], body)[0]

    graph.add_output(graph.insert(fn, [graph.add_input(spec(2, 3))])[0], "y")
    report = graph.optimize(["remove_redundant_relu"], check=True, verify=True)
    assert report.transforms[0].rewrites == 1
    want = -X
    for _ in range(2):
        want = np.maximum(want, 0) * F32(2)
    np.testing.assert_array_equal(run(graph, X)[0], want)


def test_weights_of_a_function_are_shared_by_its_calls(tmp_path):
    weights = np.arange(64 * 64, dtype=F32).reshape(64, 64) / F32(1000)
    graph = ModelGraph("weights")
    graph.add_function("layer", lambda t: [crt.matmul(t[0], weights)], [spec("n", 64)])
    fn = lambda t: crt.call("layer", crt.call("layer", crt.call("layer", t)))  # noqa: E731
    graph.add_output(graph.insert(fn, [graph.add_input(spec(2, 64))])[0], "y")
    x = np.ones((2, 64), F32)
    want = x
    for _ in range(3):
        want = crt.matmul(crt.tensor(want), crt.tensor(weights)).numpy()
    graph.save(tmp_path / "graph.clika")
    loaded = ModelGraph.load(tmp_path / "graph.clika")
    assert loaded.to_mlir() == graph.to_mlir()
    for each in (graph, loaded):
        np.testing.assert_array_equal(run(each, x)[0], want)
    # Once it is all in one place, it goes with the graph.
    assert loaded.function_nodes("layer")[0].input(1).constant().numpy().tolist() == weights.tolist()


def test_record_and_replay():
    graph, copy, other = calling(), calling(), calling()

    def edits(g):
        if "late" not in g.function_names():
            g.add_function("late", lambda t: [crt.abs(t[0]) + np.arange(3000, dtype=F32).reshape(1000, 3)[:1]], [spec("a", 3)])
            g.add_function("gone", inner, [spec("a", "b")])
            relu = g.function_nodes("inner")[0]
            g.insert(lambda t: crt.call("late", t), [g.inputs()[0]])
            g.rename_node(relu, "first")
        elif "gone" in g.function_names():
            g.remove_function("gone")

    log = graph.optimize([Transform("edits", edits), "remove_double_neg", "remove_redundant_relu"], record=True).log
    assert [(step.transform, step.functions) for step in log.steps] == [
        ("edits", ["inner", "late", "gone"]), ("remove_double_neg", ["outer"]), ("remove_redundant_relu", ["inner", "gone"]),
        ("edits", [])]  # fmt: skip
    assert "changes functions inner, late, gone" in str(log)
    first = copy.function_nodes("outer")[0]
    for each in (copy, ModelGraph.from_mlir(other.to_mlir())):
        each.replay(crt.graph.RewriteLog.from_text(log.text))
        assert each.to_mlir() == graph.to_mlir()
        each.verify()
        np.testing.assert_array_equal(run(each, X)[0], expected(X))
    assert first.is_valid() and first == copy.function_nodes("outer")[0]
    # Another graph, and a log that somebody has changed.
    for text, message in [(log.text, "the log is of another graph"),
                          (log.text.replace('clika.function = "outer"', 'clika.function = "main"'), "graph's name"),
                          (log.text.replace('clika.function = "outer"', 'clika.function = "inner"'), "another graph|replay"),
                          (log.text.replace("clika.function_of = 1", "clika.function_of = 9"), "of which step")]:  # fmt: skip
        before = graph.to_mlir()
        fresh = graph if text == log.text else calling()
        state = fresh.to_mlir()
        with pytest.raises(crt.InvalidArgumentError, match=message):
            fresh.replay(crt.graph.RewriteLog.from_text(text))
        assert fresh.to_mlir() == state and graph.to_mlir() == before
    with pytest.raises(crt.InvalidArgumentError, match="from_mlir: the module is a log of rewrites"):
        ModelGraph.from_mlir(log.text)


def test_a_log_that_inlines_functions():
    graph, copy = calling(), calling()
    inline = Transform("inline", lambda g: g.inline_functions())
    copy.replay(graph.optimize([inline, "remove_redundant_relu"], record=True).log)
    assert copy.to_mlir() == graph.to_mlir() and copy.function_names() == []


def test_pass_pipelines_see_functions():
    graph = calling()
    graph.add_function("unread", inner, [spec("a", "b")])
    graph.optimize([Transform.from_pass_pipeline("canonicalize,cse,symbol-dce")], check=True, verify=True)
    assert graph.function_names() == ["inner", "outer"]
    np.testing.assert_array_equal(run(graph, X)[0], expected(X))


def test_the_picture_shows_what_a_call_does(tmp_path):
    calling().optimize(["remove_double_neg"]).to_html(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.count(">@outer</text>") == 4 and page.count(">@inner</text>") == 4


def test_reasons_inside_functions():
    graph = calling()
    rule = transforms.rewrite("pair", Pattern([OpCode.Relu, OpCode.Relu]), lambda match, t: crt.relu(t[0]))
    first, second, mul = graph.function_nodes("inner")
    assert graph.why_not(rule, second) is None and graph.why_not(rule, first) is None
    assert "is none of the pattern's nodes" in graph.why_not(rule, mul)
    assert graph.why_not(transforms.remove_redundant_relu(), second) is None
    assert graph.why_not(transforms.remove_double_neg(), mul) is not None
    (match,) = graph.find_occurrences(Pattern([OpCode.Relu, OpCode.Relu]))
    assert [node.name for node in match.nodes] == [first.name, second.name]
    assert [value.name for value in match.inputs] == ["@inner/x"] and match.outputs == second.outputs
    report = graph.optimize([rule, "remove_redundant_relu"], keep=[second])
    assert report.rewrites == 0 and report.transforms[0].skipped_by.kept == 1 and second.is_valid()


def test_a_constant_condition_in_a_function_takes_its_branch():
    graph = ModelGraph("choice")
    fn = lambda t: crt.if_(crt.reduce_sum(t[0]) > 0, lambda: [crt.relu(t[0])], lambda: [crt.neg(t[0])])  # noqa: E731
    graph.add_function("choose", fn, [spec("a", "b")])
    graph.add_output(graph.insert(lambda t: crt.call("choose", t), [graph.add_input(spec(2, 3))])[0], "y")
    text = graph.to_mlir()
    choice = graph.function_nodes("choose")[-1]
    condition = choice.input(0)
    graph.replace([condition], lambda t: [crt.tensor(np.array(False))], [])
    report = graph.optimize(["fold_constants"], check=True, verify=True)
    assert report.transforms[0].rewrites == 1 and graph.to_mlir() != text
    assert [node.op_code.name for node in graph.function_nodes("choose") if node.out_degree()] == ["Neg"]
    np.testing.assert_array_equal(run(graph, X)[0], -X)


def chain(count, calls):
    """Functions of which each calls the one before it, so many times."""
    body = lambda i: "".join(f"    %y{k} = clika.call @f{i - 1}(%{f'y{k - 1}' if k else 'x'}) : (tensor<1xf32>) -> tensor<1xf32>\n" for k in range(calls))  # noqa: E731
    first = "func.func private @f0(%x: tensor<1xf32>) -> tensor<1xf32> {\n    %y = clika.neg %x : tensor<1xf32>\n    return %y : tensor<1xf32>\n}\n"
    rest = "".join(f"func.func private @f{i}(%x: tensor<1xf32>) -> tensor<1xf32> {{\n{body(i)}    return %y{calls - 1} : tensor<1xf32>\n}}\n"
                   for i in range(1, count))  # fmt: skip
    last = f"func.func @g(%x: tensor<1xf32>) -> tensor<1xf32> {{\n{body(count)}    return %y{calls - 1} : tensor<1xf32>\n}}\n"
    return ModelGraph.from_mlir(first + rest + last)


@pytest.mark.parametrize(("count", "calls", "message"), [
    (60, 2, "what '.*' calls comes to more than 10000000 operators"), (3000, 1, "lie more than 500 deep"),
])  # fmt: skip
def test_calls_that_nobody_could_follow_are_refused(count, calls, message):
    graph = chain(count, calls)
    for refused in (graph.finalize, graph.inline_functions, lambda: graph.optimize(["remove_unused"], check=True)):
        with pytest.raises(crt.InvalidArgumentError, match=message):
            refused()
    graph.optimize()
    graph.verify()


def test_many_functions_in_a_row_are_followed():
    graph = chain(400, 1)
    graph.optimize(["remove_unused"], check=True)
    assert run(graph, np.ones(1, F32))[0].tolist() == [-1]
