"""The table-driven numeric test of the ops: what a case is, how it is computed three ways and judged.

A family's file (FAMILY_cases.py, test_ops_pointwise.py) makes its cases for each dtype of the op's record. An op's reference
is the expression in its record, or the function of its name in a module of REFERENCES.
"""

import dataclasses
import functools
import json
import os
import pathlib

import attention_references
import ml_dtypes
import numpy as np
import recurrent_references
import reduce_references
import references
import shape_references
import window_references

import clika_runtime as crt

ROOT = pathlib.Path(__file__).resolve().parents[3]
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
DTYPES = {
    "float": [np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.float16), BFLOAT16],
    "int": [np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)],
    "uint": [np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)],
    "bool": [np.dtype(bool)],
}
# The groups of operands that are no data.
OTHER_DTYPES = {
    "index": [np.dtype(np.int32), np.dtype(np.int64)],
    "int64": [np.dtype(np.int64)],
    "quantized": [np.dtype(name) for name in ("int8", "uint8", "int16", "uint16", "int32")],
}
REFERENCES = [references, reduce_references, window_references, shape_references, attention_references,
              recurrent_references]  # fmt: skip


@functools.cache
def dtype_of(dtype: np.dtype) -> crt.DataType:
    return crt.tensor(np.zeros((), dtype)).dtype


@functools.cache
def numpy_dtypes() -> dict[crt.DataType, np.dtype]:
    return {dtype_of(dtype): dtype for dtype in sum(DTYPES.values(), [])}


@functools.cache
def table() -> dict[str, dict]:
    """Every op's record, by mnemonic."""
    build = pathlib.Path(os.environ.get("CLIKA_BUILD", ROOT / "build"))
    return {op["mnemonic"]: op for op in json.loads((build / "lib" / "Dialect" / "op_table.json").read_text())}


def ops_of(group: str) -> list[dict]:
    return [op for op in table().values() if op["group"] == group and op["public"]]


@dataclasses.dataclass(frozen=True)
class Exact:
    """Same bits; all NaNs are one value. Half precision is computed in float32 and rounded."""


@dataclasses.dataclass(frozen=True)
class Ulps:
    """Within so many ulp (`wide`: of float64) of the reference in a wider type, or within `absolute` * 2^-23 *
    max(1, |first operand|) where that is more."""

    ulps: float
    absolute: float = 0.0
    wide: float | None = None


@dataclasses.dataclass(frozen=True)
class Sums:
    """Within so many roundings of the reference in a wider type, each of what the reference gives for absolute values, or of
    `least` where that is more; half precision is rounded once more. Integers wrap: the same bits."""

    terms: int
    least: float = 0.0


@dataclasses.dataclass
class Case:
    """`operands` in the record's order: an array, a list of arrays (variadic) or None (left out). Those at `fixed` keep
    their shapes in the graph that knows no sizes."""

    op: str
    operands: list
    settings: dict = dataclasses.field(default_factory=dict)
    bound: Exact | Ulps | Sums = dataclasses.field(default_factory=Exact)
    fixed: tuple[int, ...] = ()

    def __post_init__(self):
        if isinstance(self.bound, Sums) and not is_float(self.arrays[0].dtype):
            self.bound = Exact()

    @property
    def present(self) -> list[tuple[int, np.ndarray]]:
        """The arrays, each with its operand's position."""
        lists = [operand if isinstance(operand, list) else [operand] for operand in self.operands]
        return [(i, array) for i, arrays in enumerate(lists) for array in arrays if array is not None]

    @property
    def arrays(self) -> list[np.ndarray]:
        return [array for _, array in self.present]


def is_float(dtype: np.dtype) -> bool:
    return dtype == BFLOAT16 or np.issubdtype(dtype, np.floating)


def is_half(dtype: np.dtype) -> bool:
    return dtype == BFLOAT16 or dtype == np.float16


#
# The three ways
#


@functools.cache
def parameters_of(op: str) -> list[tuple[str, bool]]:
    """Of each operand the parameter that takes it, and whether that is a list of ints."""
    bounds = {setting["bound_operand"]: setting for setting in table()[op]["settings"] if "bound_operand" in setting}
    names = [(operand["name"], False) for operand in table()[op]["operands"]]
    return [(bounds[i]["name"], bounds[i]["kind"] == "Ints") if i in bounds else name for i, name in enumerate(names)]


def call(case: Case, tensors: list) -> list:
    """The public op on the operands present."""
    arguments = dict(case.settings)
    for (i, _), tensor in zip(case.present, tensors, strict=True):
        name = parameters_of(case.op)[i][0]
        if isinstance(case.operands[i], list):
            arguments.setdefault(name, []).append(tensor)
        else:
            arguments[name] = tensor
    result = getattr(crt, case.op)(**arguments)
    return list(result) if isinstance(result, (tuple, list)) else [result]


def computed_eagerly(case: Case) -> list[np.ndarray]:
    return [result.numpy() for result in call(case, [crt.tensor(array) for array in case.arrays])]


def specs_of(case: Case, dynamic: bool, prefix: str) -> list[crt.TensorSpec]:
    specs = []
    for k, (i, array) in enumerate(case.present):
        named = dynamic and i not in case.fixed and not parameters_of(case.op)[i][1]
        shape = [f"n{size}" if named and size != 1 else size for size in array.shape]
        specs.append(crt.TensorSpec(f"{prefix}{k}", dtype_of(array.dtype), shape))
    return specs


def computed_in_graph(cases: list[Case], dynamic: bool) -> list[list[np.ndarray]]:
    """All in one compiled graph; dynamic: with every size above 1 a name of its own, equal sizes one name."""
    specs = [specs_of(case, dynamic, f"x{i}_") for i, case in enumerate(cases)]
    counts = []

    def every(inputs):
        left, outputs = list(inputs), []
        for case, own in zip(cases, specs):
            results = call(case, left[: len(own)])
            del left[: len(own)]
            counts.append(len(results))
            outputs += results
        return outputs

    graph = crt.trace(every, sum(specs, [])).graph
    graph.finalize()
    results = [result.numpy() for result in graph.run([np.array(array) for case in cases for array in case.arrays])]
    return [[results.pop(0) for _ in range(count)] for count in counts]


#
# The reference
#


def default_of(setting: dict):
    text = setting["default"]
    if not setting["has_default"]:
        return None
    if setting["kind"] == "Ints":
        return [int(part) for part in text.strip("{}").split(",") if part.strip()]
    return {"Float": float, "Int": int, "Bool": lambda value: value == "true"}.get(setting["kind"], str)(text)


def converted(operand, compute: np.dtype | None, absolute: bool):
    """Floats in the type that the reference computes in."""
    if operand is None:
        return None
    if isinstance(operand, list):
        return [converted(array, compute, absolute) for array in operand]
    if compute is None or not is_float(operand.dtype):
        return operand
    return np.abs(operand.astype(compute)) if absolute else operand.astype(compute)


def reference_of(op: str):
    return next((getattr(module, op) for module in REFERENCES if hasattr(module, op)), None)


def expected(case: Case, compute: np.dtype | None, absolute: bool = False) -> list[np.ndarray]:
    """What the reference gives on float operands converted to `compute`, or on their absolute values."""
    record = table()[case.op]
    values = {setting["name"]: default_of(setting) for setting in record["settings"]} | case.settings
    values = {name: numpy_dtypes()[value] if isinstance(value, crt.DataType) else value for name, value in values.items()}
    for i, (name, _) in enumerate(parameters_of(case.op)):
        operand = case.operands[i] if i < len(case.operands) else None
        if operand is not None or name not in values:
            values[name] = converted(operand, compute, absolute)
    with np.errstate(all="ignore"):
        if record["reference"]:
            result = eval(record["reference"], vars(references) | {"np": np} | values)
        else:
            activation = values.pop("activation", "Identity")
            result = references.activate(activation, reference_of(case.op)(**values))
    return [np.asarray(array) for array in (result if isinstance(result, (tuple, list)) else [result])]


#
# Judgement
#


def ulp(exact: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The distance of neighbouring floats of `dtype` at `exact`."""
    info = ml_dtypes.finfo(dtype)
    size = np.maximum(np.abs(exact), np.asarray(info.smallest_normal, exact.dtype))
    exponent = np.where(np.isfinite(size), np.frexp(size)[1], 0)
    return np.ldexp(np.ones_like(exact), exponent - 1 - info.nmant)


def same_bits(got: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    if not is_float(got.dtype):
        return got == wanted
    raw = np.dtype(f"u{got.dtype.itemsize}")
    return (got.view(raw) == wanted.view(raw)) | (np.isnan(got) & np.isnan(wanted))


def assert_exact(got: np.ndarray, wanted: np.ndarray, what: str) -> None:
    assert got.dtype == wanted.dtype, f"{what}: dtype {got.dtype}, wanted {wanted.dtype}"
    assert got.shape == wanted.shape, f"{what}: shape {got.shape}, wanted {wanted.shape}"
    good = same_bits(np.ascontiguousarray(got), np.ascontiguousarray(wanted))
    if not np.all(good):
        at = tuple(np.argwhere(~np.atleast_1d(good))[0]) if got.ndim else ()
        raise AssertionError(f"{what}: at {at} {got[at]!r}, wanted {wanted[at]!r}")


def assert_close(got: np.ndarray, exact: np.ndarray, bound: Ulps, size: np.ndarray, what: str) -> None:
    """`exact` is in a wider type than `got`."""
    assert got.shape == exact.shape, f"{what}: shape {got.shape}, wanted {exact.shape}"
    with np.errstate(all="ignore"):
        wanted = exact.astype(got.dtype)
        values = got.astype(exact.dtype)
        if is_half(got.dtype):
            allowed = 0.51 * ulp(exact, got.dtype)
        else:
            ulps = bound.wide if got.dtype == np.float64 and bound.wide is not None else bound.ulps
            allowed = ulps * ulp(exact, got.dtype)
        unit = 2.0**-52 if got.dtype == np.float64 else 2.0**-23
        allowed = np.maximum(allowed, bound.absolute * unit * np.maximum(1.0, np.abs(size)))
        close = np.abs(values - exact) <= allowed
        close |= (got == wanted) | (np.isnan(got) & np.isnan(wanted))
        # At the edge of the range the nearest may be either side of infinity.
        edge = np.abs(exact) > 0.999999 * np.asarray(ml_dtypes.finfo(got.dtype).max, exact.dtype)
        close |= edge & (np.abs(values) > 0.999999 * np.asarray(ml_dtypes.finfo(got.dtype).max, exact.dtype))
        if not bound.absolute:
            close &= (np.signbit(got) == np.signbit(wanted)) | np.isnan(wanted)
    if not np.all(close):
        at = tuple(np.argwhere(~np.atleast_1d(close))[0]) if got.ndim else ()
        raise AssertionError(f"{what}: at {at} {got[at]!r}, wanted {exact[at]!r}")


def roundings(exact: np.ndarray, dtype: np.dtype, terms: int, size: np.ndarray) -> np.ndarray:
    """`terms` roundings of numbers of that size, and the one to a half type."""
    allowed = terms * (2.0**-53 if dtype == np.float64 else 2.0**-24) * size
    if is_half(dtype):
        info = ml_dtypes.finfo(dtype)
        allowed = allowed + 2.0 ** -(info.nmant + 1) * np.abs(exact) + float(info.smallest_subnormal)
    return allowed


def assert_sums(got: np.ndarray, exact: np.ndarray, bound: Sums, absolute: np.ndarray, what: str) -> None:
    """`absolute` is what the reference gives for absolute values."""
    assert got.shape == exact.shape, f"{what}: shape {got.shape}, wanted {exact.shape}"
    with np.errstate(all="ignore"):
        size = np.fmax(np.fmax(np.abs(absolute), np.abs(exact)), bound.least)
        rounded = exact.astype(got.dtype)
        close = np.abs(got.astype(exact.dtype) - exact) <= roundings(exact, got.dtype, bound.terms + 2, size)
        close = np.isfinite(rounded) & np.isfinite(got) & close | (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    if not np.all(close):
        at = tuple(np.argwhere(~np.atleast_1d(close))[0]) if got.ndim else ()
        raise AssertionError(f"{what}: at {at} {got[at]!r}, wanted {exact[at]!r}")


def judge(case: Case, got: list[np.ndarray]) -> None:
    floats = [array.dtype for array in case.arrays if is_float(array.dtype)]
    what = f"{case.op}({', '.join(f'{array.dtype}{list(array.shape)}' for array in case.arrays)}, {case.settings})"
    half = next((dtype for dtype in floats if is_half(dtype)), None)
    references.rounded_to = half
    if isinstance(case.bound, Exact):
        wanted = expected(case, np.dtype(np.float32) if half is not None else None)
        for result, array in zip(got, wanted, strict=True):
            rounds = half is not None and array.dtype == np.float32 and "dtype" not in case.settings
            with np.errstate(all="ignore"):
                assert_exact(result, array.astype(half) if rounds else array, what)
        return
    wide = np.dtype(np.longdouble if floats and floats[0] == np.float64 else np.float64)
    wanted = expected(case, wide)
    if isinstance(case.bound, Sums):
        for result, exact, absolute in zip(got, wanted, expected(case, wide, absolute=True), strict=True):
            assert_sums(result, exact, case.bound, absolute, what)
        return
    size = case.arrays[0].astype(wide)
    for result, exact in zip(got, wanted, strict=True):
        broadcast = size if size.shape == exact.shape else np.zeros(())
        assert_close(result, exact, case.bound, broadcast, what)


def check(case: Case, graphs: bool = True) -> None:
    """The op computed at once agrees with the reference, and in static and dynamic graphs has the same bits."""
    eager = computed_eagerly(case)
    judge(case, eager)
    if graphs:
        for dynamic in (False, True):
            for result, same in zip(computed_in_graph([case], dynamic)[0], eager, strict=True):
                assert_exact(result, same, f"{case.op} in a {'dynamic' if dynamic else 'static'} graph")


def check_together(cases: list[Case]) -> None:
    """As `check`, in one static and one dynamic graph for all; the first case of each dtype is computed at once, too."""
    static, dynamic = computed_in_graph(cases, False), computed_in_graph(cases, True)
    begun = set()
    for case, results, same in zip(cases, static, dynamic, strict=True):
        judge(case, results)
        ways = {"a dynamic graph": same}
        if case.arrays and case.arrays[0].dtype not in begun:
            begun.add(case.arrays[0].dtype)
            ways["no graph"] = computed_eagerly(case)
        for way, others in ways.items():
            for result, other in zip(results, others, strict=True):
                assert_exact(other, result, f"{case.op}({case.settings}) in {way}")
