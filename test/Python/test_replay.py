"""Recorded runs: optimize(record=True), RewriteLog, replay, clika-opt --clika-replay."""

from __future__ import annotations

import os
import pathlib
import random
import re
import subprocess

import numpy as np
import pytest
import random_edits
import random_graph
from graphs import relu_chain, traced

import clika_runtime as crt
from clika_runtime.graph import ModelGraph, OpCode, Pattern, RewriteLog, Transform, transforms

CLIKA_OPT = pathlib.Path(os.environ.get("CLIKA_PREFIX", "")) / "bin" / "clika-opt"


def recorded(graph: ModelGraph, *run: Transform) -> RewriteLog:
    log = graph.optimize(list(run) or None, record=True).log
    assert log is not None
    return log


def assert_replays(before: ModelGraph, after: ModelGraph, log: RewriteLog) -> None:
    """On a clone, and on the same graph read from its text in a context of its own, from the log's own text."""
    for graph, again in ((before.clone(), log), (ModelGraph.from_mlir(before.to_mlir()), RewriteLog.from_text(log.text))):
        graph.replay(again)
        assert graph.to_mlir() == after.to_mlir()
        graph.verify()


def affine(inputs):
    x, y = inputs
    weight = crt.tensor(np.random.default_rng(7).standard_normal((64, 64)).astype(np.float32))
    folded = crt.matmul(crt.transpose(weight, [1, 0]), weight)  # computed at once: a constant of 16 KiB
    return crt.add(crt.relu(crt.relu(crt.matmul(x, folded))), crt.neg(y)), crt.transpose(crt.transpose(x, [1, 0]), [1, 0])


def fold_weight(graph):
    """A new constant of more than 1 KiB, which lies outside of the text."""
    matmul = next(iter(graph.find_nodes(OpCode.Matmul)), None)
    weight = matmul.input(1) if matmul else None
    if weight and np.abs(weight.constant().numpy()).max() > 1:
        graph.set_input(matmul, 1, graph.add_constant(crt.tensor(np.tanh(weight.constant().numpy())), "small"))


def test_a_log_does_the_same_again():
    graph = traced(affine, ("n", 64), ("n", 64))
    before = graph.clone()
    nodes = {node.name: node for node in before.nodes()}
    log = recorded(graph, Transform("fold_weight", fold_weight), *graph.default_transforms())
    assert "small" in log.steps[0].added and log.steps[0].transform == "fold_weight" and log.steps[0].iteration == 1
    assert {"merge_transposes", "remove_redundant_relu", "add_neg_to_sub"} <= {step.transform for step in log.steps}
    assert_replays(before, graph, log)
    before.replay(log)
    assert before.to_mlir() == graph.to_mlir()
    gone = {name for step in log.steps for name in step.removed}
    assert {name: node.is_valid() for name, node in nodes.items()} == {name: name not in gone for name in nodes}
    # The replayed graph is a graph like any other.
    before.rename_node(before.find_nodes(OpCode.Sub)[0], "last")
    assert before.find_node("last") is not None and graph.find_node("last") is None


def test_numbers_after_a_replay():
    x, y = (np.random.default_rng(i).standard_normal((3, 64)).astype(np.float32) for i in range(2))
    graph = traced(affine, ("n", 64), ("n", 64))
    again, log = graph.clone(), recorded(graph)
    again.replay(log)
    for one in (graph, again):
        one.finalize()
    for a, b in zip(graph.run([x, y]), again.run([x, y]), strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_nothing_is_recorded_unasked():
    assert relu_chain(3).optimize().log is None
    graph = relu_chain(1)
    log = recorded(graph, Transform("nothing", lambda g: None))
    assert len(log) == 0 and log.steps == [] and str(log) == ""
    assert_replays(graph, graph, log)


def test_inputs_outputs_names_and_places():
    def rebuild(graph):
        if graph.input_names() != ["x0", "x1"]:
            return
        z = graph.add_input(crt.TensorSpec("z", crt.float32, [2, 3]))
        graph.rename_input("x1", "why")
        # Two nodes exchange their names.
        first, second = graph.find_nodes(OpCode.Relu)
        names = first.name, second.name
        graph.rename_node(first, "other")
        graph.rename_node(second, names[0])
        graph.rename_node(first, names[1])
        graph.add_output(graph.add_node(OpCode.Add, [z, second.output(0)], {"alpha": 2.0}, name="sum").output(0), "more")
        graph.remove_output("output_1")
        graph.remove_node(graph.find_nodes(OpCode.Neg)[0])
        graph.remove_input("why")
        # An operator that must move behind what it reads now.
        graph.set_input(first, 0, graph.add_node(OpCode.Exp, [z], name="late").output(0))

    graph = traced(lambda t: (crt.relu(crt.relu(t[0])), crt.neg(t[1])), (2, 3), (2, 3))
    before = graph.clone()
    kept = before.find_node("x0")
    log = recorded(graph, Transform("rebuild", rebuild))
    assert graph.input_names() == ["x0", "z"] and graph.output_names() == ["output_0", "more"]
    assert_replays(before, graph, log)
    before.replay(log)
    assert before.find_node("x0") == kept and before.input_names() == ["x0", "z"]


def test_rules_of_python():
    @transforms.rule(Pattern([OpCode.Neg, OpCode.Neg]))
    def drop(match, tensors):
        return tensors[0]

    graph = traced(lambda t: crt.neg(crt.neg(crt.neg(crt.neg(t[0])))), (2, 3))
    before, log = graph.clone(), recorded(graph, drop)
    assert [step.transform for step in log.steps] == ["drop"]
    assert_replays(before, graph, log)


@pytest.mark.parametrize("part", range(4))
def test_random_graphs(part):
    changed = 0
    for seed in range(part * 25, part * 25 + 25):
        graph, rng = random_graph.grow(9000 + seed).graph.clone(), random.Random(seed)
        before = graph.clone()
        run = [*transforms.runtime_transforms(), Transform("edits", lambda g, r=rng: random_edits.edit(g, r, 2) and None)]
        rng.shuffle(run)
        log = graph.optimize(run, max_iterations=2, record=True).log
        changed += len(log) > 0
        assert_replays(before, graph, log)
    assert changed >= 20


def two_steps() -> tuple[ModelGraph, ModelGraph, RewriteLog]:
    graph = traced(lambda t: crt.add(crt.relu(crt.relu(t[0])), crt.neg(t[1])), (2, 3), (2, 3))
    before = graph.clone()
    log = recorded(graph, transforms.remove_redundant_relu(), transforms.add_neg_to_sub())
    assert len(log) == 2
    return before, graph, log


def steps_of(text: str) -> tuple[str, list[str], str]:
    head, *steps = re.split(r"(?m)^(?=  func\.func)", text)
    last, tail = steps[-1].split("\n}\n", 1)
    return head, [*steps[:-1], last + "\n"], "}\n" + tail


def rejoined(text: str, order: list[int]) -> str:
    head, steps, tail = steps_of(text)
    parts = [re.sub(r"@step_\d+", f"@step_{i}", steps[k]) for i, k in enumerate(order)]
    return head.replace("log_steps = 2", f"log_steps = {len(order)}") + "".join(parts) + tail


@pytest.mark.parametrize("damage,message", [
    (lambda text: rejoined(text, [0]).replace("log_steps = 1", "log_steps = 2"), "1 of 2 steps"),
    (lambda text: rejoined(text, [1]), "where step 0 should stand there is step 1"),
    (lambda text: rejoined(text, [0, 0, 1]), "where step 1 should stand there is step 0"),
    (lambda text: rejoined(text, [1, 0]), "in order"),
    (lambda text: text.replace("log_version = 1", "log_version = 2"), "version 2.*reads version 1"),
    (lambda text: text[: len(text) // 2], "it does not parse|no log"),
    (lambda text: "", "no log of rewrites"),
    (lambda text: "module {}", "no clika.log_version"),
    (lambda text: text.replace('clika.was = ["add_1"]', "clika.was = []"), "does not say of each operator"),
    (lambda text: text.replace('{clika.name = "neg_1"}', ""), "does not say what its argument 1 is"),
    (lambda text: text.replace("clika.iteration = 1 : i64, ", "", 1), "step 0 does not say of which iteration and transform"),
    (lambda text: text.replace("clika.iteration = 1 : i64", "clika.iteration = 3 : i64", 1),
     "step 1 is of iteration 1, after one of iteration 3; a log holds each step once, in order"),
    (lambda text: text.replace('clika.transform = "add_neg_to_sub"', "clika.transform = 1"), "step 1 does not say of which"),
    (lambda text: "(" * 100000, "."),
])
def test_what_is_no_log(damage, message):
    before, after, log = two_steps()
    assert rejoined(log.text, [0, 1]) == log.text
    with pytest.raises(crt.InvalidArgumentError, match=f"^RewriteLog: .*{message}"):
        RewriteLog.from_text(damage(log.text))


def refuses_damaged(recorded, damage, message):
    """The damaged log is refused and changes nothing; the log as it was does what it tells of."""
    before, after, log = recorded
    text = before.to_mlir()
    changed = damage(log.text)
    assert changed != log.text
    with pytest.raises(crt.InvalidArgumentError, match=f"^replay: .*{message}"):
        before.replay(RewriteLog.from_text(changed))
    assert before.to_mlir() == text
    before.verify()
    before.replay(log)
    assert before.to_mlir() == after.to_mlir()


@pytest.mark.parametrize("damage,message", [
    (lambda text: text.replace("clika.sub", "clika.add"), "leads to another graph"),
    (lambda text: text.replace('clika.removed = ["relu_2"]', 'clika.removed = ["relu_9"]'), "step 0 .*no node 'relu_9'"),
    (lambda text: text.replace('clika.removed = ["relu_2"]', 'clika.removed = ["relu_1"]'), "step 0 .*reads 'relu_1', which the graph does not have"),
    (lambda text: text.replace('clika.removed = ["relu_2"]', 'clika.removed = ["add_1"]'), "two of its changes are to the node 'add_1'"),
    (lambda text: text.replace('["relu_2"]', '["relu_2", "neg_1"]'), "step 0 .*reads 'neg_1', which the graph does not have"),
    (lambda text: text.replace('removed = ["neg_1"]', 'removed = ["relu_1"]'), "step 1 .*reads 'relu_1'"),
    (lambda text: text.replace('clika.removed = ["relu_2"]', "clika.removed = []"), "another graph"),
    (lambda text: text.replace('{clika.name = "relu_1"}', '{clika.name = "lost"}', 1), "reads 'lost', which the graph does not have"),
    (lambda text: text.replace('{clika.name = "relu_1"}', '{clika.name = "relu_1", clika.result = 1 : i64}', 1), "does not have"),
    (lambda text: text.replace('behind = ["neg_1"]', 'behind = ["x0"]'), "no node 'x0' for 'add_1' to stand behind"),
    (lambda text: text.replace('behind = ["relu_1"]', 'behind = [""]'), "no valid graph: .*dominate"),
    (lambda text: text.replace('clika.was = ["add_1"]', 'clika.was = [""]', 1), "the graph has one of that name"),
])
def test_a_log_that_does_not_fit(damage, message):
    refuses_damaged(two_steps(), damage, message)


def renumbered(text: str, order: list[int]) -> str:
    """The steps in another order, each with the number of its new place."""
    text = rejoined(text, order)
    numbers = iter(range(len(order)))
    return re.sub(r"clika\.number = \d+", lambda _: f"clika.number = {next(numbers)}", text)


def test_steps_in_another_order_are_refused_whatever_their_numbers():
    before, after, log = two_steps()
    text = before.to_mlir()
    assert renumbered(log.text, [0, 1]) == log.text
    for order, message in (([1, 0], "step 1 .*reads 'neg_1', which the graph does not have"),
                           ([0, 0, 1], "step 1 .*the graph has no node 'relu_2'"), ([0], "leads to another graph"),
                           ([1], "leads to another graph|reads")):  # fmt: skip
        swapped = RewriteLog.from_text(renumbered(log.text, order))
        assert len(swapped) == len(order)
        with pytest.raises(crt.InvalidArgumentError, match=f"^replay: .*{message}"):
            before.replay(swapped)
        assert before.to_mlir() == text
    before.replay(log)
    assert before.to_mlir() == after.to_mlir()


def in_regions() -> tuple[ModelGraph, ModelGraph, RewriteLog]:
    """Two double negations: one in a branch within a loop's body, one in a private function; and a Relu too many."""

    def body(i, a):
        return None, crt.if_(i > 0, lambda: [crt.neg(crt.neg(a))], lambda: [a]), []

    graph = ModelGraph("regions")
    spec = crt.TensorSpec("x", crt.float32, [2, 3])
    graph.add_function("twice", lambda t: [crt.abs(crt.neg(crt.neg(t[0])))], [spec])
    x = graph.add_input(spec)
    (y,) = graph.insert(lambda t: crt.loop(2, None, [crt.relu(crt.relu(crt.call("twice", t)[0]))], body)[0], [x])
    graph.add_output(y, "y")
    before = graph.clone()
    log = recorded(graph, transforms.remove_double_neg(), transforms.remove_redundant_relu())
    assert [step.transform for step in log.steps] == ["remove_double_neg", "remove_redundant_relu"]
    return before, graph, log


def swapped(text: str) -> str:
    """The two steps in the other order, numbered anew; what the first holds of functions belongs to the second then."""
    head, parts, tail = steps_of(text)
    first, second = [part for part in parts if "clika.number" in part]
    inner = [part.replace("clika.function_of = 0", "clika.function_of = 1") for part in parts if "clika.function_of" in part]
    moved = [re.sub(r"@step_\d", f"@step_{i}", re.sub(r"clika\.number = \d", f"clika.number = {i}", part))
             for i, part in enumerate((second, first))]  # fmt: skip
    return head + "".join([*moved, *inner]) + tail


def test_what_was_done_in_regions_and_functions_is_done_again():
    before, after, log = in_regions()
    assert log.steps[0].changed == ["loop_1"] and log.steps[0].functions == ["twice"]
    assert_replays(before, after, log)


@pytest.mark.parametrize("damage,message", [
    (swapped, "step [01] .*"),
    (lambda text: text.replace('clika.removed = ["relu_2"]', 'clika.removed = ["relu_2", "neg_1"]'), "no node 'neg_1'"),
    (lambda text: text.replace('clika.was = ["loop_1"]', 'clika.was = ["if_1"]', 1),
     "no node 'if_1', but for one inside of 'loop_1.body'; a step tells of the graph's own nodes"),
    (lambda text: text.replace('{clika.name = "relu_2"}', '{clika.name = "if_1"}', 1),
     "reads 'if_1', which the graph does not have, but for one inside of 'loop_1.body'"),
    (lambda text: text.replace('clika.functions = ["twice"]', 'clika.functions = ["thrice"]', 1), "."),
    (lambda text: text.replace('clika.function = "twice"', 'clika.function = "other"', 1), "."),
])
def test_a_log_of_regions_that_does_not_fit(damage, message):
    refuses_damaged(in_regions(), damage, message)


def test_another_graph_is_refused():
    before, after, log = two_steps()
    renamed = before.clone()
    renamed.rename_node(renamed.find_nodes(OpCode.Neg)[0], "minus")
    for other in (after, renamed, relu_chain(2)):
        text = other.to_mlir()
        with pytest.raises(crt.InvalidArgumentError, match="^replay: the log is of another graph"):
            other.replay(log)
        assert other.to_mlir() == text
    before.finalize()
    with pytest.raises(crt.Error) as caught:
        before.replay(log)
    assert caught.value.code_name == "FAILED_PRECONDITION"
    with pytest.raises(crt.ArgumentTypeError, match="^replay: the log is a RewriteLog, not "):
        after.replay(log.text)


def test_a_constant_of_other_content_is_another_graph():
    def build(seed):
        data = np.random.default_rng(seed).standard_normal((64, 64)).astype(np.float32)
        return traced(lambda t: crt.relu(crt.relu(crt.matmul(t[0], crt.tensor(data)))), (2, 64))

    log = recorded(build(0))
    build(0).replay(log)
    with pytest.raises(crt.InvalidArgumentError, match="another graph"):
        build(1).replay(log)


def test_not_inside_optimize():
    before, _, log = two_steps()
    text = before.to_mlir()
    with pytest.raises(crt.Error) as caught:
        before.optimize([Transform("again", lambda graph: graph.replay(log))])
    assert caught.value.code_name == "FAILED_PRECONDITION" and before.to_mlir() == text


def test_files(tmp_path):
    before, after, log = two_steps()
    log.save(tmp_path / "run.log")
    again = RewriteLog.load(tmp_path / "run.log")
    assert again.text == log.text and len(again) == len(log) == 2 and str(again) == str(log)
    assert repr(again) == "<RewriteLog of 2 steps>" and repr(again.steps[0]) == (
        "<RewriteStep remove_redundant_relu of iteration 1>")
    assert str(log) == ("0: remove_redundant_relu (iteration 1); changes add_1; removes relu_2\n"
                        "1: add_neg_to_sub (iteration 1); changes add_1; removes neg_1\n")
    with pytest.raises(crt.IoError, match="^RewriteLog.load: .*missing"):
        RewriteLog.load(tmp_path / "missing")


def replay_tool(folder: pathlib.Path, graph: str, log: str) -> subprocess.CompletedProcess[str]:
    (folder / "graph.mlir").write_text(graph)
    (folder / "run.log").write_text(log)
    return subprocess.run([CLIKA_OPT, f"--clika-replay={folder / 'run.log'}", folder / "graph.mlir"],
                          capture_output=True, text=True)  # fmt: skip


def test_clika_opt(tmp_path):
    graph = traced(affine, ("n", 64), ("n", 64))
    before = graph.to_mlir()
    log = recorded(graph, Transform("fold_weight", fold_weight), *graph.default_transforms())
    done = replay_tool(tmp_path, before, log.text)
    assert done.returncode == 0 and done.stdout.rstrip("\n") == graph.to_mlir().rstrip("\n")
    refused = replay_tool(tmp_path, graph.to_mlir(), log.text)
    assert refused.returncode != 0 and "clika-replay: the log is of another graph" in refused.stderr
    assert "clika-replay: the text is no log of rewrites" in replay_tool(tmp_path, before, "module {}").stderr
