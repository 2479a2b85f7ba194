"""One ONNX node at a time, in every form that its operator sets know, against ONNX Runtime."""

import numpy as np
import pytest
from onnx_models import assert_same, helper, model_of, run_here, run_ort


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def floats(*shape: int, seed: int = 0, low: float = -2, high: float = 2) -> np.ndarray:
    return rng(seed).uniform(low, high, shape).astype(np.float32)


def integers(*shape: int, low: int = -8, high: int = 8, dtype=np.int64) -> np.ndarray:
    return rng(1).integers(low, high, shape).astype(dtype)


def case(op, inputs, opset=17, outputs=1, constants=(), id="", rtol=1e-5, atol=1e-6, dynamic=True, **attributes):
    """Inputs are arrays, None for one left out; `constants` are the positions of those that are initializers."""
    label = "-".join(str(part) for part in (op, opset, id) if part)
    return pytest.param(op, inputs, opset, outputs, tuple(constants), rtol, atol, dynamic, attributes, id=label)


X = floats(2, 3, 4)
IMAGE = floats(2, 4, 7, 9)
KERNEL = floats(6, 4, 3, 3, seed=1, low=-0.5, high=0.5)
GROUPED = floats(6, 2, 3, 3, seed=1, low=-0.5, high=0.5)
UP = floats(4, 3, 3, 3, seed=2, low=-0.5, high=0.5)
LINE = floats(2, 3, 11)
VOLUME = floats(1, 2, 5, 6, 4)
AXES = np.array([1, -1], np.int64)

ELEMENTWISE = [
    *[case(op, [X]) for op in ("Abs", "Ceil", "Cos", "Erf", "Exp", "Floor", "Neg", "Relu", "Sigmoid", "Sign", "Sin")],
    *[case(op, [X]) for op in ("Softplus", "Softsign", "Tanh", "Elu", "Selu", "Celu", "HardSwish", "Round", "Identity")],
    *[case(op, [X], opset=18) for op in ("Mish",)],
    *[case(op, [np.abs(X) + 0.5]) for op in ("Log", "Sqrt", "Reciprocal")],
    *[case(op, [X, floats(3, 1, seed=3)]) for op in ("Add", "Sub", "Mul", "Div", "Less", "Greater", "LessOrEqual")],
    *[case(op, [integers(2, 3), integers(3)]) for op in ("Add", "Mul", "Equal", "GreaterOrEqual")],
    *[case(op, [X > 0, X[:, :1] > 1]) for op in ("And", "Or", "Xor")],
    *[case(op, [integers(5), integers(5)[::-1].copy()], opset=18) for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")],
    case("BitwiseNot", [integers(5)], opset=18),
    case("Not", [X > 0]),
    case("Elu", [X], alpha=0.5),
    case("Selu", [X], alpha=2.0, gamma=3.0),
    case("LeakyRelu", [X], alpha=0.3),
    case("LeakyRelu", [X]),
    case("ThresholdedRelu", [X], alpha=0.5),
    case("HardSigmoid", [X]),
    case("HardSigmoid", [X], alpha=0.5, beta=0.1),
    case("Shrink", [X], lambd=1.0, bias=0.5),
    case("PRelu", [X, floats(3, 1, seed=4)]),
    case("Gelu", [X], opset=20),
    case("Gelu", [X], opset=20, approximate="tanh"),
    *[case(op, [X, floats(4, seed=5), floats(3, 1, seed=6)]) for op in ("Max", "Min", "Sum", "Mean")],
    case("Max", [X]),
    case("Pow", [np.abs(X), floats(4, seed=7)]),
    case("Pow", [X, np.array(2, np.int64)], id="integer-exponent"),
    case("Pow", [integers(4, low=0), np.array(2.0, np.float32)], id="integer-base"),
    case("Mod", [integers(6), np.array([3, -3, 5, -5, 2, -2], np.int64)]),
    case("Mod", [integers(6), np.array([3, -3, 5, -5, 2, -2], np.int64)], fmod=1),
    case("Mod", [X, floats(4, seed=8)], fmod=1),
    case("Div", [integers(6), np.array([3, -3, 5, -5, 2, -2], np.int64)]),
    case("BitShift", [np.array([16, 4, 255], np.uint8), np.array([1, 2, 3], np.uint8)], direction="LEFT"),
    case("BitShift", [np.array([16, 4, 255], np.uint8), np.array([1, 2, 3], np.uint8)], direction="RIGHT"),
    case("Clip", [X], opset=9, min=-0.5, max=1.0),
    case("Clip", [X], opset=9, max=0.25),
    case("Clip", [X], opset=10),
    case("Clip", [X, np.float32(-0.5), np.float32(1)], constants=(1, 2)),
    case("Clip", [X, np.float32(-0.5), np.float32(1)], id="run-time"),
    case("Clip", [X, None, np.float32(1)], id="no-minimum"),
    case("Clip", [integers(9), np.int64(-2), np.int64(3)], constants=(1, 2), id="integers"),
    case("IsNaN", [np.array([1, np.nan, np.inf], np.float32)]),
    *[case("IsInf", [np.array([1, np.nan, np.inf, -np.inf], np.float32)], detect_positive=p, detect_negative=n)
      for p in (0, 1) for n in (0, 1)],  # fmt: skip
    case("Where", [X > 0, X, np.float32(0)]),
    *[case("Cast", [X], to=to) for to in (6, 7, 9, 10, 11)],
    case("Cast", [integers(5)], to=1),
    case("CastLike", [X, np.zeros(1, np.int32)]),
]

LINEAR = [
    case("MatMul", [floats(2, 3, 4), floats(4, 5, seed=1)]),
    case("MatMul", [floats(4), floats(2, 4, 5, seed=1)]),
    case("MatMul", [floats(2, 1, 3, 4), floats(5, 4, 2, seed=1)]),
    *[case("Gemm", [floats(*((4, 3) if a else (3, 4))), floats(*((5, 4) if b else (4, 5)), seed=1), floats(5, seed=2)], transA=a, transB=b)
      for a in (0, 1) for b in (0, 1)],  # fmt: skip
    case("Gemm", [floats(3, 4), floats(4, 5, seed=1), floats(3, 1, seed=2)], alpha=0.5, beta=2.0),
    case("Gemm", [floats(3, 4), floats(5, 4, seed=1)], transB=1),
    case("Gemm", [floats(3, 4), floats(5, 4, seed=1), np.float32(2)], transB=1, id="scalar-bias"),
    case("Gemm", [floats(3, 4), floats(5, 4, seed=1), floats(1, seed=3)], transB=1, id="broadcast-bias"),
    case("Conv", [IMAGE, KERNEL]),
    case("Conv", [IMAGE, KERNEL, floats(6)], pads=[1, 0, 2, 1], strides=[2, 1], dilations=[1, 2], kernel_shape=[3, 3]),
    *[case("Conv", [IMAGE, KERNEL], auto_pad=pad, strides=[2, 2]) for pad in ("SAME_UPPER", "SAME_LOWER", "VALID")],
    case("Conv", [IMAGE, GROUPED], group=2, pads=[1, 1, 1, 1]),
    case("Conv", [IMAGE, floats(4, 1, 3, 3)], group=4, id="depthwise"),
    case("Conv", [LINE, floats(4, 3, 3)], strides=[2], pads=[1, 1]),
    case("Conv", [VOLUME, floats(3, 2, 2, 3, 2)], pads=[1, 1, 0, 0, 1, 1]),
    case("ConvTranspose", [IMAGE, UP]),
    case("ConvTranspose", [IMAGE, UP, floats(3)], strides=[2, 3], pads=[1, 0, 1, 2], output_padding=[1, 1]),
    case("ConvTranspose", [IMAGE, UP], strides=[2, 2], output_shape=[15, 18]),
    *[case("ConvTranspose", [IMAGE, UP], strides=[2, 2], auto_pad=pad) for pad in ("SAME_UPPER", "SAME_LOWER")],
    case("ConvTranspose", [IMAGE, floats(4, 3, 2, 2)], group=2, dilations=[2, 1]),
    case("ConvTranspose", [LINE, floats(3, 2, 3)], strides=[2]),
    case("MatMulInteger", [integers(3, 4, low=0, dtype=np.uint8), integers(4, 5, dtype=np.int8), np.uint8(3), np.int8(-2)]),
    case("ConvInteger", [integers(1, 2, 5, 5, low=0, dtype=np.uint8), integers(3, 2, 3, 3, low=0, dtype=np.uint8), np.uint8(2)], pads=[1, 1, 1, 1]),
    *[case("Einsum", inputs, equation=equation) for equation, inputs in (
        ("bij,bjk->bik", [floats(2, 3, 4), floats(2, 4, 5)]),
        ("ij->ji", [floats(2, 3)]),
        ("ij->i", [floats(2, 3)]),
        ("i,i->", [floats(4), floats(4)]),
        ("i,j->ij", [floats(4), floats(3)]),
        ("bhid,bhjd->bhij", [floats(2, 2, 3, 4), floats(2, 2, 5, 4)]),
        ("...ij,jk->...ik", [floats(2, 2, 3, 4), floats(4, 5)]),
        ("abc,cd,de->abe", [floats(2, 3, 4), floats(4, 5), floats(5, 2)]),
        ("ab,cb", [floats(2, 3), floats(4, 3)]),
        ("abcd,cde->abe", [floats(2, 3, 2, 4), floats(2, 4, 5)]),
        ("ii->i", [floats(4, 4)]),
        ("ii", [floats(4, 4)]),
        ("...ii->...i", [floats(2, 3, 4, 4)]),
        ("iji->ji", [floats(4, 2, 4)]),
        ("aabbb->ab", [floats(2, 2, 3, 3, 3)]),
        ("abab,bcc->ca", [floats(2, 3, 2, 3), floats(3, 4, 4)]),
        ("ii,i->i", [integers(3, 3), integers(3)]),
        ("ii->i", [floats(0, 0)]),
    )],  # fmt: skip
]

POOLS = [
    case("MaxPool", [IMAGE], kernel_shape=[3, 2]),
    case("MaxPool", [IMAGE], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], ceil_mode=1),
    case("MaxPool", [IMAGE], kernel_shape=[2, 2], strides=[2, 3], dilations=[2, 1]),
    case("MaxPool", [IMAGE], kernel_shape=[2, 2], strides=[1, 2], outputs=2, id="indices"),
    *[case("MaxPool", [x], kernel_shape=[2] * n, strides=[2, 1, 2][:n], outputs=2, storage_order=1, dynamic=dynamic, id="column-major")
      for n, x in ((1, LINE), (2, IMAGE)) for dynamic in (False, True)],  # fmt: skip
    *[case("MaxPool", [IMAGE], kernel_shape=[3, 3], strides=[2, 2], auto_pad=pad) for pad in ("SAME_UPPER", "SAME_LOWER", "VALID")],
    case("MaxPool", [LINE], kernel_shape=[3], strides=[2]),
    case("MaxPool", [VOLUME], kernel_shape=[2, 2, 2], strides=[2, 2, 2]),
    case("MaxPool", [integers(1, 1, 6, 6, low=0, dtype=np.uint8)], kernel_shape=[2, 2], id="uint8"),
    *[case("AveragePool", [IMAGE], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 0, 1, 2], count_include_pad=include)
      for include in (0, 1)],  # fmt: skip
    *[case("AveragePool", [IMAGE], opset=19, kernel_shape=[2, 3], strides=[2, 2], pads=[0, 1, 1, 0], ceil_mode=1, count_include_pad=include)
      for include in (0, 1)],  # fmt: skip
    *[case("AveragePool", [IMAGE], kernel_shape=[3, 3], strides=[2, 2], auto_pad=pad) for pad in ("SAME_UPPER", "SAME_LOWER", "VALID")],
    case("LpPool", [IMAGE], kernel_shape=[2, 2], strides=[2, 2]),
    case("LpPool", [IMAGE], kernel_shape=[2, 2], p=3, pads=[1, 0, 0, 1]),
    *[case(op, [IMAGE]) for op in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")],
]

CHANNEL = [floats(4, seed=i) for i in range(3)] + [floats(4, seed=3, low=0.5, high=2)]

NORMS = [
    case("BatchNormalization", [IMAGE, *CHANNEL]),
    case("BatchNormalization", [IMAGE, *CHANNEL], opset=9, epsilon=0.01, momentum=0.9),
    case("InstanceNormalization", [IMAGE, *CHANNEL[:2]]),
    case("GroupNormalization", [IMAGE, floats(2), floats(2, seed=1)], opset=18, num_groups=2, dynamic=False),
    case("GroupNormalization", [IMAGE, floats(4), floats(4, seed=1)], opset=21, num_groups=2),
    case("LayerNormalization", [X, floats(4), floats(4, seed=1)]),
    case("LayerNormalization", [X, floats(3, 4)], axis=1, epsilon=0.1),
    case("LayerNormalization", [X, floats(4)], outputs=3, id="statistics"),
    case("RMSNormalization", [X, floats(4)], opset=23),
    case("LRN", [IMAGE], size=3),
    case("LRN", [IMAGE], size=5, alpha=0.5, beta=0.5, bias=2.0),
    case("MeanVarianceNormalization", [IMAGE]),
    *[case(op, [X], opset=opset, axis=axis) for op in ("Softmax", "LogSoftmax") for opset in (11, 13) for axis in (0, 1, 2, -1)],
    *[case(op, [X], opset=opset) for op in ("Softmax", "LogSoftmax") for opset in (11, 13)],
]

REDUCES = ("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin")
REDUCES += ("ReduceProd", "ReduceSum", "ReduceSumSquare")
POSITIVE = np.abs(X) + 0.5

REDUCTIONS = [
    *[case(op, [POSITIVE], opset=12, axes=[0, -1], keepdims=keep) for op in REDUCES for keep in (0, 1)],
    *[case(op, [POSITIVE], opset=12) for op in REDUCES],
    *[case(op, [POSITIVE, AXES], opset=18, constants=(1,), keepdims=0) for op in REDUCES],
    *[case(op, [POSITIVE], opset=18) for op in REDUCES],
    *[case(op, [POSITIVE], opset=18, noop_with_empty_axes=1) for op in ("ReduceSum", "ReduceMax")],
    case("ReduceSum", [POSITIVE, AXES], opset=13, constants=(1,)),
    *[case(op, [np.round(X)], axis=axis, keepdims=keep, select_last_index=last)
      for op in ("ArgMax", "ArgMin") for axis in (0, -1) for keep in (0, 1) for last in (0, 1)],  # fmt: skip
    case("ArgMax", [X]),
    *[case("CumSum", [X, np.int64(1)], constants=(1,), exclusive=e, reverse=r) for e in (0, 1) for r in (0, 1)],
]

SHAPES = [
    case("Reshape", [X, np.array([4, -1], np.int64)], constants=(1,)),
    case("Reshape", [X, np.array([0, -1], np.int64)], constants=(1,)),
    case("Reshape", [X, np.array([6, 4], np.int64)], id="run-time", dynamic=False),
    *[case("Flatten", [X], axis=axis) for axis in (0, 1, 2, 3, -1)],
    case("Flatten", [X]),
    case("Transpose", [X]),
    case("Transpose", [X], perm=[1, 2, 0]),
    case("Concat", [X, X[:1], X[1:]], axis=0, dynamic=False),
    case("Concat", [X, X], axis=-1, dynamic=False),
    case("Split", [X], opset=11, outputs=2, axis=2),
    case("Split", [X], opset=11, outputs=2, axis=1, split=[1, 2]),
    case("Split", [X, np.array([1, 3], np.int64)], outputs=2, axis=2, constants=(1,)),
    case("Split", [X], outputs=2, axis=0),
    case("Split", [X], opset=18, outputs=2, axis=1, num_outputs=2),
    case("Slice", [X], opset=9, starts=[1, -3], ends=[9, -1], axes=[1, 2]),
    case("Slice", [X], opset=9, starts=[0, 1], ends=[2, 3]),
    case("Slice", [X, np.array([3, 0]), np.array([-9, 2]), np.array([2, 1]), np.array([-2, 1])], constants=(1, 2, 3, 4)),
    case("Slice", [X, np.array([1]), np.array([3])], constants=(1, 2)),
    case("Slice", [X, np.array([1]), np.array([3]), np.array([-1])], id="run-time", dynamic=False),
    case("Pad", [X], opset=10, pads=[0, 1, 0, 0, 0, 2], value=1.5),
    *[case("Pad", [X, np.array([0, 1, 2, 0, 1, 1])], opset=13, constants=(1,), mode=mode) for mode in ("constant", "reflect", "edge")],
    case("Pad", [X, np.array([0, -1, 2, 0, 1, -1]), np.float32(3)], constants=(1, 2), id="negative"),
    case("Pad", [X, np.array([1, 2]), np.float32(3), np.array([-1])], opset=18, constants=(1, 2, 3)),
    case("Pad", [X, np.array([1, 2]), None, np.array([1])], opset=19, constants=(1, 3), mode="wrap"),
    case("Pad", [integers(3), np.array([1, 2]), np.int64(7)], constants=(1, 2), id="integers"),
    case("Squeeze", [X[:, :1]], opset=11, axes=[1], dynamic=False),
    case("Squeeze", [X[:, :1], np.array([-2])], constants=(1,), dynamic=False),
    case("Squeeze", [X[:, :1]], dynamic=False),
    case("Unsqueeze", [X], opset=11, axes=[0, 4]),
    case("Unsqueeze", [X, np.array([-1, 1])], constants=(1,)),
    case("Expand", [X[:, :1], np.array([3, 1])], constants=(1,), dynamic=False),
    case("Expand", [X[:, :1], np.array([5, 1, 3, 4])], constants=(1,), dynamic=False),
    case("Tile", [X, np.array([1, 2, 3])], constants=(1,)),
    case("Shape", [X]),
    case("Shape", [X], start=1, end=-1),
    case("Size", [X]),
    case("ConstantOfShape", [np.array([2, 3])], constants=(0,)),
    case("ConstantOfShape", [np.array([2, 3])], id="run-time", dynamic=False),
    case("Range", [np.int64(2), np.int64(11), np.int64(3)], constants=(0, 1, 2)),
    case("Range", [np.float32(2), np.float32(-1), np.float32(-0.5)], id="run-time"),
    *[case("Trilu", [X, np.int64(k)], constants=(1,), upper=upper) for k in (-1, 0, 1) for upper in (0, 1)],
    *[case("DepthToSpace", [floats(1, 8, 2, 3)], blocksize=2, mode=mode) for mode in ("DCR", "CRD")],
    case("SpaceToDepth", [floats(1, 2, 4, 6)], blocksize=2),
    case("Dropout", [X], opset=9),
    case("Dropout", [X], opset=13, outputs=2),
]

INDEXING = [
    *[case("Gather", [X, np.array([[0, -1], [1, 1]])], axis=axis) for axis in (0, 1, -1)],
    case("GatherElements", [X, np.array([[[0, 1, 0, -1]]])], axis=1, dynamic=False),
    case("GatherND", [X, np.array([[0, 1], [1, -1]])], dynamic=False),
    case("GatherND", [X, np.array([[2], [0]])], batch_dims=1, dynamic=False),
    case("Scatter", [X, np.array([[[0, 1, 2, 1]]]), floats(1, 1, 4, seed=9)], opset=10, axis=1, dynamic=False),
    *[case("ScatterElements", [X, np.array([[[0, 1, 2, 1]]]), floats(1, 1, 4, seed=9)], opset=18, axis=1, reduction=r, dynamic=False)
      for r in ("none", "add", "mul", "max", "min")],  # fmt: skip
    *[case("ScatterND", [X, np.array([[0, 1], [1, -1]]), floats(2, 4, seed=9)], opset=18, reduction=r, dynamic=False)
      for r in ("none", "add", "mul", "max", "min")],  # fmt: skip
    *[case("OneHot", [np.array([0, 2, -1, 5]), np.int64(4), np.array([0, 3], np.float32)], constants=(1,), axis=axis) for axis in (-1, 0)],
    case("TopK", [X], opset=9, outputs=2, k=2),
    case("TopK", [X], opset=9, outputs=2, k=3, axis=1),
    *[case("TopK", [X, np.array([2])], outputs=2, constants=(1,), axis=axis, largest=largest) for axis in (-1, 0) for largest in (0, 1)],
    case("NonZero", [np.round(X)]),
]

COORDINATES = ("half_pixel", "pytorch_half_pixel", "asymmetric")
SCALES = np.array([1, 1, 2.5, 0.6], np.float32)
SIZES = np.array([2, 4, 12, 5])
EMPTY = np.array([], np.float32)

RESIZES = [
    *[case("Resize", [IMAGE, None, SCALES], constants=(2,), mode=mode, coordinate_transformation_mode=c, atol=1e-5)
      for mode in ("nearest", "linear", "cubic") for c in COORDINATES],  # fmt: skip
    # Scales with align_corners differ between references where they do not give whole sizes.
    *[case("Resize", [IMAGE, None, None, SIZES], constants=(3,), mode=mode, coordinate_transformation_mode="align_corners", atol=1e-5)
      for mode in ("nearest", "linear", "cubic")],  # fmt: skip
    *[case("Resize", [IMAGE, EMPTY, EMPTY, SIZES], opset=11, constants=(1, 2, 3), mode="nearest", nearest_mode=n,
           coordinate_transformation_mode=c)
      for n in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil") for c in COORDINATES[:2]],  # fmt: skip
    case("Resize", [IMAGE, None, SCALES], constants=(2,), mode="cubic", cubic_coeff_a=-0.5, exclude_outside=1, atol=1e-5),
    case("Resize", [IMAGE, None, None, np.array([9, 4])], opset=18, constants=(3,), mode="linear", axes=[2, 3]),
    *[case("Resize", [IMAGE, None, None, np.array([9, 4])], opset=18, constants=(3,), mode="linear", axes=[2, 3], keep_aspect_ratio_policy=p)
      for p in ("not_larger", "not_smaller")],  # fmt: skip
    *[case("Resize", [IMAGE, None, np.array([1, 1, 0.6, 0.4], np.float32)], opset=18, constants=(2,), mode=mode, antialias=1, atol=1e-5)
      for mode in ("linear", "cubic")],  # fmt: skip
    case("Resize", [IMAGE, np.array([0, 0, 0.2, 0.3, 1, 1, 0.8, 0.9], np.float32), None, SIZES], constants=(1, 3), mode="linear",
         coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=7.0, atol=1e-5),  # fmt: skip
    *[case("Upsample", [IMAGE, np.array([1, 1, 2, 3], np.float32)], opset=9, constants=(1,), mode=mode) for mode in ("nearest", "linear")],
    *[case("Resize", [IMAGE, np.array(scales, np.float32)], opset=10, constants=constants, mode="nearest", dynamic=False)
      for scales in ((1, 1, 2, 0.6), (1, 1, 0.4, 0.5), (1, 1, 1.7, 2.3)) for constants in ((1,), ())],
    *[case("Resize", [IMAGE, np.array([1, 1, 2, 3], np.float32)], opset=10, constants=(1,), mode=mode) for mode in ("nearest", "linear")],
]

QUANTIZED = [
    case("QuantizeLinear", [X, np.float32(0.1), np.uint8(128)], opset=13, constants=(1, 2)),
    case("QuantizeLinear", [X, np.array([0.1, 0.2, 0.05], np.float32), np.array([0, -3, 5], np.int8)], opset=13, constants=(1, 2), axis=1),
    case("DequantizeLinear", [integers(2, 3, dtype=np.int8), np.float32(0.1), np.int8(3)], opset=13, constants=(1, 2)),
    case("DequantizeLinear", [integers(2, 3, dtype=np.int8), floats(3, low=0.1)], opset=13, constants=(1,), axis=1),
    case("DynamicQuantizeLinear", [X], outputs=3),
]

HEADS = [floats(2, 4, 5, 8), floats(2, 4, 7, 8, seed=1), floats(2, 4, 7, 6, seed=2)]
GROUPED_HEADS = [floats(2, 4, 5, 8), floats(2, 2, 5, 8, seed=1), floats(2, 2, 5, 8, seed=2)]
JOINED_HEADS = [floats(2, 5, 24), floats(2, 7, 24, seed=1), floats(2, 7, 18, seed=2)]
PAST = [floats(2, 2, 3, 8, seed=3), floats(2, 2, 3, 8, seed=4)]
KEPT = rng(5).random((5, 7)) < 0.6
ANGLES = [np.cos(floats(9, 4, seed=5)), np.sin(floats(9, 4, seed=5))]
PLACES = integers(2, 5, low=0, high=9)

ATTENTION = [
    *[case("Attention", HEADS, opset=opset, **more)
      for opset in (23, 24) for more in ({}, {"scale": 0.3}, {"softcap": 1.5}, {"is_causal": 1})],  # fmt: skip
    *[case("Attention", GROUPED_HEADS, opset=23, id="grouped", **more) for more in ({}, {"is_causal": 1})],
    *[case("Attention", [*HEADS, mask], opset=23, id=f"mask{mask.ndim}{mask.dtype}")
      for mask in (floats(5, 7, seed=7), KEPT, floats(4, 5, 7, seed=8), np.stack([KEPT, ~KEPT])[:, None])],  # fmt: skip
    case("Attention", [*HEADS, KEPT], opset=23, is_causal=1, id="mask-causal"),
    case("Attention", [*GROUPED_HEADS, None, *PAST], opset=23, outputs=3, id="past"),
    *[case("Attention", JOINED_HEADS, opset=23, id="3d", q_num_heads=3, kv_num_heads=3, **more) for more in ({}, {"softcap": 2.0})],
    *[case("RotaryEmbedding", [floats(2, 3, 5, 8), *ANGLES, PLACES], opset=23, **more) for more in ({}, {"interleaved": 1})],
    case("RotaryEmbedding", [floats(2, 3, 5, 12), *ANGLES, PLACES], opset=23, rotary_embedding_dim=8),
    case("RotaryEmbedding", [floats(2, 5, 24), *ANGLES, PLACES], opset=23, num_heads=3),
    case("RotaryEmbedding", [floats(2, 3, 5, 8), *[floats(2, 5, 4, seed=6)] * 2], opset=23, id="no-positions"),
]

CASES = ELEMENTWISE + LINEAR + POOLS + NORMS + ATTENTION + REDUCTIONS + SHAPES + INDEXING + RESIZES + QUANTIZED


def build(op, inputs, opset, outputs, constants, attributes, dynamic):
    names = ["" if array is None else f"in{i}" for i, array in enumerate(inputs)]
    results = [f"out{i}" for i in range(outputs)]
    node = helper.make_node(op, names, results, name="node", **attributes)
    given = {name: np.asarray(array) for name, array in zip(names, inputs) if name}
    fixed = {names[i] for i in constants}
    return given, model_of(
        [node],
        {name: array for name, array in given.items() if name not in fixed},
        results,
        opset,
        {name: given[name] for name in fixed},
        dynamic,
    )


@pytest.mark.parametrize("op, inputs, opset, outputs, constants, rtol, atol, dynamic, attributes", CASES)
def test_operator(op, inputs, opset, outputs, constants, rtol, atol, dynamic, attributes, tmp_path):
    given, model = build(op, inputs, opset, outputs, constants, attributes, dynamic=False)
    expected = run_ort(model, given)
    for is_dynamic in (False, True) if dynamic else (False,):
        _, model = build(op, inputs, opset, outputs, constants, attributes, is_dynamic)
        actual = run_here(model, given, tmp_path)
        assert len(actual) == outputs
        for mine, theirs in zip(actual, expected):
            assert_same(mine, theirs, rtol, atol)


def test_pool_windows_never_start_in_the_end_padding(tmp_path):
    """The second window of ceil_mode would start behind the input: there is one window only, and no -inf or NaN."""
    x = floats(1, 1, 4, 4)
    for op, reduce in (("MaxPool", np.max), ("AveragePool", np.mean)):
        node = helper.make_node(op, ["x"], ["y"], kernel_shape=[2, 2], strides=[4, 4], pads=[0, 0, 1, 1], ceil_mode=1)
        (y,) = run_here(model_of([node], {"x": x}, ["y"], 19), {"x": x}, tmp_path)
        assert y.shape == (1, 1, 1, 1)
        np.testing.assert_allclose(y, reduce(x[:, :, :2, :2], axis=(2, 3), keepdims=True), rtol=1e-6)
