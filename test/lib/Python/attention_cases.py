"""The numeric cases of rotary_embedding and attention, of a dtype."""

import numpy as np
from op_cases import Case, Exact, Sums
from sum_cases import some, special, values

ROTATED = [((2, 3, 5, 8), (2, 5), {}), ((2, 3, 5, 8), (1, 5), {"interleaved": True}), ((0, 3, 5, 8), (1, 5), {}),
           ((2, 5, 24), (2, 5), {"num_heads": 3}), ((2, 3, 5, 9), (2, 5), {"rotary_dim": 4}), ((1, 2, 3, 6), (1, 1), {}),
           ((2, 5, 21), (1, 5), {"num_heads": 3, "rotary_dim": 6, "interleaved": True}), ((2, 3, 0, 8), (2, 0), {}),
           ((1, 1, 33, 64), (1, 33), {"num_heads": 1}), ((1, 2, 3, 2), (1, 3), {}), ((3, 2, 12), (3, 2), {"num_heads": 6})]  # fmt: skip


def rotary_embedding(op, dtype):
    for i, (shape, places, settings) in enumerate(some(dtype, ROTATED, 6)):
        size = shape[3] if len(shape) == 4 else shape[2] // settings["num_heads"]
        pairs = settings.get("rotary_dim", size) // 2
        cos, sin = values(dtype, (*places, pairs), 1), values(dtype, (*places, pairs), 2)
        yield Case(op, [values(dtype, shape, i), cos, sin, None], settings, Exact())
        rows = np.random.default_rng(i).integers(-7, 7, places).astype([np.int64, np.int32][i % 2])
        yield Case(op, [special(dtype, shape, i), special(dtype, (7, pairs), 3), values(dtype, (7, pairs), 4), rows], settings, Exact())


# Queries, keys and values: [batch, heads, length, size].
ATTENDED = [((2, 4, 5, 8), (2, 4, 7, 8), (2, 4, 7, 6)), ((2, 6, 3, 8), (2, 2, 5, 8), (2, 2, 5, 4)), ((0, 4, 5, 8), (0, 2, 3, 8), (0, 2, 3, 8)),
            ((1, 2, 1, 16), (1, 1, 37, 16), (1, 1, 37, 16)), ((2, 2, 0, 3), (2, 2, 4, 3), (2, 2, 4, 3)), ((2, 2, 3, 3), (2, 2, 0, 3), (2, 2, 0, 3)),
            ((1, 3, 40, 5), (1, 3, 33, 5), (1, 3, 33, 1))]  # fmt: skip
SETTINGS = [{}, {"causal": "UpperLeft"}, {"causal": "LowerRight"}, {"scale": 0.3}, {"softcap": 2.0}, {"causal": "UpperLeft", "scale": -1.0}]
MASKS = [(5, 7), (2, 1, 5, 7), (1, 4, 1, 7), (7,), (2, 4, 5, 1), (4, 5, 7), ()]
# The error of a score is one of its weight, which a score of a few times one makes a few hundred roundings.
BOUND = Sums(300, 1.0)


def masks(dtype, shape, i):
    """Floats with some -inf, a row of them now and then."""
    mask = np.asarray(values(dtype, shape, i))
    gone = np.random.default_rng(i).random(shape) < 0.4
    if len(shape) > 1:
        gone[..., 0, :] |= i % 2 == 0
    return np.where(gone, np.asarray(-np.inf, dtype), mask).astype(dtype)


def attention(op, dtype):
    """For bool: masks of bools, beside float32."""
    is_bool = dtype == bool
    number = np.dtype(np.float32) if is_bool else dtype
    for i, shapes in enumerate(() if is_bool else some(dtype, ATTENDED, 2)):
        operands = [values(number, shape, 3 * i + j) for j, shape in enumerate(shapes)]
        every = i == 0 and dtype == np.float32
        for settings in SETTINGS if every else [SETTINGS[2 * i % len(SETTINGS)], SETTINGS[(2 * i + 1) % len(SETTINGS)]]:
            yield Case(op, operands, settings, BOUND)
    q, k, v = (values(number, shape, j) for j, shape in enumerate(ATTENDED[0]))
    for i, shape in enumerate(some(number, MASKS, 2)):
        mask = masks(number, shape, i)
        yield Case(op, [q, k, v, mask > -np.inf if is_bool else mask], SETTINGS[i % 3], BOUND)
    grouped = [values(number, shape, j) for j, shape in enumerate([(2, 6, 5, 4), (2, 3, 7, 4), (2, 3, 7, 4)])]
    mask = masks(number, (2, 6, 5, 7), 2)
    yield Case(op, [*grouped, mask > -np.inf if is_bool else mask], {"causal": "LowerRight", "softcap": 1.0}, BOUND)
    odd = [special(number, shape, 5 + j, 61) for j, shape in enumerate(ATTENDED[0])]
    yield Case(op, [*odd, mask[:1, :4] > -np.inf if is_bool else special(number, (5, 7), 3)], {}, BOUND)
    yield Case(op, odd, {"causal": "UpperLeft"}, BOUND)


CASES = {"rotary_embedding": rotary_embedding, "attention": attention}
