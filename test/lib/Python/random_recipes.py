"""How a random graph comes by each op: operands it accepts and settings for it. An op of a group that has a rule (one
operand, operands that broadcast) needs no recipe; every other public op has one here, which a test asserts."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

import clika_runtime as crt

if TYPE_CHECKING:
    from random_graph import Entry, Grower

# The call, its operands and, where it has none, its result.
Made = "tuple[Callable[..., object], list[Entry]] | tuple[Callable[..., object], list[Entry], crt.Tensor] | None"

# A call needs a function, which no trace makes; random_functions.py makes both.
TABLE = {
    op["mnemonic"]: op
    for op in json.loads((pathlib.Path(os.environ["CLIKA_BUILD"]) / "lib" / "Dialect" / "op_table.json").read_text())
    if op["public"] and op["mnemonic"] != "call"
}
GROUPS = {
    "float": ("float16", "bfloat16", "float32", "float64"),
    "int": ("int8", "int16", "int32", "int64"),
    "uint": ("uint8", "uint16", "uint32", "uint64"),
    "bool": ("bool",),
    "index": ("int32", "int64"),
    "quantized": ("int8", "uint8", "int16", "uint16", "int32"),
}
RECIPES: dict[str, Callable[[Grower], Made]] = {}


def recipe(*names: str):
    def add(fn):
        for name in names:
            RECIPES[name] = (lambda g, name=name: fn(g, name)) if len(names) > 1 else fn
        return fn

    return add


def dtypes(op: str, operand: int = 0) -> set[str]:
    groups = TABLE[op]["operands"][operand]["dtypes"]
    return {name for group in groups for name in GROUPS.get(group, ())}


def settings(g: Grower, op: str) -> dict[str, object]:
    """Random values for settings that fit every operand: activations, enumerators, bools; the rest at their defaults."""
    chosen: dict[str, object] = {}
    for setting in TABLE[op]["settings"]:
        if setting["name"] == "activation" and g.rng.random() < 0.2:
            chosen["activation"] = g.rng.choice(["Relu", "Silu", "Tanh", "Gelu"])
        elif setting["name"] == "form":
            chosen["form"] = g.rng.choice(setting["enumerators"])
        elif setting["kind"] == "Bool" and g.rng.random() < 0.3:
            chosen[setting["name"]] = True
    return chosen


def _floats_only(chosen: dict[str, object], entry: Entry) -> dict[str, object]:
    if "float" not in entry.dtype:
        chosen.pop("activation", None)
    return chosen


def one_operand(g: Grower, op: str) -> Made:
    x = g.pick(lambda e: e.dtype in dtypes(op))
    if x is None:
        return None
    chosen = settings(g, op)
    return lambda t: getattr(crt, op)(t, **chosen), [x]


def broadcasting(g: Grower, op: str) -> Made:
    a = g.pick(lambda e: e.dtype in dtypes(op))
    if a is None:
        return None
    b = g.beside(a)
    chosen = _floats_only(settings(g, op), a)
    if "alpha" in TABLE[op]["parameters"] and g.rng.random() < 0.2:
        chosen["alpha"] = 2.0
    swapped = g.rng.random() < 0.3
    return lambda s, t: getattr(crt, op)(*((t, s) if swapped else (s, t)), **chosen), [a, b]


def make(op: str, g: Grower) -> Made:
    """The call of `op` and its operands, or None where no value fits."""
    if op in RECIPES:
        return RECIPES[op](g)
    required = [o for o in TABLE[op]["operands"] if not o["optional"]]
    return one_operand(g, op) if len(required) == 1 else broadcasting(g, op)


def has_rule(op: str) -> bool:
    record = TABLE[op]
    required = [o for o in record["operands"] if not o["optional"] and not o["variadic"]]
    settled = all(s["optional"] or s["has_default"] for s in record["settings"])
    return op in RECIPES or (settled and record["pointwise"] and len(required) in (1, 2)) or (
        settled and len(required) == 1 and record["group"] in ("reduce", "norm", "pool"))


def static(g: Grower, op: str, accepts: Callable[[Entry], bool]) -> Entry | None:
    return g.pick(lambda e: e.is_static and e.dtype in dtypes(op) and accepts(e))


def images(g: Grower, op: str) -> Entry | None:
    return static(g, op, lambda e: len(e.shape) in (3, 4) and 0 not in e.shape and e.dtype not in ("float16", "bfloat16"))


def weight(g: Grower, shape: list[int], dtype: str) -> Entry:
    return g.constant(np.nan_to_num(g.data(shape, dtype), posinf=1, neginf=-1) if "float" in dtype else g.data(shape, dtype))


def axis_of(g: Grower, x: Entry) -> int:
    return g.rng.randrange(-len(x.shape), len(x.shape))


# Pointwise ops with operands of several dtypes.


@recipe("cast")
def _cast(g):
    x = g.pick(lambda e: True)
    dtype = g.rng.choice([crt.float32, crt.int32, crt.bool_, crt.float16, crt.uint8, crt.bfloat16, crt.int16, crt.uint64])
    return lambda t: crt.cast(t, dtype), [x]


@recipe("where")
def _where(g):
    condition = g.pick(lambda e: e.dtype == "bool")
    if condition is None:
        return None
    a = g.beside(condition, "float32")
    b = g.beside(a) if a.is_constant else g.constant(g.data([], "float32"))
    return crt.where, [condition, a, b]


@recipe("clamp")
def _clamp(g):
    x = g.pick(lambda e: e.dtype in dtypes("clamp"))
    if x is None:
        return None
    low, high = g.rng.choice([(0, None), (0, 3), (None, 2), (-0.0 if "float" in x.dtype else 0, 1), (1, 1)])
    if "float" in x.dtype and low is not None:
        low = float(low)
    return lambda t: crt.clamp(t, low, high), [x]


# Matrices, convolutions, pools, norms.


@recipe("matmul")
def _matmul(g):
    x = static(g, "matmul", lambda e: len(e.shape) >= 2)
    if x is None:
        return None
    transposed = g.rng.random() < 0.3
    shape = [3, x.shape[-1]] if transposed else [x.shape[-1], 3]
    return lambda a, b: crt.matmul(a, b, transpose_b=transposed), [x, weight(g, shape, x.dtype)]


@recipe("linear")
def _linear(g):
    x = static(g, "linear", lambda e: len(e.shape) >= 2)
    if x is None:
        return None
    return crt.linear, [x, weight(g, [4, x.shape[-1]], x.dtype), weight(g, [4], x.dtype)]


@recipe("conv")
def _conv(g):
    x = images(g, "conv")
    if x is None:
        return None
    groups = g.rng.choice([1, x.shape[1]])
    spatial = len(x.shape) - 2
    kernel = [g.rng.choice([1, 3]) for _ in range(spatial)]
    pads = [k // 2 for k in kernel]
    strides = [g.rng.choice([1, 2])] * spatial
    w = weight(g, [2 * groups, x.shape[1] // groups, *kernel], x.dtype)
    return lambda t, w, b: crt.conv(t, w, b, strides=strides, pads=pads, groups=groups), [x, w, weight(g, [2 * groups], x.dtype)]


@recipe("conv_transpose")
def _conv_transpose(g):
    x = images(g, "conv_transpose")
    if x is None:
        return None
    w = weight(g, [x.shape[1], 2, *[2] * (len(x.shape) - 2)], x.dtype)
    return lambda t, w: crt.conv_transpose(t, w, strides=[2] * (len(x.shape) - 2)), [x, w]


@recipe("max_pool", "max_pool_with_indices", "avg_pool", "lp_pool")
def _pool(g, op):
    x = static(g, op, lambda e: len(e.shape) in (3, 4) and 0 not in e.shape and min(e.shape[2:]) >= 2)
    if x is None:
        return None
    spatial = len(x.shape) - 2
    chosen = {"kernel": [2] * spatial, "strides": [g.rng.choice([1, 2])] * spatial, "ceil_mode": g.rng.random() < 0.3}
    return lambda t: getattr(crt, op)(t, **chosen), [x]


@recipe("global_max_pool", "global_avg_pool", "global_lp_pool", "instance_norm")
def _global(g, op):
    x = images(g, op)
    return x and (getattr(crt, op), [x])


@recipe("batch_norm")
def _batch_norm(g):
    x = images(g, "batch_norm")
    if x is None:
        return None
    channel = [x.shape[1]]
    variance = g.constant(np.full(channel, 1.5, x.dtype))
    return crt.batch_norm, [x, weight(g, channel, x.dtype), variance, weight(g, channel, x.dtype), weight(g, channel, x.dtype)]


@recipe("layer_norm", "rms_norm", "softmax", "log_softmax")
def _row(g, op):
    x = g.pick(lambda e: e.dtype in dtypes(op) and len(e.shape) >= 1)
    return x and (getattr(crt, op), [x])


@recipe("group_norm")
def _group_norm(g):
    x = images(g, "group_norm")
    return x and (lambda t: crt.group_norm(t, groups=x.shape[1]), [x])


@recipe("lrn")
def _lrn(g):
    x = images(g, "lrn")
    return x and (lambda t: crt.lrn(t, size=3), [x])


@recipe("argmax", "argmin")
def _arg(g, op):
    x = static(g, op, lambda e: len(e.shape) >= 1 and 0 not in e.shape)
    if x is None:
        return None
    axis, keepdims = axis_of(g, x), g.rng.random() < 0.5
    return lambda t: getattr(crt, op)(t, axis=axis, keepdims=keepdims), [x]


@recipe(*(name for name in TABLE if name.startswith("reduce_")))
def _reduce(g, op):
    x = g.pick(lambda e: e.dtype in dtypes(op) and len(e.shape) >= 1)
    if x is None:
        return None
    axes = g.rng.choice([[], [-1], [0], [axis_of(g, x)]])
    keepdims = g.rng.random() < 0.5
    return lambda t: getattr(crt, op)(t, axes=axes, keepdims=keepdims), [x]


@recipe("cumsum")
def _cumsum(g):
    x = g.pick(lambda e: e.dtype in dtypes("cumsum") and len(e.shape) >= 1)
    if x is None:
        return None
    axis, reverse = axis_of(g, x), g.rng.random() < 0.5
    return lambda t: crt.cumsum(t, axis=axis, reverse=reverse), [x]


def as_heads(t):
    """A tensor of two to four dimensions as one of heads of matrices: four."""
    rank = len(tuple(t.shape))
    return crt.unsqueeze(t, list(range(4 - rank))) if rank < 4 else t


@recipe("rotary_embedding")
def _rotary_embedding(g):
    x = static(g, "rotary_embedding", lambda e: len(e.shape) in (2, 3, 4) and e.shape[-1] % 2 == 0 and 0 not in e.shape)
    if x is None:
        return None
    joined = len(x.shape) == 3 and x.shape[2] % 4 == 0 and g.rng.random() < 0.5
    size = x.shape[-1] // (2 if joined else 1)
    length = x.shape[1] if joined else x.shape[-2]
    batch = x.shape[0] if joined or len(x.shape) == 4 else 1
    chosen = {"interleaved": g.rng.random() < 0.5, "num_heads": 2 if joined else 0}
    part = g.rng.choice([size, 2])
    if part != size or g.rng.random() < 0.5:
        chosen["rotary_dim"] = part
    shaped = (lambda t: t) if joined else as_heads
    if g.rng.random() < 0.5:
        rows = [g.constant(g.data([5, part // 2], x.dtype)) for _ in range(2)]
        places = indices(g, [1, length], 5)
        return lambda t, c, s, p: crt.rotary_embedding(shaped(t), c, s, p, **chosen), [x, *rows, places]
    angles = [g.constant(g.data([g.rng.choice([1, batch]), length, part // 2], x.dtype)) for _ in range(2)]
    return lambda t, c, s: crt.rotary_embedding(shaped(t), c, s, **chosen), [x, *angles]


@recipe("attention")
def _attention(g):
    q = static(g, "attention", lambda e: len(e.shape) in (2, 3, 4) and 0 not in e.shape)
    if q is None:
        return None
    batch, heads, queries, size = (1,) * (4 - len(q.shape)) + q.shape
    heads = g.rng.choice([1, heads])
    k, v = (g.constant(g.data([batch, heads, 3, columns], q.dtype)) for columns in (size, 2))
    chosen = {"causal": g.rng.choice(["Off", "UpperLeft", "LowerRight"]), "scale": g.rng.choice([0.0, 0.5]), "softcap": g.rng.choice([0.0, 2.0])}
    if g.rng.random() < 0.5:
        return lambda t, u, w: crt.attention(as_heads(t), u, w, **chosen), [q, k, v]
    mask = g.constant(g.data([queries, 3], g.rng.choice(["bool", q.dtype])))
    return lambda t, u, w, m: crt.attention(as_heads(t), u, w, m, **chosen), [q, k, v, mask]


@recipe("rnn", "gru", "lstm")
def _recurrent(g, op):
    x = static(g, op, lambda e: len(e.shape) in (2, 3) and 0 not in e.shape)
    if x is None:
        return None
    steps, batch, columns = (1,) * (3 - len(x.shape)) + x.shape
    hidden, way = g.rng.choice([2, 5]), g.rng.choice(["Forward", "Reverse", "Bidirectional"])
    count, rows = 2 if way == "Bidirectional" else 1, {"rnn": 1, "gru": 3, "lstm": 4}[op] * hidden
    given = {"w": weight(g, [count, rows, columns], x.dtype), "r": weight(g, [count, rows, hidden], x.dtype)}
    optional = {"b": [count, 2 * rows], "initial_h": [count, batch, hidden]}
    if op == "lstm":
        optional |= {"initial_c": [count, batch, hidden], "p": [count, 3 * hidden]}
    given |= {name: weight(g, shape, x.dtype) for name, shape in optional.items() if g.rng.random() < 0.5}
    if g.rng.random() < 0.5:
        given["sequence_lens"] = g.constant(g.numbers.integers(0, steps, [batch], endpoint=True).astype("int64"))
    chosen = settings(g, op) | {"direction": way, "clip": g.rng.choice([0.0, 0.5])}
    call = getattr(crt, op)
    return lambda t, *others: call(as_sequences(t), **dict(zip(given, others, strict=True)), **chosen), [x, *given.values()]


def as_sequences(t):
    """A matrix as sequences of one step."""
    return crt.unsqueeze(t, [0]) if len(tuple(t.shape)) == 2 else t


# Moves.


@recipe("reshape")
def _reshape(g):
    x = static(g, "reshape", lambda e: True)
    if x is None:
        return None
    shape = g.rng.choice([[x.array.size], list(x.shape), [1, *x.shape], list(reversed(x.shape))])
    return lambda t: crt.reshape(t, shape, allow_zero=True), [x]


@recipe("transpose")
def _transpose(g):
    x = g.pick(lambda e: True)
    perm = list(range(len(x.shape)))
    g.rng.shuffle(perm)
    return lambda t: crt.transpose(t, perm), [x]


@recipe("concat")
def _concat(g):
    x = g.pick(lambda e: len(e.shape) >= 1)
    if x is None:
        return None
    axis = axis_of(g, x)
    return lambda s, t: crt.concat([s, t], axis), [x, x]


@recipe("split")
def _split(g):
    x = static(g, "split", lambda e: len(e.shape) >= 1 and e.shape[0] >= 2)
    return x and (lambda t: crt.split(t, [1, x.shape[0] - 1]), [x])


@recipe("slice")
def _slice(g):
    x = g.pick(lambda e: len(e.shape) >= 1)
    if x is None:
        return None
    start, end, step = g.rng.choice([(0, 2, 1), (1, 9, 1), (-1, -9, -1), (0, 9, 2)])
    axis = axis_of(g, x)
    return lambda t: crt.slice(t, [start], [end], [axis], [step]), [x]


@recipe("pad")
def _pad(g):
    x = g.pick(lambda e: len(e.shape) >= 1)
    if x is None:
        return None
    pads = [g.rng.choice([0, 1]) for _ in range(2 * len(x.shape))]
    return lambda t: crt.pad(t, pads), [x]


@recipe("squeeze")
def _squeeze(g):
    x = static(g, "squeeze", lambda e: 1 in e.shape)
    return x and (lambda t: crt.squeeze(t, [x.shape.index(1)]), [x])


@recipe("unsqueeze")
def _unsqueeze(g):
    x = g.pick(lambda e: len(e.shape) < 4)
    axis = g.rng.choice([0, -1])
    return x and (lambda t: crt.unsqueeze(t, [axis]), [x])


@recipe("expand")
def _expand(g):
    x = g.pick(lambda e: len(e.shape) < 4)
    shape = [2] + [1] * (len(x.shape) if x else 0)
    return x and (lambda t: crt.expand(t, shape), [x])


@recipe("tile")
def _tile(g):
    x = g.pick(lambda e: len(e.shape) >= 1)
    repeats = [g.rng.choice([1, 2]) for _ in (x.shape if x else ())]
    return x and (lambda t: crt.tile(t, repeats), [x])


@recipe("flip")
def _flip(g):
    x = g.pick(lambda e: len(e.shape) >= 1)
    axis = axis_of(g, x) if x else 0
    return x and (lambda t: crt.flip(t, [axis]), [x])


@recipe("shape", "size", "identity", "non_zero")
def _any(g, op):
    x = g.pick(lambda e: op != "non_zero" or len(e.shape) >= 1)
    return x and (getattr(crt, op), [x])


@recipe("full")
def _full(g):
    value = g.rng.choice([0.0, 1.0, 2.5])
    return lambda: crt.full([2, 3], value), [], crt.tensor(np.full([2, 3], value, np.float32))


@recipe("range")
def _range(g):
    limit = g.rng.choice([3, 5])
    return lambda: crt.range(0, limit, 1), [], crt.tensor(np.arange(limit))


@recipe("depth_to_space")
def _depth_to_space(g):
    x = static(g, "depth_to_space", lambda e: len(e.shape) == 4 and e.shape[1] % 4 == 0)
    return x and (crt.depth_to_space, [x])


@recipe("space_to_depth")
def _space_to_depth(g):
    x = static(g, "space_to_depth", lambda e: len(e.shape) == 4 and e.shape[2] % 2 == 0 and e.shape[3] % 2 == 0)
    return x and (crt.space_to_depth, [x])


@recipe("trilu")
def _trilu(g):
    x = g.pick(lambda e: len(e.shape) >= 2)
    k, upper = g.rng.choice([-1, 0, 1]), g.rng.random() < 0.5
    return x and (lambda t: crt.trilu(t, k, upper), [x])


# Indices.


def indices(g: Grower, shape: list[int], bound: int) -> Entry:
    return g.constant(g.numbers.integers(-bound, bound, shape).astype("int64"))


@recipe("gather")
def _gather(g):
    x = static(g, "gather", lambda e: len(e.shape) >= 1 and 0 not in e.shape)
    if x is None:
        return None
    axis = axis_of(g, x)
    return lambda t, i: crt.gather(t, i, axis), [x, indices(g, [2], x.shape[axis])]


@recipe("gather_elements")
def _gather_elements(g):
    x = static(g, "gather_elements", lambda e: len(e.shape) >= 1 and 0 not in e.shape)
    return x and (crt.gather_elements, [x, indices(g, list(x.shape), x.shape[0])])


@recipe("gather_nd")
def _gather_nd(g):
    x = static(g, "gather_nd", lambda e: len(e.shape) >= 1 and 0 not in e.shape)
    return x and (crt.gather_nd, [x, indices(g, [3, 1], x.shape[0])])


@recipe("scatter_elements")
def _scatter_elements(g):
    x = static(g, "scatter_elements", lambda e: len(e.shape) >= 1 and 0 not in e.shape)
    if x is None:
        return None
    shape = [1, *x.shape[1:]]
    return crt.scatter_elements, [x, indices(g, shape, x.shape[0]), g.constant(g.data(shape, x.dtype))]


@recipe("scatter_nd")
def _scatter_nd(g):
    x = static(g, "scatter_nd", lambda e: len(e.shape) >= 1 and 0 not in e.shape)
    if x is None:
        return None
    return crt.scatter_nd, [x, indices(g, [1, 1], x.shape[0]), g.constant(g.data([1, *x.shape[1:]], x.dtype))]


@recipe("one_hot")
def _one_hot(g):
    x = g.pick(lambda e: e.dtype in ("int32", "int64"))
    return x and (lambda t, v: crt.one_hot(t, v, 4), [x, g.constant(np.array([0, 1], "float32"))])


@recipe("topk")
def _topk(g):
    x = static(g, "topk", lambda e: len(e.shape) >= 1 and e.shape[-1] >= 2)
    return x and (lambda t: crt.topk(t, 2), [x])


@recipe("resize")
def _resize(g):
    x = static(g, "resize", lambda e: len(e.shape) == 4 and 0 not in e.shape and e.dtype in ("float32", "float64"))
    if x is None:
        return None
    mode = g.rng.choice(["Nearest", "Linear", "Cubic"])
    sizes = [*x.shape[:2], 3, 6]
    return lambda t: crt.resize(t, sizes=sizes, mode=mode), [x]


@recipe("quantize")
def _quantize(g):
    x = static(g, "quantize", lambda e: e.dtype == "float32")
    return x and (crt.quantize, [x, g.constant(np.array(0.05, "float32")), g.constant(np.array(3, "uint8"))])


@recipe("dequantize")
def _dequantize(g):
    x = static(g, "dequantize", lambda e: e.dtype in ("int8", "uint8"))
    return x and (crt.dequantize, [x, g.constant(np.array(0.05, "float32")), g.constant(np.array(3, x.dtype))])


NAMES = sorted(TABLE)


# Control flow.


def _changed(t):
    return crt.logical_not(t) if t.dtype == crt.bool_ else crt.add(t, t)


@recipe("if")
def _if(g):
    x = g.pick(lambda e: True)
    if x is None:
        return None
    sizes_differ = len(x.shape) > 0 and g.rng.random() < 0.3

    def call(t):
        condition = crt.greater(crt.reduce_sum(crt.cast(t, crt.float32)), 0.5)
        return crt.if_(condition, lambda: [crt.concat([t, t], 0) if sizes_differ else _changed(t)], lambda: [t])

    return call, [x]


@recipe("loop")
def _loop(g):
    x = g.pick(lambda e: True)
    if x is None:
        return None
    asks, grows, trips = g.rng.random() < 0.5, len(x.shape) > 0 and g.rng.random() < 0.3, g.rng.choice([0, 1, 3])

    def call(t):
        def body(i, a):
            more = crt.less(i, 1) if asks else None
            return more, [crt.concat([a, t], 0) if grows else _changed(a)], [] if grows else [a, i]

        carried, scans = crt.loop(trips, None, [t], body)
        return carried + scans

    return call, [x]
