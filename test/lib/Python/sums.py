"""Checks of operators that add up: against a reference in a wider type, within the bound that the order of sums allows."""

import ml_dtypes
import numpy as np
from agreement import graph_of, listed

import clika_runtime as crt

FLOATS = ["float32", "float64", "float16", "bfloat16"]
INTEGERS = ["int8", "uint8", "int16", "int32", "uint32", "int64"]


def is_float(array):
    return array.dtype.kind == "f" or array.dtype.name == "bfloat16"


def wide(array):
    return array.astype(np.longdouble if array.dtype == np.float64 else np.float64) if is_float(array) else array


def computed(fn, arrays):
    """What `fn` gives at once, in a graph, and in one that knows no sizes: the same bits three times."""
    eager = [result.numpy() for result in listed(fn(*map(crt.tensor, arrays)))]
    specs = [crt.TensorSpec(f"x{i}", array.dtype, array.shape) for i, array in enumerate(arrays)]
    static = crt.trace(lambda inputs: fn(*inputs), specs).graph
    static.finalize()
    for graph in (static, graph_of(fn, *arrays)):
        for got, first in zip(graph.run(arrays), eager, strict=True):
            got = got.numpy()
            assert got.dtype == first.dtype and got.shape == first.shape
            if got.dtype.kind in "iub":
                np.testing.assert_array_equal(got, first)
            else:
                raw = np.dtype(f"u{got.dtype.itemsize}")
                bits = np.ascontiguousarray(got).view(raw) == np.ascontiguousarray(first).view(raw)
                assert np.all(bits | (np.isnan(got) & np.isnan(first)))
    return eager


def bound(exact, dtype, terms, size):
    """`terms` roundings of sums of that size, and the one to a half type."""
    unit = 2.0**-53 if dtype == np.float64 else 2.0**-24
    allowed = terms * unit * size
    if dtype.itemsize == 2:
        allowed = allowed + 2.0 ** -(ml_dtypes.finfo(dtype).nmant + 1) * np.abs(exact) + float(ml_dtypes.finfo(dtype).smallest_subnormal)
    return allowed


def agree(fn, reference, *arrays, terms=0, size=None):
    """`fn` gives what `reference` gives in a wider type; the error of sums of `terms` terms is measured by what `size`
    (None: `reference`) gives for absolute values."""
    with np.errstate(all="ignore"):
        expected = [np.asarray(value) for value in listed(reference(*map(wide, arrays)))]
        sizes = [np.asarray(value) for value in listed((size or reference)(*[np.abs(wide(array)) for array in arrays]))]
        for got, exact, scale in zip(computed(fn, arrays), expected, sizes, strict=True):
            assert got.shape == exact.shape, (got.shape, exact.shape)
            if not is_float(got):
                np.testing.assert_array_equal(got, exact)
                continue
            rounded = exact.astype(got.dtype)
            close = np.abs(got.astype(exact.dtype) - exact) <= bound(exact, got.dtype, terms + 2, np.abs(scale))
            close |= (got == rounded) | (np.isnan(got) & np.isnan(rounded))
            assert np.all(close), f"got {got[~close]}, wanted {exact[~close]}"
