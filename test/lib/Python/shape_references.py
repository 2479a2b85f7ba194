"""Shapes, indices, resizing and quantization in NumPy. The functions bear the ops' names."""

import builtins
import fractions
import functools
import math

import numpy as np
import onnx.helper
import onnx.reference
import references

COORDINATES = {"HalfPixel": "half_pixel", "HalfPixelSymmetric": "half_pixel_symmetric", "PytorchHalfPixel": "pytorch_half_pixel",
               "AlignCorners": "align_corners", "Asymmetric": "asymmetric", "TfCropAndResize": "tf_crop_and_resize"}  # fmt: skip
COMBINE = {"Replace": lambda old, new: new, "Add": np.add, "Mul": np.multiply, "Max": np.maximum, "Min": np.minimum}


def ints(values):
    return [int(value) for value in values]


def reshape(x, shape, allow_zero):
    sizes = [x.shape[i] if size == 0 and not allow_zero else size for i, size in enumerate(ints(shape))]
    return x.reshape(sizes) if x.size else np.zeros(sizes, x.dtype)


def split(x, sizes, num, axis):
    if not len(sizes):
        part = -(-x.shape[axis] // num)
        sizes = [max(0, min(part, x.shape[axis] - i * part)) for i in builtins.range(num)]
    return np.split(x, np.cumsum(ints(sizes))[:-1], axis)


def slice(x, starts, ends, axes, steps):
    where = [builtins.slice(None)] * x.ndim
    for k, (start, end) in enumerate(zip(ints(starts), ints(ends))):
        axis, step = int(axes[k]) if len(axes) else k, int(steps[k]) if len(steps) else 1
        where[axis] = builtins.slice(start, None if step < 0 and end < -x.shape[axis] else end, step)
    return x[tuple(where)]


def pad(x, pads, axes, value, mode):
    pads, axes = ints(pads), [axis % x.ndim for axis in ints(axes)] or list(builtins.range(x.ndim))
    pairs = [(0, 0)] * x.ndim
    for k, axis in enumerate(axes):
        pairs[axis] = (pads[k], pads[k + len(axes)])
    kept = x[tuple(builtins.slice(max(-low, 0), size - max(-high, 0)) for (low, high), size in zip(pairs, x.shape))]
    options = {"constant_values": np.asarray(0 if value is None else value).astype(x.dtype)} if mode == "Constant" else {}
    return kept if not pairs else np.pad(kept, [(max(low, 0), max(high, 0)) for low, high in pairs], mode.lower(), **options)


def expand(x, shape):
    return np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(ints(shape))))


def tile(x, repeats):
    return np.tile(x, ints(repeats)) if len(repeats) else x


def full(shape, value, dtype):
    return np.full(ints(shape), value, dtype if dtype is not None else getattr(value, "dtype", None))


def range(start, limit, delta, dtype):
    start, delta = 0 if start is None else start, 1 if delta is None else delta
    dtype = dtype if dtype is not None else np.asarray(limit).dtype
    steps = (float(limit) - float(start)) / float(delta)
    count = math.ceil(steps) if steps > 0 else 0
    return np.asarray(start, dtype) + np.arange(count).astype(dtype) * np.asarray(delta, dtype)


def depth_to_space(x, block_size, mode):
    n, c, h, w = x.shape
    b, c = block_size, c // block_size**2
    parts = x.reshape(n, b, b, c, h, w).transpose(0, 3, 4, 1, 5, 2) if mode == "Dcr" else x.reshape(n, c, b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
    return parts.reshape(n, c, h * b, w * b)


def space_to_depth(x, block_size):
    n, c, h, w = x.shape
    b, h, w = block_size, h // block_size, w // block_size
    return x.reshape(n, c, h, b, w, b).transpose(0, 3, 5, 1, 2, 4).reshape(n, c * b * b, h, w)


def trilu(x, k, upper):
    return (np.triu if upper else np.tril)(x, 0 if k is None else int(k))


def gather_elements(x, indices, axis):
    axis %= x.ndim
    kept = tuple(builtins.slice(None if i == axis else size) for i, size in enumerate(indices.shape))
    return np.take_along_axis(x[kept], np.where(indices < 0, indices + x.shape[axis], indices), axis)


def gather_nd(x, indices, batch_dims):
    many, length = indices.shape[:-1], indices.shape[-1]
    result = np.zeros(many + x.shape[batch_dims + length :], x.dtype)
    for place in np.ndindex(*many):
        result[place] = x[place[:batch_dims] + tuple(indices[place])]
    return result


def rounded(number):
    """Each step in half precision is rounded."""
    half = references.rounded_to
    return number if half is None else number.astype(half).astype(number.dtype)


def scatter_elements(x, indices, updates, axis, reduction):
    result = x.copy()
    for place in np.ndindex(*indices.shape):
        target = list(place)
        target[axis] = indices[place]
        result[tuple(target)] = rounded(COMBINE[reduction](result[tuple(target)], updates[place]))
    return result


def scatter_nd(x, indices, updates, reduction):
    result = x.copy()
    for place in np.ndindex(*indices.shape[:-1]):
        target = tuple(indices[place])
        result[target] = rounded(COMBINE[reduction](result[target], updates[place]))
    return result


def one_hot(indices, values, depth, axis):
    depth, rank = int(depth), indices.ndim + 1
    line = np.arange(depth).reshape([-1 if i == axis % rank else 1 for i in builtins.range(rank)])
    whole = np.trunc(indices).astype(np.int64)
    return np.where(np.expand_dims(np.where(whole < 0, whole + depth, whole), axis) == line, values[1], values[0])


def topk(x, k, axis, largest, sorted):
    """Full sort by value, NaN above all, ties by the lower index."""
    rows = np.moveaxis(x, axis, -1)
    indices = np.zeros((*rows.shape[:-1], int(k)), np.int64)
    for place in np.ndindex(*rows.shape[:-1]):
        row = [(value != value, 0 if value != value else value) for value in rows[place].tolist()]

        def compare(i, j, row=row):
            return i - j if row[i] == row[j] else -1 if (row[i] > row[j]) == largest else 1

        indices[place] = builtins.sorted(builtins.range(len(row)), key=functools.cmp_to_key(compare))[: int(k)]
    indices = np.moveaxis(indices, -1, axis)
    return [np.take_along_axis(x, indices, axis), indices]


def resize(x, roi, scales, sizes, mode, extrapolation_value, cubic_coeff_a, **settings):
    """Nearest: ONNX's own reference of positions, as it weighs neighbours by zeros. Else, where pixels' centres meet, the
    sums themselves, as it takes scales for float32."""
    if x.size == 0 or x.ndim == 0 or (scales is None and 0 in ints(sizes)):
        return x if x.ndim == 0 else np.zeros(ints(sizes) if scales is None else [int(n * s) for n, s in zip(x.shape, scales)], x.dtype)
    lists = {"roi": roi, "scales": scales, "sizes": None if sizes is None or not len(sizes) else np.array(sizes, np.int64)}
    if mode == "Nearest":
        places = np.arange(x.size, dtype=np.float64).reshape(x.shape)
        nearest = resized(places, lists, mode=mode, extrapolation_value=-1.0, **settings).astype(np.int64)
        return np.where(nearest < 0, np.asarray(extrapolation_value).astype(x.dtype), x.reshape(-1)[nearest])
    sizes = ints(sizes) if lists["sizes"] is not None else [int(n * float(scale)) for n, scale in zip(x.shape, scales)]
    for axis, size in enumerate(sizes):
        ratio = fractions.Fraction(size, x.shape[axis]) if scales is None else fractions.Fraction(float(scales[axis]))
        weights = weights_of(x.shape[axis], size, ratio, mode, fractions.Fraction(cubic_coeff_a)).astype(x.dtype)
        x = np.moveaxis(np.tensordot(weights, x, (1, axis)), 0, axis)
    return x


def weights_of(size, wanted, ratio, mode, a):
    """Of each result's element the weight of each of x's, by exact arithmetic."""

    def cubic(t):
        return (a + 2) * t**3 - (a + 3) * t**2 + 1 if t <= 1 else a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a

    weigh, reach = ((lambda t: 1 - t), 1) if mode == "Linear" else (cubic, 2)
    weights = np.zeros((wanted, size))
    for i in builtins.range(wanted):
        place = fractions.Fraction(2 * i + 1, 2) / ratio - fractions.Fraction(1, 2)
        for j in builtins.range(math.floor(place) - reach + 1, math.floor(place) + reach + 1):
            weights[i, min(max(j, 0), size - 1)] += float(weigh(abs(place - j)))
    return weights


def resized(x, lists, **settings):
    names = {"mode": str.lower, "coordinate_transformation_mode": COORDINATES.get, "nearest_mode": snake, "keep_aspect_ratio_policy": snake}
    attributes = {name: names[name](value) if name in names else int(value) if isinstance(value, bool) else value
                  for name, value in settings.items() if value != []}  # fmt: skip
    feeds = {"x": x.astype(np.float64)} | {name: np.asarray(value) for name, value in lists.items() if value is not None}
    feeds = {name: value.astype(np.float32) if name in ("roi", "scales") else value for name, value in feeds.items()}
    node = onnx.helper.make_node("Resize", [name if name in feeds else "" for name in ("x", *lists)], ["y"], **attributes)
    kinds = {name: onnx.helper.np_dtype_to_tensor_dtype(value.dtype) for name, value in feeds.items()}
    inputs = [onnx.helper.make_tensor_value_info(name, kinds[name], value.shape) for name, value in feeds.items()]
    graph = onnx.helper.make_graph([node], "g", inputs, [onnx.helper.make_tensor_value_info("y", kinds["x"], None)])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 19)])
    return np.asarray(onnx.reference.ReferenceEvaluator(model).run(None, feeds)[0]).astype(x.dtype)


def snake(name):
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def spread(x, steps, axis, block_size):
    """A scale or zero point for each element of x."""
    if steps is None or steps.ndim == 0:
        return steps
    if block_size:
        kept = tuple(builtins.slice(size) for size in x.shape)
        return np.repeat(steps, block_size, axis)[kept]
    return steps.reshape([-1 if i == axis % x.ndim else 1 for i in builtins.range(x.ndim)])


def quantize(x, scale, zero_point, axis, block_size, dtype):
    dtype = zero_point.dtype if zero_point is not None else dtype or np.dtype(np.uint8)
    zero = 0 if zero_point is None else spread(x, zero_point, axis, block_size).astype(np.int64)
    info = np.iinfo(dtype)
    steps = np.rint(x / spread(x, scale, axis, block_size)).astype(np.float64) + zero
    steps = np.where(np.isnan(steps), zero, steps)
    return np.clip(steps, info.min, info.max).astype(np.int64).astype(dtype)


def dequantize(x, scale, zero_point, axis, block_size):
    zero = 0 if zero_point is None else spread(x, zero_point, axis, block_size).astype(np.int64)
    steps = spread(x, scale, axis, block_size)
    return (x.astype(np.int64) - zero).astype(steps.dtype) * steps
