"""Patterns, conditions and why_not from Python; transforms from text."""

import threading

import numpy as np
import pytest
import random_graph
from graphs import formula, formulas, traced

import clika_runtime as crt
from clika_runtime.graph import Declined, ModelGraph, OpCode, Pattern, PatternTransform, Transform, any_operand, transforms


def page_graph():
    return traced(lambda t: crt.relu(crt.relu(t[0])) + crt.neg(t[0]))


def add_of_neg():
    pattern = Pattern()
    add, neg = pattern.add_node(OpCode.Add), pattern.add_node(OpCode.Neg)
    pattern.add_edge(neg, add, to_port=1)
    return pattern


def rule(pattern, condition=None):
    return transforms.rewrite("rule", pattern, lambda match, t: t[0], condition)


def names(matches):
    return [[node and node.name for node in match.nodes] for match in matches]


def test_declined_is_false_and_says_why():
    declined = Declined("too large")
    assert not declined and declined.reason == "too large" and repr(declined) == "Declined('too large')"
    with pytest.raises(crt.InvalidArgumentError, match="Declined: the reason is empty"):
        Declined("")
    with pytest.raises(TypeError):
        Declined()
    graph = page_graph()
    asked = rule(Pattern([OpCode.Relu, OpCode.Relu]), lambda match: Declined("not today"))
    report = graph.optimize([asked])
    assert report.transforms[0].declined == 1 and report.transforms[0].applications == 0
    (reason,) = report.transforms[0].reasons
    assert (reason.reason, reason.count, reason.nodes) == ("not today", 1, ["relu_2"])
    assert graph.optimize([rule(Pattern([OpCode.Relu, OpCode.Relu]), lambda match: None)]).transforms[0].declined == 1
    graph.optimize([rule(Pattern([OpCode.Relu, OpCode.Relu]), lambda match: 1)])
    assert formulas(graph) == ["Add(x0, Neg(x0))"]


def test_any_operand():
    graph = traced(lambda t: [crt.concat([t[0], crt.neg(t[0])]), crt.concat([crt.neg(t[0]), t[0]])])
    pattern = Pattern()
    concat, neg = pattern.add_node(OpCode.Concat), pattern.add_node(OpCode.Neg)
    pattern.add_edge(neg, concat, to_port=any_operand)
    assert names(graph.find_occurrences(pattern)) == [["concat_1", "neg_1"], ["concat_2", "neg_2"]]
    assert repr(any_operand) == "any_operand" == repr(crt.graph.any_operand)
    fixed = Pattern()
    fixed.add_edge(fixed.add_node(OpCode.Neg), fixed.add_node({OpCode.Concat}), to_port=0)
    assert names(graph.find_occurrences(fixed)) == [["neg_2", "concat_2"]]
    with pytest.raises(crt.InvalidArgumentError, match="add_edge: "):
        fixed.add_edge(0, 1, to_port="any")
    with pytest.raises(crt.InvalidArgumentError, match="add_edge: "):
        fixed.add_edge(0, 1, from_port=any_operand)


def test_optional_commutative_and_where():
    pattern = Pattern()
    add = pattern.add_node(OpCode.Add, commutative=True)
    relu = pattern.add_node(OpCode.Relu, optional=True)
    neg = pattern.add_node([OpCode.Neg, OpCode.Abs], where=lambda node: node.input(0).is_graph_input())
    pattern.add_edge(relu, add, to_port=1)
    pattern.add_edge(neg, relu)
    graph = traced(lambda t: [crt.relu(crt.neg(t[0])) + t[0], t[0] + crt.abs(t[0]), crt.neg(crt.exp(t[0])) + t[0]])
    assert names(graph.find_occurrences(pattern)) == [["add_1", "relu_1", "neg_1"], ["add_2", None, "abs_1"]]
    raising = Pattern()
    raising.add_node(OpCode.Add, where=lambda node: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        graph.find_occurrences(raising)
    with pytest.raises(ZeroDivisionError):
        graph.optimize([rule(raising)])


def test_outputs_of_several():
    graph = traced(lambda t: [crt.relu(p) for p in crt.split(t[0], num=2)])
    pattern = Pattern()
    split = pattern.add_node(OpCode.Split)
    pattern.add_edge(split, pattern.add_node(OpCode.Relu), from_port=1)
    assert names(graph.find_occurrences(pattern)) == [["split_1", "relu_2"]]


def gelu(t):
    return t[0] * 0.5 * (crt.erf(t[0] / 1.4142135) + 1.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64])
@pytest.mark.parametrize(
    "spelled",
    [
        lambda t: (crt.erf(t[0] / 1.41421354) + 1.0) * (t[0] * 0.5),
        lambda t: (1.0 + crt.erf(t[0] / 1.4142135)) * (0.5 * t[0]),
        gelu,
    ],
)
def test_traced_patterns(spelled, dtype):
    specs = [crt.TensorSpec("x", dtype, [2, "n", 3])]
    graph = crt.trace(spelled, specs).graph
    fuse = transforms.rewrite("fuse", Pattern.trace(lambda t: crt.mul(t[0] * 0.5, crt.erf(t[0] / 1.4142135) + 1.0), 1),
                              lambda match, t: crt.gelu(t[0]))
    assert graph.optimize([fuse, transforms.remove_unused()]).transforms[0].rewrites == 1
    assert [formula(v) for v in graph.outputs()] == ["Gelu(x)"]


@pytest.mark.parametrize(
    "other",
    [
        lambda t: t[0] * 0.5 * (crt.erf(t[0] / 1.41) + 1.0),
        lambda t: t[0] * 0.5 * (crt.erf(1.4142135 / t[0]) + 1.0),
        lambda t: t[0] * 0.5 * crt.add(crt.erf(t[0] / 1.4142135), 1.0, activation="Relu"),
        lambda t: t[0] * 0.5 * crt.add(crt.erf(t[0] / 1.4142135), 1.0, alpha=2.0),
        lambda t: t[1] * 0.5 * (crt.erf(t[0] / 1.4142135) + 1.0),
        lambda t: t[0] * 0.5 * (crt.tanh(t[0] / 1.4142135) + 1.0),
    ],
)
def test_near_misses_of_traced_patterns(other):
    graph = traced(other, [2, 3], [2, 3])
    assert graph.find_occurrences(Pattern.trace(gelu, 1)) == []


def test_what_cannot_be_traced():
    with pytest.raises(crt.InvalidArgumentError, match="trace: the function does not compute its results from its input 1"):
        Pattern.trace(gelu, 2)
    with pytest.raises(crt.InvalidArgumentError, match="trace: the tolerance is 2.0"):
        Pattern.trace(gelu, 1, tolerance=2)
    with pytest.raises(crt.InvalidArgumentError, match="trace: "):
        Pattern.trace(gelu, -1)
    with pytest.raises(crt.InvalidArgumentError, match="trace: the specs hold"):
        Pattern.trace(gelu, 1, specs=["x"])
    with pytest.raises(ZeroDivisionError):
        Pattern.trace(lambda t: 1 / 0, 1)
    turned = Pattern.trace(lambda t: crt.transpose(t[0], [0, 2, 1]), 1, specs=[crt.TensorSpec("x", crt.float32, [1, 2, 3])])
    assert len(traced(lambda t: crt.transpose(t[0], [0, 2, 1]), [4, 5, 6]).find_occurrences(turned)) == 1


def test_why_not():
    graph = page_graph()
    (add,), (neg,), (relu, _) = (graph.find_nodes(code) for code in (OpCode.Add, OpCode.Neg, OpCode.Relu))
    assert graph.why_not(rule(add_of_neg()), add) is None
    assert graph.why_not(rule(add_of_neg()), neg) is None
    assert "Relu 'relu_1' is none of the pattern's nodes" in graph.why_not(rule(add_of_neg()), relu)
    declines = rule(add_of_neg(), lambda match: Declined(f"{match.nodes[0].name} is dear"))
    assert graph.why_not(declines, add) == "the condition declined it: add_1 is dear"
    assert graph.why_not(rule(add_of_neg(), lambda match: False), add).startswith("the condition declined it; a condition")
    with pytest.raises(ZeroDivisionError):
        graph.why_not(rule(add_of_neg(), lambda match: 1 / 0), add)
    with pytest.raises(crt.UnsupportedError, match="why_not: 'fn' is a function"):
        graph.why_not(Transform("fn", lambda g: None), add)
    assert graph.why_not(transforms.remove_redundant_relu(), relu) == "it does not read a Relu"
    assert graph.why_not(transforms.remove_redundant_relu(), add).startswith("Add 'add_1' is not what")
    with pytest.raises(crt.InvalidArgumentError, match="why_not: "):
        graph.why_not(rule(add_of_neg()), "add_1")
    graph.bypass_node(neg)
    with pytest.raises(crt.NotFoundError):
        graph.why_not(rule(add_of_neg()), neg)
    assert graph.why_not(rule(add_of_neg()), add) == (
        "input 1 of Add 'add_1' is the graph input 'x0', and not pattern node 1 (Neg)")


COLLAPSE = """
pdl.pattern @collapse : benefit(1) {
  %x = operand
  %type = type
  %inner = operation "clika.relu"(%x : !pdl.value) -> (%type : !pdl.type)
  %value = result 0 of %inner
  %outer = operation "clika.relu"(%value : !pdl.value) -> (%type : !pdl.type)
  rewrite %outer {
    %new = operation "clika.relu"(%x : !pdl.value)
    replace %outer with %new
  }
}"""


def test_pdl():
    graph = page_graph()
    report = graph.optimize([Transform.from_pdl("collapse", COLLAPSE)])
    assert formulas(graph) == ["Add(Relu(x0), Neg(x0))"]
    assert (report.iterations, report.transforms[0].rewrites) == (2, 1)
    x = np.float32([[1, -2, 3], [-4, 5, -6]])
    graph.finalize()
    np.testing.assert_array_equal(graph.run([x])[0].numpy(), np.maximum(x, 0) - x)


SOFTMAX = COLLAPSE.replace('''  rewrite %outer {
    %new = operation "clika.relu"(%x : !pdl.value)''', '''  rewrite %outer {
    %axis = attribute = 1 : i64
    %new = operation "clika.softmax"(%x : !pdl.value) {"axis" = %axis}''')  # fmt: skip


def test_what_pdl_is_compiled_to_serves_one_graph_after_the_other():
    softmax = Transform.from_pdl("softmax", SOFTMAX)
    graph = traced(lambda t: [crt.relu(crt.relu(t[0])), crt.relu(crt.relu(t[1])), crt.relu(crt.relu(t[2]))],
                   [2, 3], [2, 3], [3, 2])  # fmt: skip
    without_axis_1 = traced(lambda t: [crt.relu(crt.relu(t[0]))], [6])
    for _ in range(3):
        clones = [graph.clone(), graph.clone()]
        threads = [threading.Thread(target=clone.optimize, args=[[softmax]]) for clone in clones]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for clone in clones:
            assert formulas(clone) == ["Softmax(x0)", "Softmax(x1)", "Softmax(x2)"]
            assert [value.shape for value in clone.outputs()] == [(2, 3), (2, 3), (3, 2)]
        before = without_axis_1.to_mlir()
        with pytest.raises(crt.InvalidArgumentError, match="axis"):
            without_axis_1.optimize([softmax])
        assert without_axis_1.to_mlir() == before


PASS_ON = """pdl.pattern @pass_on : benefit(1) {
  %x = operand
  %shape = operand
  %t = type
  %inner = operation "clika.reshape"(%x, %shape : !pdl.value, !pdl.value) -> (%t : !pdl.type)
  %value = result 0 of %inner
  %outer = operation "clika.relu"(%value : !pdl.value) -> (%t : !pdl.type)
  rewrite %outer {
    %new = operation "clika.reshape"(%x, %shape : !pdl.value, !pdl.value)
    replace %outer with %new
  }
}"""


def test_an_operator_of_pdl_has_the_sizes_that_its_own_operands_give():
    """Operators of equal operand types, whose sizes are read of the values."""
    shapes = [(2, 6), (3, 4), (3, 4), (12, 1)]
    graph = traced(lambda t: [crt.relu(crt.reshape(t[0], crt.tensor(np.int64(shape)))) for shape in shapes], [12])
    assert graph.optimize([Transform.from_pdl("pass_on", PASS_ON)]).transforms[0].rewrites == 4
    assert [value.shape for value in graph.outputs()] == shapes


# Two products of one value, found from the second, which does not read the first.
SIBLINGS = """pdl.pattern @siblings : benefit(1) {
  %x = operand
  %a = operand
  %b = operand
  %t = type
  %u = type
  %first = operation "clika.matmul"(%x, %a : !pdl.value, !pdl.value) -> (%t : !pdl.type)
  %second = operation "clika.sub"(%x, %b : !pdl.value, !pdl.value) -> (%u : !pdl.type)
  %product = result 0 of %first
  rewrite %second {
    replace %second with (%product : !pdl.value)
  }
}"""


def test_why_not_pdl():
    collapse = Transform.from_pdl("collapse", COLLAPSE)
    graph = traced(lambda t: (crt.relu(crt.relu(t[0])) + crt.neg(t[0]), crt.relu(crt.exp(t[0]))))
    first, second, third = graph.find_nodes(OpCode.Relu)
    assert graph.why_not(collapse, first) is None and graph.why_not(collapse, second) is None
    assert graph.why_not(collapse, third) == "input 0 of Relu 'relu_3' is Exp 'exp_1', and not %inner (Relu)"
    (neg,) = graph.find_nodes(OpCode.Neg)
    assert graph.why_not(collapse, neg) == "Neg 'neg_1' is none of the pattern's nodes: %inner (Relu), %outer (Relu)"
    assert graph.why_not(collapse, graph.nodes()[0]).startswith("'x0' is an input of the graph")
    report = graph.optimize([collapse], explain=True)
    reasons = [(reason.reason, reason.count, reason.nodes, reason.file, reason.line) for reason in report.transforms[0].reasons]
    assert reasons == [("input 0 of %outer (Relu) is not %inner (Relu)", 4, ["relu_1", "relu_3", "relu_2"], "<pdl>", 7)]


def test_why_not_pdl_of_nodes_beside_each_other():
    siblings = Transform.from_pdl("siblings", SIBLINGS)
    graph = traced(lambda t: (t[0] @ t[1], t[0] - t[1], t[1] - t[0]), [3, 3], [3, 3])
    right, wrong = graph.find_nodes(OpCode.Sub)
    assert graph.why_not(siblings, right) is None and graph.why_not(siblings, graph.find_nodes(OpCode.Matmul)[0]) is None
    assert graph.clone().optimize([siblings], max_iterations=1).transforms[0].rewrites == 1
    reason = graph.why_not(siblings, wrong)
    assert reason == "input 0 of Matmul 'matmul_1' is the graph input 'x0', and not the graph input 'x1', which is %x"
    graph.remove_output(graph.output_names()[0])
    graph.remove_node(graph.find_nodes(OpCode.Matmul)[0])
    assert graph.why_not(siblings, right) == "no %first (Matmul) reads the graph input 'x0'"


# x of the sum's own type, beside an `inner` of anything.
BESIDE = """pdl.pattern @beside : benefit(1) {
  %t = type
  %u = type
  %x = operand : %t
  %y = operand
  %inner = operation "clika.INNER"(%y : !pdl.value) -> (%u : !pdl.type)
  %value = result 0 of %inner
  %outer = operation "clika.OUTER"(%x, %value : !pdl.value, !pdl.value) -> (%t : !pdl.type)
  rewrite %outer {
    replace %outer with (%x : !pdl.value)
  }
}"""
# The same value twice, and any operands at all.
TWICE = """pdl.pattern @twice : benefit(1) {
  %x = operand
  %t = type
  %outer = operation "clika.OUTER"(%x, %x : !pdl.value, !pdl.value) -> (%t : !pdl.type)
  rewrite %outer {
    %two = operation "clika.abs"(%x : !pdl.value)
    replace %outer with %two
  }
}"""
RANGES = """pdl.pattern @ranges : benefit(1) {
  %any = operands
  %types = types
  %t = type
  %inner = operation "clika.INNER"(%any : !pdl.range<value>) -> (%types : !pdl.range<type>)
  %values = results of %inner
  %outer = operation "clika.abs"(%values : !pdl.range<value>) -> (%t : !pdl.type)
  rewrite %outer {
    replace %outer with %inner
  }
}"""


@pytest.mark.parametrize("part", range(2))
def test_what_is_said_of_pdl_is_what_it_does(part):
    """Of a random graph's nodes that a rule begins at, each is either rewritten or has a reason."""
    inner, outer = ["relu", "neg", "abs", "exp", "tanh", "mul"], ["add", "mul", "sub", "maximum"]
    texts = [BESIDE.replace("INNER", i).replace("OUTER", o) for i in inner[:-1] for o in outer]
    texts += [TWICE.replace("OUTER", o) for o in outer] + [RANGES.replace("INNER", i) for i in inner]
    texts += [COLLAPSE.replace("relu", i) for i in inner[:-1]]
    rewrites = refusals = 0
    for seed in range(part * 12, part * 12 + 12):
        graph = random_graph.grow(4000 + seed).graph
        nodes = list(graph.nodes()) + [node for name in graph.function_names() for node in graph.function_nodes(name)]
        for node in nodes:  # it grows
            nodes += [inner for i in range(node.region_count()) for inner in node.region_nodes(i)]
        for text in texts:
            rule = Transform.from_pdl("rule", text)
            begins = {node.name for node in nodes if graph.why_not(rule, node) is None}
            (row,) = graph.clone().optimize([rule], explain=True, max_iterations=1).transforms
            said = sum(reason.count for reason in row.reasons)
            assert row.rewrites + said == row.attempts, (seed, text)
            assert (row.rewrites > 0) == bool(begins), (seed, text)
            rewrites, refusals = rewrites + row.rewrites, refusals + said
    assert rewrites > 0 and refusals > 100


def test_pdl_that_is_refused():
    with pytest.raises(crt.InvalidArgumentError, match="from_pdl: line 7, column 11"):
        Transform.from_pdl("collapse", COLLAPSE.replace("rewrite %outer", "rewrite %other").removeprefix("\n"))
    with pytest.raises(crt.InvalidArgumentError, match="there is no operator 'clika.rely'"):
        Transform.from_pdl("collapse", COLLAPSE.replace("clika.relu", "clika.rely"))
    for old, new, message in [
        ('"clika.relu"(%x :', '"clika.add"(%x :', "line 5, column 12: Add is given 1 operand, and takes 2"),
        ('"clika.relu"(%x : !pdl.value) ->', '"clika.relu"(%x, %x : !pdl.value, !pdl.value) ->', "Relu is given 2 operands, and takes 1"),
        ("(%x : !pdl.value) -> (%type : !pdl.type)", "(%x : !pdl.value)", "Relu has 1 output, and is given the types of 0"),
        ("(%x : !pdl.value) ->", '(%x : !pdl.value) {"slope" = %s} ->', "Relu has no setting 'slope'; its settings are: none"),
    ]:
        text = COLLAPSE.replace("%x = operand\n", "%x = operand\n %s = attribute\n" if "slope" in new else "%x = operand\n").replace(old, new, 1)
        with pytest.raises(crt.InvalidArgumentError, match="^from_pdl: .*" + message):
            Transform.from_pdl("collapse", text)
    with pytest.raises(crt.InvalidArgumentError, match="from_pdl: .*runs_after"):
        Transform.from_pdl("collapse", COLLAPSE, runs_after=[1])
    graph = page_graph()
    before = graph.to_mlir()
    wrong = Transform.from_pdl("wrong", COLLAPSE.replace('%new = operation "clika.relu"', '%new = operation "clika.is_nan"'))
    with pytest.raises(crt.InvalidArgumentError, match=r"optimize: transforms\[0\] \(wrong\) failed: from_pdl: "):
        graph.optimize([wrong])
    assert graph.to_mlir() == before


def test_pass_pipelines():
    graph = traced(lambda t: crt.neg(t[0]) + crt.neg(t[0]))
    pipeline = Transform.from_pass_pipeline("canonicalize,cse")
    report = graph.optimize([pipeline])
    assert pipeline.name == "canonicalize,cse" and not pipeline.is_runtime
    assert (report.iterations, report.transforms[0].applications) == (2, 1)
    assert len(graph.find_nodes(OpCode.Neg)) == 1
    # These passes put the constants in another order, which is no change.
    graph = traced(lambda t: t[0] * 2.0 + 3.0)
    for text in ("sccp", "sccp,canonicalize"):
        assert graph.optimize([Transform.from_pass_pipeline(text)]).converged
    with pytest.raises(crt.InvalidArgumentError, match="from_pass_pipeline: 'nothing' is no pass pipeline"):
        Transform.from_pass_pipeline("nothing")
    before = graph.to_mlir()
    with pytest.raises(crt.InternalError, match="the passes left no public function"):
        graph.optimize([Transform.from_pass_pipeline("symbol-privatize")])
    assert graph.to_mlir() == before


def test_why_not_of_a_pattern_class():
    class OfNeg(PatternTransform):
        def root_op_codes(self):
            return [OpCode.Add]

        def match(self, graph, node):
            producer = node.input(1).producer()
            if producer is None or producer.op_code != OpCode.Neg:
                return self.no_match(node, "its second operand is no Neg")
            return self.result([node, producer])

        def apply(self, graph, match, tensors):
            return tensors[0] - tensors[1]

    pattern = OfNeg("of_neg")
    graph = traced(lambda t: [t[0] + crt.neg(t[0]), t[0] + t[0]])
    first, second = graph.find_nodes(OpCode.Add)
    assert graph.why_not(pattern, first) is None
    assert graph.why_not(pattern, second) == "its second operand is no Neg"
    assert "is of no code that 'of_neg' looks at" in graph.why_not(pattern, graph.find_nodes(OpCode.Neg)[0])
    with pytest.raises(crt.NotFoundError):
        graph.why_not("of_neg", first)
    graph.register_transform(pattern)
    assert graph.why_not("of_neg", first) is None


def test_a_rule_needs_its_pattern():
    for wrong, words in ((lambda match, tensors: tensors[0], "not the function <lambda>"), (None, "not NoneType"), ("Relu", "not str")):
        with pytest.raises(crt.ArgumentTypeError, match=f"^rule: pattern is a Pattern, {words}; write the decorator"):
            transforms.rule(wrong)


def test_why_not_takes_names():
    graph = traced(lambda t: [crt.relu(crt.neg(t[0]))])
    (relu,) = graph.find_nodes(OpCode.Relu)
    by_name, by_handle = (graph.why_not(entry, relu) for entry in ("remove_redundant_relu", transforms.remove_redundant_relu()))
    assert by_name == by_handle and by_name is not None
    with pytest.raises(crt.NotFoundError, match="^why_not: .*'remove_redundant_rely'"):
        graph.why_not("remove_redundant_rely", relu)
    with pytest.raises(crt.ArgumentTypeError, match="^why_not: the rule is an int; an entry is a Transform"):
        graph.why_not(3, relu)


def unequal(fn):
    return crt.trace(fn, [crt.TensorSpec("x", crt.float32, ["b", 3]), crt.TensorSpec("y", crt.float32, ["c", 3]),
                          crt.TensorSpec("z", crt.float32, ["d", 3])]).graph


def neg_into_sub():
    return transforms.rewrite("neg_into_sub", Pattern.trace(lambda t: t[0] + crt.neg(t[1]), 2), lambda match, t: t[0] - t[1])


@pytest.mark.parametrize("how", ["as it is", "clone", "text", "undone"])
def test_a_replacement_broadcasts_to_the_size_that_it_stands_for(how):
    graph = unequal(lambda t: [crt.relu(t[0] + crt.neg(t[1])), crt.exp(crt.neg(t[1]) + t[0])])
    if how == "clone":
        graph = graph.clone()
    elif how == "text":
        graph = ModelGraph.from_mlir(graph.to_mlir())
    elif how == "undone":
        with pytest.raises(ZeroDivisionError):
            graph.optimize([neg_into_sub(), Transform("fails", lambda g: 1 / 0)])
    expected = graph.clone()
    assert graph.optimize([neg_into_sub()]).rewrites == 2
    assert len(graph.find_nodes(OpCode.Sub)) == 2 and not graph.find_nodes(OpCode.Add)
    for one in (graph, expected):
        one.finalize()
    for b, c in ((4, 4), (1, 4), (4, 1)):
        inputs = [np.arange(n * 3, dtype=np.float32).reshape(n, 3) for n in (b, c, 2)]
        for got, want in zip(graph.run(inputs), expected.run(inputs), strict=True):
            assert np.array_equal(got.numpy(), want.numpy())


def test_a_size_that_an_edit_changed_is_given_to_nothing_else():
    graph = unequal(lambda t: [t[0] + t[1], t[2]])
    added = graph.find_nodes(OpCode.Add)[0]
    graph.set_input(added, 1, graph.inputs()[2])  # x + z, whose size keeps its name
    other = graph.add_node(OpCode.Add, [graph.inputs()[0], graph.inputs()[1]])
    assert other.output(0).shape != added.output(0).shape
    same = graph.add_node(OpCode.Mul, [graph.inputs()[1], graph.inputs()[0]])
    assert same.output(0).shape == other.output(0).shape


def test_an_occurrence_whose_input_was_replaced_is_none_that_was_removed():
    def model(t):
        x = t[0]
        for _ in range(5):
            x = crt.exp(crt.neg(x)) * t[1]
        return [x]

    def block(t):
        return crt.exp(crt.neg(t[0])) * t[1]

    graph = traced(model, [3], [3])
    asked = []
    rule = transforms.rewrite("halves", Pattern.trace(block, 2), lambda match, t: crt.div(t[1], crt.exp(t[0])),
                              lambda match: asked.append(match.inputs[0].name) or True)
    row = graph.optimize([rule]).transforms[0]
    assert (row.occurrences, row.rewrites, row.skipped_by.removed) == (5, 5, 0)
    assert asked == ["x0", *(f"div_{i}" for i in range(1, 5))]


def of_one(function):
    return crt.trace(lambda t: function(t[0]), [crt.TensorSpec("x", crt.float32, [3])]).graph


@pytest.mark.parametrize("pattern, function, count", [
    (lambda x: x + np.inf, lambda x: x + 1.0, 0),
    (lambda x: x + np.inf, lambda x: x + np.inf, 1),
    (lambda x: x + np.inf, lambda x: x + -np.inf, 0),
    (lambda x: x + 1.0, lambda x: x + np.inf, 0),
    (lambda x: x + np.nan, lambda x: x + np.inf, 0),
    (lambda x: crt.clamp(x, 0.0, np.inf), lambda x: crt.clamp(x, 0.0, 6.0), 0),
    (lambda x: crt.clamp(x, 0.0, np.inf), lambda x: crt.clamp(x, 0.0, np.inf), 1),
])  # fmt: skip
def test_an_infinity_is_near_itself_alone(pattern, function, count):
    assert len(of_one(function).find_occurrences(Pattern.trace(lambda t: pattern(t[0]), 1))) == count


def test_is_constant_scalar_of_infinities():
    graph = of_one(lambda x: (x + 1.0) * np.inf)
    constants = [value for node in graph.nodes() for value in node.inputs if value.is_constant()]
    values = {float(value.folded_constant().numpy().ravel()[0]): value for value in constants}
    assert values[np.inf].is_constant_scalar(np.inf, 1e-5) and not values[np.inf].is_constant_scalar(-np.inf, 1e-5)
    assert not values[1.0].is_constant_scalar(np.inf, 1e-5) and not values[np.inf].is_constant_scalar(1.0, 1e-5)


def test_a_traced_pattern_holds_no_bodies():
    def branches(t):
        return crt.if_(crt.reduce_sum(t[0]) > 0, lambda: [crt.neg(t[0])], lambda: [t[0]])

    def repeated(t):
        return crt.loop(3, None, [t[0]], lambda i, v: (None, [crt.neg(v)], []))[0]

    for function, code in ((branches, "If 'if_1'"), (repeated, "Loop 'loop_1'")):
        with pytest.raises(crt.InvalidArgumentError, match=f"^trace: the function records {code}, and a pattern cannot say"):
            Pattern.trace(function, 1)


def test_a_traced_pattern_has_few_inputs():
    with pytest.raises(crt.InvalidArgumentError, match="^trace: n_inputs is 1000000000, and a pattern has at most 1000"):
        Pattern.trace(lambda t: t[0], 10**9)


def concat_of(count):
    """A pattern whose edges take any operand, and a graph that has it once: the pattern's last node is the first operand."""
    pattern = Pattern()
    root = pattern.add_node(OpCode.Concat)
    for i in range(count):
        codes = [OpCode.Neg, OpCode.Relu] if i < count - 1 else OpCode.Relu
        pattern.add_edge(pattern.add_node(codes), root, 0, any_operand)
    graph = of_one(lambda x: crt.concat([crt.relu(x)] + [crt.neg(x + float(i)) for i in range(count - 1)], 0))
    return pattern, graph


@pytest.mark.parametrize("count", [8, 9, 10, 11, 12])
def test_why_not_agrees_with_the_search(count):
    pattern, graph = concat_of(count)
    (concat,) = graph.find_nodes(OpCode.Concat)
    replaced = transforms.rewrite("replaced", pattern, lambda match, t: crt.concat([crt.abs(v) for v in t[:count]], 0))
    assert len(graph.find_occurrences(pattern)) == 1
    assert graph.why_not(replaced, concat) is None


def test_why_not_of_a_search_that_was_ended():
    pattern, graph = concat_of(16)
    (concat,) = graph.find_nodes(OpCode.Concat)
    replaced = transforms.rewrite("replaced", pattern, lambda match, t: crt.concat([crt.abs(v) for v in t[:16]], 0))
    assert graph.find_occurrences(pattern) == []
    assert "the search from Concat 'concat_1' was ended after 1048576 steps" in graph.why_not(replaced, concat)


def test_conditions_that_are_no_answer():
    for answer in (Declined, bool):
        with pytest.raises(crt.InvalidArgumentError, match="the condition returned a class, which would accept"):
            page_graph().optimize([rule(add_of_neg(), lambda match, answer=answer: answer)])


def test_root_codes_that_are_no_operators():
    class Wrong(PatternTransform):
        def root_op_codes(self):
            return [OpCode.Input]

        def match(self, graph, node):
            return self.no_match(node, "never")

        def apply(self, graph, nodes):
            raise AssertionError

    with pytest.raises(crt.InvalidArgumentError, match=r"root_op_codes\(\) of 'Wrong': Input is the code of the graph's inputs"):
        page_graph().optimize([Wrong()])
