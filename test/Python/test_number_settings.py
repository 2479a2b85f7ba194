"""Settings that are numbers of a tensor's dtype: what fits is exact, what does not is refused, however it is given."""

import numpy as np
import pytest
from graphs import both

import clika_runtime as crt

RANGE, WHOLE = "whose range it leaves; give a value of the type's range", "which holds integers; give a whole number"
INFINITY = RANGE + ", or infinity"
NUMBERS = [
    ("uint8", 300, RANGE), ("uint8", -1, RANGE), ("uint8", 1.5, WHOLE), ("uint8", 256.0, RANGE), ("int8", 128, RANGE), ("int8", -129, RANGE),
    ("int32", float("nan"), WHOLE), ("int32", float("inf"), RANGE), ("int32", 2**31, RANGE), ("uint64", -1, RANGE),
    ("int64", 2.0**63, RANGE), ("float16", 1e6, INFINITY), ("float16", -65520, INFINITY), ("float32", 1e39, INFINITY),
    ("bfloat16", 3.4e38, INFINITY),
]  # fmt: skip
FITS = [
    ("uint8", 255), ("uint8", 255.0), ("uint8", True), ("int8", -128), ("int64", -(2**63)), ("int64", 2**63 - 1), ("int64", 2**53 + 1),
    ("uint64", 2.0**63), ("float16", 65519), ("float16", float("-inf")), ("float32", 2**24 + 1), ("float32", 3.4e38), ("float64", 1e300),
    ("float64", 2**62),
]  # fmt: skip


def given(dtype, *numbers):
    return np.array(numbers, dtype)


def message(op, setting, dtype, why):
    return f"^{op}: {setting} is .*, which does not fit a tensor of {dtype}, {why}$"


@pytest.mark.parametrize(("dtype", "number", "why"), NUMBERS)
def test_numbers_that_do_not_fit(dtype, number, why):
    kind = getattr(crt, dtype)
    x = crt.cast(crt.tensor([1, 2]), kind)
    calls = {
        ("pad", "value"): lambda: crt.pad(x, [1, 1], value=number),
        ("full", "value"): lambda: crt.full([2], number, dtype=kind),
        ("clamp", "min"): lambda: crt.clamp(x, min=number),
        ("clamp", "max"): lambda: crt.clamp(x, max=number),
        ("range", "limit"): lambda: crt.range(0, number, dtype=kind),
        ("range", "start"): lambda: crt.range(number, 3, dtype=kind),
        ("range", "delta"): lambda: crt.range(0, 3, number, dtype=kind),
    }
    for (op, setting), call in calls.items():
        with pytest.raises(crt.InvalidArgumentError, match=message(op, setting, dtype, why)):
            call()


@pytest.mark.parametrize(("dtype", "number"), FITS)
def test_numbers_that_fit(dtype, number):
    kind, wanted = getattr(crt, dtype), np.array(number).astype(dtype)
    x = np.zeros(1, dtype)
    assert np.array_equal(both(lambda t: crt.pad(t, [1, 0], value=number), x), given(dtype, wanted, 0))
    assert np.array_equal(both(lambda t: crt.full([2], number, dtype=kind) + t, x), given(dtype, wanted, wanted))
    assert np.array_equal(both(lambda t: crt.clamp(t, min=number, max=number), x), given(dtype, wanted))


def test_large_unsigned_numbers():
    for number in (2**63, 2**64 - 1):
        full = crt.full([2], number, dtype=crt.uint64)
        assert full.dtype == crt.uint64 and full.tolist() == [number] * 2
        x = np.zeros(1, np.uint64)
        assert both(lambda t: crt.pad(t, [1, 0], value=number), x).tolist() == [number, 0]
        assert both(lambda t: crt.full([1], number, dtype=crt.uint64) + t, x).tolist() == [number]
    assert crt.range(2**63, 2**63 + 3, dtype=crt.uint64).tolist() == [2**63, 2**63 + 1, 2**63 + 2]
    assert crt.full([1], 2**70, dtype=crt.float32).tolist() == [2.0**70]
    with pytest.raises(crt.InvalidArgumentError, match="^full: 18446744073709551616 does not fit a tensor of uint64"):
        crt.full([2], 2**64, dtype=crt.uint64)
    with pytest.raises(crt.InvalidArgumentError, match="^full: 9223372036854775808 does not fit a tensor of int64"):
        crt.full([2], 2**63, dtype=crt.int64)
    with pytest.raises(crt.InvalidArgumentError, match="^full: .* the number 9223372036854775808 has no dtype to take; give dtype"):
        crt.full([2], 2**63)


def test_bools():
    x = crt.tensor([True])
    assert crt.pad(x, [1, 1], value=1).tolist() == [True, True, True]
    assert crt.full([2], 0.0, dtype=crt.bool_).tolist() == [False, False]
    for call in (lambda: crt.pad(x, [1, 1], value=2), lambda: crt.full([2], 0.5, dtype=crt.bool_)):
        with pytest.raises(crt.InvalidArgumentError, match="does not fit a tensor of bool, which holds 0 and 1; give true or false"):
            call()


def test_the_factor_of_a_sum():
    x = crt.tensor(np.array([1, 2], np.int8))
    assert crt.add(x, x, alpha=-128).tolist() == np.array([1 - 128, 2 - 256], np.int64).astype(np.int8).tolist()
    most = 2**53
    long = crt.tensor(np.array([1, 2], np.int64))
    assert crt.add(long, long, alpha=most).tolist() == [1 + most, 2 + 2 * most]
    large = crt.tensor(np.array([1], np.uint64))
    assert crt.add(large, large, alpha=2.0**63).tolist() == [2**63 + 1]
    for tensor, alpha, why in [(x, 128, RANGE), (x, 1.5, WHOLE), (x, 1e300, RANGE), (x, float("nan"), WHOLE), (large, -1, RANGE)]:
        for op in (crt.add, crt.sub):
            with pytest.raises(crt.InvalidArgumentError, match=message(op.__name__, "alpha", "u?int.*", why)):
                op(tensor, tensor, alpha=alpha)
    with pytest.raises(crt.InvalidArgumentError, match="^add: the setting 'alpha' is 9007199254740993, which float64 does not hold exactly"):
        crt.add(long, long, alpha=most + 1)


def test_settings_that_leave_the_computing_type():
    half, single, double = (crt.tensor(np.array([-1.0], dtype)) for dtype in (np.float16, np.float32, np.float64))
    assert crt.leaky_relu(half, alpha=1e4).tolist() == [-10000] and crt.leaky_relu(double, alpha=1e300).tolist() == [-1e300]
    for tensor in (half, single):
        with pytest.raises(crt.InvalidArgumentError, match=message("leaky_relu", "alpha", "float32", INFINITY)):
            crt.leaky_relu(tensor, alpha=1e300)
    assert np.isinf(crt.leaky_relu(single, alpha=float("inf")).numpy()).all()


def test_resize_outside_the_input():
    def cropped(x, value):
        return crt.resize(x, roi=np.array([-1, 2], np.float32), sizes=[4], coordinate_transformation_mode="TfCropAndResize", extrapolation_value=value)

    x = np.array([1, 2], np.uint8)
    assert both(lambda t: cropped(t, 255), x)[0] == 255
    with pytest.raises(crt.InvalidArgumentError, match=message("resize", "extrapolation_value", "uint8", RANGE)):
        cropped(crt.tensor(x), 256)


def test_edits_of_a_graph():
    specs = [crt.TensorSpec("x", crt.uint8, [2])]
    graph = crt.trace(lambda t: [crt.clamp(crt.pad(t[0], [1, 1], value=3), max=7)], specs).graph
    pad, clamp = (graph.find_nodes(code)[0] for code in (crt.graph.OpCode.Pad, crt.graph.OpCode.Clamp))
    for node, name in ((pad, "value"), (clamp, "max")):
        with pytest.raises(crt.InvalidArgumentError, match=f"^set_attribute: .*{name} is 300, which does not fit a tensor of uint8, {RANGE}"):
            graph.set_attribute(node, name, 300)
        graph.set_attribute(node, name, 200)
    with pytest.raises(crt.InvalidArgumentError, match="^add_node: pad: value is -1, which does not fit a tensor of uint8"):
        graph.add_node(crt.graph.OpCode.Pad, [graph.inputs()[0], None, None, None], {"pads": [1, 1], "value": -1})
    graph.finalize()
    assert graph.run([np.array([1, 2], np.uint8)])[0].tolist() == [200, 1, 2, 200]
    text = graph.to_mlir()
    with pytest.raises(crt.InvalidArgumentError, match="pad: value is 300, which does not fit a tensor of uint8"):
        crt.graph.ModelGraph.from_mlir(text.replace("value = 200", "value = 300"))
