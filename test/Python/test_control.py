"""if_ and loop: at once, recorded, compiled with static and dynamic sizes, against the same program in NumPy."""

from __future__ import annotations

import resource

import numpy as np
import pytest

import clika_runtime as crt

F32 = np.float32


def compiled(fn, inputs, dynamic: bool = False, threads: int = 1):
    """What the compiled graph of `fn` returns; every dimension is dynamic where asked."""
    specs = [crt.TensorSpec(f"x{k}", crt.tensor(x).dtype, [f"d{k}_{d}" for d in range(x.ndim)] if dynamic else x.shape)
             for k, x in enumerate(inputs)]  # fmt: skip
    graph = crt.trace(fn, specs).graph
    graph.verify()
    again = crt.graph.ModelGraph.from_mlir(graph.to_mlir())
    assert again.to_mlir() == graph.to_mlir()
    graph.finalize(threads=threads)
    return [y.numpy() for y in graph.run(list(inputs))]


def check(fn, inputs, expected, dynamic=(False, True)) -> None:
    """Compiled, and at once where no branch depends on a traced value."""
    inputs = [np.asarray(x) for x in inputs]
    results = [[y.numpy() for y in fn([crt.tensor(x) for x in inputs])]]
    results += [compiled(fn, inputs, d, threads) for d in dynamic for threads in (1, 2)]
    for got in results:
        assert len(got) == len(expected)
        for g, e in zip(got, expected, strict=True):
            assert g.dtype == np.asarray(e).dtype and g.shape == np.asarray(e).shape
            np.testing.assert_array_equal(g, e)


X = np.array([[1, -2, 3], [-4, 5, -6]], F32)

#
# if
#


@pytest.mark.parametrize("holds", [True, False])
def test_if_computes_the_branch_taken(holds):
    def fn(t):
        return crt.if_(t[1], lambda: [t[0] * 2, crt.relu(t[0])], lambda: [-t[0], t[0]])

    check(fn, [X, np.array(holds)], [X * 2, np.maximum(X, 0)] if holds else [-X, X])


@pytest.mark.parametrize("holds", [True, False])
def test_branches_of_other_sizes(holds):
    def fn(t):
        return crt.if_(t[1], lambda: crt.concat([t[0], t[0]], 0), lambda: crt.slice(t[0], [0], [1], axes=[0]))

    check(fn, [X, np.array([holds])], [np.concatenate([X, X]) if holds else X[:1]])


@pytest.mark.parametrize("value", [-3.0, 0.5, 9.0])
def test_nested_branches(value):
    def fn(t):
        def inner():
            return crt.if_(t[1] > 5.0, lambda: [t[0] + 100.0], lambda: [crt.matmul(t[0], t[0])])

        return crt.if_(t[1] > 0.0, inner, lambda: [t[0] - 1.0])

    x = X[:, :2]
    check(fn, [x, np.array(value, F32)], [x + 100 if value > 5 else x @ x if value > 0 else x - 1], dynamic=[False])


class Program:
    """A random program of branches and loops. Many share a condition, or repeat once, so that one is known in the other
    and the compiler puts what is left in its place."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def __call__(self, inputs):
        flags, values = list(inputs[:2]), list(inputs[3:])
        return self.block([*flags, crt.logical_not(flags[0]), True], [1, 2, inputs[2]], values, depth=3)

    def pick(self, among):
        return among[self.random.integers(len(among))]

    def block(self, flags, counts, values, depth):
        """As many values as were given, each of one of them, of what was computed of two, or of a branch or a loop."""
        values = list(values)
        for _ in range(self.random.integers(1, 4)):
            form = self.random.integers(4 if depth else 1)
            if form == 0:
                values[self.random.integers(2)] = self.pick([crt.neg, crt.abs, lambda a: a * 2, lambda a: a + values[0]])(self.pick(values))
            elif form == 1:
                values = values[::-1]
            elif form == 2:
                flag, now = self.pick(flags), list(values)
                # Both functions are recorded in a trace, one alone is called of tensors: each has draws of its own.
                branches = [Program(self.random.integers(1 << 30)) for _ in range(2)]
                values = crt.if_(flag, *(lambda b=b, now=now: b.block(flags, counts, now, depth - 1) for b in branches))
            else:
                seed = self.random.integers(1 << 30)
                body = lambda i, *now, seed=seed: (None, Program(seed).block(flags, counts, now, depth - 1), [])  # noqa: E731
                values = crt.loop(self.pick(counts), None, values, body)[0]
        return values


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part):
    """Compiled, they compute what they compute of tensors, call by call."""
    a, b = np.array([[1, -2, 3]], np.float32), np.array([[-4, 5, 0.5]], np.float32)
    for seed in range(30 * part, 30 * (part + 1)):
        specs = [crt.TensorSpec(name, dtype, shape) for name, dtype, shape in
                 (("c", crt.bool_, []), ("d", crt.bool_, []), ("n", crt.int64, []), ("a", crt.float32, [1, 3]), ("b", crt.float32, [1, 3]))]  # fmt: skip
        graph = crt.trace(Program(seed), specs).graph
        optimized = graph.clone()
        optimized.optimize()
        for each in (graph, optimized):
            each.finalize(threads=1)
        for case in range(8):
            inputs = [np.array(bool(case & 1)), np.array(bool(case & 2)), np.array([0, 3][case >> 2]), a, b]
            expected = [tensor.numpy() for tensor in Program(seed)([crt.tensor(x) for x in inputs])]
            for each in (graph, optimized):
                for mine, theirs in zip(each.run(inputs), expected, strict=True):
                    np.testing.assert_array_equal(mine.numpy(), theirs, err_msg=f"seed {seed}, case {case}")


def test_a_branch_inside_one_of_the_same_condition():
    x = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)

    def nested(inputs, depth=3):
        inner = (lambda: [crt.neg(inputs[1])]) if depth == 0 else (lambda: nested(inputs, depth - 1))
        return crt.if_(inputs[0], inner, lambda: [crt.abs(inputs[1])])

    check(nested, [np.array(True), x], [-x])
    check(nested, [np.array(False), x], [np.abs(x)])


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float64"])
def test_dtypes_pass_through(dtype):
    x = np.array([[1, 0, 3], [2, 1, 0]]).astype(dtype)

    def fn(t):
        return crt.if_(t[1], lambda: [t[0]], lambda: [crt.flip(t[0], [0])])

    for holds in (True, False):
        check(fn, [x, np.array(holds)], [x if holds else x[::-1]])


#
# loop
#


@pytest.mark.parametrize("trips", [0, 1, 4])
def test_counted_loop(trips):
    def fn(t):
        carried, scans = crt.loop(t[1], None, [t[0]], lambda i, a: (None, [a * 2 + t[0]], [a, i]))
        return carried + scans

    state, kept = X, []
    for _ in range(trips):
        kept.append(state)
        state = state * 2 + X
    stacked = np.stack(kept) if kept else np.zeros((0, *X.shape), F32)
    check(fn, [X, np.array(trips)], [state, stacked, np.arange(trips)])


def test_while_loop():
    def fn(t):
        def body(i, a, n):
            twice = a + a
            return crt.reduce_max(twice) < t[1], [twice, n + 1], [crt.reduce_sum(twice)]

        carried, scans = crt.loop(None, True, [t[0], crt.tensor(0)], body)
        return carried + scans

    state, n, kept = X, 0, []
    while True:
        state, n = state + state, n + 1
        kept.append(state.sum(dtype=F32))
        if not state.max() < 100:
            break
    check(fn, [X, np.array(100, F32)], [state, np.array(n), np.array(kept, F32)])


@pytest.mark.parametrize("begins", [True, False])
@pytest.mark.parametrize("trips", [0, 2, 9])
def test_trip_count_and_condition(trips, begins):
    def fn(t):
        carried, scans = crt.loop(t[1], t[2], [t[0]], lambda i, a: (crt.less(i, 3), [a + 1.0], [a]))
        return carried + scans

    times = min(trips, 4) if begins else 0
    kept = np.stack([X + F32(k) for k in range(times)]) if times else np.zeros((0, 2, 3), F32)
    check(fn, [X, np.array([trips]), np.array(begins)], [X + F32(times), kept])


def test_carried_values_may_change_places():
    def fn(t):
        return crt.loop(t[2], None, [t[0], t[1]], lambda i, a, b: (None, [b, a], []))[0]

    y = X * 10
    for trips in (1, 2, 3):
        check(fn, [X, y, np.array(trips)], [y, X] if trips % 2 else [X, y])


def test_carried_values_may_grow():
    def fn(t):
        def body(i, a, b):
            return None, [crt.concat([a, t[0]], 0), crt.slice(b, [1], [2**62], axes=[0])], [crt.reduce_sum(a, [0])]

        carried, scans = crt.loop(t[2], None, [t[0], t[1]], body)
        return carried + scans

    b = np.arange(12, dtype=F32).reshape(6, 2)
    for trips in (0, 1, 5):
        sums = [np.sum(np.concatenate([X] * (k + 1)), 0) for k in range(trips)]
        check(fn, [X, b, np.array(trips)],
              [np.concatenate([X] * (trips + 1)), b[trips:], np.stack(sums) if sums else np.zeros((0, 3), F32)])  # fmt: skip


def test_growing_values_that_change_places():
    def fn(t):
        return crt.loop(t[1], None, [t[0], crt.concat([t[0], t[0]], 0)], lambda i, a, b: (None, [b, a], []))[0]

    check(fn, [X, np.array(3)], [np.concatenate([X, X]), X])


def test_nested_loops():
    def fn(t):
        def outer(i, a):
            inner, scans = crt.loop(i + 1, None, [a], lambda j, b: (None, [b + crt.cast(j, crt.float32)], [b]))
            return None, inner, [crt.reduce_sum(scans[0], [0])]

        carried, scans = crt.loop(t[1], None, [t[0]], outer)
        return carried + scans

    state, kept = X, []
    for i in range(4):
        each = []
        for j in range(i + 1):
            each.append(state)
            state = state + F32(j)
        kept.append(np.sum(np.stack(each), 0))
    check(fn, [X, np.array(4)], [state, np.stack(kept)])


def test_growing_values_in_nested_loops():
    def fn(t):
        def outer(i, a):
            inner = crt.loop(2, None, [a], lambda j, b: (None, [crt.concat([b, t[0]], 0)], []))[0]
            return None, crt.if_(crt.less(i, 2), lambda: inner, lambda: [a]), []

        return crt.loop(t[1], None, [t[0]], outer)[0]

    check(fn, [X, np.array(5)], [np.concatenate([X] * 5)])


def test_weights_and_kernels_in_a_loop():
    rng = np.random.default_rng(0)
    w = rng.integers(-2, 3, (64, 64)).astype(F32)
    x = rng.integers(-2, 3, (8, 64)).astype(F32)

    def fn(t):
        return crt.loop(3, None, [t[0]], lambda i, a: (None, [crt.clamp(crt.linear(a, crt.tensor(w)), -3, 3)], []))[0]

    state = x
    for _ in range(3):
        state = np.clip(state @ w.T, -3, 3)
    check(fn, [x], [state])


def test_convolutions_in_a_loop():
    rng = np.random.default_rng(1)
    w = rng.integers(-1, 2, (4, 4, 3, 3)).astype(F32)
    x = rng.integers(-1, 2, (1, 4, 6, 6)).astype(F32)

    def step(a):
        return crt.clamp(crt.conv(crt.relu(crt.conv(a, crt.tensor(w), pads=[1, 1])), crt.tensor(w), pads=[1, 1]), -2, 2)

    def fn(t):
        return crt.loop(t[1], None, [t[0]], lambda i, a: (None, [step(a)], [a]))[0]

    state = crt.tensor(x)
    for _ in range(3):
        state = step(state)
    check(fn, [x, np.array(3)], [state.numpy()], dynamic=[False])


def test_memory_does_not_grow_with_iterations():
    """A value of a megabyte whose size is known only at run time, copied ten thousand times."""

    def fn(t):
        def body(i, a):
            grown = crt.concat([a, t[2]], 0)
            return None, [crt.slice(grown * 1.0, [1], [2**62], axes=[0])], []

        return crt.loop(t[1], None, [t[0]], body)[0]

    x, row = np.ones((256, 1024), F32), np.ones((1, 1024), F32)
    graph = crt.trace(fn, [crt.TensorSpec("x", crt.float32, ["n", 1024]), crt.TensorSpec("k", crt.int64, []),
                           crt.TensorSpec("row", crt.float32, [1, 1024])]).graph  # fmt: skip
    graph.finalize(threads=1)
    graph.run([x, np.array(10), row])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = graph.run([x, np.array(2000), row])[0].numpy()
    assert result.shape == (256, 1024) and (result == 1).all()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


def test_values_kept_without_a_known_end_cost_no_more_than_they_hold():
    def fn(t):
        return crt.loop(None, True, [crt.tensor(0)], lambda i, n: (crt.less(n, t[1]), [n + 1], [t[0] + crt.cast(n, crt.float32)]))[1]

    check(fn, [X, np.array(700)], [np.stack([X + F32(k) for k in range(701)])])


#
# Errors
#


def traced(fn, *shapes):
    return crt.trace(fn, [crt.TensorSpec(f"x{k}", crt.float32, s) for k, s in enumerate(shapes)]).graph


@pytest.mark.parametrize(("fn", "message"), [
    (lambda t: crt.if_(t[0], lambda: [t[0]], lambda: [t[0]]), "if_: the condition is .*; it is one bool"),
    (lambda t: crt.if_(t[0] > 0, lambda: [t[0]], lambda: []), "if_: then_fn returned 1 tensor and else_fn 0"),
    (lambda t: crt.if_(t[0] > 0, lambda: [t[0]], lambda: [crt.cast(t[0], crt.int32)]),
     r"if_: result 0 is float32\[\] of then_fn and int32\[\] of else_fn"),
    (lambda t: crt.loop(None, None, [t[0]], lambda i, a: (None, [a], []))[0], "loop: there is neither a trip count nor"),
    (lambda t: crt.loop(3, None, [t[0]], lambda i, a: (None, [], []))[0], "loop: the body returned 0 carried values for 1"),
    (lambda t: crt.loop(3, None, [t[0]], lambda i, a: (None, [crt.unsqueeze(a, [0])], []))[0],
     r"loop: the body returned float32\[1\] for carried value 0, which is float32\[\]"),
    (lambda t: crt.loop(3, None, [t[0]], lambda i, a: [a])[0], "loop: the body returns a tuple"),
    (lambda t: crt.loop(2.5, None, [t[0]], lambda i, a: (None, [a], []))[0], "loop: the trip count is 2.5; it is one int64"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(fn, message):
    with pytest.raises(crt.Error, match=message):
        traced(fn, [])


def test_values_of_a_region_do_not_leave_it():
    stray = []

    def fn(t):
        crt.if_(t[0] > 0, lambda: stray.append(t[0] + 1) or [stray[0]], lambda: [t[0]])
        return [stray[0]]

    with pytest.raises(crt.Error, match="of the branch then_fn of if_.* which is over"):
        traced(fn, [])


def test_what_python_raises_in_a_body_comes_back():
    with pytest.raises(ZeroDivisionError):
        traced(lambda t: crt.loop(3, None, [t[0]], lambda i, a: 1 // 0)[0], [])


def test_values_kept_must_agree():
    def fn(t):
        return crt.loop(t[1], None, [t[0]], lambda i, a: (None, [crt.concat([a, a], 0)], [a]))[1]

    graph = crt.trace(fn, [crt.TensorSpec("x", crt.float32, [2]), crt.TensorSpec("n", crt.int64, [])]).graph
    graph.finalize()
    with pytest.raises(crt.InvalidArgumentError, match="loop 'loop_1': a value that is kept of every iteration has another shape"):
        graph.run([np.ones(2, F32), np.array(2)])
    assert graph.run([np.ones(2, F32), np.array(1)])[0].shape == (1, 2)


#
# The graph
#


def branching() -> crt.graph.ModelGraph:
    def fn(t):
        y = t[0] + 1.0
        return crt.if_(crt.reduce_sum(t[0]) > 0, lambda: [crt.relu(crt.relu(y))], lambda: [crt.neg(crt.neg(y))])

    return traced(fn, [3])


def test_reads_inside_regions_count():
    graph = branching()
    add = graph.find_nodes(crt.graph.OpCode.Add)[0]
    branch = graph.find_nodes(crt.graph.OpCode.If)[0]
    assert add.out_degree() == 2 and add.outputs[0].users() == [branch]
    with pytest.raises(crt.Error, match=f"is read by '{branch.name}'"):
        graph.remove_node(add)
    with pytest.raises(crt.Error, match="cycle"):
        graph.replace_all_uses_with(add.inputs[0], graph.insert(lambda t: [t[0] * 2], [branch.outputs[0]])[0])
    assert not graph.is_convex([graph.find_nodes(crt.graph.OpCode.ReduceSum)[0], branch])
    graph.verify()


def test_nodes_inside_have_names_and_handles():
    graph = branching()
    text = graph.to_mlir()
    inner = graph.find_node("relu_2")
    assert inner is not None and inner.outputs[0].users() == [] and inner.out_degree() == 1
    assert graph.find_node("relu_1").outputs[0].users() == [inner]
    graph.rename_node(inner, "last")
    clone = graph.clone()
    assert clone.to_mlir() == graph.to_mlir() != text and clone.find_node("last")
    graph.bypass_node(inner)
    assert graph.find_node("last") is None and not inner.is_valid()
    graph.verify()


def test_regions_can_be_asked():
    graph = branching()
    add, branch = graph.find_node("add_1"), graph.find_node("if_1")
    assert branch.region_count() == 2 and add.region_count() == 0 and branch.owner() is add.owner() is None
    assert [node.name for node in branch.region_nodes(1)] == ["neg_1", "neg_2"]
    assert branch.captures() == add.outputs and graph.find_node("relu_2").owner() == branch
    assert branch.region_outputs(0) == graph.find_node("relu_2").outputs and branch.region_inputs(0) == []
    with pytest.raises(crt.Error, match="region_nodes: the node 'if_1' has 2 regions, counted from 0"):
        branch.region_nodes(2)
    loop = traced(lambda t: crt.loop(2, None, [t[0]], lambda i, a: (None, [a + t[0]], []))[0], [3]).find_node("loop_1")
    assert [value.name for value in loop.region_inputs(0)] == ["loop_1/i", "loop_1/carried_0"]


def test_add_node_points_to_insert():
    graph = branching()
    with pytest.raises(crt.UnsupportedError, match="insert"):
        graph.add_node(crt.graph.OpCode.If, [graph.inputs()[0]])


def test_edits_inside_a_region():
    graph = branching()
    inner = graph.find_node("relu_1")
    assert graph.replace(inner.outputs, lambda t: [t[0] * 3], inner.inputs)[0].producer().name == "mul_1"
    neg = graph.find_node("neg_1")
    graph.add_node(crt.graph.OpCode.Abs, [neg.outputs[0]], name="inside")
    with pytest.raises(crt.Error, match="lies in a region of 'if_1'"):
        graph.add_output(neg.outputs[0], "stray")
    graph.verify()
    graph.finalize()
    assert graph.run([np.array([1, 2, -1], F32)])[0].tolist() == [6, 9, 0]
    assert graph.run([np.array([1, 2, -4], F32)])[0].tolist() == [2, 3, -3]


def test_saved_and_loaded(tmp_path):
    graph = branching()
    graph.save(tmp_path / "graph.clika")
    loaded = crt.graph.ModelGraph.load(tmp_path / "graph.clika")
    assert loaded.to_mlir() == graph.to_mlir()
    loaded.finalize()
    assert loaded.run([np.array([1, 2, -1], F32)])[0].tolist() == [2, 3, 0]


def test_transforms_work_inside_regions():
    graph = branching()
    report = graph.optimize(check=True)
    fired = {row.transform.name for row in report.transforms if row.applications}
    assert {"remove_redundant_relu", "remove_double_neg"} <= fired
    assert graph.find_node("relu_2") is None and "clika.neg" not in graph.to_mlir()


def test_rules_work_inside_regions():
    transforms = crt.graph.transforms
    graph = branching()
    rule = transforms.rewrite("halve_relus", crt.graph.Pattern.chain([crt.graph.OpCode.Relu, crt.graph.OpCode.Relu]),
                              lambda match, t: [crt.relu(t[0])])  # fmt: skip
    assert len(graph.find_occurrences(crt.graph.Pattern.chain([crt.graph.OpCode.Relu, crt.graph.OpCode.Relu]))) == 1
    report = graph.optimize([rule])
    assert report.transforms[0].rewrites == 1
    graph.verify()
    before, inside = graph.find_node("add_1"), graph.find_node("relu_3")
    assert inside.inputs == before.outputs


def test_nothing_of_a_region_is_matched_with_what_is_around_it():
    def fn(t):
        y = crt.relu(t[0])
        return crt.if_(crt.reduce_sum(t[0]) > 0, lambda: [crt.relu(y)], lambda: [y])

    graph = traced(fn, [3])
    assert graph.find_occurrences(crt.graph.Pattern.chain([crt.graph.OpCode.Relu, crt.graph.OpCode.Relu])) == []


def test_no_work_moves_into_a_loop():
    def fn(t):
        y = t[0] + t[0]
        return crt.loop(3, None, [t[0]], lambda i, a: (None, [crt.maximum(a, crt.sigmoid(y))], []))[0]

    graph = traced(fn, [3])
    graph.optimize()
    add = graph.find_nodes(crt.graph.OpCode.Add)
    assert len(add) == 1 and add[0].fused_activation() == "Identity"


#
# Constant conditions and counts
#


def folded(graph, **options):
    """What fold_constants makes of it, checked against the graph as it was."""
    before = graph.to_mlir()
    again = crt.graph.ModelGraph.from_mlir(before)
    report = graph.optimize(["fold_constants"], check=True, verify=True, **options)
    again.finalize()
    copy = graph.clone()
    copy.finalize()
    inputs = [np.array(X[0], F32)] * len(graph.inputs())
    for got, want in zip(copy.run(inputs), again.run(inputs), strict=True):
        assert got.dtype == want.dtype and np.array_equal(got.numpy(), want.numpy())
    return report.transforms[0].rewrites


def constant_choice(holds, then_fn, else_fn):
    """An if whose condition has become constant since it was traced, or None has not."""

    def fn(t):
        return crt.if_(crt.reduce_sum(t[0]) > 0, lambda: then_fn(t[0]), lambda: else_fn(t[0]))

    graph = traced(fn, [3])
    (branch,) = graph.find_nodes(crt.graph.OpCode.If)
    if holds is not None:
        graph.set_input(branch, 0, graph.add_constant(np.array(holds)))
        graph.optimize(["remove_unused"])
    return graph, branch


@pytest.mark.parametrize("holds", [True, False])
def test_a_constant_condition_takes_its_branch(holds):
    graph, branch = constant_choice(holds, lambda x: [crt.relu(x), crt.exp(x)], lambda x: [crt.neg(x), x])
    inside = branch.region_nodes(0 if holds else 1)
    other = branch.region_nodes(1 if holds else 0)
    assert folded(graph) == 1
    assert [node.op_code.name for node in graph.nodes()] == ["Input"] + (["Relu", "Exp"] if holds else ["Neg"])
    # Nodes of the branch are nodes of the graph from then on.
    assert all(node.is_valid() and node.owner() is None for node in inside) and graph.nodes()[1:] == inside
    assert not branch.is_valid() and not any(node.is_valid() for node in other)


def test_a_condition_that_is_not_constant_stays_a_choice():
    graph, branch = constant_choice(None, lambda x: [crt.relu(x)], lambda x: [crt.neg(x)])
    report = graph.optimize(["fold_constants"], explain=True)
    assert branch.is_valid() and report.transforms[0].rewrites == 0
    assert ("its condition is not constant", [branch.name]) in [(r.reason, r.nodes) for r in report.transforms[0].reasons]


def test_a_branch_of_other_sizes_keeps_the_type_that_readers_count_on():
    graph, _ = constant_choice(True, lambda x: [crt.concat([x, x], 0)], lambda x: [x])
    out = graph.outputs()[0]
    graph.remove_output(graph.output_names()[0])
    graph.add_output(graph.insert(lambda t: crt.relu(t[0]), [out])[0], "y")
    assert folded(graph) == 1
    assert [node.op_code.name for node in graph.nodes()] == ["Input", "Concat", "Cast", "Relu"]


def test_a_kept_node_of_the_other_branch_keeps_the_choice():
    graph, branch = constant_choice(True, lambda x: [crt.relu(x)], lambda x: [crt.neg(x)])
    copy = graph.clone()
    copy.optimize(["fold_constants"], keep=[copy.find_node(branch.region_nodes(1)[0].name)])
    assert copy.to_mlir() == graph.to_mlir()
    copy.optimize(["fold_constants"], keep=[copy.find_node(branch.region_nodes(0)[0].name)])
    assert copy.find_nodes(crt.graph.OpCode.If) == []


def test_choices_within_choices_and_loops_are_taken():
    def fn(t):
        def body(i, a):
            def then():
                return crt.if_(i > 0, lambda: [crt.relu(a)], lambda: [a])

            return None, crt.if_(crt.reduce_sum(a) > 0, then, lambda: [crt.neg(a)]), []

        return crt.loop(3, None, [t[0]], body)[0]

    graph = traced(fn, [3])
    loop = graph.nodes()[-1]
    outer = [node for node in loop.region_nodes(0) if node.op_code.name == "If"][0]
    inner = outer.region_nodes(0)[-1]
    yes = graph.add_constant(np.array(True))
    graph.set_input(outer, 0, yes)
    graph.set_input(inner, 0, yes)
    assert folded(graph) == 2
    assert [node.op_code.name for node in loop.region_nodes(0) if node.op_code.name not in ("ReduceSum", "Greater")] == ["Relu"]


@pytest.mark.parametrize("trips", [-1, 0, 1])
def test_a_loop_that_never_begins_hands_on_what_it_is_given(trips):
    def fn(t):
        count = crt.cast(crt.reduce_sum(t[0] * 0), crt.int64)
        carried, scans = crt.loop(count, None, [t[0]], lambda i, x: (None, [x * 2], [x]))
        return [carried[0], scans[0]]

    graph = traced(fn, [3])
    loop = graph.find_nodes(crt.graph.OpCode.Loop)[0]
    graph.set_input(loop, 0, graph.add_constant(np.array(trips)))
    assert folded(graph) == (trips <= 0)
    assert (graph.find_nodes(crt.graph.OpCode.Loop) == []) == (trips <= 0)


def test_what_a_fold_of_a_choice_does_can_be_recorded_and_undone():
    graph, branch = constant_choice(True, lambda x: [crt.relu(x), crt.exp(x)], lambda x: [crt.neg(x), x])
    before, copy = graph.to_mlir(), graph.clone()
    log = graph.optimize(["fold_constants", "remove_unused"], record=True).log
    copy.replay(log)
    assert copy.to_mlir() == graph.to_mlir() != before

    def fails(graph):
        raise KeyError("mine")

    graph, branch = constant_choice(True, lambda x: [crt.relu(x), crt.exp(x)], lambda x: [crt.neg(x), x])
    with pytest.raises(KeyError, match="mine"):
        graph.optimize(["fold_constants", crt.graph.Transform("fails", fails)])
    assert graph.to_mlir() == before and branch.is_valid() and branch.region_nodes(1)[0].owner() == branch
