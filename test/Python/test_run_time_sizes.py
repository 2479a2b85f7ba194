"""Sizes that only a run tells: a compiled graph refuses those that do not fit, whatever is computed before and however the
other operand's size is known, and reads nothing beyond what it is given."""

import mmap

import numpy as np
import pytest

import clika_runtime as crt

# What is computed, the shapes as the graph knows them, shapes that fit, and shapes of which one does not fit.
CASES = {
    "matmul_columns": (lambda a, b: crt.matmul(a, b), [("n", "k"), (8, 5)], [(3, 8), (8, 5)], [[(3, 6), (8, 5)], [(3, 16), (8, 5)]]),
    "matmul_rows": (lambda a, b: crt.matmul(a, b), [("n", 8), ("k", 5)], [(3, 8), (8, 5)], [[(3, 8), (6, 5)], [(3, 8), (16, 5)]]),
    "matmul_itself": (lambda a: crt.matmul(a, a), [("n", 8)], [(8, 8)], [[(3, 8)], [(16, 8)]]),
    "matmul_batches": (lambda a, b: crt.matmul(a, b), [("m", 4, 4), (8, 4, 4)], [(8, 4, 4), (8, 4, 4)], [[(3, 4, 4), (8, 4, 4)]]),
    "linear": (lambda x, w: crt.linear(x, w), [("n", "k"), (5, 8)], [(3, 8), (5, 8)], [[(3, 6), (5, 8)], [(3, 9), (5, 8)]]),
    "linear_weight": (lambda x, w: crt.linear(x, w), [("n", 8), (5, "k")], [(3, 8), (5, 8)], [[(3, 8), (5, 7)]]),
    "linear_bias": (lambda x, w, b: crt.linear(x, w, b), [("n", 8), (5, 8), ("o",)], [(3, 8), (5, 8), (5,)], [[(3, 8), (5, 8), (4,)]]),
    "concat_first": (lambda a, b: crt.concat([a, b], 1), [("n", 2), (8, 2)], [(8, 2), (8, 2)], [[(3, 2), (8, 2)], [(9, 2), (8, 2)]]),
    "concat_last": (lambda a, b: crt.concat([a, b], 1), [(8, 2), ("n", 2)], [(8, 2), (8, 2)], [[(8, 2), (3, 2)]]),
    "concat_middle": (lambda a, b, c: crt.concat([a, b, c], 0), [(2, "n"), (3, 8), (1, "m")], [(2, 8), (3, 8), (1, 8)],
                      [[(2, 7), (3, 8), (1, 8)], [(2, 8), (3, 8), (1, 9)]]),
    "concat_names": (lambda a, b: crt.concat([a, b], 1), [("n", 2), ("m", 2)], [(4, 2), (4, 2)], [[(3, 2), (4, 2)], [(4, 2), (3, 2)]]),
    "add": (lambda a, b: crt.add(a, b), [("n",), (8,)], [(8,), (8,)], [[(3,), (8,)]]),
    "where": (lambda a, b: crt.where(crt.greater(a, 0.5), a, b), [("n",), (8,)], [(8,), (8,)], [[(3,), (8,)]]),
    "prelu": (lambda x, s: crt.prelu(x, s), [("n", "c"), (8,)], [(2, 8), (8,)], [[(2, 6), (8,)]]),
    "layer_norm": (lambda x, w, b: crt.layer_norm(x, w, b, 1), [("n", "k"), (8,), (8,)], [(3, 8), (8,), (8,)], [[(3, 6), (8,), (8,)]]),
    "rms_norm": (lambda x, w: crt.rms_norm(x, w), [("n", "k"), (8,)], [(3, 8), (8,)], [[(3, 6), (8,)]]),
    "batch_norm": (lambda x, s, b, m, v: crt.batch_norm(x, s, b, m, v), [("n", "c", 4)] + [(6,)] * 4, [(2, 6, 4)] + [(6,)] * 4,
                   [[(2, 5, 4)] + [(6,)] * 4, [(2, 12, 4)] + [(6,)] * 4]),
    "instance_norm": (lambda x, s, b: crt.instance_norm(x, s, b), [("n", "c", 4), (6,), (6,)], [(2, 6, 4), (6,), (6,)],
                      [[(2, 5, 4), (6,), (6,)]]),
    "conv_channels": (lambda x, w: crt.conv(x, w), [("n", "c", 8, 8), (4, 3, 3, 3)], [(1, 3, 8, 8), (4, 3, 3, 3)],
                      [[(1, 2, 8, 8), (4, 3, 3, 3)], [(1, 6, 8, 8), (4, 3, 3, 3)]]),
    "conv_bias": (lambda x, w, b: crt.conv(x, w, b), [("n", 3, 8), (4, 3, 3), ("o",)], [(1, 3, 8), (4, 3, 3), (4,)],
                  [[(1, 3, 8), (4, 3, 3), (3,)]]),
    "conv_transpose": (lambda x, w: crt.conv_transpose(x, w), [("n", "c", 8), (3, 4, 2)], [(1, 3, 8), (3, 4, 2)],
                       [[(1, 2, 8), (3, 4, 2)], [(1, 5, 8), (3, 4, 2)]]),
}  # fmt: skip

BEFORE = {
    "nothing": lambda x: x,
    "relu": crt.relu,
    "chain": lambda x: crt.relu(x * 2.0) + 0.5,
    "transposed_twice": lambda x: crt.transpose(crt.relu(crt.transpose(x))),
    "slice": lambda x: crt.slice(crt.relu(x), [0], [1 << 40], [0]),
}


def last_of_page(values):
    """The same array, behind whose last element memory ends that can be read."""
    values = np.ascontiguousarray(values)
    pages = -(-values.nbytes // mmap.PAGESIZE)
    memory = mmap.mmap(-1, max(pages, 1) * mmap.PAGESIZE)
    array = np.frombuffer(memory, values.dtype)[-values.size or len(memory) :].reshape(values.shape)
    array[...] = values
    return array


def given(shapes):
    random = np.random.default_rng(len(shapes))
    return [last_of_page(random.uniform(0.5, 2.0, shape).astype(np.float32)) for shape in shapes]


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("case", CASES)
def test_sizes_that_do_not_fit_are_refused(case, before):
    fn, known, fits, misfits = CASES[case]
    wrapped = lambda tensors: [fn(*[BEFORE[before](x) for x in tensors])]  # noqa: E731
    specs = [crt.TensorSpec(f"x{i}", crt.float32, list(shape)) for i, shape in enumerate(known)]
    graph = crt.trace(wrapped, specs).graph
    optimized = graph.clone()
    optimized.optimize()
    expected = wrapped([crt.tensor(x) for x in given(fits)])[0].numpy()
    for one in (graph, optimized):
        one.finalize()
        np.testing.assert_allclose(one.run(given(fits))[0].numpy(), expected, rtol=1e-5, atol=1e-5)
        for shapes in misfits:
            with pytest.raises(crt.InvalidArgumentError, match="^run: "):
                one.run(given(shapes))
