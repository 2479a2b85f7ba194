"""Nothing but functions and pass pipelines consumes a node of optimize(keep=…)."""

import pytest
from graphs import traced
from test_transform_numbers import FUNCTIONS, RUNTIME

import clika_runtime as crt
from clika_runtime.graph import ModelGraph, NodeKind, OpCode, Pattern, Transform, transforms


def functions_of(name):
    for owner, text in FUNCTIONS:
        if owner == name:
            try:
                yield ModelGraph.from_mlir(text)
            except crt.Error:
                # A section of a lit test that is no graph.
                continue


def constants(node):
    return [value.constant().numpy().tobytes() if value is not None and value.is_constant() else None for value in node.inputs]


def is_unchanged(node, was):
    """Whether it is as it was, but for what it reads of other nodes."""
    same = node.is_valid() and (node.op_code, repr(node.attributes)) == (was.op_code, repr(was.attributes))
    return same and all(b in (None, a) for a, b in zip(constants(node), constants(was), strict=True))


@pytest.mark.parametrize("name", RUNTIME)
def test_no_transform_of_the_runtime_consumes_what_is_kept(name):
    """Each operator of the transform's examples in turn."""
    consumed = 0
    for graph in functions_of(name):
        for node in graph.nodes():
            if node.kind == NodeKind.Input:
                continue
            kept, free = graph.clone(), graph.clone()
            copy = kept.find_node(node.name)
            kept.optimize([RUNTIME[name]], keep=[copy])
            assert is_unchanged(copy, node), (node.name, kept.to_string())
            kept.verify()
            left = free.find_node(node.name)
            free.optimize([RUNTIME[name]])
            consumed += not left.is_valid() or len(left.inputs) != len(node.inputs) or not is_unchanged(left, node)
    # Constants are no nodes.
    assert consumed or name == "share_constants"


@pytest.mark.parametrize("kept", [1, 2, 3])
@pytest.mark.parametrize("picks", [False, True])
def test_each_part_of_a_split_may_be_kept(kept, picks):
    def fn(tensors):
        x = tensors[0]
        if picks:
            return [crt.neg(crt.gather(x, crt.tensor(i), 0)) for i in range(3)]
        return [crt.neg(crt.slice(x, [2 * i], [2 * i + 2], [0])) for i in range(3)]

    graph = traced(fn, [3 if picks else 6])
    name = f"{'gather' if picks else 'slice'}_{kept}"
    free = graph.clone()
    assert graph.optimize(["slices_to_split"], keep=[name]).rewrites == 0 and graph.find_node(name).is_valid()
    assert free.optimize(["slices_to_split"]).rewrites == 1


PDL = """pdl.pattern @p : benefit(1) {
  %x = operand
  %t = type
  %i = operation "clika.relu"(%x : !pdl.value) -> (%t : !pdl.type)
  %v = result 0 of %i
  %o = operation "clika.neg"(%v : !pdl.value) -> (%t : !pdl.type)
  rewrite %o {
    END
  }
}"""


@pytest.mark.parametrize("end", [
    "replace %o with (%x : !pdl.value)\n    erase %i",
    '%n = operation "clika.abs"(%x : !pdl.value) -> (%t : !pdl.type)\n    replace %i with %n',
])  # fmt: skip
def test_pdl_replaces_and_erases_nothing_that_is_kept(end):
    rule = Transform.from_pdl("p", PDL.replace("END", end))
    graph = traced(lambda t: crt.neg(crt.relu(t[0])))
    before = graph.to_mlir()
    for name in ("relu_1", "neg_1"):
        assert graph.optimize([rule], keep=[name]).rewrites == 0 and graph.to_mlir() == before
    assert graph.optimize([rule]).rewrites == 1 and graph.find_nodes(OpCode.Relu) == []


def test_what_pdl_only_reads_may_be_kept():
    rule = Transform.from_pdl("p", PDL.replace("END", "replace %o with (%x : !pdl.value)"))
    graph = traced(lambda t: crt.neg(crt.relu(t[0])))
    relu = graph.find_node("relu_1")
    assert graph.optimize([rule, "remove_unused"], keep=[relu]).rewrites == 1
    assert relu.is_valid() and graph.find_nodes(OpCode.Neg) == []


def test_what_holds_a_kept_node_is_kept():
    def fn(tensors):
        x = tensors[0]
        crt.if_(crt.reduce_sum(x) > 0, lambda: [crt.relu(x)], lambda: [crt.abs(x)])
        return [crt.neg(x)]

    graph = traced(fn)
    (branch,) = graph.find_nodes(OpCode.If)
    (relu,) = [node for node in branch.region_nodes(0) if node.op_code == OpCode.Relu]
    any_if = transforms.rewrite("any_if", Pattern([OpCode.If]), lambda match, t: t[0])
    graph.optimize(["remove_unused", any_if], keep=[relu])
    assert branch.is_valid() and relu.is_valid()
    graph.optimize(["remove_unused"])
    assert not branch.is_valid() and not relu.is_valid()
