"""The table-driven numeric test of the ops: what a case is, how it is computed three ways and judged.

A family's file (test_ops_FAMILY.py) makes its cases from the op table and calls `check` on each. An op's reference is the
expression in its record, or the function of its name in references.py.
"""

import dataclasses
import functools
import json
import os
import pathlib

import ml_dtypes
import numpy as np
import references

import clika_runtime as crt

ROOT = pathlib.Path(__file__).resolve().parents[2]
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
DTYPES = {
    "float": [np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.float16), BFLOAT16],
    "int": [np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)],
    "uint": [np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)],
    "bool": [np.dtype(bool)],
}


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


@dataclasses.dataclass
class Case:
    op: str
    operands: list[np.ndarray | None]
    settings: dict = dataclasses.field(default_factory=dict)
    bound: Exact | Ulps = dataclasses.field(default_factory=Exact)

    @property
    def arrays(self) -> list[np.ndarray]:
        return [operand for operand in self.operands if operand is not None]


def is_float(dtype: np.dtype) -> bool:
    return dtype == BFLOAT16 or np.issubdtype(dtype, np.floating)


def is_half(dtype: np.dtype) -> bool:
    return dtype == BFLOAT16 or dtype == np.float16


#
# The three ways
#


def call(case: Case, tensors: list) -> list:
    """The public op on the operands present."""
    present = iter(tensors)
    operands = [None if operand is None else next(present) for operand in case.operands]
    result = getattr(crt, case.op)(*operands, **case.settings)
    return list(result) if isinstance(result, (tuple, list)) else [result]


def computed_eagerly(case: Case) -> list[np.ndarray]:
    return [result.numpy() for result in call(case, [crt.tensor(array) for array in case.arrays])]


def computed_in_graph(case: Case, dynamic: bool) -> list[np.ndarray]:
    """In a compiled graph; dynamic: with every size above 1 a name of its own, equal sizes one name."""
    specs = []
    for i, array in enumerate(case.arrays):
        shape = [f"n{size}" if dynamic and size != 1 else size for size in array.shape]
        specs.append(crt.TensorSpec(f"x{i}", dtype_of(array.dtype), shape))
    graph = crt.trace(lambda inputs: call(case, list(inputs)), specs).graph
    graph.finalize()
    return [result.numpy() for result in graph.run([np.array(array) for array in case.arrays])]


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


def expected(case: Case, compute: np.dtype | None) -> list[np.ndarray]:
    """What the reference gives on float operands converted to `compute`."""
    record = table()[case.op]
    names = [operand["name"] for operand in record["operands"]]
    values = dict.fromkeys(names)
    for name, array in zip(names, case.operands):
        convert = compute is not None and array is not None and is_float(array.dtype)
        values[name] = array.astype(compute) if convert else array
    values |= {setting["name"]: default_of(setting) for setting in record["settings"]} | case.settings
    values = {name: numpy_dtypes()[value] if isinstance(value, crt.DataType) else value for name, value in values.items()}
    with np.errstate(all="ignore"):
        if record["reference"]:
            scope = vars(references) | {"np": np}
            result = eval(record["reference"], scope | values)
        else:
            result = getattr(references, case.op)(**values)
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
    size = case.arrays[0].astype(wide)
    for result, exact in zip(got, expected(case, wide), strict=True):
        broadcast = size if size.shape == exact.shape else np.zeros(())
        assert_close(result, exact, case.bound, broadcast, what)


def check(case: Case, graphs: bool = True) -> None:
    """The op computed at once agrees with the reference, and in static and dynamic graphs has the same bits."""
    eager = computed_eagerly(case)
    judge(case, eager)
    if graphs:
        for dynamic in (False, True):
            for result, same in zip(computed_in_graph(case, dynamic), eager, strict=True):
                assert_exact(result, same, f"{case.op} in a {'dynamic' if dynamic else 'static'} graph")
