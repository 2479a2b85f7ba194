"""What optimize() takes for its list: registration and selection by name, expression and device."""

import re

import pytest
from graphs import formulas, traced

import clika_runtime as crt
from clika_runtime.graph import OpCode, PatternTransform, Transform, transforms


@pytest.fixture(autouse=True)
def registry():
    yield
    transforms.reset_registered()


@pytest.fixture
def graph():
    return traced(lambda t: crt.relu(crt.relu(t[0])) + crt.neg(crt.neg(t[0])))


def idle(name):
    return Transform(name, lambda graph: None)


def names(of):
    return [getattr(entry, "transform", entry).name for entry in getattr(of, "transforms", of)]


def test_none_is_the_default_list_and_registration_does_not_change_it(graph):
    transforms.register_transform("mine", lambda: idle("mine"))
    graph.register_transform(idle("other"))
    assert names(graph.optimize()) == names(graph.optimize(None)) == names(graph.default_transforms())
    assert "mine" not in names(graph.default_transforms())


def test_false_is_cleanup(graph):
    report = graph.optimize(False)
    assert sorted(names(report)) == ["fold_constants", "remove_duplicates", "remove_identity", "remove_unused", "share_constants"]
    assert names(report) == names(transforms.cleanup())
    assert formulas(graph) == ["Add(Relu(Relu(x0)), Neg(Neg(x0)))"]
    assert names(graph.optimize([])) == []


def test_expressions_match_whole_names(graph):
    assert names(graph.optimize("remove_double_neg")) == ["remove_double_neg"]
    assert formulas(graph) == ["Add(Relu(Relu(x0)), x0)"]
    assert names(transforms.select(graph, "clamp.")) == []
    assert names(transforms.select(graph, re.compile("CLAMP_.*", re.IGNORECASE))) == ["clamp_to_relu"]
    wanted = [name for name in transforms.registered_names() if name.startswith("remove_")]
    assert names(graph.optimize(re.compile(r"remove_\w+"))) == wanted


def test_names_and_handles_mix(graph):
    class Mine(PatternTransform):
        def match(self, graph, node):
            return None

        def apply(self, graph, match, tensors):
            raise AssertionError

    transforms.register_transform("registered", lambda: idle("registered"))
    graph.register_transform(Mine("own"))
    report = graph.optimize(["remove_unused", idle("given"), Mine(), "registered", "own", transforms.clamp_to_relu()])
    assert names(report) == ["remove_unused", "given", "Mine", "registered", "own", "clamp_to_relu"]
    assert names(graph.optimize(("registered", "registered"))) == ["registered", "registered"]


@pytest.mark.parametrize("wrong, error, words", [
    (True, crt.InvalidArgumentError, "optimize: True chooses nothing"),
    (3, crt.InvalidArgumentError, "optimize: the transforms are given as a list, not an int"),
    (3.5, crt.InvalidArgumentError, "not a float"),
    (b"remove", crt.InvalidArgumentError, "optimize: "),
    (re.compile(b"remove"), crt.InvalidArgumentError, "optimize: the regular expression is one over bytes"),
    ("remove_(", crt.InvalidArgumentError, "optimize: 'remove_(' is no regular expression"),
    ("(" * 2000, crt.InvalidArgumentError, "optimize: the regular expression, of 2000 characters, nests too deeply"),
    ("a{99999999999999999999}", crt.InvalidArgumentError, "optimize: the regular expression, of 23 characters, nests too"),
    ("remove_unsued", crt.NotFoundError, "optimize: transforms[0] is the name 'remove_unsued'"),
    ("gpu:1", crt.NotFoundError, "optimize: transforms[0] is the name 'gpu:1'"),
    ({"remove_unused": 1}, crt.InvalidArgumentError, "optimize: "),
    (["remove_unsued"], crt.NotFoundError, "optimize: transforms[0] is the name 'remove_unsued'"),
    (["remove_unused", 3], crt.InvalidArgumentError, "optimize: transforms[1] is an int"),
    (["remove_.*"], crt.NotFoundError, "no transform of that name"),
    (idle("alone"), crt.InvalidArgumentError, "optimize: the transforms are given as a list, not a Transform"),
    (crt.Device.any, crt.InvalidArgumentError, "optimize: 'any' is no device"),
    (crt.Device("a b"), crt.InvalidArgumentError, "optimize: the device's kind is 'a b'"),
    ([idle("two"), idle("two")], crt.InvalidArgumentError, "different transforms of one name"),
])  # fmt: skip
def test_what_chooses_nothing_is_refused_before_any_change(graph, wrong, error, words):
    before = graph.to_mlir()
    with pytest.raises(error) as caught:
        graph.optimize(wrong)
    assert words in str(caught.value) and graph.to_mlir() == before


def test_an_expression_may_match_nothing(graph):
    assert names(graph.optimize("of_nobody.*")) == [] and names(graph.optimize("remove_unused")) == ["remove_unused"]


def test_a_negative_limit_is_refused_before_any_change(graph):
    before = graph.to_mlir()
    for limit in ({"max_iterations": -1}, {"fold_limit": -1}):
        with pytest.raises(crt.InvalidArgumentError, match="optimize: "):
            graph.optimize(False, **limit)
    assert graph.to_mlir() == before


def test_the_registry():
    first = transforms.registered_names()
    assert first == names(transforms.catalogue()) == names(transforms.runtime_transforms())
    transforms.register_transform("mine", lambda: idle("mine"))
    assert transforms.registered_names() == first + ["mine"] and transforms.get("mine").name == "mine"
    transforms.register_transform("mine", lambda: idle("mine").with_(priority=5))
    assert transforms.get("mine").priority == 5 and transforms.registered_names() == first + ["mine"]
    assert transforms.unregister_transform("mine") and not transforms.unregister_transform("mine")
    with pytest.raises(crt.NotFoundError, match="get: the runtime has no transform 'mine'"):
        transforms.get("mine")
    transforms.clear_registered()
    assert transforms.registered_names() == [] and names(transforms.select(traced(lambda t: t), ".*")) == []
    assert transforms.get("clamp_to_relu") == transforms.clamp_to_relu()
    transforms.reset_registered()
    assert transforms.registered_names() == first


def test_a_graphs_own_go_before_global_ones(graph):
    transforms.register_transform("mine", lambda: idle("mine"))
    graph.register_transform(idle("mine").with_(priority=7))
    assert transforms.select(graph, ["mine"])[0].priority == 7
    assert transforms.select(traced(lambda t: t), ["mine"])[0].priority == 1
    assert graph.registered_names() == graph.clone().registered_names() == ["mine"]
    assert names(transforms.available(graph)).count("mine") == 1
    assert graph.unregister_transform("mine") and not graph.unregister_transform("mine")
    assert transforms.select(graph, ["mine"])[0].priority == 1


def test_what_cannot_be_registered(graph):
    for call, words in (
        (lambda: transforms.register_transform("clamp_to_relu", lambda: idle("x")), "the name of one of the runtime's"),
        (lambda: transforms.register_transform("", lambda: idle("x")), "name is empty"),
        (lambda: transforms.register_transform("x", 3), "register_transform: the factory is a function, not an int"),
        (lambda: graph.register_transform(transforms.clamp_to_relu()), "is one of the runtime's transforms"),
        (lambda: graph.register_transform("x"), "register_transform: it was given a str"),
    ):
        with pytest.raises(crt.InvalidArgumentError) as caught:
            call()
        assert words in str(caught.value)
    transforms.register_transform("said", lambda: idle("made"))
    transforms.register_transform("none", lambda: None)
    error = LookupError("mine")

    def fails():
        raise error

    transforms.register_transform("fails", fails)
    with pytest.raises(crt.InvalidArgumentError, match="optimize: the factory registered as 'said' made 'made'"):
        graph.optimize(["said"])
    with pytest.raises(crt.InvalidArgumentError, match="the factory registered as 'none' returned None"):
        graph.optimize(["none"])
    with pytest.raises(LookupError) as caught:
        graph.optimize(["fails"])
    assert caught.value is error
    assert names(graph.optimize(["clamp_to_relu"])) == ["clamp_to_relu"]  # the others are not made


def test_a_device_chooses_what_suits_it_and_becomes_the_target(graph):
    graph.register_transform(idle("for_gpu").with_(device="gpu"))
    graph.register_transform(idle("for_gpu_1").with_(device=crt.Device("gpu", 1)))
    graph.register_transform(idle("for_any"))
    assert graph.target_device == crt.Device.any
    assert names(graph.optimize(crt.Device("gpu"))) == names(graph.default_transforms()) + ["for_gpu", "for_any"]
    assert graph.target_device == crt.Device("gpu") == graph.clone().target_device
    before = graph.to_mlir()
    with pytest.raises(crt.InvalidArgumentError, match="the device 'gpu:1' was asked for, and the graph's target device is 'gpu'"):
        graph.optimize(crt.Device("gpu", 1))
    assert graph.to_mlir() == before and graph.target_device == crt.Device("gpu")
    # An explicit choice may name what is for another device, and leaves the target alone.
    assert names(graph.optimize("for_.*")) == ["for_gpu", "for_gpu_1", "for_any"]
    assert names(graph.optimize(["for_gpu_1"])) == ["for_gpu_1"]
    assert graph.target_device == crt.Device("gpu") and "for_gpu" not in names(graph.optimize())
    graph.target_device = None
    assert graph.target_device == crt.Device.any
    graph.target_device = "npu"
    assert names(graph.optimize(crt.Device("npu"))) == names(graph.default_transforms()) + ["for_any"]
    with pytest.raises(crt.InvalidArgumentError, match="target_device: "):
        graph.target_device = 3
    assert graph.nodes()[1].output(0).device == crt.Device()


@pytest.fixture
def nested():
    """Negations around, in a branch within a loop's body, and in a private function."""

    def body(i, a):
        return None, crt.if_(i > 0, lambda: [crt.neg(a)], lambda: [crt.neg(crt.exp(a))]), []

    graph = crt.graph.ModelGraph("nested")
    spec = crt.TensorSpec("x", crt.float32, [2, 3])
    graph.add_function("inner", lambda t: [crt.neg(t[0])], [spec])
    x = graph.add_input(spec)
    (y,) = graph.insert(lambda t: crt.loop(2, None, crt.call("inner", [crt.neg(t[0])]), body)[0], [x])
    graph.add_output(y, "y")
    return graph


class Watching(PatternTransform):
    """Notes where it is asked, and on what device the graph is then; replaces Neg by Abs."""

    def __init__(self, name, device, seen):
        super().__init__(name, device=device)
        self.seen = seen

    def root_op_codes(self):
        return [OpCode.Neg]

    def match(self, graph, node):
        self.seen.append((node.function(), str(graph.target_device)))
        return self.result([node])

    def apply(self, graph, match, tensors):
        return [crt.abs(tensors[0])]


def test_regions_and_functions_have_the_graphs_device(nested):
    seen = []
    nested.register_transform(Watching("here", crt.Device("gpu", 1), seen))
    nested.register_transform(Watching("elsewhere", crt.Device("gpu", 0), []))
    report = nested.optimize(crt.Device("gpu", 1))
    assert "here" in names(report) and "elsewhere" not in names(report)
    (row,) = [row for row in report.transforms if row.transform.name == "here"]
    assert row.rewrites == 4 and "clika.neg" not in nested.to_mlir()
    assert {region.path: region.rewrites for region in report.regions if region.rewrites} == {
        "loop_1.body/if_1.then": 1, "loop_1.body/if_1.else": 1, "@inner": 1}  # fmt: skip
    assert set(seen) == {(None, "gpu:1"), ("inner", "gpu:1")}
    assert nested.clone().target_device == crt.graph.ModelGraph.from_mlir(nested.to_mlir()).target_device == crt.Device("gpu", 1)


@pytest.mark.parametrize("target,asked", [(("gpu", 1), ("gpu", 0)), (("gpu", 0), ("gpu", 1)), (("npu", 0), ("gpu", 0)),
                                          (("gpu", 0), ("gpus", 0)), (("GPU", 0), ("gpu", 0))])  # fmt: skip
def test_another_device_is_refused_before_regions_and_functions_change(nested, target, asked):
    seen = []
    for kind, index in (target, asked):
        nested.register_transform(Watching(f"for_{kind}_{index}", crt.Device(kind, index), seen))
    nested.target_device = crt.Device(*target)
    before, nodes = nested.to_mlir(), nested.nodes() + nested.function_nodes("inner")
    with pytest.raises(crt.InvalidArgumentError, match="^optimize: the device .* was asked for, and the graph's target device is"):
        nested.optimize(crt.Device(*asked))
    assert seen == [] and nested.to_mlir() == before and all(node.is_valid() for node in nodes)
    assert nested.target_device == crt.Device(*target)
    nested.optimize(crt.Device(*target))
    assert seen and "clika.neg" not in nested.to_mlir()


def test_a_run_that_fails_in_a_region_does_not_set_the_target(nested):
    class Failing(Watching):
        def apply(self, graph, match, tensors):
            if match.nodes[0].function() is None:
                raise LookupError
            return super().apply(graph, match, tensors)

    nested.register_transform(Failing("fails", "gpu", []))
    before = nested.to_mlir()
    with pytest.raises(LookupError):
        nested.optimize(crt.Device("gpu"))
    assert nested.target_device == crt.Device.any and nested.to_mlir() == before


def test_a_failed_run_does_not_set_the_target(graph):
    def fails(g):
        g.bypass_node(g.find_nodes(OpCode.Relu)[0])
        raise LookupError

    graph.register_transform(Transform("fails", fails))
    before = graph.to_mlir()
    with pytest.raises(LookupError):
        graph.optimize(crt.Device("gpu"))
    assert graph.target_device == crt.Device.any and graph.to_mlir() == before


def test_traits_show_what_is_set():
    assert repr(crt.graph.Traits()) == "Traits()"
    traits = crt.graph.Traits(priority=3, device=crt.Device("gpu"), exactness=crt.graph.Exactness.bounded(1e-5, 0.0))
    assert repr(traits) == "Traits(priority=3, device=Device('gpu', 0), exactness=Exactness.bounded(1e-05, 0.0))"
