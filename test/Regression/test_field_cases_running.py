"""What went wrong with compiled kernels for users of other systems, as cases for ours: each eagerly and in a graph. The
names (b1, b3, …) are those of the list the project keeps of such reports."""

import numpy as np
import pytest
from graphs import both, traced
from op_cases import Case, Sums, check_together
from sum_cases import values

import clika_runtime as crt


def test_b1_max_pool_hands_nan_on():
    nan = np.full((1, 1, 3, 3), np.nan, np.float32)
    assert np.isnan(both(lambda x: crt.max_pool(x, [3, 3]), nan)).all()
    row = np.array([[[1, np.nan, 2]]], np.float32)
    assert np.isnan(both(lambda x: crt.max_pool(x, [3]), row)).all()
    np.testing.assert_array_equal(both(lambda x: crt.max_pool(x, [2], strides=[2]), np.array([[[1, 3, 2, 5]]], np.float32)), [[[3, 5]]])


@pytest.mark.parametrize(("x", "place"), [([1, np.nan, 3, np.nan], 1), ([np.nan, np.nan], 0), ([1, 3, 3], 1)])
def test_b3_argmax_takes_the_first_nan(x, place):
    assert both(lambda t: crt.argmax(t, axis=0), np.array(x, np.float32)) == place
    assert both(lambda t: crt.argmin(t, axis=0), np.array(x, np.float32)) == (place if np.isnan(x).any() else 0)


def test_b5_no_window_starts_in_the_end_padding():
    x = np.arange(1, 5, dtype=np.float32).reshape(1, 1, 4)
    chosen = {"kernel": [2], "strides": [4], "pads": [0, 1], "ceil_mode": True}
    np.testing.assert_array_equal(both(lambda t: crt.max_pool(t, **chosen), x), [[[2]]])
    np.testing.assert_array_equal(both(lambda t: crt.avg_pool(t, **chosen), x), [[[1.5]]])


def test_b7_nearest_resize_positions_are_exact():
    x = np.arange(20, dtype=np.float32).reshape(1, 1, 20)
    y = both(lambda t: crt.resize(t, sizes=[1, 1, 6], mode="Nearest", nearest_mode="RoundPreferCeil"), x)
    np.testing.assert_array_equal(y.ravel(), [1, 5, 8, 11, 15, 18])


def test_b9_nearest_modes_differ_by_design():
    x = np.arange(26, dtype=np.float32).reshape(1, 1, 26)
    positions = np.arange(64)
    half = both(lambda t: crt.resize(t, sizes=[1, 1, 64], mode="Nearest", nearest_mode="RoundPreferCeil"), x)
    exact = (positions * 2 + 1) * 26 - 64  # (p + 0.5) * 26 / 64 - 0.5, times 128
    np.testing.assert_array_equal(half.ravel(), np.clip((exact + 64) // 128, 0, 25))
    floor = both(
        lambda t: crt.resize(t, sizes=[1, 1, 64], mode="Nearest", nearest_mode="Floor",
                             coordinate_transformation_mode="Asymmetric"), x)
    np.testing.assert_array_equal(floor.ravel(), positions * 26 // 64)
    assert (half != floor).any()


def test_b11_int64_division_is_exact():
    x = np.array([2**31 - 1, 2**40, 2**62, -7], np.int64)
    y = both(lambda t: crt.div(t, 11), x)
    np.testing.assert_array_equal(y, [195225786, 99955602525, 419244183493398900, 0])


def test_b13_floats_to_integers_and_bools():
    x = np.array([5e18, 1e15, 7.7, -7.7, np.nan, np.inf, -np.inf], np.float32)
    y = both(lambda t: crt.cast(t, crt.int64), x)
    limits = np.iinfo(np.int64)
    np.testing.assert_array_equal(y, [4999999990253223936, 999999986991104, 7, -7, 0, limits.max, limits.min])
    bools = both(lambda t: crt.cast(t, crt.bool_), np.array([np.nan, -0.0, 0.5, 0.0], np.float32))
    np.testing.assert_array_equal(bools, [True, False, True, False])
    folded = traced(lambda i: crt.add(i[0], crt.cast(crt.full([7], float("nan")), crt.int64)), [7], dtype=crt.int64)
    folded.optimize()
    folded.finalize()
    np.testing.assert_array_equal(folded.run([np.arange(7)])[0].numpy(), np.arange(7))


def test_b15_uint8_wraps():
    x = np.array([22], np.uint8)
    np.testing.assert_array_equal(both(lambda t: crt.mul(t, 21), x), [206])
    np.testing.assert_array_equal(both(lambda t: crt.sub(t, 23), x), [255])


def test_b17_softmax_at_its_edges():
    assert np.isnan(both(crt.softmax, np.array([-np.inf, -np.inf], np.float32))).all()
    np.testing.assert_allclose(both(crt.softmax, np.array([1000, 1001], np.float32)), [0.268941, 0.731059], 2e-6)


def test_b19_depthwise_convolutions():
    ones = both(lambda x, w: crt.conv(x, w, strides=[2, 2], pads=[1, 1], groups=2), np.ones((1, 2, 3, 3), np.float32),
                np.ones((2, 1, 3, 3), np.float32))
    np.testing.assert_array_equal(ones, np.full((1, 2, 2, 2), 4))


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_b19_groups_dilations_and_uneven_pads(groups):
    """Against float64, at once and in static and dynamic graphs."""
    f32 = np.dtype(np.float32)
    x, bias = values(f32, (2, 4, 7, 6)), values(f32, (8,), 2)
    cases = []
    for dilation in (1, 2):
        for i, pads in enumerate([[0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 2, 1], [2, 0, 0, 1]]):
            stride = 1 + (i + dilation) % 2
            settings = {"groups": groups, "dilations": [dilation, dilation], "pads": pads, "strides": [stride, stride]}
            weight = values(f32, (8, 4 // groups, 3, 3), i)
            cases.append(Case("conv", [x, weight, bias], settings, Sums(9 * 4 // groups + 1)))
    check_together(cases)


def test_b21_static_and_dynamic_batch_give_the_same_bits():
    rng = np.random.default_rng(2)
    w, b = rng.standard_normal((5, 7)).astype(np.float32), rng.standard_normal(5).astype(np.float32)
    x = rng.standard_normal((6, 7)).astype(np.float32)

    def fn(inputs):
        return crt.softmax(crt.linear(inputs[0], crt.tensor(w), crt.tensor(b), activation="Gelu"))

    results = []
    for shape in ([6, 7], ["batch", 7]):
        graph = traced(fn, shape)
        graph.optimize()
        graph.finalize()
        results.append(graph.run([x])[0].numpy())
    np.testing.assert_array_equal(*results)
    shared = traced(lambda i: [crt.relu(i[0]), crt.relu(i[1])], ["batch", 2], ["batch", 3])
    shared.finalize()
    with pytest.raises(crt.InvalidArgumentError, match="batch"):
        shared.run([np.ones((2, 2), np.float32), np.ones((3, 3), np.float32)])


@pytest.mark.parametrize(
    "layout",
    [
        lambda x: x.T,
        lambda x: x[::-1],
        lambda x: x[:, ::2],
        np.asfortranarray,
        lambda x: x.astype(x.dtype.newbyteorder()),
        lambda x: x[0, :1].reshape(()),
    ],
    ids=["transposed", "reversed", "stepped", "fortran", "swapped", "rank0"],
)
def test_b25_arrays_of_every_layout(layout):
    x = layout(np.arange(6).reshape(2, 3).astype(np.float32))
    frozen = x.copy() if isinstance(x, np.ndarray) else x
    if isinstance(frozen, np.ndarray):
        frozen.flags.writeable = False
    for array in (x, frozen):
        np.testing.assert_array_equal(crt.neg(crt.tensor(array)).numpy(), -np.asarray(x))
        graph = traced(lambda i: crt.neg(i[0]), list(np.shape(x)))
        graph.finalize()
        np.testing.assert_array_equal(graph.run([array])[0].numpy(), -np.asarray(x))
