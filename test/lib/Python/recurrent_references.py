"""Recurrent layers in NumPy."""

import numpy as np
from references import number, relu, sigmoid


def function_of(name, alpha, beta):
    alpha = {"LeakyRelu": 0.01, "HardSigmoid": 0.2}.get(name, 1.0) if alpha is None else alpha
    beta = 0.5 if beta is None else beta
    return {
        "Sigmoid": sigmoid,
        "Tanh": np.tanh,
        "Relu": relu,
        "LeakyRelu": lambda v: np.where(v < 0, number(alpha, v) * v, v),
        "ThresholdedRelu": lambda v: np.where(v > alpha, v, number(0, v)),
        "ScaledTanh": lambda v: number(alpha, v) * np.tanh(number(beta, v) * v),
        "HardSigmoid": lambda v: np.clip(number(alpha, v) * v + number(beta, v), number(0, v), number(1, v)),
        "Elu": lambda v: np.where(v > 0, v, number(alpha, v) * np.expm1(np.minimum(v, 0))),
        "Softsign": lambda v: v / (1 + np.abs(v)),
        "Softplus": lambda v: np.maximum(v, 0) + np.log1p(np.exp(-np.abs(v))),
        "Affine": lambda v: number(alpha, v) * v + number(beta, v),
    }[name]


class Layer:
    def __init__(self, gates, x, w, r, b, lengths, direction, clip):
        self.gates, self.x, self.w, self.r = gates, x, w, r
        self.b = np.zeros((w.shape[0], 2 * w.shape[1]), x.dtype) if b is None else b
        self.lengths = np.full(x.shape[1], x.shape[0]) if lengths is None else lengths
        self.direction, self.clip, self.hidden = direction, clip, r.shape[2]

    def clipped(self, v):
        return np.clip(v, number(-self.clip, v), number(self.clip, v)) if self.clip else v

    def of(self, which, d, i):
        """The rows of gate i, of w, r or the two halves of b."""
        rows = slice(i * self.hidden, (i + 1) * self.hidden)
        if which in "wr":
            return getattr(self, which)[d, rows]
        return np.split(self.b[d], 2)[which == "rb"][rows]

    def of_input(self, d, t, i):
        return self.x[t] @ self.of("w", d, i).T + self.of("wb", d, i)

    def of_state(self, d, h, i):
        return h @ self.of("r", d, i).T + self.of("rb", d, i)

    def sum(self, d, t, h, i):
        return self.of_input(d, t, i) + self.of_state(d, h, i)

    def run(self, initial, step):
        steps, batch = self.x.shape[:2]
        count = 2 if self.direction == "Bidirectional" else 1
        y = np.zeros((steps, count, batch, self.hidden), self.x.dtype)
        last = [np.zeros((count, batch, self.hidden), self.x.dtype) if state is None else state.copy() for state in initial]
        for d in range(count):
            order = range(steps)
            for t in reversed(order) if d == 1 or self.direction == "Reverse" else order:
                lives = (t < self.lengths)[:, None]
                following = step(d, t, *(state[d] for state in last))
                for state, new in zip(last, following, strict=True):
                    state[d] = np.where(lives, new, state[d])
                y[t, d] = np.where(lives, last[0][d], number(0, y))
        return (y, *last)


def rnn(x, w, r, b, sequence_lens, initial_h, direction, clip, hidden_function, hidden_alpha, hidden_beta):
    layer, f = Layer(1, x, w, r, b, sequence_lens, direction, clip), function_of(hidden_function, hidden_alpha, hidden_beta)
    return layer.run([initial_h], lambda d, t, h: [f(layer.clipped(layer.sum(d, t, h, 0)))])


def gru(x, w, r, b, sequence_lens, initial_h, direction, clip, linear_before_reset, gate_function, gate_alpha, gate_beta,
        hidden_function, hidden_alpha, hidden_beta):  # fmt: skip
    layer = Layer(3, x, w, r, b, sequence_lens, direction, clip)
    f, g = function_of(gate_function, gate_alpha, gate_beta), function_of(hidden_function, hidden_alpha, hidden_beta)

    def step(d, t, h):
        update, reset = (f(layer.clipped(layer.sum(d, t, h, i))) for i in range(2))
        state = reset * layer.of_state(d, h, 2) if linear_before_reset else layer.of_state(d, reset * h, 2)
        return [(1 - update) * g(layer.clipped(layer.of_input(d, t, 2) + state)) + update * h]

    return layer.run([initial_h], step)


def lstm(x, w, r, b, sequence_lens, initial_h, initial_c, p, direction, clip, input_forget, gate_function, gate_alpha, gate_beta,
         cell_function, cell_alpha, cell_beta, hidden_function, hidden_alpha, hidden_beta):  # fmt: skip
    layer = Layer(4, x, w, r, b, sequence_lens, direction, clip)
    f, g = function_of(gate_function, gate_alpha, gate_beta), function_of(cell_function, cell_alpha, cell_beta)
    last = function_of(hidden_function, hidden_alpha, hidden_beta)
    peepholes = np.zeros((w.shape[0], 3 * layer.hidden), x.dtype) if p is None else p

    def step(d, t, h, c):
        sums = [layer.sum(d, t, h, i) for i in range(4)]
        of_i, of_o, of_f = np.split(peepholes[d], 3)

        def gate(i, weights, cell):
            return f(layer.clipped(sums[i] if p is None else sums[i] + weights * cell))

        kept = gate(0, of_i, c)
        forgotten = 1 - kept if input_forget else gate(2, of_f, c)
        cell = forgotten * c + kept * g(layer.clipped(sums[3]))
        return [gate(1, of_o, cell) * last(cell), cell]

    return layer.run([initial_h, initial_c], step)
