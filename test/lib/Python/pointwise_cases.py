"""The numeric cases of the pointwise ops: special values, odd, zero and rank-0 shapes, broadcast. For each op, of a dtype."""

import ml_dtypes
import numpy as np
import op_cases
from op_cases import BFLOAT16, DTYPES, Case, Exact, Ulps, dtype_of, is_float

ELEMENTARY = Ulps(4.0, wide=3.0)
COMPOSITE = Ulps(4.0, absolute=1.0)
BOUNDS = {
    **dict.fromkeys(["exp", "log", "tanh", "erf", "sigmoid", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
                     "asinh", "acosh", "atanh", "pow"], ELEMENTARY),
    **dict.fromkeys(["elu", "selu", "celu", "gelu", "silu", "softplus", "mish"], COMPOSITE),
}  # fmt: skip
# Beside the defaults, which every op is tested with.
SETTINGS = {
    "leaky_relu": [{"alpha": 0.3}, {"alpha": -2.0}],
    "elu": [{"alpha": 0.5}],
    "selu": [{"alpha": 2.0, "gamma": 0.75}],
    "celu": [{"alpha": 0.3}],
    "gelu": [{"form": "Tanh"}],
    "hard_sigmoid": [{"alpha": 0.2, "beta": 0.5}],
    "softplus": [{"beta": 2.0, "threshold": 5.0}, {"threshold": float("inf")}],
    "thresholded_relu": [{"alpha": -1.0}],
    "shrink": [{"lambd": 1.5, "bias": 1.0}],
    "add": [{"alpha": -3.0}, {"alpha": 2.0, "activation": "Relu"}],
    "sub": [{"alpha": 2.0}, {"activation": "Relu6"}],
    "is_inf": [{"detect_negative": False}, {"detect_positive": False},
               {"detect_negative": False, "detect_positive": False}],
}  # fmt: skip


def special_values(dtype: np.dtype) -> np.ndarray:
    if dtype == bool:
        return np.array([True, False, True])
    if is_float(dtype):
        info = ml_dtypes.finfo(dtype)
        edges = [info.max, info.min, info.smallest_normal, info.smallest_subnormal, -info.smallest_subnormal]
        plain = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -3.7, 0.1, -0.1, 6.0, 7.0, -20.0, 30.0, 88.0, -87.5,
                 -103.0, 1000.0, -3.0, np.nan, np.inf, -np.inf]  # fmt: skip
        return np.array(plain + [float(edge) for edge in edges]).astype(dtype)
    info = np.iinfo(dtype)
    values = {0, 1, 2, 3, 5, 7, 8, 31, 100, info.max, info.max - 1, info.min, info.min + 1}
    if info.min < 0:
        values |= {-1, -2, -3, -7, -100}
    return np.array(sorted(values), dtype)


def random_values(dtype: np.dtype, shape: tuple[int, ...], seed: int = 1) -> np.ndarray:
    generator = np.random.default_rng(seed)
    if is_float(dtype):
        return (generator.standard_normal(shape) * 3).astype(dtype)
    if dtype == bool:
        return generator.integers(0, 2, shape).astype(bool)
    info = np.iinfo(dtype)
    return generator.integers(info.min, info.max, shape, dtype, endpoint=True)


def settings_of(op: str, dtype: np.dtype) -> list[dict]:
    every = [{}, *SETTINGS.get(op, [])]
    every = every if dtype in (np.float32, BFLOAT16, np.int32, np.uint8) else every[:1]
    return [settings for settings in every if dtype.kind != "u" or settings.get("alpha", 1) >= 0]


SHAPES = [((), ()), ((0, 3), (3,)), ((2, 1, 5), (3, 1)), ((33,), (1,))]


def pointwise(op, dtype):
    unary = len(op_cases.table()[op]["operands"]) == 1
    bound = BOUNDS.get(op, Exact()) if is_float(dtype) else Exact()
    special = special_values(dtype)
    for settings in settings_of(op, dtype):
        yield Case(op, [special] if unary else [special[:, None], special[None, :]], settings, bound)
    for shape, other in SHAPES:
        operands = [random_values(dtype, shape), random_values(dtype, other, 2)]
        yield Case(op, operands[:1] if unary else operands, {}, bound)


def where(op, dtype):
    values = special_values(dtype)
    yield Case(op, [random_values(np.dtype(bool), (4, 1)), values, values[::-1].copy()])
    yield Case(op, [np.array(True), np.zeros((0, 3), dtype), np.zeros(3, dtype)])
    yield Case(op, [np.array(False), values[0].copy(), values[-1].copy()])


def cast(op, dtype):
    values = special_values(dtype)
    if is_float(dtype):
        with np.errstate(over="ignore"):
            far = np.array([127.9, 128.0, -128.5, -129.0, 255.5, 3e9, 5e18, -9.3e18, 1.9e19]).astype(dtype)
        values = np.concatenate([values, far])
    for target in sum(DTYPES.values(), []):
        for array in (values, values[0].copy(), values[:0]):
            yield Case(op, [array], {"dtype": dtype_of(target)})


def clamp(op, dtype):
    x = special_values(dtype)
    every = [{"min": 0, "max": 6}, {"min": 2}, {"max": 3}, {}, {"min": 6, "max": 1}]
    if is_float(dtype):
        every += [{"min": -3, "max": -1}, {"min": -0.0, "max": float("inf")}, {"min": float("nan")}, {"max": -0.0}]
    for settings in every:
        yield Case(op, [x], settings)
    low, high = np.asarray(1, dtype), np.asarray([2, 5, 9], dtype)[:, None]
    for floor, ceiling in ((low, high), (high, None), (None, low), (np.asarray(0, dtype), high)):
        yield Case(op, [x, floor, ceiling])
    yield Case(op, [x, None, high], {"min": 1})
    yield Case(op, [x[0].copy(), low])
    yield Case(op, [x[:0], low])


OTHERS = {"where": where, "cast": cast, "clamp": clamp}
CASES = {op["mnemonic"]: OTHERS.get(op["mnemonic"], pointwise) for op in op_cases.ops_of("pointwise")}
