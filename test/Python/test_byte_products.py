"""Products and convolutions of bytes against NumPy's int64 sums, bit for bit."""
import clika_runtime as crt
import numpy as np
import pytest

TARGETS = ["x86-64", "x86-64-v3", "x86-64-v4", "host"]
SIZES = [1, 3, 4, 5, 31, 32, 33, 64, 100]
BYTES = {"u8": (np.uint8, 0, 255), "s8": (np.int8, -128, 127)}


def targets():
    """Those of TARGETS whose code this machine runs."""
    found = []
    for target in TARGETS:
        graph = crt.trace(lambda inputs: [crt.neg(inputs[0])], [crt.TensorSpec("x", crt.float32, [1])]).graph
        try:
            graph.finalize(target_cpu=target)
        except crt.ClikaRTError:
            continue
        found.append(target)
    return found


def numbers(rng, kind, shape):
    """Bytes of all values, with many at the ends of the range."""
    dtype, low, high = BYTES[kind]
    values = rng.integers(low, high + 1, shape)
    ends = rng.integers(0, 4, shape)
    values = np.where(ends == 0, low, np.where(ends == 1, high, values))
    return values.astype(dtype)


def wrapped(sums):
    return sums.astype(np.int64).astype(np.uint32).view(np.int32) if sums.size else sums.astype(np.int32)


def spec(name, array):
    return crt.TensorSpec(name, crt.tensor(array).dtype, list(array.shape))


def run(function, arrays, target):
    specs = [spec(f"x{i}", array) for i, array in enumerate(arrays)]
    graph = crt.trace(function, specs).graph
    graph.finalize(target_cpu=target)
    return graph.run([crt.tensor(array) for array in arrays])[0].numpy()


def centered(value, zero):
    wide = crt.cast(value, crt.int32)
    return wide if zero is None else crt.sub(wide, crt.cast(zero, crt.int32))


def product(a, b, za=None, zb=None):
    left = a.astype(np.int64) - (0 if za is None else za.astype(np.int64))
    right = b.astype(np.int64) - (0 if zb is None else zb.astype(np.int64))
    return wrapped(np.matmul(left, right))


def check_product(a, b, target, za=None, zb=None, constant=False):
    given = [a] + ([] if constant else [b]) + [zero for zero in (za, zb) if zero is not None and not constant]

    def function(inputs):
        rest = list(inputs[1:])
        weight = crt.tensor(b) if constant else rest.pop(0)
        zeros = [None if zero is None else crt.tensor(zero) if constant else rest.pop(0) for zero in (za, zb)]
        return [crt.matmul(centered(inputs[0], zeros[0]), centered(weight, zeros[1]))]

    np.testing.assert_array_equal(run(function, given, target), product(a, b, za, zb))


@pytest.mark.parametrize("target", targets())
@pytest.mark.parametrize("constant", [False, True], ids=["given", "constant"])
@pytest.mark.parametrize("m", [1, 5, 33])
def test_products_of_all_sizes(m, constant, target):
    rng = np.random.default_rng(m)
    sizes = [(n, k) for n in SIZES for k in SIZES]
    if target != "host":
        sizes = [sizes[i] for i in rng.permutation(len(sizes))[:20]]
    for n, k in sizes:
        left, right = rng.choice(list(BYTES), 2)
        check_product(numbers(rng, left, (m, k)), numbers(rng, right, (k, n)), target, constant=constant)


@pytest.mark.parametrize("target", targets())
@pytest.mark.parametrize("m", SIZES)
def test_products_of_all_heights(m, target):
    rng = np.random.default_rng(m)
    for n, k in [(16, 8), (32, 64), (33, 5), (96, 100), (100, 33)]:
        check_product(numbers(rng, "u8", (m, k)), numbers(rng, "s8", (k, n)), target)


@pytest.mark.parametrize("target", targets())
@pytest.mark.parametrize("constant", [False, True], ids=["given", "constant"])
@pytest.mark.parametrize("right", list(BYTES))
@pytest.mark.parametrize("left", list(BYTES))
def test_zero_points(left, right, constant, target):
    rng = np.random.default_rng(3)
    for m, n, k in [(1, 64, 64), (9, 50, 31), (33, 129, 100)][:None if target == "host" else 2]:
        a, b = numbers(rng, left, (m, k)), numbers(rng, right, (k, n))
        for za in (None, numbers(rng, left, ()), numbers(rng, left, (m, 1))):
            for zb in (None, numbers(rng, right, ()), numbers(rng, right, (n,))):
                check_product(a, b, target, za, zb, constant)


@pytest.mark.parametrize("target", targets())
@pytest.mark.parametrize("right", list(BYTES))
@pytest.mark.parametrize("left", list(BYTES))
def test_ends_of_the_range(left, right, target):
    """Where sums of two products in 16 bits would be cut off."""
    for one in BYTES[left][1:]:
        for other in BYTES[right][1:]:
            a, b = np.full((6, 64), one, BYTES[left][0]), np.full((64, 40), other, BYTES[right][0])
            check_product(a, b, target)
            check_product(a, b, target, a[0, 0], b[0] // 2)


def test_sums_wrap():
    a, b = np.full((1, 40000), 255, np.uint8), np.full((40000, 32), 255, np.uint8)
    check_product(a, b, "host")
    assert product(a, b)[0, 0] < 0


@pytest.mark.parametrize("target", targets())
def test_batches(target):
    rng = np.random.default_rng(4)
    for a_shape, b_shape in [((3, 5, 20), (3, 20, 33)), ((2, 3, 4, 7), (2, 3, 7, 64)), ((3, 5, 20), (20, 40))]:
        check_product(numbers(rng, "s8", a_shape), numbers(rng, "u8", b_shape), target)
        check_product(numbers(rng, "u8", a_shape), numbers(rng, "s8", b_shape), target, np.uint8(7), np.int8(-3))
        check_product(numbers(rng, "u8", a_shape), numbers(rng, "s8", b_shape), target, constant=True)


@pytest.mark.parametrize("numbers_of", ["-300..-60", "per column", "too far apart"])
def test_int32_constants_that_fit_into_bytes(numbers_of):
    rng = np.random.default_rng(5)
    a = numbers(rng, "u8", (9, 40))
    b = rng.integers(0, 240, (40, 48)).astype(np.int32) - 300
    if numbers_of != "-300..-60":
        b += np.arange(48, dtype=np.int32) * 1000
    if numbers_of == "too far apart":
        b[3, 5] = 2**31 - 1
    result = run(lambda inputs: [crt.matmul(crt.cast(inputs[0], crt.int32), crt.tensor(b))], [a], "host")
    np.testing.assert_array_equal(result, product(a, b))


def test_rows_of_unknown_number_and_rows_that_are_parts():
    rng = np.random.default_rng(6)
    b = numbers(rng, "s8", (64, 96))

    def function(inputs):
        part = inputs[0][:, 1:65]
        return [crt.matmul(crt.cast(part, crt.int32), crt.cast(crt.tensor(b), crt.int32))]

    graph = crt.trace(function, [crt.TensorSpec("x", crt.uint8, [None, 67])]).graph
    graph.finalize()
    for rows in (0, 1, 7, 30):
        a = numbers(rng, "u8", (rows, 67))
        np.testing.assert_array_equal(graph.run([crt.tensor(a)])[0].numpy(), product(a[:, 1:65], b))


CONVOLUTIONS = {
    "1x1": dict(x=(2, 8, 5, 6), weight=(32, 8, 1, 1)),
    "3x3": dict(x=(1, 16, 9, 8), weight=(40, 16, 3, 3), pads=[1, 1, 1, 1]),
    "three channels": dict(x=(1, 3, 13, 12), weight=(16, 3, 5, 3), strides=[2, 2], pads=[2, 1, 0, 1]),
    "strided and dilated": dict(x=(2, 12, 14, 15), weight=(64, 12, 3, 3), strides=[2, 3], dilations=[2, 1]),
    "groups": dict(x=(1, 24, 7, 7), weight=(48, 8, 3, 3), groups=3, pads=[1, 1, 1, 1]),
    "depthwise": dict(x=(1, 24, 7, 7), weight=(24, 1, 3, 3), groups=24, pads=[1, 1, 1, 1]),
    "one dimension": dict(x=(2, 7, 20), weight=(33, 7, 4), strides=[2], pads=[1, 2]),
    "three dimensions": dict(x=(1, 5, 4, 5, 6), weight=(16, 5, 2, 3, 2), pads=[1, 0, 0, 0, 1, 1]),
}


def convolved(x, weight, strides=None, pads=None, dilations=None, groups=1):
    """int64 convolution of NCHW by loops over the kernel."""
    rank = x.ndim - 2
    strides, dilations, pads = strides or [1] * rank, dilations or [1] * rank, pads or [0] * 2 * rank
    x = np.pad(x, [(0, 0), (0, 0)] + list(zip(pads[:rank], pads[rank:])))
    kernel = weight.shape[2:]
    counts = [(x.shape[2 + i] - dilations[i] * (kernel[i] - 1) - 1) // strides[i] + 1 for i in range(rank)]
    outputs = weight.shape[0] // groups
    result = np.zeros((x.shape[0], weight.shape[0], *counts), np.int64)
    for place in np.ndindex(*kernel):
        window = x[(slice(None), slice(None)) + tuple(
            slice(place[i] * dilations[i], place[i] * dilations[i] + (counts[i] - 1) * strides[i] + 1, strides[i])
            for i in range(rank))]
        for group in range(groups):
            channels = slice(group * weight.shape[1], (group + 1) * weight.shape[1])
            own = slice(group * outputs, (group + 1) * outputs)
            part = weight[(own, slice(None)) + place]
            result[:, own] += np.einsum("nc...,oc->no...", window[:, channels], part)
    return result


@pytest.mark.parametrize("target", targets())
@pytest.mark.parametrize("name", list(CONVOLUTIONS))
def test_convolutions(name, target):
    settings = dict(CONVOLUTIONS[name])
    rng = np.random.default_rng(7)
    x_shape, weight_shape = settings.pop("x"), settings.pop("weight")
    column = (weight_shape[0],) + (1,) * (len(weight_shape) - 1)
    for left, right in [("u8", "s8"), ("s8", "u8"), ("u8", "u8"), ("s8", "s8")][:None if target == "host" else 1]:
        x, weight = numbers(rng, left, x_shape), numbers(rng, right, weight_shape)
        for x_zero in (None, numbers(rng, left, ())):
            for weight_zero in (None, numbers(rng, right, ()), numbers(rng, right, column)):
                for constant in (False, True):

                    def function(inputs):
                        zeros = [None if zero is None else crt.tensor(zero) for zero in (x_zero, weight_zero)]
                        kernel = crt.tensor(weight) if constant else inputs[1]
                        return [crt.conv(centered(inputs[0], zeros[0]), centered(kernel, zeros[1]), **settings)]

                    wide = [value.astype(np.int64) - (0 if zero is None else zero.astype(np.int64))
                            for value, zero in ((x, x_zero), (weight, weight_zero))]
                    np.testing.assert_array_equal(run(function, [x] if constant else [x, weight], target),
                                                  wrapped(convolved(*wide, **settings)))


@pytest.mark.parametrize("target", targets())
def test_zero_points_of_a_run_pad(target):
    """What fills up the borders of an image is the zero point, whatever it is in a run."""
    rng = np.random.default_rng(8)
    for left, channels in (("u8", 16), ("s8", 16), ("s8", 3)):
        weight = numbers(rng, "s8", (32, channels, 3, 3))

        def function(inputs):
            return [crt.conv(centered(inputs[0], inputs[1]), centered(crt.tensor(weight), None), pads=[1, 0, 2, 1])]

        x, zero = numbers(rng, left, (1, channels, 6, 7)), numbers(rng, left, ())
        expected = convolved(x.astype(np.int64) - int(zero), weight.astype(np.int64), pads=[1, 0, 2, 1])
        np.testing.assert_array_equal(run(function, [x, zero], target), wrapped(expected))


@pytest.mark.parametrize("right", list(BYTES))
@pytest.mark.parametrize("left", list(BYTES))
def test_constants_that_optimize_made_wide(left, right):
    rng = np.random.default_rng(9)
    a, b = numbers(rng, left, (5, 64)), numbers(rng, right, (64, 96))
    for zb in (None, numbers(rng, right, ()), numbers(rng, right, (96,))):

        def function(inputs):
            return [crt.matmul(centered(inputs[0], None), centered(crt.tensor(b), None if zb is None else crt.tensor(zb)))]

        graph = crt.trace(function, [spec("x", a)]).graph
        graph.optimize()
        graph.finalize()
        np.testing.assert_array_equal(graph.run([crt.tensor(a)])[0].numpy(), product(a, b, None, zb))


def test_threads():
    rng = np.random.default_rng(10)
    a, b = numbers(rng, "s8", (70, 130)), numbers(rng, "s8", (130, 200))
    graph = crt.trace(lambda inputs: [crt.matmul(centered(inputs[0], None), centered(crt.tensor(b), None))], [spec("x", a)]).graph
    graph.finalize(threads=2)
    np.testing.assert_array_equal(graph.run([crt.tensor(a)])[0].numpy(), product(a, b))
