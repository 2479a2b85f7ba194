"""Values copied and pickled, as between processes; what is bound to a graph is not."""

import copy
import multiprocessing
import pickle

import numpy as np
import pytest
from graphs import traced

import clika_runtime as crt
from clika_runtime.graph import Declined, OpCode, Pattern, transforms

VALUES = [np.arange(6, dtype=np.float32).reshape(2, 3), np.array(True), np.zeros((2, 0), np.uint64), np.int8([-128, 127]),
          np.float16([np.nan, -0.0, np.inf]), np.arange(3.0)]
WAYS = [*(lambda value, p=protocol: pickle.loads(pickle.dumps(value, p)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)),
        copy.copy, copy.deepcopy]


@pytest.mark.parametrize("way", WAYS)
def test_tensors(way):
    for array in VALUES:
        tensor = way(crt.tensor(array))
        assert tensor.dtype == crt.tensor(array).dtype and tensor.shape == array.shape
        assert tensor.numpy().tobytes() == array.tobytes()
    named = crt.tensor([1.0])
    named.label = ["kept"]
    assert way({"a": [named]})["a"][0].label == ["kept"]


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.array([1.5, -2.0, np.inf], ml_dtypes.bfloat16)
    for way in WAYS:
        tensor = way(crt.tensor(array))
        assert tensor.dtype == crt.bfloat16 and tensor.numpy().tobytes() == array.tobytes()


def test_pickled_out_of_band():
    buffers = []
    data = pickle.dumps(crt.tensor(np.ones(10_000, np.float32)), 5, buffer_callback=buffers.append)
    assert len(data) < 1000 and len(buffers) == 1
    assert (pickle.loads(data, buffers=buffers).numpy() == 1).all()


def test_a_deep_copy_has_data_and_attributes_of_its_own():
    graph = traced(lambda x: x[0] * 2, [3])
    graph.finalize()
    out = crt.empty([3], crt.float32)
    out.label = ["first"]
    graph.run_into([np.float32([1, 2, 3])], [out])
    deep = copy.deepcopy(out)
    pickled = pickle.loads(pickle.dumps(out))
    shallow = copy.copy(out)
    graph.run_into([np.zeros(3, np.float32)], [out])
    out.label.append("second")
    assert deep.tolist() == pickled.tolist() == [2, 4, 6] and shallow.tolist() == [0, 0, 0]
    assert deep.label == pickled.label == ["first"]
    for copied in (pickled, deep):
        with pytest.raises(crt.InvalidArgumentError, match="^run_into: .*empty"):
            graph.run_into([np.float32([1, 1, 1])], [copied])
    both = copy.deepcopy([out, out])
    assert both[0] is both[1]


@pytest.mark.parametrize("way", WAYS)
def test_descriptions(way):
    for value in (crt.TensorSpec("x", crt.float32, [2, "n", "n + 1", "2 * (a + b)"]), crt.Device("cpu", 0), *crt.DataType,
                  *crt.Status, *crt.graph.OpCode, *crt.graph.NodeKind, *crt.graph.ExactnessKind):
        assert way(value) == value and type(way(value)) is type(value)
    unnamed = crt.TensorSpec("x", crt.int8, [None, 3])
    assert way(unnamed).shape == unnamed.shape and way(unnamed) == unnamed
    assert all(way(kind) is kind for kind in crt.DataType)


def test_processes_exchange_tensors():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(crt.neg, [crt.tensor([1.0, -2.0])])[0].tolist() == [-1, 2]


def double_negations():
    """In a branch and around it, so that the report has regions and its page nested pictures."""

    def fn(t):
        return crt.if_(crt.reduce_sum(t[0]) > 0, lambda: [crt.neg(crt.neg(t[0]))], lambda: [t[0]])

    return crt.trace(fn, [crt.TensorSpec("x", crt.float32, [3])]).graph


@pytest.mark.parametrize("way", WAYS)
def test_reports(way, tmp_path):
    rule = transforms.rewrite("mine", Pattern([OpCode.Neg]), lambda match, tensors: crt.neg(tensors[0]),
                              lambda match: Declined("not today"))  # fmt: skip
    graph = double_negations()
    report = graph.optimize([rule, "remove_double_neg"], record=True, explain=True)
    again = way(report)
    assert again.to_dict() == report.to_dict() and again.to_json() == report.to_json() and str(again) == str(report)
    mine, ours = again.transforms
    assert ours.transform == transforms.remove_double_neg() and mine.transform.name == "mine"
    assert mine.reasons[0].reason == "not today" and not mine.transform.is_runtime
    fresh = double_negations()
    fresh.replay(again.log)
    assert fresh.to_mlir() == graph.to_mlir()
    for number, each in enumerate((report, again)):
        each.to_html(tmp_path / f"{number}.html")
    pages = [(tmp_path / f"{number}.html").read_text() for number in range(2)]
    assert pages[0] == pages[1] and pages[1].count("<svg") == 2
    # Each part by itself.
    for part in (*report.transforms, *report.regions, report.phases, report.transforms[0].skipped_by,
                 report.transforms[0].reasons[0], report.log, *report.log.steps):  # fmt: skip
        assert type(way(part)) is type(part) and way(part).to_dict() == part.to_dict()


def test_the_code_of_a_transform_is_not_pickled():
    rule = transforms.rewrite("mine", Pattern([OpCode.Neg]), lambda match, tensors: crt.neg(tensors[0]))
    assert copy.copy(rule) is rule and copy.deepcopy([rule])[0] is rule
    report = double_negations().optimize([rule], max_iterations=1)
    assert copy.deepcopy(report).transforms[0].transform == rule
    stand_in = pickle.loads(pickle.dumps(report)).transforms[0].transform
    assert stand_in != rule
    graph = double_negations()
    before = graph.to_mlir()
    with pytest.raises(crt.InvalidArgumentError, match="'mine' is that of a report that was pickled.*make it anew"):
        graph.optimize([stand_in])
    assert graph.to_mlir() == before
    for refused in (rule, transforms.remove_unused().with_(priority=3)):
        with pytest.raises(crt.ArgumentTypeError, match=f"^pickle: the transform '{refused.name}' has code or traits of"):
            pickle.dumps(refused)


@pytest.mark.parametrize("way", WAYS)
def test_what_transforms_declare(way):
    assert way(transforms.remove_unused()) == transforms.remove_unused()
    exactness = crt.graph.Exactness.bounded(1e-3, 0.5)
    assert way(exactness) == exactness
    traits = way(crt.graph.Traits(priority=2, device="cpu", exactness=exactness, runs_after=[transforms.remove_unused()]))
    assert repr(traits) == repr(crt.graph.Traits(2, "cpu", exactness, [transforms.remove_unused()]))


def test_processes_exchange_reports():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        report = pool.apply(optimized)
    assert report.transforms[0].transform == transforms.remove_double_neg() and report.transforms[0].rewrites == 1


def optimized():
    return double_negations().optimize(["remove_double_neg"])


def test_a_traced_tensor_has_no_data_to_pickle():
    refusals = []

    def model(inputs):
        assert copy.copy(inputs[0]) is inputs[0] and copy.deepcopy(inputs[0]) is inputs[0]
        for protocol in (0, 2, pickle.HIGHEST_PROTOCOL):
            with pytest.raises(crt.InvalidArgumentError, match="^pickle: the tensor is the input 'x0', which a trace is recording"):
                pickle.dumps(inputs[0], protocol)
            refusals.append(protocol)
        return inputs[0]

    traced(model, [2])
    assert refusals


def test_a_graph_is_saved_and_not_pickled():
    graph = traced(lambda x: crt.relu(x[0]), [2])
    for value in (graph, {"a": graph}, crt.trace(lambda x: x, [crt.TensorSpec("x", crt.float32, [2])])):
        for protocol in (0, pickle.HIGHEST_PROTOCOL):
            with pytest.raises(crt.ArgumentTypeError, match=r"^pickle: a graph is not pickled; .*save\(path\).*ModelGraph.load"):
                pickle.dumps(value, protocol)
    with pytest.raises(crt.ArgumentTypeError, match=r"^copy: .*clone\(\)"):
        copy.copy(graph)
    assert copy.deepcopy({"a": graph})["a"].nodes()[1].op_code == crt.graph.OpCode.Relu
    # A handle is of its graph alone.
    for handle in (graph.nodes()[1], graph.inputs()[0]):
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(handle)
