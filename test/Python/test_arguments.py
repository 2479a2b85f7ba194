"""Wrong arguments, over every public callable: each is refused by the library's own error, which begins with the call.

The calls are found by walking the package, so a new function is tested as soon as it is there; where a parameter of a
new kind needs a value that fits, the test asks for one in VALUES."""

from __future__ import annotations

import functools
import inspect
from types import SimpleNamespace

import numpy as np
import pytest
from graphs import traced

import clika_runtime as crt
from clika_runtime.graph import ModelGraph, OpCode, Pattern, Transform, transforms


class Wrong:
    """What no call takes."""


@functools.cache
def report_parts() -> list[object]:
    """A region's row, a reason and a step, of a run that has such."""
    spec = crt.TensorSpec("x", crt.float32, [2])
    graph = crt.trace(lambda x: crt.if_(crt.reduce_sum(x[0]) > 0, lambda: [crt.neg(crt.neg(x[0]))], lambda: [x[0]]), [spec]).graph
    report = graph.optimize(["remove_double_neg", "remove_unused"], record=True, explain=True)
    return [report.regions[0], report.transforms[1].reasons[0], report.log.steps[0]]


@functools.cache
def profile_parts() -> list[object]:
    """A profile, and a part of it of each kind."""
    graph = crt.trace(lambda x: crt.relu(x[0]), [crt.TensorSpec("x", crt.float32, [2])]).graph
    graph.finalize(threads=1)
    profile = graph.profile([[1.0, 2.0]], runs=1)
    return [profile, profile.rows[0], profile.events[0], profile.bandwidths[0]]


def world() -> SimpleNamespace:
    graph = crt.trace(lambda x: crt.relu(crt.neg(x[0])), [crt.TensorSpec("x", crt.float32, [2])], output_names=["y"]).graph
    objects = [graph, *graph.nodes(), graph.inputs()[0], crt.tensor([1.0, 2.0]), Pattern([OpCode.Relu]), crt.Device()]
    objects += [crt.TensorSpec("x", crt.float32, [2]), transforms.remove_unused(), transforms.remove_unused().exactness]
    report = graph.optimize([transforms.remove_unused()], record=True)
    objects += [report, report.log, report.transforms[0], *graph.find_occurrences(Pattern([OpCode.Relu]))]
    objects += [report.phases, report.transforms[0].skipped_by, *report_parts(), *profile_parts()]
    return SimpleNamespace(graph=graph, node=graph.find_nodes(OpCode.Relu)[0], value=graph.inputs()[0],
                           tensor=crt.tensor([1.0, 2.0]), log=report.log, objects=objects)


# A value that fits, by the parameter's name, or by the call's and its own where one name serves several kinds.
VALUES = {
    "atol": lambda w: 0.0,
    "attributes": lambda w: {},
    "allow_unknown": lambda w: False,
    "cache_dir": lambda w: "",
    "check": lambda w: True,
    "code": lambda w: OpCode.Relu,
    "codes": lambda w: [OpCode.Relu],
    "commutative": lambda w: False,
    "condition": lambda w: None,
    "data": lambda w: w.tensor,
    "device": lambda w: "cpu",
    "dtype": lambda w: crt.float32,
    "exactness": lambda w: crt.graph.Exactness.exact(),
    "explain": lambda w: False,
    "factory": lambda w: transforms.remove_unused,
    "fn": lambda w: lambda x: x[0],
    "fold_excluded": lambda w: [],
    "fold_limit": lambda w: 0,
    "from_node": lambda w: 0,
    "from_port": lambda w: 0,
    "graph": lambda w: w.graph,
    "i": lambda w: 0,
    "index": lambda w: 0,
    "inputs": lambda w: [w.value],
    "keep": lambda w: [],
    "kind": lambda w: "cpu",
    "log": lambda w: w.log,
    "max_iterations": lambda w: 1,
    "n_inputs": lambda w: 1,
    "number": lambda w: 1.0,
    "name": lambda w: "fresh",
    "new_name": lambda w: "fresh",
    "new_value": lambda w: w.value,
    "node": lambda w: w.node,
    "nodes": lambda w: [w.node],
    "old_name": lambda w: "x",
    "old_outputs": lambda w: [w.node.output(0)],
    "old_value": lambda w: w.value,
    "optional": lambda w: False,
    "order": lambda w: crt.graph.Order.List,
    "output_names": lambda w: ["y"],
    "outputs": lambda w: [w.tensor],
    "path": lambda w: "no such file",
    "pattern": lambda w: Pattern([OpCode.Relu]),
    "pipeline": lambda w: "cse",
    "port": lambda w: 0,
    "precision": lambda w: "full",
    "priority": lambda w: 1,
    "progress": lambda w: print,
    "fallback": lambda w: print,
    "reason": lambda w: "it is none",
    "replacement": lambda w: lambda match, tensors: tensors[0],
    "rtol": lambda w: 0.0,
    "runs": lambda w: 1,
    "warmup": lambda w: 0,
    "rule": lambda w: transforms.rewrite("fresh", Pattern([OpCode.Relu]), lambda match, tensors: tensors[0]),
    "runs_after": lambda w: [],
    "shape": lambda w: [2],
    "spec": lambda w: crt.TensorSpec("z", crt.float32, [2]),
    "specs": lambda w: [crt.TensorSpec("x", crt.float32, [2])],
    "target_cpu": lambda w: "x86-64",
    "target_triple": lambda w: "x86_64-linux-gnu",
    "text": lambda w: "",
    "threads": lambda w: 1,
    "to_node": lambda w: 0,
    "to_port": lambda w: 0,
    "traits": lambda w: crt.graph.Traits(),
    "transform": lambda w: Transform("fresh", print),
    "transforms": lambda w: [],
    "value": lambda w: w.value,
    "verify": lambda w: True,
    "tolerance": lambda w: 0.0,
    "what": lambda w: OpCode.Relu,
    "where": lambda w: bool,
    "x": lambda w: w.tensor,
    "callee": lambda w: "f",
    "if_.condition": lambda w: True,
    "if_.then_fn": lambda w: lambda: w.tensor,
    "if_.else_fn": lambda w: lambda: w.tensor,
    "loop.body": lambda w: lambda i, *carried: (None, list(carried), []),
    "loop.carried": lambda w: [w.tensor],
    "loop.condition": lambda w: True,
    "loop.trip_count": lambda w: 1,
    "Exactness.kind": lambda w: crt.graph.ExactnessKind.Exact,
    "select.what": lambda w: [],
    "run.inputs": lambda w: [w.tensor],
    "run_into.inputs": lambda w: [w.tensor],
    "profile.inputs": lambda w: [w.tensor],
}
# A required parameter of an op, by its annotation.
OPERANDS = {"Operand": 1.0, "Sequence[Operand]": [1.0], "Sequence[int]": [1], "int": 1,
            "DataType": crt.float32}
# Callables that make something by another public call, whose name their errors bear.
MAKES_BY = {"transform": "Transform", "rule": "rewrite"}
# Anything is a name's value here: records, exceptions, and enumerations, whose calls are Python's own. PatternTransform is
# abstract, and has tests of its own.
PLAIN = (BaseException, crt.Trace, crt.Status, crt.DataType, OpCode, crt.graph.NodeKind, crt.graph.ExactnessKind,
         crt.graph.Fallback, crt.graph.FinalizeStage, crt.graph.Order, crt.graph.PatternTransform)


def public_callables() -> dict[str, object]:
    found: dict[str, object] = {}
    for module in (crt, crt.graph, transforms):
        for name in module.__all__:
            entry = getattr(module, name)
            if isinstance(entry, type) and not issubclass(entry, PLAIN):
                methods = {n: m for n, m in vars(entry).items() if not n.startswith("_")}
                found |= {f"{name}.{n}": getattr(entry, n) for n, m in methods.items() if callable(getattr(entry, n))}
                found[name] = entry
            elif callable(entry) and not isinstance(entry, type):
                found[name] = entry
    return found


CALLABLES = public_callables()
MADE_BY_THE_RUNTIME = ["Tensor", "Node", "Value", "RewriteMatch", "TransformReport", "OptimizeReport", "RewriteLog",
                       "RewriteStep", "MatchResult", "PhaseSeconds", "RefusalReport", "RegionReport",
                       "SkipCounts", "Profile", "ProfileRow", "ProfileEvent", "MemoryBandwidth"]
CALLED = {path: call for path, call in CALLABLES.items() if path not in MADE_BY_THE_RUNTIME}


def parameters(path: str) -> list[inspect.Parameter]:
    return [p for p in inspect.signature(CALLED[path]).parameters.values() if p.name != "self"]


def label(path: str) -> str:
    return path.rpartition(".")[2]


def subject(path: str, w: SimpleNamespace) -> list[object]:
    """The object whose method it is, as the first argument."""
    owner = path.rpartition(".")[0]
    if not owner or "self" not in inspect.signature(CALLED[path]).parameters:
        return []
    cls = CALLABLES[owner]
    return [next(made for made in w.objects if isinstance(made, cls))]


def value_for(path: str, parameter: inspect.Parameter, w: SimpleNamespace) -> object:
    if path in crt.ops.__all__:
        return OPERANDS[parameter.annotation]
    key = f"{label(path)}.{parameter.name}"
    made = VALUES.get(key) or VALUES.get(parameter.name)
    assert made, f"give VALUES a value for the parameter {parameter.name!r} of {path}"
    return made(w)


def call_with(path: str, wrong: str, given: object) -> object:
    """The call with one argument as given, and the others as they should be."""
    w = world()
    by_place, by_name = subject(path, w), {}
    for parameter in parameters(path):
        if parameter.name != wrong and parameter.default is not parameter.empty:
            continue
        chosen = given if parameter.name == wrong else value_for(path, parameter, w)
        if parameter.kind == parameter.KEYWORD_ONLY:
            by_name[parameter.name] = chosen
        elif parameter.kind == parameter.VAR_POSITIONAL:
            by_place.append(chosen)
        else:
            by_name[parameter.name] = chosen
    made = CALLED[path](*by_place, **by_name)
    return made(lambda *_: None) if path in MAKES_BY else made


def check_message(error: BaseException, path: str) -> None:
    text = str(error)
    assert text.startswith((f"{label(path)}: ", f"{path}: ", f"{MAKES_BY.get(path, label(path))}: ")), text
    assert "_core" not in text and "incompatible" not in text and "\n" not in text, text


EACH = [(path, parameter.name) for path in CALLED for parameter in parameters(path)]


def test_the_walk_finds_the_api():
    assert {"ModelGraph.find_node", "Node.input", "Pattern.add_node", "ModelGraph.from_onnx", "relu", "trace", "tensor",
            "rewrite", "TensorSpec", "Transform", "remove_unused", "Tensor.reshape"} <= CALLED.keys()
    assert len(EACH) > 400


@pytest.mark.parametrize("path, parameter", EACH, ids=lambda part: part)
def test_a_wrong_type_is_named(path, parameter):
    with pytest.raises(crt.ArgumentTypeError) as raised:
        call_with(path, parameter, Wrong())
    assert isinstance(raised.value, (crt.InvalidArgumentError, TypeError)) and isinstance(raised.value, ValueError)
    check_message(raised.value, path)
    assert "Wrong" in str(raised.value), raised.value


TEXTS = [(path, name) for path, name in EACH if path not in crt.ops.__all__
         and name in ("name", "new_name", "old_name", "text", "precision", "target_cpu")]


@pytest.mark.parametrize("path, parameter", TEXTS, ids=lambda part: part)
@pytest.mark.parametrize("given", [b"x", "\ud800"])
def test_text_is_a_str_of_characters(path, parameter, given):
    with pytest.raises(crt.InvalidArgumentError) as raised:
        call_with(path, parameter, given)
    check_message(raised.value, path)


@pytest.mark.parametrize("path", CALLED)
def test_a_wrong_count_is_a_type_error(path):
    """In the ops' functions, which are written in Python, the interpreter itself refuses; the others say what they take."""
    w = world()
    own = not inspect.isfunction(CALLED[path]) or hasattr(CALLED[path], "__wrapped__")
    assert own or path in crt.ops.__all__ or path in [made.name for made in transforms.runtime_transforms()]
    places = [p for p in parameters(path) if p.kind == p.POSITIONAL_OR_KEYWORD]
    values = [value_for(path, p, w) for p in parameters(path) if p.default is p.empty and p in places]
    unlimited = any(p.kind == p.VAR_POSITIONAL for p in parameters(path))
    calls = [lambda: CALLED[path](*subject(path, w), *values, no_such_argument=1)]
    if not unlimited:
        calls.append(lambda: CALLED[path](*subject(path, w), *[Wrong()] * (len(places) + 1)))
    if values:
        calls.append(lambda: CALLED[path](*subject(path, w), *values[:-1]))
    for call in calls:
        with pytest.raises(crt.ArgumentTypeError if own else TypeError) as raised:
            call()
        if own:
            check_message(raised.value, path)


@pytest.mark.parametrize("path", MADE_BY_THE_RUNTIME)
def test_what_the_runtime_makes_has_no_constructor(path):
    with pytest.raises(crt.ArgumentTypeError, match=f"^{path}: "):
        CALLABLES[path]()


def test_messages():
    graph = ModelGraph()
    for call, message in [
        (lambda: graph.find_node(5), "find_node: name is a str, not an int"),
        (lambda: graph.find_node(), "find_node: the call lacks its argument 'name'; it takes name"),
        (lambda: graph.find_node("a", name="b"), "find_node: the call was given 'name' twice; give it once"),
        (lambda: graph.to(place="cpu"), "to: the call has no argument 'place'; it takes device"),
        (lambda: graph.finalize(3), "finalize: the call takes nothing by place, and 1 argument by place was given"),
        (lambda: graph.nodes(1, 2), "nodes: the call takes nothing by place, and 2 arguments by place were given"),
        (lambda: graph.find_occurrences(None), "find_occurrences: pattern is a Pattern, not None"),
        (lambda: graph.optimize(5), "optimize: the transforms are given as a list, not an int"),
        (lambda: ModelGraph.nodes(4), "nodes: self is a ModelGraph, not an int"),
        (lambda: crt.Tensor([1]), "Tensor: the runtime makes these; use clika_runtime.tensor(data)"),
        (lambda: crt.trace(crt.relu, [crt.TensorSpec("x", crt.float32, [1])]),
         "relu: x is a list of tensors of the trace, not one of them; a traced function takes the list of its inputs: "
         "compute with an entry, such as inputs[0]"),
        (lambda: crt.concat(crt.tensor([1])), "concat: inputs are given as a list, not a Tensor"),
        (lambda: transforms.rule(),
         "rule: missing 1 required positional argument: 'pattern'; it is called as rule(pattern, *, condition=None, name=None, "
         "runs_after=()), above the replacement, a function of the match and its tensors; rewrite(name, pattern, replacement) "
         "makes a rule by a call"),
        (lambda: transforms.transform(print, "name"),
         "transform: takes from 0 to 1 positional arguments but 2 were given; it is called as transform(fn=None, *, name=None, "
         "runs_after=()), above the function of the transform; Transform(name, fn) makes one by a call"),
        (lambda: crt.trace(print),
         "trace: missing 1 required positional argument: 'specs'; it is called as trace(fn, specs, *, name='graph', "
         "output_names=None)"),
        (lambda: Transform("", print), "Transform: the transform's name is empty; give a name, under which the report "
                                       "and errors show it"),
    ]:
        with pytest.raises(crt.InvalidArgumentError) as raised:
            call()
        assert str(raised.value) == message


def test_a_function_within_a_call_keeps_its_own_type_error():
    def fails(*arguments):
        return int(None)

    def takes_more(inputs, more):
        return inputs

    spec = crt.TensorSpec("x", crt.float32, [1])
    for call in (lambda: crt.trace(fails, [spec]), lambda: crt.trace(takes_more, [spec]), lambda: crt.if_(True, fails, fails)):
        with pytest.raises(TypeError) as raised:
            call()
        assert type(raised.value) is TypeError and "it is called as" not in str(raised.value)


def test_a_callback_keeps_its_own_type_error():
    error = TypeError("find_nodes(): incompatible with me")

    def predicate(node):
        raise error

    graph = world().graph
    with pytest.raises(TypeError) as raised:
        graph.find_nodes(predicate)
    assert raised.value is error


def test_signatures_are_readable():
    assert str(inspect.signature(ModelGraph.add_node)) == "(self, code, inputs, attributes=None, *, name='')"
    assert str(inspect.signature(ModelGraph().find_node)) == "(name)"
    assert str(inspect.signature(ModelGraph.from_onnx)) == "(path, *, allow_unknown=False)"


def test_flags_are_bools():
    with pytest.raises(crt.ArgumentTypeError, match="^from_onnx: allow_unknown is True or False, not a str"):
        ModelGraph.from_onnx("x.onnx", allow_unknown="no")
    with pytest.raises(crt.ArgumentTypeError, match="^add_node: optional is True or False, not an int"):
        Pattern().add_node(OpCode.Relu, optional=1)


class Lazy:
    """A sequence that makes its entries as it is asked."""

    def __init__(self, *entries):
        self.entries = entries

    def __len__(self):
        return len(self.entries)

    def __getitem__(self, i):
        if i >= len(self):
            raise IndexError
        made = self.entries[i]
        return type(made)(str(made)) if type(made) in (str, int) else made


def test_sequences_may_make_their_entries_as_asked():
    ones = crt.tensor([[1.0, 1.0], [1.0, 1.0]])
    big = 10**6
    assert crt.reduce_sum(ones, axes=Lazy(0)).shape == (2,)
    assert crt.reduce_sum(ones, axes=crt.tensor([1])).shape == (2,)
    assert ones.reshape(crt.tensor([4, 1])).shape == (4, 1) and ones.reshape(Lazy(4)).shape == (4,)
    assert crt.empty(Lazy(big, 0), crt.float32).shape == (big, 0)
    assert crt.TensorSpec("x", crt.float32, Lazy(big, "batch")).shape == (big, "batch")
    assert crt.concat(Lazy(ones, ones)).shape == (4, 2)
    w = world()
    assert w.graph.is_convex(Lazy(*w.graph.nodes()[1:]))
    names = Lazy("first", "second")
    graph = crt.trace(lambda x: Lazy(x[0], crt.relu(x[0])), Lazy(crt.TensorSpec("x", crt.float32, [2])), output_names=names).graph
    assert graph.output_names() == ["first", "second"]
    graph.optimize(Lazy(transforms.remove_unused()))
    graph.finalize()
    assert len(graph.run(Lazy(crt.tensor([1.0, 2.0])))) == 2
    assert len(Pattern(Lazy(OpCode.Relu, OpCode.Neg)).__repr__()) > 0
    with pytest.raises(crt.ArgumentTypeError, match="^reshape: a shape holds ints, not a Tensor"):
        ones.reshape(crt.tensor([2.0, 2.0]))
    with pytest.raises(crt.ArgumentTypeError, match="^TensorSpec: "):
        crt.TensorSpec("x", crt.float32, crt.tensor([1.5]))


def test_a_sequence_that_fails_passes_its_error_on():
    class Failing:
        def __len__(self):
            return 1

        def __getitem__(self, i):
            raise ZeroDivisionError

    for call in (lambda: crt.tensor([1.0]).reshape(Failing()), lambda: world().graph.optimize(Failing())):
        with pytest.raises(ZeroDivisionError):
            call()


def test_mappings_of_any_kind():
    class Pairs:
        def __init__(self, pairs):
            self.pairs = pairs

        def keys(self):
            return []

        def items(self):
            return self.pairs

    graph = world().graph
    graph.finalize()
    assert graph.run(Pairs([["x", crt.tensor([1.0, -2.0])]]))[0].tolist() == [0.0, 2.0]
    for pairs in ([["x"]], [("x", 1, 2)], [{}]):
        with pytest.raises(crt.ArgumentTypeError, match="^run: items"):
            graph.run(Pairs(pairs))


def test_lists_of_ints_name_their_setting():
    ones = crt.tensor(np.ones((2, 2), np.float32))
    for axes in ([0.5], [float("nan")], [None], [[0]]):
        with pytest.raises(crt.ArgumentTypeError, match="^reduce_sum: axes holds ints, not "):
            crt.reduce_sum(ones, axes=axes)
    with pytest.raises(crt.InvalidArgumentError, match="^reduce_sum: axes holds 9223372036854775808, which does not fit 64 bits"):
        crt.reduce_sum(ones, axes=[2**63])
    graph = traced(lambda t: crt.add(crt.reduce_sum(t[0], axes=[0]), 1.0))
    summed, added = graph.find_nodes(OpCode.ReduceSum)[0], graph.find_nodes(OpCode.Add)[0]
    with pytest.raises(crt.ArgumentTypeError, match="^set_attribute: the setting 'axes' holds ints, not "):
        graph.set_attribute(summed, "axes", [1.0])
    with pytest.raises(crt.ArgumentTypeError, match="^set_attribute: the setting 'alpha' is given as .*Tensor; a setting is None, a bool"):
        graph.set_attribute(added, "alpha", crt.tensor([1.0]))
    graph.set_attribute(summed, "axes", np.array([-2]))
    assert summed.attributes["axes"] == [-2]


def test_functions_that_would_not_run():
    async def coroutine(*_):
        return True

    async def stream(*_):
        yield True

    def generator(*_):
        yield True

    class Callable:
        async def __call__(self, *_):
            return True

    kinds = {coroutine: "an async function", stream: "an async function", generator: "a generator function", Callable(): "an async function",
             functools.partial(coroutine, 1): "an async function"}  # fmt: skip
    pattern = Pattern([OpCode.Relu])
    for function, kind in kinds.items():
        calls = {
            "Transform: fn": lambda: Transform("t", function),
            "rewrite: the replacement": lambda: transforms.rewrite("r", pattern, function),
            "rewrite: the condition": lambda: transforms.rewrite("r", pattern, lambda m, t: t[0], function),
            "find_nodes: the predicate": lambda: world().graph.find_nodes(function),
        }
        for begin, call in calls.items():
            with pytest.raises(TypeError, match=f"^{begin} is {kind}, and a call of it would run nothing"):
                call()
    Transform("t", functools.partial(lambda a, graph: None, 1))
    Transform("t", print)


def test_a_buffer_that_python_has_no_format_for():
    with pytest.raises(BufferError, match="^the buffer protocol has no bfloat16; use numpy"):
        memoryview(crt.cast(crt.tensor([1.0]), crt.bfloat16))
    assert memoryview(crt.tensor([1.0])).tolist() == [1.0]
    traces = []
    crt.trace(lambda t: traces.append(pytest.raises(BufferError, memoryview, t[0])) or t[0], [crt.TensorSpec("x", crt.float32, [1])])
    assert "the tensor is traced" in str(traces[0].value)
