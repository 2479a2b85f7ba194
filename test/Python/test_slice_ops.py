"""concat, split, slice, pad, trilu, full, range."""

import numpy as np
import pytest
from agreement import agree, graph_of, int64, random

import clika_runtime as crt

MOST = 2**63 - 1


def test_many_tensors_are_joined_in_a_moment():
    """500 would have taken more than an hour: the analysis of one chain of them takes the fourth power of its length."""
    parts = [random((2, size % 3)) for size in range(500)]
    expected = np.concatenate(parts, 1)
    np.testing.assert_array_equal(crt.concat([crt.tensor(part) for part in parts], 1).numpy(), expected)
    specs = [crt.TensorSpec(f"x{i}", crt.float32, [f"n{i}", f"m{i}"]) for i in range(len(parts))]
    graph = crt.trace(lambda inputs: [crt.concat(inputs, -1)], specs).graph
    graph.finalize()
    np.testing.assert_array_equal(graph.run(parts)[0].numpy(), expected)
    with pytest.raises(crt.InvalidArgumentError, match="concat.*tensors 499 and 0 have different sizes in dimension 0"):
        graph.run([*parts[:-1], random((3, 1))])


def test_concat():
    x, empty = random((2, 3)), random((2, 0))
    agree(lambda x, e: crt.concat([e, x, e, x], 1), np.concatenate([x, x], 1), x, empty)
    agree(lambda x: crt.concat([x]), x, x)
    graph = graph_of(lambda x, y: crt.concat([x, y], 1), x, x)
    with pytest.raises(crt.InvalidArgumentError, match="concat.*dimension 0"):
        graph.run([x, random((3, 3))])


def test_split():
    x = random((5, 6))
    agree(lambda x: crt.split(x, [0, 5]), [x[:0], x], x)
    agree(lambda x: crt.split(x, num=4, axis=1), [x[:, :2], x[:, 2:4], x[:, 4:], x[:, 6:]], x)
    agree(lambda x: crt.split(x, num=3), [x[:2], x[2:4], x[4:]], x)
    agree(lambda x, sizes: crt.split(x, sizes), [x[:2], x[2:]], x, int64(2, 3), fixed=[1])
    agree(lambda x, sizes: crt.split(x, sizes, 2), [x[:2], x[2:]], x, int64(2, 3))
    graph = graph_of(lambda x, sizes: crt.split(x, sizes, 2), x, int64(2, 3))
    with pytest.raises(crt.InvalidArgumentError, match="split.*number of entries"):
        graph.run([x, int64(2, 2, 1)])
    graph = graph_of(lambda x, sizes: crt.split(x, sizes), x, int64(2, 3), fixed=[1])
    for sizes in (int64(2, 2), int64(-1, 6)):
        with pytest.raises(crt.InvalidArgumentError, match="split.*sizes"):
            graph.run([x, sizes])


SLICES = [((5, 6), [1], [3], [], []), ((5, 6), [0, -2], [MOST, MOST], [], []), ((5, 6), [-1], [-MOST], [1], [-1]),
          ((5, 6), [4, 1], [0, 100], [0, 1], [-2, 2]), ((5, 6), [3], [1], [0], [1]), ((5, 6), [-100], [100], [-1], [4]),
          ((0, 3), [0], [2], [0], [1]), ((5, 6), [10], [20], [0], []), ((5,), [100], [-100], [0], [-3]),
          ((5, 6), [2, 2], [3, 3], [1, 0], []), ((5,), [0], [5], [0], [MOST]), ((5,), [4], [-MOST - 1], [0], [-MOST])]  # fmt: skip


@pytest.mark.parametrize("shape, starts, ends, axes, steps", SLICES, ids=str)
def test_slice(shape, starts, ends, axes, steps):
    x = random(shape)
    where = [slice(None)] * len(shape)
    for k, (start, end) in enumerate(zip(starts, ends)):
        axis, step = axes[k] if axes else k, steps[k] if steps else 1
        where[axis] = slice(start, None if step < 0 and end < -shape[axis] else end, step)
    expected = x[tuple(where)]
    agree(lambda x: crt.slice(x, starts, ends, axes, steps), expected, x)
    lists = [int64(*part) for part in (starts, ends, axes, steps) if part]

    def from_tensors(x, *lists):
        more = list(lists[2:])
        given = {"axes": more.pop(0)} if axes else {}
        return crt.slice(x, lists[0], lists[1], **given, **({"steps": more.pop(0)} if steps else {}))

    agree(from_tensors, expected, x, *lists, fixed=[1, 2, 3, 4])


def test_slice_refuses_at_run_time():
    graph = graph_of(crt.slice, random((5,)), *[int64(0)] * 4, fixed=[1, 2, 3, 4])
    for axis, step, message in ((0, 0, "step"), (1, 1, "axis"), (-2, 1, "axis")):
        with pytest.raises(crt.InvalidArgumentError, match=f"slice.*{message}"):
            graph.run([random((5,)), int64(0), int64(3), int64(axis), int64(step)])


PADS = [((3, 4), [1, 2, 0, 3]), ((3, 4), [-1, 0, 2, -2]), ((5,), [9, 11]), ((1, 2), [2, 1, 3, 0]), ((3, 4), [0, 0, 0, 0]),
        ((3, 4), [-2, 3, 2, -3])]  # fmt: skip


def padded(x, pads, mode, **options):
    pairs = list(zip(pads[: x.ndim], pads[x.ndim :]))
    kept = x[tuple(slice(max(-low, 0), size - max(-high, 0)) for (low, high), size in zip(pairs, x.shape))]
    return np.pad(kept, [(max(low, 0), max(high, 0)) for low, high in pairs], mode.lower(), **options)


@pytest.mark.parametrize("mode", ["Constant", "Reflect", "Edge", "Wrap"])
@pytest.mark.parametrize("shape, pads", PADS, ids=str)
def test_pad(shape, pads, mode):
    x = random(shape)
    expected = padded(x, pads, mode)
    agree(lambda x: crt.pad(x, pads, mode=mode), expected, x)
    agree(lambda x, pads: crt.pad(x, pads, mode=mode), expected, x, int64(*pads), fixed=[1])


def test_pad_axes_and_values():
    x = random((2, 3))
    agree(lambda x: crt.pad(x, [1, 2], [-1], 2.5), padded(x, [0, 1, 0, 2], "Constant", constant_values=2.5), x)
    agree(lambda x, v: crt.pad(x, [1, 2], [0], v), padded(x, [1, 0, 2, 0], "Constant", constant_values=7), x, np.float32(7))
    agree(lambda x: crt.pad(x, [1, 0, 1, 0]), np.zeros((2, 3), np.float32), np.zeros((0, 3), np.float32))
    graph = graph_of(lambda x, pads: crt.pad(x, pads, mode="Edge"), x, int64(0, 0, 0, 0), fixed=[1])
    for values, pads in ((random((0, 3)), int64(1, 0, 0, 0)), (x, int64(-3, 0, 0, 0))):
        with pytest.raises(crt.InvalidArgumentError, match="pad.*dimension 0"):
            graph.run([values, pads])


@pytest.mark.parametrize("shape", [(3, 4), (2, 4, 3), (0, 3), (5, 1)])
@pytest.mark.parametrize("k", [0, 1, -2, 10])
def test_trilu(shape, k):
    x = random(shape)
    agree(lambda x: crt.trilu(x, k), np.triu(x, k), x)
    agree(lambda x, k: crt.trilu(x, k, upper=False), np.tril(x, k), x, np.array(k))


def test_full():
    for shape, value, dtype, expected in [([2, 3], 1.5, None, np.float32), ([], True, None, bool), ([0, 2], 3, None, np.int64),
                                          ([2], 7, crt.uint8, np.uint8), ([2], 0.1, crt.float16, np.float16)]:  # fmt: skip
        agree(lambda: crt.full(shape, value, dtype), np.full(shape, value, expected), ways=["eager"])
    agree(lambda shape: crt.full(shape, 7), np.full((2, 3), 7), int64(2, 3), fixed=[0])
    graph = graph_of(lambda shape: crt.full(shape, 7), int64(2, 3), fixed=[0])
    with pytest.raises(crt.InvalidArgumentError, match="full.*negative"):
        graph.run([int64(2, -3)])


RANGES = [(0, 5, 1), (1, 7, 2), (5, 0, -2), (3, 3, 1), (5, 1, 1), (0, 5, 7)]


@pytest.mark.parametrize("start, limit, delta", RANGES)
def test_range(start, limit, delta):
    expected = np.arange(start, limit, delta)
    agree(lambda: crt.range(start, limit, delta), expected, ways=["eager"])
    for dtype in ("int64", "int32", "int16", "float32", "float64"):
        bounds = [np.array(bound, dtype) for bound in (start, limit, delta)]
        agree(crt.range, expected.astype(dtype), *bounds)


def test_range_of_unsigned_and_fractions():
    agree(lambda: crt.range(0.5, 2.0, 0.25), np.arange(0.5, 2.0, 0.25).astype(np.float32), ways=["eager"])
    for dtype in ("uint8", "uint64"):
        agree(crt.range, np.arange(3, 200, 50).astype(dtype), *[np.array(bound, dtype) for bound in (3, 200, 50)])
    graph = graph_of(crt.range, *[np.array(1)] * 3)
    with pytest.raises(crt.InvalidArgumentError, match="range.*delta is 0"):
        graph.run([np.array(0), np.array(3), np.array(0)])
