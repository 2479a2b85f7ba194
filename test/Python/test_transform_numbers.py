"""Each of the runtime's transforms keeps what a graph computes, within its declared exactness.

The graphs are the functions of its lit test (test/Transforms/NAME.mlir) and of its entry in docs/transforms.md, each in
every dtype that its ops take; so a transform that has a lit test is covered here without a line of its own."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator

import ml_dtypes
import numpy as np
import pytest

import clika_runtime as crt
from clika_runtime.graph import ModelGraph, Transform, transforms

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNTIME = {transform.name: transform for transform in transforms.runtime_transforms()}
# The dtypes, and how MLIR writes each.
FLOATS = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16"}
INTEGERS = {"int8": "i8", "int32": "i32", "int64": "i64", "uint8": "ui8"}
WRITTEN = FLOATS | INTEGERS
HALF = {"float16", "bfloat16"}

# Transforms whose ops, or whose rule, take fewer dtypes than all.
TAKES: dict[str, set[str]] = {
    **dict.fromkeys(["decomposed_softmax", "decomposed_gelu", "decomposed_silu"], set(FLOATS)),
    **dict.fromkeys(["merge_scales", "reciprocal_mul_to_div"], set(FLOATS)),
    # What these do in half precision is less rounded than the bound allows.
    **dict.fromkeys(["decomposed_layer_norm", "matmul_add_to_linear"], set(FLOATS) - HALF),
    "decomposed_rms_norm": set(FLOATS),
    "fuse_half_precision": HALF,
    **dict.fromkeys(["matmul_scale", "fold_scale_and_shift", "fold_batch_norm"], set(FLOATS) - HALF),
    **dict.fromkeys(["decomposed_rotary", "decomposed_attention", "decomposed_masked_attention"], set(FLOATS) - HALF),
}
# Transforms of what dtypes there are: their functions are run as they stand.
AS_WRITTEN = {"merge_casts", "narrow_casts"}
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, 6e-8, 1e4, -1e4, 0.5]
# A size for each name, and for a size without one.
SIZES = {"n": 3, "m": 2, "batch": 2, "?": 4, "s": 3, "t": 5}


def functions() -> Iterator[tuple[str, str]]:
    """(transform, a module's text), from the lit tests and the reference page."""
    for name in RUNTIME:
        lit = (ROOT / "test" / "Transforms" / f"{name}.mlir").read_text()
        yield from ((name, section) for section in re.split(r"^// -----$", lit, flags=re.M))
    page = (ROOT / "docs" / "transforms.md").read_text()
    for entry in re.split(r"^## ", page, flags=re.M)[1:]:
        before = re.search(r"Before:\n\n```mlir\n(.*?)```", entry, re.S)
        yield entry.split("\n", 1)[0], before[1]


def retyped(text: str, dtype: str) -> str:
    """The module with its float tensors (whatever their dtype) in `dtype`, and its literals as `dtype` writes them;
    what only floats take as an op of integers."""
    text = re.sub(r"(?<=x|<)(f64|f32|f16|bf16)\b(?=[,>])", WRITTEN[dtype], text)
    text = re.sub(r"(clika\.cast %\w+ to )f32", rf"\g<1>{WRITTEN[dtype]}", text)
    if dtype in FLOATS:
        return text
    text = re.sub(r"(?<=dense<)[^>]*", lambda literal: re.sub(r"(\d)\.\d+(e[-+]\d+)?", r"\1", literal[0]), text)
    for old, new in (("dense<-0>", "dense<0>"), ("clika.exp ", "clika.abs "), ('"Tanh"', '"Relu"')):
        text = text.replace(old, new)
    return text


def graphs(name: str, dtype: str) -> Iterator[ModelGraph]:
    for owner, text in FUNCTIONS:
        written = re.search(rf"tensor<[^>]*(?<=[x<]){WRITTEN[dtype]}[,>]", text) is not None
        if owner == name and (written or name not in AS_WRITTEN):
            try:
                yield ModelGraph.from_mlir(text if name in AS_WRITTEN else retyped(text, dtype))
            except crt.Error:
                # An op of the function does not take the dtype; TAKES says which transforms may have none that does.
                continue


FUNCTIONS = list(functions())


def array_for(value: crt.graph.Value, draw: int) -> np.ndarray:
    """Ordinary numbers; every other draw with every special value among them."""
    shape = [size if isinstance(size, int) else SIZES[size] for size in value.shape]
    numbers = np.random.default_rng(draw)
    dtype = np.dtype(str(value.dtype))
    if dtype == bool:
        return numbers.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return numbers.integers(info.min, info.max, shape, dtype, endpoint=True)
    array = numbers.normal(0.0, 2.0, shape)
    if draw % 2:
        array = np.where(numbers.random(shape) < 0.4, numbers.choice(SPECIAL, shape), array)
    with np.errstate(over="ignore"):
        return np.asarray(array).astype(dtype)


def computed(graph: ModelGraph, draws: list[list[np.ndarray]]) -> list[list[np.ndarray]]:
    graph.finalize()
    return [[tensor.numpy() for tensor in graph.run(arrays)] for arrays in draws]


def unit(dtype: np.dtype) -> float:
    """The rounding unit of a half-precision dtype, 0 for others."""
    return {np.dtype(np.float16): 2.0**-11, np.dtype(ml_dtypes.bfloat16): 2.0**-8}.get(dtype, 0.0)


def differences(got: np.ndarray, wanted: np.ndarray, exactness: crt.graph.Exactness) -> str:
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        return f"{got.dtype}{got.shape} where there was {wanted.dtype}{wanted.shape}"
    if got.dtype.kind in "iub":
        good = got == wanted
    else:
        a, b = got.astype(np.float64), wanted.astype(np.float64)
        both_nan = np.isnan(a) & np.isnan(b)
        if exactness.kind == crt.graph.ExactnessKind.Exact:
            good = both_nan | ((a == b) & (np.signbit(a) == np.signbit(b)))
        else:
            least = 4 * unit(got.dtype)
            with np.errstate(invalid="ignore"):
                near = np.abs(a - b) <= max(exactness.atol, least) + max(exactness.rtol, least) * np.abs(b)
            good = both_nan | np.where(np.isinf(a) | np.isinf(b), a == b, near)
    return "" if np.all(good) else f"{got[~good][:4]} where there was {wanted[~good][:4]}"


def fires(transform: Transform, graph: ModelGraph) -> bool:
    return graph.optimize([transform]).transforms[0].applications > 0


@pytest.mark.parametrize("dtype", WRITTEN)
@pytest.mark.parametrize("name", RUNTIME)
def test_numbers_are_equal(name: str, dtype: str) -> None:
    transform, fired = RUNTIME[name], 0
    for graph in graphs(name, dtype):
        changed = graph.clone()
        if not fires(transform, changed):
            assert changed.to_string() == graph.to_string()
            continue
        fired += 1
        text = graph.to_string()
        # What is approximate says where special values come out otherwise.
        ordinary = transform.exactness.kind == crt.graph.ExactnessKind.Approximate
        draws = [[array_for(value, draw * (1 + ordinary)) for value in graph.inputs()] for draw in range(4)]
        graph.clone().optimize([transform], check=draws[1])
        for after, before in zip(computed(changed, draws), computed(graph, draws), strict=True):
            for got, wanted in zip(after, before, strict=True):
                what = differences(got, wanted, transform.exactness)
                assert not what, f"{name} in {dtype}: {what}\n{text}"
    assert bool(fired) == (dtype in TAKES.get(name, WRITTEN)), f"{name} fired on {fired} graphs of {dtype}"


def test_every_transform_has_a_lit_test_that_states_reasons() -> None:
    """Besides what fires and the IR it leaves, a near miss, and the reason that the pass gives for it."""
    for name in RUNTIME:
        lit = (ROOT / "test" / "Transforms" / f"{name}.mlir").read_text()
        assert f"--{name.replace('_', '-')}=remarks" in lit and "expected-remark" in lit, name
        assert "CHECK-NEXT" in lit or "CHECK: " in lit, name
    assert {t.name for t in crt.graph.ModelGraph().default_transforms()} <= set(RUNTIME)
