"""The node tests that PyPI's `onnx` carries: every case whose operators are covered runs; the rest is listed with its reason."""

import functools
import warnings

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx_models import assert_same, read, run_here

import clika_runtime as crt
from clika_runtime.graph import OpCode

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from onnx.backend.test.case.node import collect_testcases

NEWEST = 24

# Operators outside the op set, by the reason.
RANDOM = "random numbers are not covered"
SEQUENCES = "sequences and optional values are not tensors"
TEXTS = "texts are not tensors of numbers"
TRAINING = "training is not covered"
SIGNALS = "signal transforms are not in the op set"
VISION = "detection and sampling operators are not in the op set"
ATTENTION = "beside attention, not in the op set"
OTHER = "not in the op set"
UNCOVERED = {
    **dict.fromkeys(("Bernoulli", "RandomUniformLike"), RANDOM),
    **dict.fromkeys(("SequenceEmpty", "SequenceInsert", "SequenceLength", "SequenceMap", "SplitToSequence"), SEQUENCES),
    **dict.fromkeys(("OptionalGetElement", "OptionalHasElement", "ConcatFromSequence", "SequenceAt"), SEQUENCES),
    **dict.fromkeys(("StringConcat", "StringNormalizer", "StringSplit", "RegexFullMatch", "TfIdfVectorizer"), TEXTS),
    **dict.fromkeys(("LabelEncoder", "ImageDecoder"), TEXTS),
    **dict.fromkeys(("Adagrad", "Adam", "Momentum", "Gradient", "NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"), TRAINING),
    **dict.fromkeys(("DFT", "STFT", "MelWeightMatrix", "BlackmanWindow", "HannWindow", "HammingWindow"), SIGNALS),
    **dict.fromkeys(("GridSample", "AffineGrid", "RoiAlign", "NonMaxSuppression", "DeformConv", "Col2Im", "MaxUnpool"), VISION),
    **dict.fromkeys(("CenterCropPad", "MaxRoiPool"), VISION),
    **dict.fromkeys(("FlexAttention", "LinearAttention", "CausalConvWithState", "TensorScatter", "SwiGLU"), ATTENTION),
    **dict.fromkeys(("ArrayFeatureExtractor", "Binarizer", "TreeEnsemble", "BitCast", "Compress", "CumProd"), OTHER),
    **dict.fromkeys(("Det", "EyeLike", "Hardmax", "LpNormalization", "ReverseSequence", "Unique"), OTHER),
}

# Inputs that must be constants here: the harness makes initializers of them.
LITERALS = {"axes", "axis", "scales"}

NUMBERS = {np.dtype(t) for t in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")}
NUMBERS |= {np.dtype(t) for t in ("float16", "float32", "float64", ml_dtypes.bfloat16)}

# Single cases, by the reason.
SKIPPED = {
    **dict.fromkeys(("test_batchnorm_epsilon_training_mode", "test_batchnorm_example_training_mode"), TRAINING),
    **dict.fromkeys(("test_spacetodepth_crd_mode_example", "test_spacetodepth_dcr_mode_example"), "mode is of a later operator set"),
}

HALVES = {np.dtype(np.float16): 2e-3, np.dtype(ml_dtypes.bfloat16): 1e-2}

# Cases whose expected values are written with few digits.
ROUNDED = {"test_averagepool_2d_ceil_last_window_starts_on_pad": 5e-4}


@functools.cache
def cases():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {case.name: case for case in collect_testcases(None) if "_expanded" not in case.name}


def lower_opset(model: onnx.ModelProto) -> onnx.ModelProto:
    """Later operator sets only add types to these operators."""
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    for imports in [changed.opset_import, *(function.opset_import for function in changed.functions)]:
        for opset in imports:
            if opset.domain in ("", "ai.onnx"):
                opset.version = min(opset.version, NEWEST)
    return changed


def fix_literals(model: onnx.ModelProto, inputs: dict) -> None:
    kept = [value for value in model.graph.input if value.name not in LITERALS]
    for value in model.graph.input:
        if value.name in LITERALS:
            model.graph.initializer.append(numpy_helper.from_array(inputs[value.name], value.name))
    del model.graph.input[:]
    model.graph.input.extend(kept)


def array_of(value):
    """The array of a tensor in ONNX's own form; anything else as it is."""
    return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value


def nodes_of(graph: onnx.GraphProto):
    """The nodes of a graph and of those inside it."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                yield from nodes_of(inner)


def reason_to_skip(case) -> str:
    model = case.model
    ops = {node.op_type for node in nodes_of(model.graph)}
    for op in sorted(ops):
        if op in UNCOVERED:
            return f"{op}: {UNCOVERED[op]}"
    opset = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), NEWEST)
    if opset < 9:
        return f"operator set {opset} is older than 9"
    if case.name in SKIPPED:
        return SKIPPED[case.name]
    for data in case.data_sets:
        for value in map(array_of, [*data[0], *data[1]]):
            if not isinstance(value, np.ndarray) or value.dtype not in NUMBERS:
                return "values that are no tensors of a covered type"
    return ""


def names() -> list[str]:
    return sorted(cases())


@pytest.mark.parametrize("name", names())
def test_node(name, tmp_path):
    case = cases()[name]
    if reason := reason_to_skip(case):
        pytest.skip(reason)
    for given, expected in case.data_sets:
        model = lower_opset(case.model)
        inputs = {value.name: array_of(array) for value, array in zip(model.graph.input, given)}
        fix_literals(model, inputs)
        actual = run_here(model, inputs, tmp_path)
        assert len(actual) == len(expected)
        for mine, theirs in zip(actual, map(array_of, expected)):
            rtol = HALVES.get(theirs.dtype, ROUNDED.get(name, 1e-5))
            assert_same(mine, theirs, rtol=rtol, atol=1e-6)


def test_the_list_of_uncovered_operators_is_true(tmp_path):
    """A model of listed operators only is refused as not covered."""
    taken = []
    for name, case in cases().items():
        if not {node.op_type for node in case.model.graph.node} <= set(UNCOVERED):
            continue
        try:
            read(lower_opset(case.model), tmp_path)
            taken.append(name)
        except crt.UnsupportedError:
            pass
    assert not taken


def test_every_model_can_be_looked_at(tmp_path):
    """allow_unknown reads each case, whatever its operators and types, and keeps its nodes."""
    refused = []
    for name, case in cases().items():
        try:
            graph = read(case.model, tmp_path, allow_unknown=True)
        except crt.Error as error:
            refused.append(f"{name}: {error}")
            continue
        assert graph.to_string() and graph.to_dot()
        assert graph.output_names() == [value.name for value in case.model.graph.output]
        for node in graph.nodes():
            assert str(node) and all(value.name for value in [*node.inputs, *node.outputs])
            assert node.op_code != OpCode.Opaque or node.attributes["type"]
    assert not refused
