"""resize against ONNX's reference implementation."""

import itertools

import numpy as np
import onnx.helper
import onnx.reference
import pytest
from agreement import agree, graph_of, int64, random

import clika_runtime as crt

COORDINATES = {"HalfPixel": "half_pixel", "HalfPixelSymmetric": "half_pixel_symmetric", "PytorchHalfPixel": "pytorch_half_pixel",
               "AlignCorners": "align_corners", "Asymmetric": "asymmetric", "TfCropAndResize": "tf_crop_and_resize"}  # fmt: skip
NEAREST = {"RoundPreferFloor": "round_prefer_floor", "RoundPreferCeil": "round_prefer_ceil", "Floor": "floor", "Ceil": "ceil"}
POLICIES = {"NotLarger": "not_larger", "NotSmaller": "not_smaller"}
X = random((4, 5))


def floats(*values):
    return np.array(values, np.float32)


def reference(x, settings, **lists):
    names = {"mode": str.lower, "coordinate_transformation_mode": COORDINATES.get, "nearest_mode": NEAREST.get,
             "keep_aspect_ratio_policy": POLICIES.get}  # fmt: skip
    attributes = {name: names[name](value) if name in names else int(value) if isinstance(value, bool) else value
                  for name, value in settings.items()}
    feeds = {"x": x, **lists}
    node = onnx.helper.make_node("Resize", [name if name in feeds else "" for name in ("x", "roi", "scales", "sizes")], ["y"], **attributes)
    kinds = {name: onnx.helper.np_dtype_to_tensor_dtype(value.dtype) for name, value in feeds.items()}
    inputs = [onnx.helper.make_tensor_value_info(name, kinds[name], value.shape) for name, value in feeds.items()]
    graph = onnx.helper.make_graph([node], "g", inputs, [onnx.helper.make_tensor_value_info("y", kinds["x"], None)])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 19)])
    return np.asarray(onnx.reference.ReferenceEvaluator(model).run(None, feeds)[0])


def check(x, settings, tolerance=3e-6, **lists):
    """With the lists as inputs and as constants; sizes also as a literal."""
    expected = reference(x, settings, **lists)
    if settings.get("mode", "Nearest") == "Nearest":
        tolerance = 0.0
    agree(lambda x, *given: crt.resize(x, **dict(zip(lists, given)), **settings), expected, x, *lists.values(), fixed=[1, 2],
          tolerance=tolerance, ways=["static", "dynamic"])
    agree(lambda x: crt.resize(x, **lists, **settings), expected, x, tolerance=tolerance)
    if "sizes" in lists:
        literal = {**lists, "sizes": lists["sizes"].tolist()}
        agree(lambda x: crt.resize(x, **literal, **settings), expected, x, tolerance=tolerance, ways=["static", "dynamic"])


@pytest.mark.parametrize("mode", ["Nearest", "Linear", "Cubic"])
@pytest.mark.parametrize("coordinates", [name for name in COORDINATES if name != "TfCropAndResize"])
def test_modes(mode, coordinates):
    settings = {"mode": mode, "coordinate_transformation_mode": coordinates}
    for sizes in [(7, 3), (2, 2), (1, 1), (8, 10)]:
        # The reference samples at -0.5 where the operator's text says 0.
        if not (sizes == (1, 1) and coordinates == "PytorchHalfPixel" and mode == "Cubic"):
            check(X, settings, sizes=int64(*sizes))
    for scales in [(0.6, 0.6), (2, 3), (1.5, 0.5)]:
        check(X, settings, scales=floats(*scales))


@pytest.mark.parametrize("nearest", NEAREST)
@pytest.mark.parametrize("coordinates", ["HalfPixel", "Asymmetric", "AlignCorners"])
def test_nearest(nearest, coordinates):
    settings = {"nearest_mode": nearest, "coordinate_transformation_mode": coordinates}
    for size, wanted in [(20, 6), (26, 64), (7, 3), (3, 7)]:
        check(random((size,)), settings, sizes=int64(wanted))
    # 0.3 is the float32 nearest to 6 / 20: the positions are those of the sizes.
    x = random((20,))
    expected = reference(x, settings, sizes=int64(6))
    agree(lambda x, scales: crt.resize(x, scales=scales, **settings), expected, x, floats(0.3), fixed=[1])


def test_ties_are_exact():
    x, expected = np.arange(20, dtype=np.float32), floats(1, 5, 8, 11, 15, 18)
    ceil = "RoundPreferCeil"
    agree(lambda x: crt.resize(x, sizes=[6], nearest_mode=ceil), expected, x)
    agree(lambda x, s: crt.resize(x, scales=s, nearest_mode=ceil), expected, x, floats(0.3), fixed=[1])


def test_half_pixel_and_asymmetric_differ():
    x = np.arange(26, dtype=np.float32)
    half = [min(int(np.floor((2 * i + 1) * 26 / 128 - 0.5 + 0.5)), 25) for i in range(64)]
    ceil, floor = "RoundPreferCeil", "Floor"
    agree(lambda x: crt.resize(x, sizes=[64], nearest_mode=ceil), x[half], x)
    asymmetric = "Asymmetric"
    agree(lambda x: crt.resize(x, sizes=[64], coordinate_transformation_mode=asymmetric, nearest_mode=floor),
          x[[i * 26 // 64 for i in range(64)]], x)


@pytest.mark.parametrize("mode, outside", [*itertools.product(["Linear", "Cubic"], [False, True])])
def test_antialias(mode, outside):
    settings = {"mode": mode, "antialias": True, "exclude_outside": outside}
    for sizes in [(7, 3), (2, 2), (9, 9), (4, 1)]:
        check(X, settings, sizes=int64(*sizes))
    check(X, settings, scales=floats(0.6, 0.45))
    check(X, {"mode": mode, "exclude_outside": outside}, sizes=int64(7, 3))


@pytest.mark.parametrize("mode", ["Nearest", "Linear", "Cubic"])
def test_regions_axes_and_policies(mode):
    x = random((1, 1, 4, 5))
    for roi in [(0, 0, 0.4, 0.6, 1, 1, 0.6, 0.8), (0, 0, -0.2, 0.1, 1, 1, 1.3, 0.9)]:
        check(x, {"mode": mode, "coordinate_transformation_mode": "TfCropAndResize", "extrapolation_value": 10.0},
              roi=floats(*roi), sizes=int64(1, 1, 3, 3))
    check(x, {"mode": mode, "axes": [3, 2]}, sizes=int64(7, 3))
    check(x, {"mode": mode, "axes": [2]}, scales=floats(1.7))
    for policy, sizes in itertools.product(POLICIES, [(7, 8), (3, 3)]):
        check(x, {"mode": mode, "axes": [2, 3], "keep_aspect_ratio_policy": policy}, sizes=int64(*sizes))
    check(X, {"mode": "Cubic", "cubic_coeff_a": -0.5}, sizes=int64(7, 3))


@pytest.mark.parametrize("dtype", ["float16", "float64", "uint8", "int8", "int32", "int64"])
def test_dtypes(dtype):
    x = random((3, 5), dtype)
    check(x, {"mode": "Nearest"}, sizes=int64(7, 3))
    if x.dtype.kind == "f":
        check(x, {"mode": "Linear"}, 2e-3 if dtype == "float16" else 1e-13, sizes=int64(7, 3))
        return
    expected = np.trunc(reference(x.astype(np.float64), {"mode": "Linear"}, sizes=int64(6, 10))).astype(dtype)
    agree(lambda x: crt.resize(x, sizes=[6, 10], mode="Linear"), expected, x)


def test_no_elements_and_errors():
    agree(lambda x: crt.resize(x, sizes=[0, 5], mode="Linear"), np.zeros((0, 5), np.float32), X)
    agree(lambda x: crt.resize(x, sizes=[0, 5]), np.zeros((0, 5), np.float32), np.zeros((0, 3), np.float32))
    graph = graph_of(lambda x, sizes: crt.resize(x, sizes=sizes), X, int64(1, 1), fixed=[1])
    for x, sizes in [(np.zeros((0, 3), np.float32), int64(2, 5)), (X, int64(2, -5))]:
        with pytest.raises(crt.InvalidArgumentError, match="resize.*cannot be resized"):
            graph.run([x, sizes])
    graph = graph_of(lambda x, scales: crt.resize(x, scales=scales), X, floats(1, 1), fixed=[1])
    with pytest.raises(crt.InvalidArgumentError, match="resize.*scale of axis 0"):
        graph.run([X, floats(-1, 1)])


def test_corners_of_a_scaled_axis_lie_by_the_unrounded_size():
    """As the page of the op says, and ONNX's test data do: 4 * 0.6 is 2.4, of which 2 elements are left."""
    x, settings = np.array([0, 1, 2, 3], np.float32), {"mode": "Linear", "coordinate_transformation_mode": "AlignCorners"}
    assert np.allclose(crt.resize(x, scales=floats(0.6), **settings).numpy(), [0, 3 / 1.4], rtol=1e-6)
    assert crt.resize(x, sizes=[2], **settings).tolist() == [0, 3] and crt.resize(x, scales=floats(0.5), **settings).tolist() == [0, 3]
    assert crt.resize(x, sizes=[1], **settings).tolist() == [0]


@pytest.mark.parametrize(("scale", "message"), [
    (float("inf"), "the scale of axis 2 is inf; it must be a positive number"), (float("nan"), "the scale of axis 2 is nan"),
    (0.0, "the scale of axis 2 is 0"), (-2.0, "the scale of axis 2 is -2"), (1e18, "more elements than memory can hold"),
    (1e30, "more elements than memory can hold")])  # fmt: skip
def test_scales_that_are_none(scale, message):
    x = np.zeros((1, 1, 2, 2), np.float32)
    for scales in ([1, 1, scale, 2], floats(1, 1, scale, 2), crt.tensor(floats(1, 1, scale, 2))):
        with pytest.raises(crt.InvalidArgumentError, match=f"(?i)^resize: .*{message}"):
            crt.resize(crt.tensor(x), scales=scales)
