"""The numeric cases of rnn, gru and lstm, of a dtype."""

import numpy as np
from op_cases import Case, Sums
from sum_cases import some, special, values

GATES = {"rnn": 1, "gru": 3, "lstm": 4}
# Steps, batch, elements of x, elements of the state.
SIZES = [(5, 3, 4, 3), (7, 1, 5, 17), (1, 2, 3, 5), (0, 2, 3, 4), (3, 0, 2, 4), (4, 2, 0, 3), (9, 5, 3, 16)]
WAYS = ["Forward", "Reverse", "Bidirectional"]
FUNCTIONS = [{}, {"hidden_function": "Relu", "clip": 3.0}, {"hidden_function": "LeakyRelu", "hidden_alpha": 0.2},
             {"hidden_function": "HardSigmoid"}, {"hidden_function": "ScaledTanh", "hidden_alpha": 1.5, "hidden_beta": 0.5, "clip": 1.0},
             {"hidden_function": "Softsign"}, {"hidden_function": "Softplus"}, {"hidden_function": "Elu", "hidden_alpha": 0.5},
             {"hidden_function": "ThresholdedRelu", "hidden_alpha": 0.25}, {"hidden_function": "Affine", "hidden_alpha": 0.3, "hidden_beta": 0.1}]  # fmt: skip
GATED = [{}, {"gate_function": "HardSigmoid", "gate_alpha": 0.3}, {"gate_function": "Softsign", "clip": 0.5}]
OWN = {"rnn": [{}], "gru": [{}, {"linear_before_reset": True}],
       "lstm": [{}, {"input_forget": True}, {"cell_function": "Softsign"}, {"cell_function": "ScaledTanh", "cell_alpha": 0.7, "cell_beta": 1.2}]}  # fmt: skip
BOUND = Sums(400, 1.0)


def operands(op, dtype, sizes, way, seed, given=(), x=values):
    """x, w and r, and of the others those at `given`."""
    steps, batch, columns, hidden = sizes
    count, rows = 2 if way == "Bidirectional" else 1, GATES[op] * hidden
    shapes = [(count, rows, columns), (count, rows, hidden), (count, 2 * rows), (batch,), *[(count, batch, hidden)] * 2, (count, 3 * hidden)]
    made = [x(dtype, (steps, batch, columns), seed)]
    for i, shape in enumerate(shapes[: 7 if op == "lstm" else 5], 1):
        if i > 2 and i not in given:
            made.append(None)
        elif i == 4:
            made.append(np.random.default_rng(seed).integers(0, steps, shape, [np.int64, np.int32][seed % 2], endpoint=True))
        else:
            made.append((values(dtype, shape, 10 * seed + i).astype(np.float64) * 0.6).astype(dtype))
    return made


def recurrent(op, dtype):
    for i, sizes in enumerate(some(dtype, SIZES, 3)):
        for j, way in enumerate(WAYS if dtype == np.float32 else [WAYS[i % 3]]):
            given = [k for k in range(3, 8) if (i + j + k) % 3 or i == 0]
            yield Case(op, operands(op, dtype, sizes, way, 3 * i + j, given), {"direction": way}, BOUND)
    for i, functions in enumerate(some(dtype, FUNCTIONS, 2)):
        gated = {} if op == "rnn" else GATED[i % len(GATED)]
        settings = functions | gated | OWN[op][i % len(OWN[op])] | {"direction": WAYS[i % 3]}
        yield Case(op, operands(op, dtype, (4, 3, 3, 4), WAYS[i % 3], i, range(3 + i % 2, 8)), settings, BOUND)
    for own in OWN[op]:
        yield Case(op, operands(op, dtype, (6, 2, 3, 5), "Forward", 5, (), special), own, BOUND)
        yield Case(op, operands(op, dtype, (6, 2, 3, 5), "Reverse", 6, range(3, 8), special), own | {"direction": "Reverse"}, BOUND)


CASES = dict.fromkeys(GATES, recurrent)
