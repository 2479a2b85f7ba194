"""Products and convolutions of widened bytes, bit for bit against sums in int64, for each kind of CPU that this machine can be."""

import itertools

import numpy as np
import pytest

import clika_runtime as crt

SIZES = (1, 3, 4, 5, 31, 32, 33, 64, 100)
PAIRS = list(itertools.product((np.uint8, np.int8), repeat=2))
CPUS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "host")
ZEROS = ("none", "a", "b", "both", "rows and columns")


def name_of(types):
    return " by ".join(type.__name__ for type in types)


def finalized(fn, arrays, cpu="host", dynamic=()):
    """`dynamic`: the positions of inputs that have no known first size."""
    specs = [crt.TensorSpec(f"x{i}", a.dtype, (None, *a.shape[1:]) if i in dynamic else a.shape) for i, a in enumerate(arrays)]
    graph = crt.trace(lambda inputs: fn(*inputs), specs).graph
    try:
        graph.finalize(target_cpu=cpu)
    except crt.InvalidArgumentError as error:
        pytest.skip(str(error))
    return graph


def check(fn, arrays, expected, **options):
    graph = finalized(fn, arrays, **options)
    for result, value in zip(graph.run(arrays), expected, strict=True):
        np.testing.assert_array_equal(result.numpy(), np.asarray(value).astype(np.int32))


def wide(x, zero=None):
    x = crt.cast(x, crt.int32)
    return x if zero is None else x - crt.cast(zero, crt.int32)


def bytes_of(rng, shape, dtype):
    """Of the whole range, with a row and a column of each of its ends."""
    limits = np.iinfo(dtype)
    made = rng.integers(limits.min, limits.max + 1, shape).astype(dtype)
    if len(shape) > 1:
        made[..., 0, :], made[..., -1, :] = limits.min, limits.max
        made[..., :, 0] = limits.max
    return made


def zeros_of(rng, kind, m, n, types):
    a = bytes_of(rng, (m, 1) if kind == "rows and columns" else (), types[0])
    b = bytes_of(rng, (n,) if kind == "rows and columns" else (), types[1])
    return None if kind in ("none", "b") else a, None if kind in ("none", "a") else b


def centered(array, zero):
    return array.astype(np.int64) - (0 if zero is None else zero.astype(np.int64))


def tensor_of(zero):
    return None if zero is None else crt.tensor(zero)


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("k", SIZES)
def test_matmul(k, constant):
    """Each shape, with the combinations of types and of zero points in turn; a graph has the products of nine of them."""
    rng, turns = np.random.default_rng(k), itertools.cycle(itertools.product(ZEROS, PAIRS))
    for n in SIZES:
        left, right, zeros = [], [], []
        for m, (kind, types) in zip(SIZES, turns):
            left.append(bytes_of(rng, (m, k), types[0]))
            right.append(bytes_of(rng, (k, n), types[1]))
            zeros.append(zeros_of(rng, kind, m, n, types))

        def products(left, right):
            return [crt.matmul(wide(a, tensor_of(p)), wide(b, tensor_of(q))) for a, b, (p, q) in zip(left, right, zeros)]

        expected = [centered(a, p) @ centered(b, q) for a, b, (p, q) in zip(left, right, zeros)]
        if constant:
            check(lambda *inputs: products(inputs, [crt.tensor(b) for b in right]), left, expected)
        else:
            check(lambda *inputs: products(inputs[: len(left)], inputs[len(left) :]), [*left, *right], expected)


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("types", PAIRS, ids=name_of)
def test_matmul_on_each_cpu(types, cpu):
    rng = np.random.default_rng(3)
    for (m, n, k), kind, constant in itertools.product(((1, 100, 64), (33, 5, 31), (13, 64, 5), (7, 33, 100)), ZEROS, (True, False)):
        a, b = bytes_of(rng, (m, k), types[0]), bytes_of(rng, (k, n), types[1])
        p, q = zeros_of(rng, kind, m, n, types)

        def product(a, b):
            return [crt.matmul(wide(a, tensor_of(p)), wide(b, tensor_of(q)))]

        expected = [centered(a, p) @ centered(b, q)]
        # A zero point per row is one of so many rows.
        dynamic = () if kind == "rows and columns" else (0,)
        if constant:
            check(lambda a: product(a, crt.tensor(b)), [a], expected, cpu=cpu, dynamic=dynamic)
        else:
            check(product, [a, b], expected, cpu=cpu, dynamic=dynamic)


@pytest.mark.parametrize("types", PAIRS, ids=name_of)
def test_zero_points_of_a_run(types):
    rng = np.random.default_rng(4)
    a, b = bytes_of(rng, (6, 37), types[0]), bytes_of(rng, (37, 40), types[1])
    p, q = bytes_of(rng, (), types[0]), bytes_of(rng, (40,), types[1])
    expected = [centered(a, p) @ centered(b, q)]
    check(lambda a, b, p, q: [crt.matmul(wide(a, p), wide(b, q))], [a, b, p, q], expected)
    check(lambda a, p, q: [crt.matmul(wide(a, p), wide(crt.tensor(b), q))], [a, p, q], expected)


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("a_value, b_value", [(255, 127), (255, -128), (0, -128), (255, 255)])
def test_extremes(a_value, b_value, cpu):
    """Pairs of products that 16 bits do not hold, and sums that wrap around."""
    types = np.uint8, np.uint8 if b_value > 127 else np.int8
    for k in (4, 67, 1024):
        a, b = np.full((9, k), a_value, types[0]), np.full((k, 48), b_value, types[1])
        expected = [a.astype(np.int64) @ b.astype(np.int64)]
        check(lambda a: [crt.matmul(wide(a), wide(crt.tensor(b)))], [a], expected, cpu=cpu)
        check(lambda a, b: [crt.matmul(wide(a), wide(b))], [a, b], expected, cpu=cpu)


def test_sums_wrap_around():
    k = 70_000  # 255 · 255 · k is above 2^32
    a, b = np.full((2, k), 255, np.uint8), np.full((k, 32), 255, np.uint8)
    check(lambda a: [crt.matmul(wide(a), wide(crt.tensor(b)))], [a], [a.astype(np.int64) @ b.astype(np.int64)])


@pytest.mark.parametrize("types", PAIRS, ids=name_of)
@pytest.mark.parametrize("transposed", [False, True])
def test_batches_and_transpositions(transposed, types):
    rng = np.random.default_rng(5)
    a, b = bytes_of(rng, (3, 9, 21), types[0]), bytes_of(rng, (3, 21, 35), types[1])
    p, q = bytes_of(rng, (), types[0]), bytes_of(rng, (), types[1])
    expected = [centered(a, p) @ centered(b, q)]
    given = [np.ascontiguousarray(x.swapaxes(1, 2)) if transposed else x for x in (a, b)]

    def product(a, b):
        return [crt.matmul(wide(a, crt.tensor(p)), wide(b, crt.tensor(q)), transpose_a=transposed, transpose_b=transposed)]

    check(product, given, expected)
    check(lambda a: product(a, crt.tensor(given[1])), given[:1], expected)
    shared = [np.stack([x @ centered(b[0], q) for x in centered(a, p)])]
    check(lambda a: product(a, crt.tensor(given[1][0])), given[:1], shared)


def test_after_optimization():
    """Constants that `fold_constants` made wide are bytes for all that."""
    rng = np.random.default_rng(6)
    for types, kind in itertools.product(PAIRS, ZEROS):
        a, b = bytes_of(rng, (5, 64), types[0]), bytes_of(rng, (64, 96), types[1])
        p, q = zeros_of(rng, kind, 5, 96, types)
        graph = crt.trace(lambda inputs: [crt.matmul(wide(inputs[0], tensor_of(p)), wide(crt.tensor(b), tensor_of(q)))],
                          [crt.TensorSpec("a", a.dtype, a.shape)]).graph  # fmt: skip
        graph.optimize()
        graph.finalize()
        np.testing.assert_array_equal(graph.run([a])[0].numpy(), centered(a, p) @ centered(b, q))


def test_int32_that_is_no_byte():
    """Constants beyond the range of bytes, and zero points beyond it."""
    rng = np.random.default_rng(7)
    a, far = bytes_of(rng, (5, 64), np.uint8), np.int32(1_000_003)
    for low, high in ((-300, 300), (1000, 1255), (-(2**31), 2**31)):
        b = rng.integers(low, high, (64, 96)).astype(np.int32)
        expected = [(a.astype(np.int64) - far) @ b.astype(np.int64)]
        check(lambda a: [crt.matmul(crt.cast(a, crt.int32) - crt.tensor(far), crt.tensor(b))], [a], expected)


def test_threads():
    rng = np.random.default_rng(8)
    a, b = bytes_of(rng, (70, 130), np.int8), bytes_of(rng, (130, 200), np.int8)
    graph = crt.trace(lambda inputs: [crt.matmul(wide(inputs[0]), wide(crt.tensor(b)))], [crt.TensorSpec("a", a.dtype, a.shape)]).graph
    graph.finalize(threads=2)
    np.testing.assert_array_equal(graph.run([a])[0].numpy(), a.astype(np.int64) @ b.astype(np.int64))


# Input, weight, settings.
CONVOLUTIONS = [
    ((2, 8, 9, 11), (16, 8, 3, 3), {"pads": [1, 1, 1, 1]}),
    ((1, 3, 12, 10), (33, 3, 7, 7), {"strides": [2, 2], "pads": [3, 3, 3, 3]}),
    ((1, 16, 7, 9), (40, 16, 1, 1), {}),
    ((1, 5, 8, 8), (9, 5, 1, 1), {"strides": [2, 2]}),
    ((1, 4, 11, 9), (20, 4, 3, 2), {"strides": [1, 2], "dilations": [2, 3], "pads": [2, 0, 1, 3]}),
    ((1, 8, 9, 9), (16, 4, 3, 3), {"groups": 2, "pads": [1, 1, 1, 1]}),
    ((1, 12, 9, 9), (66, 6, 3, 3), {"groups": 2, "strides": [2, 1]}),
    ((1, 12, 9, 9), (12, 1, 3, 3), {"groups": 12, "pads": [1, 1, 1, 1]}),
    ((1, 6, 9, 9), (12, 1, 3, 3), {"groups": 6}),
    ((2, 6, 15), (17, 6, 4), {"strides": [2], "pads": [2, 1]}),
    ((1, 4, 5, 6, 4), (8, 4, 2, 3, 2), {"pads": [1, 1, 0, 0, 1, 1]}),
]


def convolution(x, weight, strides=None, pads=None, dilations=None, groups=1):
    """Of integers around zero."""
    rank = x.ndim - 2
    strides, dilations, pads = strides or [1] * rank, dilations or [1] * rank, pads or [0] * 2 * rank
    x = np.pad(x, [(0, 0), (0, 0), *[(pads[i], pads[rank + i]) for i in range(rank)]])
    reach = [(weight.shape[2 + i] - 1) * dilations[i] + 1 for i in range(rank)]
    counts = [(x.shape[2 + i] - reach[i]) // strides[i] + 1 for i in range(rank)]
    result = np.zeros((x.shape[0], weight.shape[0], *counts), np.int64)
    per = weight.shape[0] // groups
    for place in itertools.product(*map(range, counts)):
        window = x[(slice(None), slice(None), *[slice(at * s, at * s + r, d) for at, s, r, d in zip(place, strides, reach, dilations)])]
        for group in range(groups):
            part = window[:, group * weight.shape[1] : (group + 1) * weight.shape[1]]
            kernel = weight[group * per : (group + 1) * per]
            axes = list(range(1, rank + 2))
            result[(slice(None), slice(group * per, (group + 1) * per), *place)] = np.tensordot(part, kernel, (axes, axes))
    return result


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("types", PAIRS, ids=name_of)
@pytest.mark.parametrize("shape, weight, settings", CONVOLUTIONS, ids=str)
def test_convolution(shape, weight, settings, types, cpu):
    rng = np.random.default_rng(9)
    x, w = bytes_of(rng, shape, types[0]), bytes_of(rng, weight, types[1])
    scalar = bytes_of(rng, (), types[0])
    each = bytes_of(rng, (weight[0],) + (1,) * (len(weight) - 1), types[1])
    for p, q in ((None, None), (scalar, None), (scalar, each)):
        expected = [convolution(centered(x, p), centered(w, q), **settings)]

        def sums(x, w):
            return [crt.conv(wide(x, tensor_of(p)), wide(w, tensor_of(q)), **settings)]

        check(lambda x: sums(x, crt.tensor(w)), [x], expected, cpu=cpu)
        if cpu == "host":
            check(sums, [x, w], expected, cpu=cpu)
    p = bytes_of(rng, (), types[0])
    expected = [convolution(centered(x, p), centered(w, None), **settings)]
    check(lambda x, p: [crt.conv(wide(x, p), wide(crt.tensor(w)), **settings)], [x, p], expected, cpu=cpu)
