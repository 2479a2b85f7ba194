"""Checks of an operator's numbers in the ways that users meet it."""

import ml_dtypes  # noqa: F401 - tells NumPy what bfloat16 is
import numpy as np

import clika_runtime as crt


def listed(results):
    return results if isinstance(results, (list, tuple)) else [results]


def check(got, expected, tolerance=0.0):
    assert got.dtype == expected.dtype and got.shape == expected.shape, (got.dtype, got.shape, expected.dtype, expected.shape)
    if tolerance:
        np.testing.assert_allclose(got.astype(np.float64), expected.astype(np.float64), tolerance, tolerance)
    else:
        np.testing.assert_array_equal(got, expected)


def agree(fn, expected, *arrays, fixed=(), tolerance=0.0, ways=("eager", "static", "dynamic")):
    """`fn` of `arrays` gives `expected`: at once, in a graph, and in one that knows no sizes but those of the inputs whose
    positions are `fixed`."""
    expected = [np.asarray(value) for value in listed(expected)]
    arrays = [np.asarray(array) for array in arrays]
    for way in ways:
        if way == "eager":
            results = listed(fn(*map(crt.tensor, arrays)))
        else:
            shapes = [array.shape if way == "static" or i in fixed else (None,) * array.ndim for i, array in enumerate(arrays)]
            specs = [crt.TensorSpec(f"x{i}", array.dtype, shape) for i, (array, shape) in enumerate(zip(arrays, shapes))]
            graph = crt.trace(lambda inputs: fn(*inputs), specs).graph
            graph.finalize()
            results = graph.run(arrays)
        assert len(results) == len(expected)
        for result, value in zip(results, expected):
            check(result.numpy(), value, tolerance)


def graph_of(fn, *arrays, fixed=()):
    """A finalized graph that knows no sizes but those of the inputs whose positions are `fixed`."""
    specs = [crt.TensorSpec(f"x{i}", array.dtype, array.shape if i in fixed else (None,) * array.ndim)
             for i, array in enumerate(map(np.asarray, arrays))]
    graph = crt.trace(lambda inputs: fn(*inputs), specs).graph
    graph.finalize()
    return graph


DTYPES = ["float32", "float16", "bfloat16", "float64", "int8", "uint8", "int32", "uint16", "int64", "uint64", "bool"]


def random(shape, dtype="float32", seed=0):
    generator = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype == bool:
        return generator.integers(0, 2, shape).astype(bool)
    if dtype.kind == "f" or dtype.name == "bfloat16":
        return np.asarray(generator.standard_normal(shape)).astype(dtype)
    return np.asarray(generator.integers(0 if dtype.kind == "u" else -100, 100, shape)).astype(dtype)


def int64(*values):
    return np.array(values, np.int64)
