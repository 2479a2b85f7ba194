"""rnn, gru and lstm: ONNX's operators beside ONNX Runtime, what the tables of numbers do not say, and what is refused."""

import ml_dtypes
import numpy as np
import pytest
import recurrent_references
from agreement import random
from onnx_models import assert_same, helper, model_of, read, run_here, run_ort

import clika_runtime as crt
from clika_runtime.graph import OpCode

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
INPUTS = ["x", "w", "r", "b", "lengths", "h", "c", "p"]
STEPS, BATCH, COLUMNS, HIDDEN = 6, 3, 4, 5


def arrays(op, directions=1, steps=STEPS, batch=BATCH, columns=COLUMNS, hidden=HIDDEN):
    rows = GATES[op] * hidden
    shapes = [(steps, batch, columns), (directions, rows, columns), (directions, rows, hidden), (directions, 2 * rows), (batch,),
              (directions, batch, hidden), (directions, batch, hidden), (directions, 3 * hidden)]  # fmt: skip
    made = {name: random(shape, seed=i) * np.float32(0.7) for i, (name, shape) in enumerate(zip(INPUTS, shapes))}
    made["lengths"] = np.array([steps, steps // 2, 1][:batch] + [steps] * (batch - 3), np.int32)
    return {name: made[name] for name in (INPUTS if op == "LSTM" else INPUTS[:6])}


def model(op, given, opset=22, constant=("w", "r", "b", "p"), dynamic=False, outputs=None, **attributes):
    """A model of one layer that reads what of its inputs is in `given`."""
    names = [name if name in given else "" for name in (INPUTS if op == "LSTM" else INPUTS[:6])]
    outputs = outputs or ["y", "y_h", "y_c"][: 3 if op == "LSTM" else 2]
    attributes.setdefault("hidden_size", given["r"].shape[2])
    node = helper.make_node(op, names, outputs, **attributes)
    constants = {name: array for name, array in given.items() if name in constant}
    inputs = {name: array for name, array in given.items() if name not in constant}
    return model_of([node], inputs, [name for name in outputs if name], opset, constants, dynamic), inputs


def agree(op, given, folder, **options):
    """The layer as ONNX Runtime has it."""
    made, inputs = model(op, given, **options)
    results = run_here(made, inputs, folder)
    for mine, theirs in zip(results, run_ort(made, inputs), strict=True):
        assert_same(mine, theirs, rtol=2e-6, atol=2e-6)
    return results


def chosen(given, *left_out):
    return {name: array for name, array in given.items() if name not in left_out}


WAYS = [("forward", 1), ("reverse", 1), ("bidirectional", 2)]
OPTIONAL = {"RNN": ["b", "lengths", "h"], "GRU": ["b", "lengths", "h"], "LSTM": ["b", "lengths", "h", "c", "p"]}


@pytest.mark.parametrize(("direction", "count"), WAYS)
@pytest.mark.parametrize("op", GATES)
def test_each_optional_operand(op, direction, count, tmp_path):
    given = arrays(op, count)
    agree(op, given, tmp_path, direction=direction)
    agree(op, chosen(given, *OPTIONAL[op]), tmp_path, direction=direction)
    for name in OPTIONAL[op]:
        agree(op, chosen(given, name), tmp_path, direction=direction)


@pytest.mark.parametrize("constant", [("w", "r", "b", "p"), ()])
@pytest.mark.parametrize("op", GATES)
def test_sizes_that_a_run_tells(op, constant, tmp_path):
    made, _ = model(op, arrays(op, 2), constant=constant, dynamic=True, direction="bidirectional")
    graph = read(made, tmp_path)
    graph.finalize()
    for steps, batch in ((6, 3), (1, 1), (9, 5)):
        given = arrays(op, 2, steps, batch)
        own, inputs = model(op, given | chosen(arrays(op, 2), *set(INPUTS) - set(constant)), constant=constant, direction="bidirectional")
        results = [result.numpy() for result in graph.run(inputs)]
        for mine, theirs in zip(results, run_ort(own, inputs), strict=True):
            assert_same(mine, theirs, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("op", GATES)
def test_clip(op, tmp_path):
    given = arrays(op)
    free, bounded = (agree(op, given, tmp_path, **clip) for clip in ({}, {"clip": 0.3}))
    assert np.abs(free[0] - bounded[0]).max() > 1e-2


def test_settings_of_one_cell(tmp_path):
    given = arrays("GRU", 2)
    first, second = (agree("GRU", given, tmp_path, direction="bidirectional", linear_before_reset=i) for i in range(2))
    assert np.abs(first[0] - second[0]).max() > 1e-2
    agree("GRU", chosen(given, "b"), tmp_path, direction="bidirectional", linear_before_reset=1)
    for left_out in ((), ("p",)):
        given = chosen(arrays("LSTM"), *left_out)
        first, second = (agree("LSTM", given, tmp_path, input_forget=i) for i in range(2))
        assert np.abs(first[0] - second[0]).max() > 1e-2


FUNCTIONS = [("Relu", [], []), ("LeakyRelu", [0.1], []), ("LeakyRelu", [], []), ("ThresholdedRelu", [0.2], []), ("ScaledTanh", [0.8], [0.6]),
             ("HardSigmoid", [], []), ("HardSigmoid", [0.3], [0.4]), ("Elu", [0.7], []), ("Softsign", [], []), ("Softplus", [], []),
             ("Affine", [0.4], [0.1]), ("Sigmoid", [], [])]  # fmt: skip


@pytest.mark.parametrize(("name", "alpha", "beta"), FUNCTIONS)
def test_functions(name, alpha, beta, tmp_path):
    numbers = {"activation_alpha": alpha} if alpha else {}
    numbers |= {"activation_beta": beta} if beta else {}
    agree("RNN", arrays("RNN"), tmp_path, activations=[name], **numbers)
    agree("GRU", arrays("GRU"), tmp_path, activations=["Sigmoid", name], **numbers)
    agree("LSTM", arrays("LSTM"), tmp_path, activations=["HardSigmoid" if not alpha else "Sigmoid", name, "Tanh"], **numbers)
    agree("LSTM", arrays("LSTM"), tmp_path, activations=["Sigmoid", "Softsign", name], **numbers)


def test_names_of_functions_in_any_case(tmp_path):
    agree("LSTM", arrays("LSTM"), tmp_path, activations=["sigmoid", "TANH", "relu"])


@pytest.mark.parametrize("op", GATES)
def test_directions_of_different_functions_are_two_layers(op, tmp_path):
    first = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}[op]
    agree(op, arrays(op, 2), tmp_path, direction="bidirectional", activations=first + first[:-1] + ["ScaledTanh"],
          activation_alpha=[0.8], activation_beta=[0.6])  # fmt: skip


@pytest.mark.parametrize(("direction", "count"), WAYS)
@pytest.mark.parametrize("op", GATES)
def test_batches_first(op, direction, count, tmp_path):
    """ONNX Runtime has no layout 1: its result for layout 0 with the dimensions moved."""
    given = arrays(op, count)
    made, inputs = model(op, given, direction=direction)
    wanted = [np.moveaxis(array, (0, 1, 2, 3), (1, 2, 0, 3)) if array.ndim == 4 else array.swapaxes(0, 1) for array in run_ort(made, inputs)]
    moved = given | {name: given[name].swapaxes(0, 1) for name in ("x", "h", "c") if name in given}
    made, inputs = model(op, moved, direction=direction, layout=1)
    for mine, theirs in zip(run_here(made, inputs, tmp_path), wanted, strict=True):
        assert_same(mine, theirs, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("outputs", [["y"], ["", "y_h"], ["", "", "y_c"], ["y", "", "y_c"]])
def test_outputs_that_are_left_out(outputs, tmp_path):
    agree("LSTM", arrays("LSTM"), tmp_path, outputs=outputs)


@pytest.mark.parametrize("opset", [9, 14, 22, 24])
@pytest.mark.parametrize("op", GATES)
def test_operator_sets(op, opset, tmp_path):
    given = chosen(arrays(op), "lengths")
    made, inputs = model(op, given, opset)
    oldest, _ = model(op, given, 14)
    for mine, theirs in zip(run_here(made, inputs, tmp_path), run_ort(oldest, inputs), strict=True):
        assert_same(mine, theirs, rtol=2e-6, atol=2e-6)


def test_two_layers_of_another_size_each(tmp_path):
    """As models have them: y's directions are joined for the layer above, whose batch is dynamic, too."""
    first, second = arrays("LSTM", 2), arrays("GRU", 1, columns=2 * HIDDEN, hidden=7)
    weights = {f"{name}{i}": given[name] for i, given in enumerate((first, second)) for name in ("w", "r", "b")}
    nodes = [
        helper.make_node("LSTM", ["x", "w0", "r0", "b0"], ["y0"], hidden_size=HIDDEN, direction="bidirectional"),
        helper.make_node("Transpose", ["y0"], ["moved"], perm=[0, 2, 1, 3]),
        helper.make_node("Reshape", ["moved", "shape"], ["joined"]),
        helper.make_node("GRU", ["joined", "w1", "r1", "b1"], ["y1", "last"], hidden_size=7, linear_before_reset=1),
    ]
    made = model_of(nodes, {"x": first["x"]}, ["y1", "last"], 22, weights | {"shape": np.array([0, 0, -1])}, dynamic=True)
    graph = read(made, tmp_path)
    wanted = run_ort(made, {"x": first["x"]})
    graph.optimize(check=[first["x"]])
    assert {OpCode.Lstm, OpCode.Gru} <= {node.op_code for node in graph.nodes()}
    graph.finalize()
    for mine, theirs in zip(graph.run({"x": first["x"]}), wanted, strict=True):
        assert_same(mine.numpy(), theirs, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("op", GATES)
def test_a_model_stays_the_same_under_optimize(op, tmp_path):
    made, inputs = model(op, chosen(arrays(op), "lengths"))
    graph = read(made, tmp_path)
    graph.optimize(check=True)
    graph.finalize()
    for mine, theirs in zip(graph.run(inputs), run_ort(made, inputs), strict=True):
        assert_same(mine.numpy(), theirs, rtol=2e-6, atol=2e-6)


#
# Other types, eager and compiled
#

DEFAULTS = {"hidden_function": "Tanh", "hidden_alpha": None, "hidden_beta": None}
GATE = {"gate_function": "Sigmoid", "gate_alpha": None, "gate_beta": None}
SETTINGS = {
    "RNN": DEFAULTS,
    "GRU": DEFAULTS | GATE | {"linear_before_reset": False},
    "LSTM": DEFAULTS | GATE | {"cell_function": "Tanh", "cell_alpha": None, "cell_beta": None, "input_forget": False},
}
NAMES = dict(zip(INPUTS, ["x", "w", "r", "b", "sequence_lens", "initial_h", "initial_c", "p"]))


@pytest.mark.parametrize(("dtype", "bound"), [(np.float32, 1e-6), (np.float64, 1e-14), (np.float16, 6e-4), (ml_dtypes.bfloat16, 5e-3)])
@pytest.mark.parametrize("op", GATES)
def test_dtypes(op, dtype, bound):
    """States of half types are not rounded on the way: the error is that of one rounding of a result below 1, long as the sequence is."""
    given = arrays(op, 2, steps=40)
    given = {NAMES[k]: array if k == "lengths" else array.astype(dtype) for k, array in given.items()}
    settings = SETTINGS[op] | {"direction": "Bidirectional", "clip": 2.0}
    wide = {k: array if k == "sequence_lens" else array.astype(np.longdouble) for k, array in given.items()}
    wanted = getattr(recurrent_references, op.lower())(**wide, **settings)
    call = getattr(crt, op.lower())
    eager = call(**{k: crt.tensor(array) for k, array in given.items()}, direction="Bidirectional", clip=2.0)
    specs = [crt.TensorSpec(k, crt.tensor(array).dtype, list(array.shape)) for k, array in given.items()]
    graph = crt.trace(lambda t: list(call(**dict(zip(given, t)), direction="Bidirectional", clip=2.0)), specs).graph
    graph.finalize()
    for one, other, exact in zip(eager, graph.run(list(given.values())), wanted, strict=True):
        assert one.numpy().dtype == dtype
        np.testing.assert_array_equal(one.numpy(), other.numpy())
        assert np.abs(one.numpy().astype(np.longdouble) - exact).max() <= bound * max(1, np.abs(exact).max())


def test_a_state_of_half_type_is_not_rounded():
    """h grows by less than half a unit of its last place each step, and still arrives."""
    x, w, r = (crt.tensor(np.full(shape, value, np.float16)) for shape, value in
               (((1000, 1, 1), 2.0**-12), ((1, 1, 1), 1), ((1, 1, 1), 1)))  # fmt: skip
    _, last = crt.rnn(x, w, r, initial_h=crt.tensor(np.ones((1, 1, 1), np.float16)), hidden_function="Relu")
    assert last.numpy().item() == np.float16(1 + 1000 * 2.0**-12)


@pytest.mark.parametrize("op", GATES)
def test_sequences_without_steps(op):
    """Of x, or of a sequence: the state stays as it was."""
    call = getattr(crt, op.lower())
    given = {NAMES[k]: array for k, array in arrays(op, 2).items()}
    empty = given | {"x": given["x"][:0], "sequence_lens": np.zeros(BATCH, np.int32)}
    short = given | {"sequence_lens": np.array([0, STEPS, 0], np.int64)}
    first, *last = call(**{k: crt.tensor(array) for k, array in empty.items()}, direction="Bidirectional")
    assert first.numpy().shape == (0, 2, BATCH, HIDDEN)
    y, *ends = call(**{k: crt.tensor(array) for k, array in short.items()}, direction="Bidirectional")
    assert not y.numpy()[:, :, [0, 2]].any() and y.numpy()[:, :, 1].all()
    for name, untouched, end in zip(("initial_h", "initial_c"), last, ends):
        np.testing.assert_array_equal(untouched.numpy(), given[name])
        np.testing.assert_array_equal(end.numpy()[:, [0, 2]], given[name][:, [0, 2]])
        assert (end.numpy()[:, 1] != given[name][:, 1]).all()


def test_a_reversed_sequence_begins_at_its_own_end():
    given = arrays("GRU")
    x, w, r, h = (crt.tensor(given[name]) for name in ("x", "w", "r", "h"))
    y, last = crt.gru(x, w, r, None, crt.tensor(given["lengths"]), h, direction="Reverse")
    for i, length in enumerate(given["lengths"]):
        own = [crt.tensor(given["x"][:length, i : i + 1]), w, r]
        alone, end = crt.gru(*own, initial_h=crt.tensor(given["h"][:, i : i + 1]), direction="Reverse")
        np.testing.assert_array_equal(y.numpy()[:length, :, i : i + 1], alone.numpy())
        np.testing.assert_array_equal(last.numpy()[:, i : i + 1], end.numpy())


#
# What is refused
#


def test_sizes_are_checked_at_run_time():
    shapes = {"x": "sni", "w": "dgi", "r": "eqh", "b": "fo", "sequence_lens": "m", "initial_h": "akj", "initial_c": "cuv", "p": "tz"}
    given = {NAMES[k]: array for k, array in arrays("LSTM").items()}
    specs = [crt.TensorSpec(k, crt.tensor(given[k]).dtype, [f"{k}_{c}" for c in shapes[k]]) for k in given]
    graph = crt.trace(lambda t: list(crt.lstm(**dict(zip(given, t)))), specs).graph
    graph.finalize()
    eager = crt.lstm(**{k: crt.tensor(array) for k, array in given.items()})
    for mine, same in zip(graph.run(list(given.values())), eager, strict=True):
        np.testing.assert_array_equal(mine.numpy(), same.numpy())
    wrong = [("w", 2), ("w", 1), ("r", 1), ("b", 1), ("sequence_lens", 0), ("initial_h", 1), ("initial_h", 2), ("initial_c", 1), ("p", 1)]
    for name, dim in wrong:
        cut = given | {name: given[name].take(range(given[name].shape[dim] - 1), dim)}
        with pytest.raises(crt.Error, match=f"lstm.*: the size of dimension {dim} of {name} does not fit the other operands"):
            graph.run(list(cut.values()))
    twice = given | {"w": given["w"].repeat(2, 0)}
    with pytest.raises(crt.Error, match="the size of dimension 0 of w"):
        graph.run(list(twice.values()))


@pytest.mark.parametrize("op", GATES)
def test_lengths_are_checked(op):
    given = [crt.tensor(array) for name, array in arrays(op).items() if name in "xwrb"]
    for lengths in ([1, 2, STEPS + 1], [-1, 2, 3]):
        with pytest.raises(crt.Error, match="an element of sequence_lens is negative or more than x has steps"):
            getattr(crt, op.lower())(*given, crt.tensor(np.array(lengths)))


def test_what_inference_refuses():
    x, w, r = (crt.tensor(arrays("LSTM")[name]) for name in "xwr")
    for call, message in (
        (lambda: crt.lstm(x, w, r, direction="Bidirectional"), r"lstm: w has shape \[1, 20, 4\]; it must be \[directions, gates \* hidden, input\], here"),
        (lambda: crt.gru(x, w, r), "gru: w has 20 rows; with 5 hidden elements it must have 15"),
        (lambda: crt.lstm(x, w, r, clip=-1.0), "lstm: clip is -1.*; it must be at least 0"),
        (lambda: crt.lstm(x, w, r, cell_function="ScaledTanh"), "lstm: cell_function is ScaledTanh; give cell_alpha and cell_beta with it"),
        (lambda: crt.lstm(x, w, crt.tensor(r.numpy().astype(np.float64))), "lstm: the operands have dtypes float32 and float64; cast one of them"),
    ):
        with pytest.raises(crt.InvalidArgumentError, match=message):
            call()


@pytest.mark.parametrize(("op", "attributes", "message"), [
    ("LSTM", {"activations": ["Sigmoid", "Tanh"]}, "has 2 activations; it must have 3"),
    ("LSTM", {"activations": ["Sigmoid", "Tanh", "Swish"]}, "its activation 'Swish' is not covered"),
    ("GRU", {"activations": ["Sigmoid", "Affine"], "activation_alpha": [1.0]}, "its activation 'Affine' has no activation_alpha or no activation_beta"),
    ("RNN", {"activations": ["Tanh"], "activation_alpha": [1.0]}, "has more numbers in activation_alpha or activation_beta than its activations take"),
    ("RNN", {"direction": "sideways"}, "its attribute 'direction' is 'sideways', covered are forward, reverse, bidirectional"),
    ("RNN", {"hidden_size": 4}, "its hidden_size is 4, but R has 5"),
    ("RNN", {"clip": 0.0}, "its clip is 0.*; it must be above 0"),
    ("GRU", {"direction": "bidirectional"}, "gru: w has shape"),
])  # fmt: skip
def test_what_the_reader_refuses(op, attributes, message, tmp_path):
    made, _ = model(op, arrays(op), **attributes)
    with pytest.raises(crt.Error, match=message):
        read(made, tmp_path)


def test_large_weights(tmp_path):
    """Those that compilation reorders: constants that it transposes and packs, in each direction. Small numbers, so that a state
    forgets what rounding did to it."""
    for op in GATES:
        given = arrays(op, 2, columns=32, hidden=64)
        given |= {name: given[name] * np.float32(0.125) for name in ("w", "r")}
        agree(op, given, tmp_path, direction="bidirectional")
