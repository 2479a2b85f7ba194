"""What went wrong with graph rewriting for users of other systems, as cases for ours. The names (a1, a3, …) are those of
the list the project keeps of such reports."""

import numpy as np
import onnx
import pytest
from graphs import formulas, traced

import clika_runtime as crt
from clika_runtime.graph import OpCode, Pattern, Transform, transforms

f32 = crt.float32


def rows(report):
    return [row.applications for row in report.transforms]


def ran(graph, inputs):
    graph.finalize()
    return [output.numpy() for output in graph.run([np.asarray(i) for i in inputs])]


def same_numbers(graph, *inputs, rtol=0.0, atol=0.0):
    """EQ: the default list keeps what the graph computes. Returns what it computes, and the optimized graph."""
    plain, optimized = graph.clone(), graph.clone()
    optimized.optimize()
    formulas_after = formulas(optimized)
    expected, actual = ran(plain, inputs), ran(optimized, inputs)
    assert len(expected) == len(actual)
    for e, a in zip(expected, actual, strict=True):
        assert e.dtype == a.dtype and e.shape == a.shape
        if rtol or atol:
            np.testing.assert_allclose(a, e, rtol, atol)
        else:
            np.testing.assert_array_equal(a, e)
            if e.dtype.kind == "f":
                np.testing.assert_array_equal(np.signbit(a)[a == 0], np.signbit(e)[e == 0])
    return expected, formulas_after


def test_a1_fused_across_a_value_the_graph_returns():
    def fn(inputs):
        a = crt.mul(inputs[0], 2.0)
        s = crt.sigmoid(a)
        return [a, s, crt.mul(inputs[0], s)]

    graph = traced(fn, [2, 3])
    pattern = Pattern()
    first, second, third = (pattern.add_node(code) for code in (OpCode.Mul, OpCode.Sigmoid, OpCode.Mul))
    pattern.add_edge(first, second)
    pattern.add_edge(second, third, to_port=1)
    asked = []

    def one_output(match):
        asked.append(len(match.outputs))
        return len(match.outputs) == 1

    rule = transforms.rewrite("scaled_silu", pattern, lambda m, t: crt.silu(t[0]), one_output)
    assert rows(graph.optimize([rule])) == [0] and asked == [3]
    assert len(graph.outputs()) == 3
    before = graph.to_mlir()
    careless = transforms.rewrite("careless", pattern, lambda m, t: crt.silu(t[0]))
    with pytest.raises(crt.Error, match=r"careless.*3 outputs.*1 value"):
        graph.optimize([careless])
    assert graph.to_mlir() == before


def test_a3_the_bypassed_nodes_producer_is_an_output():
    graph = traced(lambda i: [crt.relu(i[0]), crt.concat([crt.relu(i[0])])], [2, 3])
    relu = traced(lambda i: i, [2, 3])  # another graph: its values are refused below

    def fn(inputs):
        r = crt.relu(inputs[0])
        return [r, crt.concat([r])]

    graph = traced(fn, [2, 3], outputs=["r", "y"])
    x = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
    expected = ran(graph.clone(), [x])
    graph.bypass_node(graph.find_nodes(OpCode.Concat)[0])
    (node,) = graph.find_nodes(OpCode.Relu)
    assert graph.output_names() == ["r", "y"]
    assert [value.producer() for value in graph.outputs()] == [node, node]
    with pytest.raises(crt.InvalidArgumentError, match="output"):
        graph.remove_node(node)
    with pytest.raises(crt.InvalidArgumentError):
        graph.replace_all_uses_with(node.output(0), relu.inputs()[0])
    for actual, wanted in zip(ran(graph, [x]), expected, strict=True):
        np.testing.assert_array_equal(actual, wanted)


def test_a5_a_constant_or_an_input_is_an_output():
    k = np.array([0.5, 2.0], np.float32)
    x = np.array([1.0, -1.0], np.float32)
    graph = traced(lambda i: [crt.minimum(i[0], crt.tensor(k)), crt.tensor(k)], [2], outputs=["y", "k"])
    (_, second), _ = same_numbers(graph, x)
    np.testing.assert_array_equal(second, k)
    graph.optimize()
    assert graph.output_names() == ["y", "k"]
    graph = traced(lambda i: [crt.relu(i[0]), i[0]], [2])
    (_, second), _ = same_numbers(graph, x)
    np.testing.assert_array_equal(second, x)
    graph = traced(lambda i: [crt.add(i[0], crt.tensor(k)), crt.sub(i[0], crt.tensor(k.copy())), crt.tensor(k)], [2],
                   outputs=["a", "b", "c"])
    same_numbers(graph, x)
    graph.optimize([transforms.share_constants()])
    assert graph.output_names() == ["a", "b", "c"] and graph.outputs()[2].is_constant()


def test_a7_a_matched_value_with_another_reader():
    b = crt.tensor(np.eye(3, dtype=np.float32))

    def fn(inputs):
        m = crt.matmul(inputs[0], b)
        return [crt.mul(m, 2.0), crt.relu(m)]

    graph = traced(fn, [2, 3])
    seen = []
    rule = transforms.rewrite(
        "scaled_matmul", Pattern.chain([OpCode.Matmul, OpCode.Mul]), lambda m, t: t[0],
        lambda m: bool(seen.append(len(m.outputs))))
    graph.optimize([rule])
    assert seen == [2]
    optimized = graph.clone()
    optimized.optimize()
    assert len(optimized.find_nodes(lambda n: n.op_code in (OpCode.Matmul, OpCode.Linear))) == 1


def test_a9_overlapping_occurrences():
    asked = []
    rule = transforms.rewrite(
        "pair", Pattern.chain([OpCode.Relu, OpCode.Relu]), lambda m, t: crt.relu(t[0]),
        lambda m: asked.append(m) or True)
    graph = traced(lambda i: crt.relu(crt.relu(crt.relu(i[0]))), [2])
    report = graph.optimize([rule])
    assert rows(report) == [2] and report.iterations == 3 and formulas(graph) == ["Relu(x0)"]
    assert len(asked) == 2

    def many(inputs):
        value = inputs[0]
        for _ in range(1000):
            value = crt.relu(value)
        return value

    graph = traced(many, [2])
    graph.optimize([rule])
    assert formulas(graph) == ["Relu(x0)"]


def test_a11_no_match_from_a_failed_branch():
    graph = traced(lambda i: crt.add(crt.relu(i[0]), crt.neg(i[0])), [2])
    pattern = Pattern()
    add, neg, relu = (pattern.add_node(code) for code in (OpCode.Add, OpCode.Neg, OpCode.Relu))
    pattern.add_edge(neg, add, to_port=0)
    pattern.add_edge(relu, add, to_port=1)
    assert graph.find_occurrences(pattern) == []
    asked = []
    rule = transforms.rewrite("swapped", pattern, lambda m, t: t[0], lambda m: asked.append(m))
    assert rows(graph.optimize([rule])) == [0] and asked == []
    one = traced(lambda i: crt.add(crt.mul(i[0], i[0]), crt.mul(i[0], i[0])), [2])
    one.optimize([transforms.remove_duplicates()])
    two_muls = Pattern()
    add, left, right = (two_muls.add_node(code) for code in (OpCode.Add, OpCode.Mul, OpCode.Mul))
    two_muls.add_edge(left, add, to_port=0)
    two_muls.add_edge(right, add, to_port=1)
    assert one.find_occurrences(two_muls) == []


@pytest.mark.parametrize(("perm", "expected"), [([0, 1], [[19, 22], [43, 50]]), ([1, 0], [[17, 23], [39, 53]])])
def test_a13_the_transposes_order_counts(perm, expected):
    graph = traced(lambda i: crt.matmul(i[0], crt.transpose(i[1], perm)), [2, 2], [2, 2])
    a, b = np.array([[1, 2], [3, 4]], np.float32), np.array([[5, 6], [7, 8]], np.float32)
    (y,), _ = same_numbers(graph, a, b)
    np.testing.assert_array_equal(y, expected)


def test_a15_settings_at_their_defaults():
    graph = traced(lambda i: [crt.layer_norm(i[0]), crt.layer_norm(i[0], epsilon=1e-5)], [2, 3])
    left_out, given = graph.find_nodes(OpCode.LayerNorm)
    assert left_out.attribute("epsilon") == given.attribute("epsilon") == 1e-5
    assert left_out.attributes == given.attributes
    rule = transforms.rewrite(
        "plain", Pattern([OpCode.LayerNorm]), lambda m, t: t[0], lambda m: m.nodes[0].attribute("epsilon") == 1e-5)
    assert graph.optimize([rule]).transforms[0].rewrites == 2
    x = traced(lambda i: i, [2, 3]).inputs()[0]
    built = traced(lambda i: i, [2, 3])
    x = built.inputs()[0]
    short, full = built.add_node(OpCode.LayerNorm, [x]), built.add_node(OpCode.LayerNorm, [x, None, None])
    assert short.inputs == full.inputs == [x]
    assert short.input(1) is None and full.input(1) is None and short.input(2) is None


def test_a17_literals_of_nan_and_negative_zero():
    graph = traced(lambda i: crt.reciprocal(crt.clamp(i[0], -0.0)), [1])
    (y,), after = same_numbers(graph, np.array([-1.0], np.float32))
    assert y[0] == -np.inf and "Clamp" in after[0]
    nan = traced(lambda i: crt.clamp(i[0], float("nan")), [1])
    assert not (nan.find_nodes(OpCode.Clamp)[0].attribute("min") == 0)
    nan.optimize()
    assert formulas(nan) == ["Clamp(x0)"]


def test_a19_nodes_of_several_outputs_and_duplicates():
    def fn(inputs):
        v1, _ = crt.topk(inputs[0], 2)
        _, i2 = crt.topk(inputs[0], 2)
        return [v1, i2]

    graph = traced(fn, [4])
    x = np.array([3, 1, 4, 2], np.float32)
    (values, places), _ = same_numbers(graph, x)
    np.testing.assert_array_equal(values, [4, 3])
    np.testing.assert_array_equal(places, [2, 0])
    graph.optimize([transforms.remove_duplicates()])
    (node,) = graph.find_nodes(OpCode.Topk)
    assert graph.outputs() == [node.output(0), node.output(1)]
    different = traced(lambda i: [crt.add(i[0], i[0]), crt.add(i[0], i[0], activation="Relu")], [4])
    assert rows(different.optimize([transforms.remove_duplicates()])) == [0]


def test_a19_operators_that_draw_numbers_are_not_merged(tmp_path):
    """None is among the ops; in a model that is read to be looked at they are opaque, as is what nobody knows."""
    (tmp_path / "random.onnx").write_bytes(onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17, "vendor" : 1]>
        random (float[3] x) => (float[3] a, float[3] b, float[3] c, float[3] d) {
          a = RandomNormalLike (x)
          b = RandomNormalLike (x)
          c = vendor.Look <words = ["p", "q"]> (x)
          d = vendor.Look <words = ["p", "q"]> (x)
        }""").SerializeToString())
    graph = crt.graph.ModelGraph.from_onnx(tmp_path / "random.onnx", allow_unknown=True)
    assert rows(graph.optimize([transforms.remove_duplicates()])) == [0]
    graph.optimize()
    assert len(graph.find_nodes(OpCode.Opaque)) == 4


def test_a19_settings_of_every_kind_are_compared():
    """Each twice: a NaN equals itself, and -0.0, another list, dtype and word differ."""

    def fn(inputs):
        (x,) = inputs
        ops = [
            lambda: crt.clamp(x, float("nan")), lambda: crt.clamp(x, 0.0), lambda: crt.clamp(x, -0.0), lambda: crt.clamp(x, None, 0.0),
            lambda: crt.cast(x, crt.int8), lambda: crt.cast(x, crt.uint8), lambda: crt.reduce_sum(x, [0]),
            lambda: crt.reduce_sum(x, [0, 1]), lambda: crt.gelu(x), lambda: crt.gelu(x, form="Tanh"),
            lambda: crt.reduce_sum(x, [0], keepdims=True),
        ]  # fmt: skip
        return [op() for op in ops for _ in range(2)]

    graph = traced(fn, [3, 4])
    nodes = len(graph.nodes())
    assert graph.optimize([transforms.remove_duplicates()]).transforms[0].rewrites == 11
    assert len(graph.nodes()) == nodes - 11


def test_a21_a_bias_that_grows_the_result():
    k = crt.tensor(np.array([[1], [2], [3]], np.float32))
    row = crt.tensor(np.array([[1, 2, 3, 4]], np.float32))
    graph = traced(lambda i: crt.add(crt.matmul(i[0], k), crt.mul(row, i[1])), [3, 3], [])
    (y,), after = same_numbers(graph, np.ones((3, 3), np.float32), np.float32(2))
    assert y.shape == (3, 4) and "Linear" not in after[0]
    pattern = Pattern.chain([OpCode.Matmul, OpCode.Add])
    rule = transforms.rewrite(
        "as_linear", pattern, lambda m, t: crt.linear(t[0], crt.transpose(t[1]), t[2]))
    before = graph.to_mlir()
    with pytest.raises(crt.InvalidArgumentError, match="^linear: "):
        graph.optimize([rule])
    assert graph.to_mlir() == before


def test_a23_a_scale_that_broadcasts_up():
    scale = crt.tensor(np.zeros(2, np.float32))

    def fn(inputs):
        x = inputs[0]
        centered = crt.sub(x, crt.reduce_mean(x, [-1], True))
        variance = crt.reduce_mean(crt.mul(centered, centered), [-1], True)
        return crt.mul(crt.div(centered, crt.sqrt(crt.add(variance, 1e-5))), scale)

    (y,), after = same_numbers(traced(fn, [1, 1]), np.array([[3.0]], np.float32))
    assert y.shape == (1, 2) and not y.any() and after[0].startswith("Mul(LayerNorm(")


def test_a25_a_conv_times_a_constant_of_more_channels():
    w = crt.tensor(np.full((1, 1, 1, 1), 3, np.float32))
    c = crt.tensor(np.array([1, 10], np.float32).reshape(1, 2, 1, 1))
    graph = traced(lambda i: crt.mul(crt.conv(i[0], w), c), [1, 1, 2, 2])
    (y,), _ = same_numbers(graph, np.ones((1, 1, 2, 2), np.float32))
    assert y.shape == (1, 2, 2, 2) and y[0, 0, 0, 0] == 3 and y[0, 1, 0, 0] == 30


def test_a27_grouped_and_transposed_weights():
    w = crt.tensor(np.array([1, 2], np.float32).reshape(2, 1, 1, 1))
    mean, variance = crt.tensor(np.zeros(2, np.float32)), crt.tensor(np.ones(2, np.float32))
    scale, bias = crt.tensor(np.array([10, 100], np.float32)), crt.tensor(np.zeros(2, np.float32))

    def fn(inputs):
        return crt.batch_norm(crt.conv_transpose(inputs[0], w, groups=2), mean, variance, scale, bias, epsilon=0.0)

    (y,), _ = same_numbers(traced(fn, [1, 2, 1, 1]), np.ones((1, 2, 1, 1), np.float32), rtol=1e-6)
    np.testing.assert_allclose(y.ravel(), [10, 200], 1e-6)


def test_a29_types_are_kept():
    x = np.array([-2, 0.5, 3])
    graph = traced(lambda i: crt.mul(i[0], crt.sigmoid(crt.mul(i[0], 1.702))), [3], dtype=crt.float64)
    (y,), _ = same_numbers(graph, x, rtol=1e-12)
    np.testing.assert_allclose(y, x / (1 + np.exp(-1.702 * x)), 1e-12)
    graph = traced(lambda i: crt.clamp(crt.relu(i[0]), -1.0, 1.0), [3], dtype=crt.float64)
    (y,), _ = same_numbers(graph, x)
    np.testing.assert_array_equal(y, [0, 0.5, 1])


@pytest.mark.parametrize(
    ("fn", "expected"),
    [
        (lambda x: crt.mul(x, 0.0), [np.nan, np.nan, -0.0]),
        (lambda x: crt.add(x, 0.0), [np.nan, np.inf, 0.0]),
        (lambda x: crt.add(x, -0.0), [np.nan, np.inf, -0.0]),
        (lambda x: crt.sub(x, x), [np.nan, np.nan, 0.0]),
        (lambda x: crt.div(1.0, x), [np.nan, 0.0, -np.inf]),
    ],
)
def test_a31_zero_nan_infinity(fn, expected):
    x = np.array([np.nan, np.inf, -0.0], np.float32)
    (y,), _ = same_numbers(traced(lambda i: fn(i[0]), [3]), x)
    np.testing.assert_array_equal(y, np.array(expected, np.float32))
    zeros = np.array(expected) == 0
    np.testing.assert_array_equal(np.signbit(y[zeros]), np.signbit(np.array(expected)[zeros]))


def test_a33_algebra_of_real_numbers_is_the_users_own():
    pattern = Pattern()
    sub, add = pattern.add_node(OpCode.Sub), pattern.add_node(OpCode.Add)
    pattern.add_edge(add, sub, to_port=1)
    same_first = lambda m: m.nodes[0].input(0) == m.nodes[1].input(0)  # noqa: E731
    rule = transforms.rewrite("cancel", pattern, lambda m, t: crt.neg(t[1]), same_first)
    graph = traced(lambda i: crt.sub(i[0], crt.add(i[0], i[1])), [1], [1])
    plain = graph.clone()
    plain.optimize()
    assert plain.find_nodes(OpCode.Add) and plain.find_nodes(OpCode.Sub)
    x, b = np.array([1e8], np.float32), np.array([1], np.float32)
    assert ran(plain, [x, b])[0][0] == 0.0
    assert rows(graph.optimize([rule])) == [1] and formulas(graph) == ["Neg(x1)"]
    assert ran(graph, [np.array([3], np.float32), b])[0][0] == -1
    other = traced(lambda i: crt.sub(crt.add(i[0], i[1]), i[0]), [1], [1])
    assert rows(other.optimize([rule])) == [0]


def test_a35_integer_fusions_are_exact_or_absent():
    """No transform of the default list that is not exact touches integers: each is about float ops."""
    bounded = [t for t in traced(lambda i: i).default_transforms() if t.exactness.kind != 0]
    graph = traced(lambda i: crt.mul(crt.add(i[0], 1), crt.sub(i[0], 3)), [4], dtype=crt.int8)
    assert rows(graph.optimize(bounded)) == [0] * len(bounded) and bounded


def test_a37_rewriting_that_never_ends():
    relu = traced(lambda i: crt.relu(i[0]), [2])
    again = transforms.rewrite("again", Pattern([OpCode.Relu]), lambda m, t: crt.relu(t[0]))
    before = relu.to_mlir()
    with pytest.raises(crt.InvalidArgumentError, match="again") as caught:
        relu.optimize([again])
    assert caught.value.code_name == "NOT_CONVERGED" and relu.to_mlir() == before
    to_mul = transforms.rewrite("to_mul", Pattern([OpCode.Neg]), lambda m, t: crt.mul(t[0], -1.0))
    to_neg = transforms.rewrite(
        "to_neg", Pattern([OpCode.Mul]), lambda m, t: crt.neg(t[0]), lambda m: m.inputs[1].constant_scalar() == -1)
    with pytest.raises(crt.InvalidArgumentError, match="cycle.*to_mul.*to_neg") as caught:
        traced(lambda i: crt.neg(i[0]), [2]).optimize([to_mul, to_neg])
    assert caught.value.code_name == "NOT_CONVERGED"
    grows = transforms.rewrite("grows", Pattern([OpCode.Relu]), lambda m, t: crt.neg(crt.neg(crt.relu(t[0]))))
    with pytest.raises(crt.InvalidArgumentError, match="grows"):
        traced(lambda i: crt.relu(i[0]), [2]).optimize([grows])
    assert relu.optimize([again], max_iterations=3).converged is False

    def set_the_same(graph):
        (node,) = graph.find_nodes(OpCode.Relu)
        graph.set_input(node, 0, node.input(0))

    assert rows(relu.optimize([Transform("set_the_same", set_the_same)])) == [0]


def test_a39_replacements_that_return_their_input():
    pair = Pattern.chain([OpCode.Neg, OpCode.Neg])
    rule = transforms.rewrite("cancel", pair, lambda m, t: t[0])

    def fn(inputs):
        value = inputs[0]
        for _ in range(2000):
            value = crt.relu(crt.neg(crt.neg(value)))
        return value

    graph = traced(fn, [2])
    assert graph.optimize([rule]).transforms[0].rewrites == 2000
    assert len(graph.find_nodes(OpCode.Neg)) == 0


def test_a39_search_is_linear():
    def attempts(length):
        asked = []
        rule = transforms.rewrite(
            "pair", Pattern.chain([OpCode.Relu, OpCode.Relu]), lambda m, t: t[0], lambda m: bool(asked.append(1)))

        def fn(inputs):
            value = inputs[0]
            for _ in range(length):
                value = crt.relu(value)
            return value

        row = traced(fn, [2]).optimize([rule]).transforms[0]
        assert row.declined == len(asked) == length - 1
        return row.attempts

    assert attempts(20000) <= 2.2 * attempts(10000)


def constants_of(graph):
    return [value.constant() for node in graph.nodes() for value in node.inputs if value.is_constant()]


def test_a39_folding_does_not_blow_up():
    graph = traced(lambda i: crt.neg(i[0]), [1])
    c = graph.add_constant(np.ones(1, np.float32))
    wide = graph.add_node(OpCode.Expand, [graph.add_node(OpCode.Exp, [c]).output(0)], {"shape": [4096, 4096]})
    x = graph.inputs()[0]
    graph.add_output(graph.add_node(OpCode.Add, [x, wide.output(0)]).output(0), "wide")
    graph.optimize()
    # Exp is folded, so that constants are folded at all; what it is expanded to is not.
    assert formulas(graph)[1] == "Add(x0, Expand(c))"
    assert [constant.size for constant in constants_of(graph)] == [1]


@pytest.mark.parametrize("readers", [1, 2])
def test_a39_a_large_constant_is_folded_where_it_is_read_once(readers):
    side = 2100  # above the limit of 16 MiB
    graph = traced(lambda i: crt.neg(i[0]), [1, side])
    w = graph.add_constant(np.ones((side, side), np.float32))
    x = graph.inputs()[0]
    turned = graph.add_node(OpCode.Transpose, [w]).output(0)
    graph.add_output(graph.add_node(OpCode.Add, [x, turned]).output(0), "turned")
    if readers == 2:
        graph.add_output(graph.add_node(OpCode.Sub, [x, w]).output(0), "plain")
    graph.optimize([transforms.fold_constants()])
    assert formulas(graph)[1] == ("Add(x0, c)" if readers == 1 else "Add(x0, Transpose(c))")


def test_a35_sums_of_quantized_numbers_tie_to_even():
    """Every pair of int8, half of the sums halfway between two steps; the default list keeps each."""
    steps = np.arange(-128, 128).astype(np.int8)

    def fn(inputs):
        a, b = (crt.dequantize(x, crt.tensor(np.array(0.5, np.float32))) for x in inputs)
        return crt.quantize(crt.add(a, b), crt.tensor(np.array(1, np.float32)), dtype=crt.int8)

    graph = traced(fn, [256, 1], [1, 256], dtype=crt.int8)
    exact = np.rint((steps[:, None].astype(np.float64) + steps[None, :]) / 2)
    expected, _ = same_numbers(graph, steps[:, None], steps[None, :])
    np.testing.assert_array_equal(expected[0], np.clip(exact, -128, 127).astype(np.int8))
    assert expected[0][128 + 1, 128] == 0 and expected[0][128 + 3, 128] == 2
