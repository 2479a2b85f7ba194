"""optimize() from Python: transforms, rules, reports, and exceptions that come back as themselves."""

import gc
import re
import signal
import sys
import threading
import weakref

import numpy as np
import pytest
from graphs import formulas, relu_chain, traced

import clika_runtime as crt
from clika_runtime.graph import Check, ModelGraph, OpCode, Pattern, PatternTransform, Transform, transforms


class CarelessNegs(PatternTransform):
    """Takes two Negs in a row away, but of the fourth pair it leaves one."""

    def __init__(self):
        super().__init__("careless")

    def root_op_codes(self):
        return {OpCode.Neg}

    def match(self, graph, node):
        first = node.input(0).producer()
        if first.op_code != OpCode.Neg:
            return self.no_match(node, "no pair")
        return self.result([first, node])

    def apply(self, graph, match, tensors):
        return crt.neg(tensors[0]) if match.nodes[0].name == "neg_7" else tensors[0]


def drop_repeated_relu(graph):
    for relu in graph.find_nodes(OpCode.Relu):
        producer = relu.input(0).producer()
        if producer is not None and producer.op_code == OpCode.Relu:
            graph.bypass_node(relu)


def rows(report):
    return [(row.transform.name, row.applications) for row in report.transforms]


def test_decorators():
    @transforms.transform
    def bare(graph):
        pass

    @transforms.transform()
    def called(graph):
        pass

    @transforms.transform("given", runs_after=[bare])
    def _positional(graph):
        pass

    @transforms.transform(name="keyword")
    def _keyword(graph):
        pass

    @transforms.rule(Pattern([OpCode.Relu]), name="named", runs_after=[bare])
    def _rule(match, tensors):
        return crt.neg(tensors[0])

    assert [made.name for made in (bare, called, _positional, _keyword, _rule)] == [
        "bare", "called", "given", "keyword", "named"]
    assert _positional.runs_after == [bare] == _rule.runs_after
    with pytest.raises(crt.InvalidArgumentError, match="must run after bare"):
        relu_chain(1).optimize([_positional, bare])


def test_handles_of_transforms():
    made = Transform("mine", drop_repeated_relu)
    assert made == made and made != Transform("mine", drop_repeated_relu) and made != "mine"
    assert transforms.remove_redundant_relu() == transforms.get("remove_redundant_relu")
    assert hash(transforms.clamp_to_relu()) == hash(transforms.clamp_to_relu())
    assert transforms.clamp_to_relu().is_runtime and not made.is_runtime
    assert transforms.clamp_to_relu() in transforms.runtime_transforms()
    with pytest.raises(crt.NotFoundError):
        transforms.get("no_such_transform")
    for name in ("", "remove_redundant_relu"):
        with pytest.raises(crt.InvalidArgumentError):
            Transform(name, drop_repeated_relu)


@pytest.mark.parametrize("entries", [[drop_repeated_relu], b"abc", 3, [None], True,
                                     Transform("a", drop_repeated_relu)])
def test_optimize_refuses_what_is_no_transform(entries):
    with pytest.raises(crt.InvalidArgumentError, match="^optimize: "):
        relu_chain(1).optimize(entries)


def test_report():
    graph = relu_chain(3)
    drop = Transform("drop", drop_repeated_relu)
    report = graph.optimize([drop, drop])
    assert rows(report) == [("drop", 1), ("drop", 0)] and report.iterations == 2 and report.converged
    assert (report.nodes_before, report.nodes_after) == (4, 2)
    assert report.transforms[0].transform == drop
    as_dict = report.to_dict()
    assert as_dict["iterations"] == 2 and as_dict["transforms"][0]["transform"] == "drop"
    assert "drop" in str(report)
    nothing = graph.optimize([])
    assert (nothing.iterations, rows(nothing)) == (1, [])


def test_the_transform_gets_the_graph_itself():
    seen = []
    graph = relu_chain(1)
    graph.optimize([Transform("look", seen.append)])
    assert seen == [graph] and hash(seen[0]) == hash(graph)
    assert seen[0].nodes() == graph.nodes()


@pytest.mark.parametrize("error", [ValueError("mine"), KeyboardInterrupt(), SystemExit(3), StopIteration(),
                                   crt.NotFoundError("call: gone"), MemoryError()], ids=repr)
def test_what_a_transform_raises_comes_back_itself(error):
    graph = relu_chain(2)
    before = graph.to_mlir()

    def fails(g):
        g.bypass_node(g.find_nodes(OpCode.Relu)[0])
        raise error

    with pytest.raises(type(error)) as caught:
        graph.optimize([Transform("fails", fails)])
    assert caught.value is error and graph.to_mlir() == before


def test_what_rules_raise_comes_back_itself():
    error = LookupError("mine")

    def fails(*_):
        raise error

    class Stubborn:
        def __bool__(self):
            raise error

    pattern = Pattern([OpCode.Relu])
    where = Pattern()
    where.add_node(OpCode.Relu, where=fails)
    negate = lambda match, tensors: crt.neg(tensors[0])  # noqa: E731
    for rule in (transforms.rewrite("r", pattern, fails), transforms.rewrite("c", pattern, negate, fails),
                 transforms.rewrite("b", pattern, negate, lambda match: Stubborn()),
                 transforms.rewrite("w", where, negate)):
        graph = relu_chain(2)
        before = graph.to_mlir()
        with pytest.raises(LookupError) as caught:
            graph.optimize([rule])
        assert caught.value is error and graph.to_mlir() == before


def test_the_traceback_names_the_entry():
    def fails(g):
        raise KeyError("boom")

    def stops(g):
        raise KeyboardInterrupt

    idle = Transform("idle", lambda g: None)
    with pytest.raises(KeyError) as caught:
        relu_chain(1).optimize([idle, Transform("mine", fails)])
    assert getattr(caught.value, "__notes__", None) == ["in optimize: transforms[1] (mine)"] or sys.version_info < (3, 11)
    with pytest.raises(KeyboardInterrupt) as interrupted:
        relu_chain(1).optimize([Transform("mine", stops)])
    assert not hasattr(interrupted.value, "__notes__")


def test_a_caught_exception_is_no_failure():
    def careful(g):
        with pytest.raises(ZeroDivisionError):
            g.insert(lambda tensors: 1 / 0, [g.inputs()[0]])
        with pytest.raises(crt.InvalidArgumentError):
            g.optimize()
        other = relu_chain(2)
        with pytest.raises(ZeroDivisionError):
            other.optimize([Transform("inner", lambda g: 1 / 0)])
        assert other.optimize([Transform("inner", drop_repeated_relu)]).iterations == 2

    assert rows(relu_chain(1).optimize([Transform("careful", careful)])) == [("careful", 0)]


def test_the_engines_own_errors_have_the_prefix():
    rule = transforms.rewrite("two", Pattern([OpCode.Relu]), lambda match, tensors: [tensors[0], tensors[0]])
    with pytest.raises(crt.InvalidArgumentError, match=r"^optimize: transforms\[0\] \(two\) failed: "):
        relu_chain(1).optimize([rule])
    wrong = transforms.rewrite("wrong", Pattern([OpCode.Relu]), lambda match, tensors: "y")
    with pytest.raises(crt.InvalidArgumentError, match=r"^optimize: transforms\[0\] \(wrong\) failed: .*Tensor"):
        relu_chain(1).optimize([wrong])


def test_inside_a_transform():
    def refused(call):
        def fn(g):
            with pytest.raises(crt.InvalidArgumentError) as caught:
                call(g)
            assert caught.value.code_name == "FAILED_PRECONDITION"

        relu_chain(1).optimize([Transform("refused", fn)])

    for call in (lambda g: g.optimize(), lambda g: g.finalize(), lambda g: g.to("cpu"), lambda g: g.run([])):
        refused(call)


def test_another_thread_may_query_and_not_edit():
    graph = relu_chain(2)
    answers = []

    def other():
        answers.append(len(graph.nodes()))
        try:
            graph.bypass_node(graph.nodes()[1])
        except crt.InvalidArgumentError as error:
            answers.append(error.code_name)

    def fn(g):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(20)

    graph.optimize([Transform("waits", fn)])
    assert answers == [3, "FAILED_PRECONDITION"] and len(graph.nodes()) == 3


def test_patterns():
    codes = [OpCode.Relu, OpCode.Neg]

    def count(pattern, graph):
        return len(graph.find_occurrences(pattern))

    graph = traced(lambda inputs: crt.neg(crt.relu(crt.relu(inputs[0]))))
    assert count(Pattern(codes), graph) == count(Pattern.chain(codes), graph) == 1
    either = Pattern()
    either.add_node({OpCode.Relu, OpCode.Neg})
    any_node = Pattern()
    any_node.add_node(None)
    assert count(either, graph) == count(any_node, graph) == 3
    read = Pattern()
    read.add_node([OpCode.Relu], where=lambda node: node.input(0).is_graph_input())
    (match,) = graph.find_occurrences(read)
    assert [node.op_code for node in match.nodes] == [OpCode.Relu]
    assert match.inputs == graph.inputs() and match.outputs == [match.nodes[0].output(0)]
    with pytest.raises(crt.InvalidArgumentError):
        Pattern(["Relu"])
    with pytest.raises(crt.InvalidArgumentError):
        Pattern([OpCode.Input])
    with pytest.raises(crt.InvalidArgumentError):
        Pattern().add_edge(0, 1)


def test_optional_pattern_nodes():
    pattern = Pattern()
    relu = pattern.add_node(OpCode.Relu)
    neg = pattern.add_node(OpCode.Neg, optional=True)
    exp = pattern.add_node(OpCode.Exp)
    pattern.add_edge(relu, neg)
    pattern.add_edge(neg, exp)
    (match,) = traced(lambda inputs: crt.exp(crt.relu(inputs[0]))).find_occurrences(pattern)
    assert match.nodes[1] is None and match.nodes[2].op_code == OpCode.Exp
    (match,) = traced(lambda inputs: crt.exp(crt.neg(crt.relu(inputs[0])))).find_occurrences(pattern)
    assert match.nodes[1].op_code == OpCode.Neg


def test_rules_and_the_iterations_they_take():
    once = transforms.rewrite("pair", Pattern([OpCode.Relu, OpCode.Relu]), lambda match, tensors: crt.relu(tensors[0]))
    graph = relu_chain(3)
    report = graph.optimize([once])
    assert rows(report) == [("pair", 2)] and report.iterations == 3 and formulas(graph) == ["Relu(x0)"]
    declined = transforms.rewrite("never", Pattern([OpCode.Relu]), lambda match, tensors: tensors[0], lambda match: [])
    report = graph.optimize([declined])
    assert report.transforms[0].declined == 1 and formulas(graph) == ["Relu(x0)"]
    budget = graph.optimize([transforms.rewrite("again", Pattern([OpCode.Relu]),
                                                lambda match, tensors: crt.relu(tensors[0]))], max_iterations=3)
    assert budget.iterations == 3 and not budget.converged


def test_callables_are_released():
    class Replacement:
        def __call__(self, match, tensors):
            return crt.relu(tensors[0])

    function = Replacement()
    gone = weakref.ref(function)
    rule = transforms.rewrite("r", Pattern([OpCode.Relu, OpCode.Relu]), function)
    report = relu_chain(2).optimize([rule])
    del function, rule, report
    gc.collect()
    assert gone() is None


@pytest.fixture
def interrupts():
    """SIGINT raises, as it does not by itself in a program that was started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals go to the main thread")
def test_ctrl_c_ends_and_undoes_a_run(interrupts):
    graph = relu_chain(2)
    before = graph.to_mlir()

    def endless(g):
        signal.raise_signal(signal.SIGINT)
        while True:
            g.nodes()

    with pytest.raises(KeyboardInterrupt):
        graph.optimize([Transform("drop", drop_repeated_relu), Transform("endless", endless)])
    assert graph.to_mlir() == before


def test_a_graph_outlives_its_handles_and_the_other_way():
    node = relu_chain(1).nodes()[1]
    gc.collect()
    assert node.is_valid() and node.name
    graphs = []
    relu_chain(1).optimize([Transform("keep", graphs.append)])
    gc.collect()
    assert isinstance(graphs[0], ModelGraph) and len(graphs[0].nodes()) == 2


def test_threads_query_while_python_rules_run():
    graph = traced(lambda inputs: [crt.relu(crt.neg(inputs[0])) for _ in range(300)])
    done = threading.Event()

    def query():
        while not done.is_set():
            assert len(graph.nodes()) >= 301

    threads = [threading.Thread(target=query) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        pair = Pattern([OpCode.Neg, OpCode.Relu])
        rule = transforms.rewrite("pair", pair, lambda match, tensors: crt.neg(tensors[0]))
        report = graph.optimize(graph.default_transforms()[:3] + [rule])
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert report.transforms[-1].rewrites == 300 and len(graph.nodes()) == 301


def test_fold_excluded():
    graph = ModelGraph()
    values = [graph.add_input(crt.TensorSpec("x0", crt.float32, [2])), graph.add_constant([0.0, 0.0]), graph.add_constant([1.0, 2.0])]
    graph.add_output(graph.insert(lambda t: t[0] + crt.exp(t[1]) * crt.neg(t[2]), values)[0], "y")
    report = graph.optimize([transforms.fold_constants()], fold_excluded=[OpCode.Exp], explain=True)
    assert formulas(graph) == ["Add(x0, Mul(Exp(c), c))"] and report.transforms[0].rewrites == 1
    assert "the run leaves operators of its code out of folding" in [reason.reason for reason in report.transforms[0].reasons]
    graph.optimize([transforms.fold_constants()])
    assert formulas(graph) == ["Add(x0, c)"]
    for wrong in ([3], OpCode.Exp, "Exp"):
        with pytest.raises(crt.InvalidArgumentError, match="^optimize: "):
            graph.optimize(fold_excluded=wrong)


def test_fold_limit():
    def fn(inputs):
        return crt.add(inputs[0], crt.neg(crt.full([3, 4], 1.5)))

    small, large = traced(fn, [3, 4]), traced(fn, [3, 4])
    small.optimize([transforms.fold_constants()], fold_limit=47)
    large.optimize([transforms.fold_constants()], fold_limit=48)
    assert formulas(large) == ["Add(x0, c)"] and formulas(small) == ["Add(x0, Neg(Full()))"]
    with pytest.raises(crt.InvalidArgumentError, match="fold_limit is -1 bytes"):
        large.optimize(fold_limit=-1)


def test_the_target_may_be_given_beside_a_list():
    graph = relu_chain(3)
    graph.optimize([transforms.remove_redundant_relu()], target_device="gpu")
    assert graph.target_device == crt.Device("gpu") and len(graph.find_nodes(OpCode.Relu)) == 1
    with pytest.raises(crt.InvalidArgumentError, match="npu"):
        graph.optimize([], target_device=crt.Device("npu"))
    with pytest.raises(crt.ArgumentTypeError, match="^optimize: target_device"):
        graph.optimize([], target_device=3)


def test_a_condition_that_returns_text_is_refused():
    graph = relu_chain(2)
    rule = transforms.rewrite("rule", Pattern([OpCode.Relu]), lambda match, tensors: tensors[0], lambda match: "only on Mondays")
    with pytest.raises(crt.InvalidArgumentError, match="returned the str 'only on Mondays', which would accept; return Declined"):
        graph.optimize([rule])


def test_check_needs_an_output_to_compare():
    graph = traced(lambda inputs: crt.neg(inputs[0]), [2])

    def changes(graph):
        graph.rename_output(graph.output_names()[0], "renamed")
        graph.add_output(graph.inputs()[0], "another")

    renames = Transform("renames", changes)
    with pytest.raises(crt.InvalidArgumentError, match=r"after transforms\[0\] \(renames\).*none of the outputs that it had"):
        graph.optimize([renames], check=True, max_iterations=1)


def test_check_makes_up_indices_that_a_table_of_one_row_has():
    signature = [crt.TensorSpec("table", crt.float32, [1, 3]), crt.TensorSpec("at", crt.int64, [4])]
    graph = crt.trace(lambda t: crt.neg(crt.neg(crt.gather(t[0], t[1]))), signature).graph
    assert graph.optimize(check=True).rewrites == 1


def test_check_takes_what_run_takes():
    graph = traced(lambda inputs: crt.neg(inputs[0]) * inputs[1], [2], [2])
    wrong = transforms.rewrite("wrong", Pattern([OpCode.Neg]), lambda match, tensors: crt.abs(tensors[0]))
    ones = np.ones(2, np.float32)
    for check in ([ones, ones], {"x1": ones, "x0": ones}):
        with pytest.raises(crt.InternalError, match="wrong"):
            graph.optimize([wrong], check=check)
    for check in ({"x0": ones}, {"x0": ones, "x1": ones, "x2": ones}, {"x0": ones, "y": ones}, [ones], [ones, ones[:1]]):
        with pytest.raises(crt.InvalidArgumentError, match="^optimize: check"):
            graph.optimize([wrong], check=check)
    assert formulas(graph) == ["Mul(Neg(x0), x1)"]


def test_check_names_the_rewrite_that_is_to_blame():
    def fn(inputs):
        x = inputs[0]
        for _ in range(9):
            x = crt.tanh(crt.neg(crt.neg(x)))
        return x

    def replacement(match, tensors):
        return crt.neg(tensors[0]) if match.nodes[0].name == "neg_7" else tensors[0]

    graph = traced(fn, [2, 3])
    text, nodes = graph.to_mlir(), graph.nodes()
    for careless in (transforms.rewrite("careless", Pattern([OpCode.Neg, OpCode.Neg]), replacement), CarelessNegs()):
        with pytest.raises(crt.InternalError, match=r"transforms\[1\] \(careless\) in iteration 1: the output 'output_0' differs in "
                           r"6 of 6 elements.*; rewrite 4 of 9 does it, which changes 'tanh_4', adds 1 node, removes 'neg_7', 'neg_8'"):  # fmt: skip
            graph.optimize([transforms.remove_unused(), careless], check=True)
        assert graph.to_mlir() == text and graph.nodes() == nodes


def test_check_takes_ranges_and_a_seed():
    graph = traced(lambda inputs: crt.sqrt(crt.abs(inputs[0])), [64])
    wrong = transforms.rewrite("wrong", Pattern([OpCode.Abs]), lambda match, tensors: tensors[0])
    assert graph.clone().optimize([wrong], check=Check(ranges={"x0": (np.float32(0), 9)})).rewrites == 1
    texts = []
    for seed in (1, 1, 2):
        with pytest.raises(crt.InternalError, match="CHECK_FAILED|check failed") as caught:
            graph.optimize([wrong], check=Check(seed=seed))
        texts.append(str(caught.value))
    assert texts[0] == texts[1] != texts[2]
    given = Check([np.ones(64, np.float32)])
    assert graph.clone().optimize([wrong], check=given).rewrites == 1
    for check, message in (
        (Check(ranges={"x0": (2, 1)}), "its low end above its high one"),
        (Check(ranges={"y": (0, 1)}), "ranges name the input 'y', which the graph has not"),
        (Check(given.inputs, ranges={"x0": (0, 1)}), "both inputs and ranges"),
    ):
        with pytest.raises(crt.InvalidArgumentError, match=message):
            graph.optimize([wrong], check=check)
    assert (given.seed, Check(ranges={"x0": [1, 2]}).ranges) == (0, {"x0": (1.0, 2.0)})


WRONG_NEG = transforms.rewrite("wrong", Pattern([OpCode.Neg]), lambda match, t: t[0] + 1000.0)


@pytest.mark.parametrize("fn", [
    lambda t: crt.slice(crt.neg(t[0]), [4], [9], [0]),
    lambda t: crt.slice(crt.neg(t[0]), [3], [-7], [0]),
    lambda t: crt.concat([crt.slice(crt.neg(t[0]), [-40], [-30], [0]), t[0]], 0),
    lambda t: crt.gather(crt.neg(t[0]), crt.tensor([30]), 0),
    lambda t: crt.slice(crt.neg(crt.concat([t[0], t[0]], 0)), [20], [30], [0]),
    lambda t: crt.slice(crt.neg(t[0]), t[2], t[2] + 9, [0]),
])  # fmt: skip
def test_inputs_that_are_made_up_reach_what_the_graph_computes(fn):
    specs = [("x", crt.float32, ["n", 3]), ("y", crt.float32, ["m"]), ("at", crt.int64, [1])]
    graph = crt.trace(lambda t: [fn(t), crt.abs(t[1])], [crt.TensorSpec(*spec) for spec in specs]).graph
    for seed in range(10):
        with pytest.raises(crt.InternalError, match="the output 'output_0' differs"):
            graph.optimize([WRONG_NEG], check=Check(seed=seed))


def test_sizes_that_are_made_up_differ():
    shapes = []
    graph = traced(lambda t: [crt.neg(t[0]), t[1]], ["n", "m", "k"], ["m", "l"])
    for seed in range(10):
        with pytest.raises(crt.InternalError, match="the output 'output_0' differs") as caught:
            graph.optimize([WRONG_NEG], check=Check(seed=seed, ranges={"x0": (0, 1)}))
        shapes.append(re.search(r"of (\d+) elements", str(caught.value))[1])
    # Three different numbers from 2 on.
    assert set(shapes) <= {str(a * b * c) for a in range(2, 7) for b in range(2, a) for c in range(2, b)}, shapes


def test_a_check_that_compares_nothing_is_refused():
    graph = traced(lambda t: crt.slice(crt.neg(t[0]), [9], [2], [0]), ["n", 3])
    with pytest.raises(crt.InvalidArgumentError, match="made up can be computed with .they leave no output any element to compare"):
        graph.optimize([WRONG_NEG], check=True)
    # Of outputs that never have elements there is nothing else to compare.
    assert traced(lambda t: crt.neg(t[0]), [0, 3]).optimize([WRONG_NEG], check=True, max_iterations=1).rewrites == 1


def test_a_check_that_none_can_be_is_refused():
    for make, message in (
        (lambda: Check(seed=-1), "Check: the seed is -1"),
        (lambda: Check(ranges={"x0": (1,)}), "Check: the range of the input 'x0' holds 1 number"),
        (lambda: Check(ranges={"x0": ("a", 1)}), "Check: the low end of the range of the input 'x0' is a number"),
        (lambda: Check(ranges={"x0": 3}), "Check: the range of the input 'x0'"),
    ):
        with pytest.raises(crt.InvalidArgumentError, match=message):
            make()


def test_check_follows_the_sizes_that_the_graph_knows():
    """A size of the run that happens to be 1 stays one: the check computes what a run does."""
    graph = traced(lambda t: crt.squeeze(crt.unsqueeze(crt.squeeze(crt.reduce_min(t[0], [0], True), [0]), [0]), [0]), ("n", "m"))
    x = np.ones((4, 1), np.float32)
    report = graph.optimize(check=[x])
    assert report.nodes_after < report.nodes_before
    graph.finalize()
    assert graph.run([x])[0].shape == (1,)


def test_check_follows_renamed_inputs_and_outputs():
    def renames(graph):
        graph.rename_input("x0", "xx")
        graph.rename_output(graph.output_names()[0], "yy")

    graph = traced(lambda t: [t[0] * 2.0])
    graph.optimize([Transform("renames", renames)], check=True, max_iterations=1)
    assert (graph.input_names(), graph.output_names()) == (["xx"], ["yy"])

    def renames_and_breaks(graph):
        graph.rename_output("yy", "zz")
        graph.replace(graph.find_nodes(OpCode.Mul)[0].outputs, lambda t: [t[0] * 3.0], [graph.inputs()[0]])

    with pytest.raises(crt.Error, match="the output 'zz' differs") as caught:
        graph.optimize([Transform("breaks", renames_and_breaks)], check=True, max_iterations=1)
    assert caught.value.code_name == "CHECK_FAILED" and graph.output_names() == ["yy"]

    with pytest.raises(crt.Error, match="input 'new' was not in the graph before.*add inputs before") as caught:
        graph.optimize([Transform("adds", lambda g: g.add_input(crt.TensorSpec("new", crt.float32, [2])))], check=True, max_iterations=1)
    assert caught.value.code_name == "CHECK_FAILED" and graph.input_names() == ["xx"]
