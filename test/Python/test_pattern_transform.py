"""Pattern classes written in Python, what transforms declare of themselves, and the options that go with them."""

import gc
import inspect
import weakref

import numpy as np
import pytest
from graphs import formulas, relu_chain, traced

import clika_runtime as crt
from clika_runtime.graph import (Exactness, ExactnessKind, OpCode, Order, Pattern, PatternTransform, Traits, Transform,
                                 transforms)  # fmt: skip


class NegNeg(PatternTransform):
    """Two Negs in a row are none."""

    def root_op_codes(self):
        return {OpCode.Neg}

    def match(self, graph, node):
        previous = node.input(0).producer()
        if previous.op_code != OpCode.Neg:
            return self.no_match(node, "the input is not produced by Neg")
        return self.result([previous, node], insert_at=node)

    def apply(self, graph, match, tensors):
        return tensors[0]


class Given(PatternTransform):
    def __init__(self, codes, match, apply=lambda graph, match, tensors: tensors[0], **traits):
        super().__init__("given", **traits)
        self.codes, self.matcher, self.applier = codes, match, apply

    def root_op_codes(self):
        return self.codes

    def match(self, graph, node):
        return self.matcher(self, graph, node)

    def apply(self, graph, match, tensors):
        return self.applier(graph, match, tensors)


def itself(pattern, graph, node):
    return pattern.result([node])


def negs(count):
    def fn(inputs):
        value = inputs[0]
        for _ in range(count):
            value = crt.neg(value)
        return value

    return traced(fn)


@pytest.mark.parametrize("count", range(7))
def test_pairs_go(count):
    graph = negs(count)
    graph.optimize([NegNeg()], check=True)
    assert formulas(graph) == ["Neg(x0)" if count % 2 else "x0"]


def test_beside_functions_and_rules():
    graph = traced(lambda t: crt.relu(crt.relu(crt.neg(crt.neg(crt.abs(crt.abs(t[0])))))))

    @transforms.transform
    def abs_once(g):
        for node in g.find_nodes(OpCode.Abs):
            if node.input(0).producer().op_code == OpCode.Abs:
                g.bypass_node(node)

    rule = transforms.rewrite("relus", Pattern([OpCode.Relu] * 2), lambda match, tensors: crt.relu(tensors[0]))
    pattern = NegNeg()
    report = graph.optimize([rule, pattern, abs_once, transforms.remove_unused()], check=True)
    assert formulas(graph) == ["Relu(Abs(x0))"] and report.iterations == 2
    row = report.transforms[1]
    assert row.transform == pattern and row.transform.name == pattern.name == "NegNeg"
    assert (row.applications, row.rewrites, row.occurrences, row.skipped, row.declined) == (1, 1, 1, 0, 0)
    assert row.transform != NegNeg() and report.rewrites == 2


def test_a_reason_has_the_file_and_line_that_gave_it():
    report = negs(3).optimize([NegNeg()])
    (reason,) = report.transforms[0].reasons
    lines, first = inspect.getsourcelines(NegNeg.match)
    said = first + next(i for i, line in enumerate(lines) if "no_match" in line)
    assert (reason.reason, reason.file, reason.line) == ("the input is not produced by Neg", __file__, said)
    assert reason.count == 2 and reason.nodes == ["neg_1", "neg_3"]
    assert report.transforms[0].attempts == 3 + 1 + 1  # three Negs, the second pair once more, the Neg that is left


def test_no_reason_is_none():
    report = negs(2).optimize([Given((), lambda pattern, graph, node: None)])
    assert report.transforms[0].reasons == [] and report.transforms[0].attempts == 2


def test_skips():
    report = negs(3).optimize([NegNeg()])
    assert (report.transforms[0].skipped, report.transforms[0].skipped_by.removed) == (1, 1)
    looped = traced(lambda t: [crt.relu(n) + n for n in [crt.neg(t[0])]])
    before = looped.to_mlir()
    pair = Given({OpCode.Add}, lambda pattern, graph, node: pattern.result([node, node.input(1).producer()]))
    assert looped.optimize([pair]).transforms[0].skipped_by.not_convex == 1 and looped.to_mlir() == before

    def unread(t):
        crt.abs(t[0])
        return t[0]

    assert traced(unread).optimize([Given({OpCode.Abs}, itself)]).transforms[0].skipped_by.unread == 1


def test_an_optional_role_may_lack():
    def match(pattern, graph, node):
        below = node.input(0).producer()
        relu = below if below.op_code == OpCode.Relu else None
        neg = relu.input(0).producer() if relu else below
        return pattern.result([neg, relu, node]) if neg.op_code == OpCode.Neg else pattern.no_match(node, "no Neg")

    def apply(graph, match, tensors):
        return crt.relu(tensors[0]) if match.nodes[1] else crt.exp(tensors[0])

    for fn, wanted in ((lambda t: crt.abs(crt.relu(crt.neg(t[0]))), "Relu(x0)"), (lambda t: crt.abs(crt.neg(t[0])), "Exp(x0)")):
        graph = traced(fn)
        graph.optimize([Given([OpCode.Abs], match, apply)])
        assert formulas(graph) == [wanted]


def test_apply_may_add_constants_and_read_other_values():
    graph = traced(lambda t: [crt.neg(t[0]), crt.exp(t[0])], [3])

    def apply(g, match, tensors):
        factor = g.add_constant(np.array([1, 2, 3], np.float32), "factor")
        return tensors[0] * PatternTransform.value(factor) + PatternTransform.value(g.outputs()[1])

    graph.optimize([Given({OpCode.Neg}, itself, apply)])
    assert formulas(graph) == ["Add(Mul(x0, c), Exp(x0))", "Exp(x0)"]
    (mul,) = graph.find_nodes(OpCode.Mul)
    assert mul.input(1).name == "factor"
    graph.finalize()
    x = np.array([1, -2, 0.5], np.float32)
    first, second = graph.run([x])
    np.testing.assert_allclose(first.numpy(), x * [1, 2, 3] + np.exp(x), 1e-6)
    with pytest.raises(crt.InvalidArgumentError, match="^value: "):
        PatternTransform.value(graph.inputs()[0])


@pytest.mark.parametrize("method", ["match", "apply"])
def test_other_edits_are_refused(method):
    graph = negs(2)
    before = graph.to_mlir()

    def edit(*arguments):
        graph.rename_node(graph.find_nodes(OpCode.Neg)[0], "renamed")

    with pytest.raises(crt.InvalidArgumentError, match=rf"{method}\(\) of 'given' is running") as caught:
        graph.optimize([Given((), edit if method == "match" else itself, edit)])
    assert caught.value.code_name == "FAILED_PRECONDITION" and graph.to_mlir() == before


@pytest.mark.parametrize("method", ["match", "apply", "root_op_codes"])
def test_what_a_method_raises_comes_back_itself(method):
    error = LookupError("mine")

    class Raises(NegNeg):
        pass

    def fails(*arguments):
        raise error

    setattr(Raises, method, fails)
    graph = negs(4)
    before = graph.to_mlir()
    with pytest.raises(LookupError) as caught:
        graph.optimize([Transform("first", lambda g: g.bypass_node(g.find_nodes(OpCode.Neg)[0])), Raises()])
    assert caught.value is error and graph.to_mlir() == before


@pytest.mark.parametrize("wrong, words", [
    (lambda pattern, graph, node: 3, "match: match() of 'given' returned an int"),
    (lambda pattern, graph, node: pattern.result([]), "result: there are no nodes"),
    (lambda pattern, graph, node: pattern.result([None]), "every role of the result at 'neg_1' is lacking"),
    (lambda pattern, graph, node: pattern.result([node, node]), "'neg_1' has two roles"),
    (lambda pattern, graph, node: pattern.result([graph.nodes()[0]]), "is the graph's input 'x0'"),
    (lambda pattern, graph, node: pattern.result(["neg"]), "a Node was expected, not a str"),
    (lambda pattern, graph, node: pattern.result([node], insert_at=3), "a Node was expected, not an int"),
    (lambda pattern, graph, node: pattern.no_match(node, 3), "no_match: reason is a str, not an int"),
    (lambda pattern, graph, node: pattern.result([negs(1).nodes()[1]]), "is of another graph"),
])  # fmt: skip
def test_a_wrong_result_is_refused(wrong, words):
    graph = negs(2)
    before = graph.to_mlir()
    with pytest.raises(crt.InvalidArgumentError) as caught:
        graph.optimize([Given((), wrong)])
    assert words in str(caught.value) and graph.to_mlir() == before


def test_a_wrong_replacement_is_refused():
    graph = negs(1)
    for made, words in (([], r"\(given\) failed: apply: .*0 values returned"), (3, "failed: apply: .*an int"),
                        (crt.tensor([1.0]), "failed: apply: .*shape")):  # fmt: skip
        with pytest.raises(crt.InvalidArgumentError, match=words):
            graph.optimize([Given((), itself, lambda graph, match, tensors, made=made: made)])


def test_entries_that_are_none():
    graph = negs(1)
    with pytest.raises(crt.InvalidArgumentError, match=r"transforms\[0\] is the class NegNeg; give an object of it"):
        graph.optimize([NegNeg])
    with pytest.raises(TypeError):
        PatternTransform()
    for name in ("", "clamp_to_relu"):
        with pytest.raises(crt.InvalidArgumentError, match="PatternTransform: "):
            graph.optimize([type("P", (NegNeg,), {"__init__": lambda self: PatternTransform.__init__(self, name)})()])
    with pytest.raises(crt.InvalidArgumentError, match="different transforms of one name"):
        graph.optimize([NegNeg(), NegNeg()])


def test_a_class_that_forgets_to_call_the_base():
    class Forgets(NegNeg):
        def __init__(self):
            self.mine = 1

    graph = negs(2)
    assert graph.optimize([Forgets()]).transforms[0].transform.name == "Forgets" and formulas(graph) == ["x0"]


def test_objects_are_released():
    pattern = NegNeg()
    gone = weakref.ref(pattern)
    report = negs(2).optimize([pattern])
    del pattern, report
    gc.collect()
    assert gone() is None


def test_traits():
    plain = Transform("mine", lambda graph: None)
    assert (plain.priority, plain.device, plain.exactness) == (1, crt.Device.any, Exactness.exact())
    made = plain.with_(priority=3, device="gpu", exactness=Exactness.bounded(1e-3, 0), runs_after=[NegNeg()])
    assert (made.priority, made.device, made.exactness.rtol, len(made.runs_after)) == (3, crt.Device("gpu"), 1e-3, 1)
    assert made != plain and made.with_(plain.traits) == plain and plain.with_() == plain
    assert plain.with_(Traits(priority=4), device="npu").traits.priority == 4
    pattern = Given((), itself, priority=2, device=crt.Device("gpu", 1), exactness=Exactness.approximate(0.1, 0.2))
    report = negs(1).optimize([pattern], max_iterations=0)
    row = report.transforms[0].transform
    assert (row.priority, row.device.index, row.exactness.kind) == (2, 1, ExactnessKind.Approximate)
    assert pattern.with_(priority=9).priority == 9


@pytest.mark.parametrize("wrong, words", [
    ({"priority": -1}, "with_: the priority of 'mine' is -1"),
    ({"priority": 1.5}, "priority"),
    ({"priority": 2**40}, "with_: priority is 1099511627776"),
    ({"device": 3}, "with_: a device is"),
    ({"device": "a b"}, "with_: the device's kind is 'a b'"),
    ({"exactness": "exact"}, "with_: exactness is an Exactness"),
    ({"exactness": Exactness.bounded(-1, 0)}, "rtol"),
    ({"runs_after": [3]}, "with_: runs_after hold at [0] an int"),
    ({"prio": 3}, "no argument 'prio'"),
])  # fmt: skip
def test_bad_traits_are_refused(wrong, words):
    with pytest.raises(crt.InvalidArgumentError) as caught:
        Transform("mine", lambda graph: None).with_(**wrong)
    assert words in str(caught.value)


def test_the_runtimes_exactness_is_its_own():
    assert transforms.clamp_to_relu().with_(priority=4).priority == 4
    with pytest.raises(crt.InvalidArgumentError, match="whose exactness the runtime declares"):
        transforms.clamp_to_relu().with_(exactness=Exactness.bounded(1, 1))


@pytest.mark.parametrize("exactness, passes", [
    (None, False), (Exactness.exact(), False), (Exactness.bounded(0, 1e-2), True), (Exactness.bounded(0, 1e-5), False),
    (Exactness.approximate(1e-2, 1e-2), True),
])  # fmt: skip
def test_check_holds_a_pattern_to_what_it_declares(exactness, passes):
    pattern = Given({OpCode.Exp}, itself, lambda graph, match, tensors: crt.exp(tensors[0]) + 1e-3, exactness=exactness)
    graph = traced(lambda t: crt.exp(t[0]))
    before = graph.to_mlir()
    if passes:
        graph.optimize([pattern], check=True, max_iterations=1)
        assert formulas(graph) == ["Add(Exp(x0), c)"]
    else:
        with pytest.raises(crt.InternalError, match=r"check failed after transforms\[0\] \(given\)"):
            graph.optimize([pattern], check=True, max_iterations=1)
        assert graph.to_mlir() == before


def test_levels_of_priority_ascend():
    def trail(order):
        said, entries = [], []
        for name, priority in (("a", 2), ("b", 0), ("c", 1)):
            left = [1]

            def fn(graph, name=name, left=left):
                said.append(name)
                if left:
                    left.pop()
                    graph.rename_node(graph.find_nodes(OpCode.Neg)[0], f"by_{name}")

            entries.append(Transform(name, fn).with_(priority=priority))
        report = negs(1).optimize(entries, order=order)
        return "".join(said), report.iterations, report.converged

    assert trail(None) == trail(Order.List) == ("abcabc", 2, True)
    assert trail(Order.Priority) == ("bb" "bcbc" "abcabc", 6, True)
    with pytest.raises(crt.InvalidArgumentError, match="order is a member of clika_runtime.graph.Order"):
        negs(1).optimize(order="priority")


@pytest.mark.parametrize("entry", [NegNeg(), transforms.rewrite("pair", Pattern([OpCode.Neg] * 2), lambda m, t: t[0])],
                         ids=["class", "rule"])  # fmt: skip
def test_nothing_consumes_what_is_kept(entry):
    for by_name in (False, True):
        graph = negs(4)
        second = graph.find_nodes(OpCode.Neg)[1]
        report = graph.optimize([entry], keep=[second.name if by_name else second])
        assert second.is_valid() and formulas(graph) == ["Neg(Neg(x0))"]
        assert report.transforms[0].skipped_by.kept > 0
        graph.optimize([entry], keep=[])
        assert formulas(graph) == ["x0"]
    graph = negs(2)
    with pytest.raises(crt.NotFoundError, match="optimize: keep names 'no'"):
        graph.optimize([entry], keep=["no"])
    with pytest.raises(crt.InvalidArgumentError, match=r"optimize: keep\[0\]: 'x0' is an input"):
        graph.optimize([entry], keep=["x0"])
    with pytest.raises(crt.InvalidArgumentError, match="optimize: keep: a Node was expected"):
        graph.optimize([entry], keep=[3])


def test_verify_is_an_option():
    for verify in (True, False, None):
        assert relu_chain(3).optimize(verify=verify).converged


@pytest.mark.parametrize("early", [False, True])
def test_insert_at_picks_the_place(early):
    def fn(t):
        below, beside = crt.abs(t[0]), crt.exp(t[0])
        return [crt.neg(below), beside]

    def match(pattern, graph, node):
        below = node.input(0).producer()
        return pattern.result([below, node], insert_at=below if early else None)

    graph = traced(fn)
    graph.optimize([Given({OpCode.Neg}, match, lambda graph, match, tensors: crt.relu(tensors[0]))])
    assert [node.op_code.name for node in graph.nodes()[1:]] == (["Relu", "Exp"] if early else ["Exp", "Relu"])


PDL = """
pdl.pattern @negs : benefit(1) {
  %x = operand
  %type = type
  %inner = operation "clika.neg"(%x : !pdl.value) -> (%type : !pdl.type)
  %value = result 0 of %inner
  %outer = operation "clika.neg"(%value : !pdl.value) -> (%type : !pdl.type)
  rewrite %outer {
    replace %outer with (%x : !pdl.value)
  }
}"""


@pytest.mark.parametrize("entries", [None, ["remove_double_neg", "remove_unused"],
                                     [Transform.from_pdl("negs", PDL), "remove_unused"]], ids=str)  # fmt: skip
def test_the_runtimes_and_pdl_let_what_is_kept_be(entries):
    for i in range(4):
        graph = negs(4)
        kept = graph.find_nodes(OpCode.Neg)[i]
        graph.optimize(entries, keep=[kept], check=True)
        graph.verify()
        assert kept.is_valid() and kept.op_code == OpCode.Neg and kept.out_degree() <= 1
        graph.optimize(entries)
        assert formulas(graph) == ["x0"] and not kept.is_valid()


def test_what_is_kept_is_neither_unused_nor_a_duplicate_nor_folded():
    def fn(t):
        crt.exp(t[0])
        return [crt.relu(t[0]), crt.relu(t[0]), crt.neg(crt.full([3], 2.0))]

    graph = traced(fn, [3])
    nodes = graph.nodes()[1:]
    graph.optimize(False, keep=nodes, check=True)
    assert all(node.is_valid() for node in nodes) and len(graph.nodes()) == 1 + len(nodes)
    graph.optimize(False)
    assert [node.op_code.name for node in graph.nodes()] == ["Input", "Relu"]


def test_a_failure_at_any_call_leaves_the_graph_as_it_was():
    """Pattern classes, rules and functions in lists of any order; the k-th call of theirs raises."""
    rng = np.random.default_rng(0)
    for trial in range(60):
        codes = [getattr(crt, name) for name in rng.choice(["neg", "abs", "relu", "exp"], rng.integers(2, 9))]

        def fn(t, codes=codes):
            values = [t[0]]
            for code in codes:
                values.append(code(values[rng.integers(len(values))]))
            return values[-3:]

        graph = traced(fn)
        left = int(rng.integers(0, 12))

        def count():
            nonlocal left
            left -= 1
            if left < 0:
                raise LookupError

        def match(pattern, g, node):
            count()
            below = node.input(0).producer()
            same = below.op_code == node.op_code
            return pattern.result([below, node], node if trial % 2 else None) if same else pattern.no_match(node, "not a pair")

        def apply(g, match, tensors):
            count()
            g.add_constant(np.ones(2, np.float32))
            return [crt.abs(tensors[0]) for _ in match.outputs]

        def rename(g):
            count()
            for node in g.nodes()[1:2]:
                g.rename_node(node, f"renamed_{rng.integers(1 << 30)}")

        rule = transforms.rewrite("rule", Pattern([OpCode.Abs, OpCode.Relu]),
                                  lambda m, t: count() or [crt.relu(t[0]) for _ in m.outputs], lambda m: count() or True)
        entries = [Given((), match, apply), rule, Transform("rename", rename), transforms.remove_unused()]
        rng.shuffle(entries)
        before, handles = graph.to_mlir(), graph.nodes()
        try:
            graph.optimize(entries, max_iterations=3)
        except LookupError:
            assert graph.to_mlir() == before and graph.nodes() == handles and all(node.is_valid() for node in handles)
        graph.verify()


def test_two_clones_become_the_same():
    def fn(t):
        value = t[0]
        for i in range(12):
            value = crt.neg(crt.neg(value)) if i % 3 else crt.relu(value)
        return value

    graph = traced(fn)
    other = graph.clone()
    graph.optimize([NegNeg(), "remove_redundant_relu"])
    other.optimize([NegNeg(), "remove_redundant_relu"])
    assert graph.to_mlir() == other.to_mlir() and formulas(graph) == ["Relu(x0)"]


def branches():
    """Neg(Neg(x)) outside, and in the first branch of an if."""
    scalar = crt.TensorSpec("c", crt.bool_, [])

    def fn(t):
        flag, x = t
        outside = crt.neg(crt.neg(x))
        inside = crt.if_(flag, lambda: [crt.neg(crt.neg(x))], lambda: [crt.abs(x)])
        return [outside, *inside]

    return crt.trace(fn, [scalar, crt.TensorSpec("x", crt.float32, [3])]).graph


def test_they_reach_into_regions():
    graph = branches()
    report = graph.optimize([NegNeg()], check=True)
    assert report.transforms[0].rewrites == 2 and "clika.neg" not in graph.to_mlir()


def test_insert_at_is_beside_what_is_replaced():
    def match(pattern, graph, node):
        outer = [n for n in graph.find_nodes(OpCode.If)]
        below = node.input(0).producer()
        return pattern.result([below, node], insert_at=outer[0]) if below.op_code == OpCode.Neg else None

    graph = branches()
    before = graph.to_mlir()
    with pytest.raises(crt.InvalidArgumentError, match="is in another region than the nodes to replace"):
        graph.optimize([Given({OpCode.Neg}, match)])
    assert graph.to_mlir() == before
