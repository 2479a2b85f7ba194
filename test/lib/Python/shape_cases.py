"""The numeric cases of the ops that move, pick, resize and quantize elements. For each op, of a dtype."""

import functools

import numpy as np
import sum_cases
from op_cases import OTHER_DTYPES, Case, Sums, dtype_of, is_float
from sum_cases import some, values

MOST = 2**63 - 1
INDEX, QUANTIZED = OTHER_DTYPES["index"], OTHER_DTYPES["quantized"]


# Elements are moved, not added up: every other one may be special.
special = functools.partial(sum_cases.special, every=2)


def lists(operands, dtype=np.int64):
    return [None if numbers is None else np.array(numbers, dtype) for numbers in operands]


def both(op, dtype, x, given, settings=None):
    """Lists of ints as settings; for some dtypes also as tensors of either index type."""
    names = list(given)
    yield Case(op, [x], {**given, **(settings or {})})
    for index in INDEX if dtype in (np.float32, np.int32) else ():
        # A tensor has a length; an empty list is left out.
        operands = lists([given[name] if len(given[name]) else None for name in names], index)
        yield Case(op, [x, *operands], settings or {})


RESHAPED = [((2, 3, 4), [4, -1]), ((), [1, 1]), ((0, 3), [0, 5]), ((2, 3, 4), [0, -1]), ((1, 1), []), ((), []), ((2, 3, 4), [4, 0, -1]),
            ((2, 12), [-1, 3, 4]), ((1, 6, 1), [2, 1, 3])]  # fmt: skip


def reshape(op, dtype):
    for shape, target in some(dtype, RESHAPED):
        yield from both(op, dtype, special(dtype, shape), {"shape": target})
    yield Case(op, [values(dtype, (0, 3))], {"shape": [3, 0], "allow_zero": True})


def transpose(op, dtype):
    for shape, perm in some(dtype, [((2, 3, 4, 5), [0, 2, 1, 3]), ((), []), ((0, 3), [1, 0]), ((2, 3, 4, 5), [0, 1, -1, 2]), ((3,), [0]),
                                    ((1, 3, 1), [2, 1, 0]), ((33, 17), [1, 0]), ((2, 3, 4), [])]):  # fmt: skip
        yield Case(op, [special(dtype, shape)], {"perm": perm})


def concat(op, dtype):
    x, y = special(dtype, (4, 5)), values(dtype, (4, 2), 1)
    yield Case(op, [[x, y, x]], {"axis": -1})
    yield Case(op, [[values(dtype, (0, 5)), x, values(dtype, (3, 5))]])
    yield Case(op, [[x]])


SPLITS = [((5, 6), [1, 4], 0, 0), ((5, 6), [], 4, 1), ((0, 6), [], 2, 0), ((5, 6), [0, 5], 0, 0), ((5,), [], 3, 0), ((2, 7), [2, 2, 3], 0, -1)]


def split(op, dtype):
    for shape, sizes, num, axis in some(dtype, SPLITS):
        x = special(dtype, shape)
        if sizes:
            yield from both(op, dtype, x, {"sizes": sizes}, {"axis": axis})
        else:
            yield Case(op, [x], {"num": num, "axis": axis})


SLICES = [((5, 6), [4, 1], [0, 100], [0, 1], [-2, 2]), ((5, 6), [0, -2], [MOST, MOST], [], []), ((0, 3), [0], [2], [0], [1]),
          ((5, 6), [-1], [-MOST], [1], [-1]), ((5, 6), [1], [3], [], []), ((5, 6), [3], [1], [0], [1]), ((5, 6), [-100], [100], [-1], [4]),
          ((5,), [100], [-100], [0], [-3]), ((5, 6), [2, 2], [3, 3], [1, 0], []), ((5,), [4], [-MOST - 1], [0], [-MOST]), ((), [], [], [], [])]  # fmt: skip


def slice(op, dtype):
    for shape, starts, ends, axes, steps in some(dtype, SLICES):
        given = {"starts": starts, "ends": ends, "axes": axes, "steps": steps}
        x = special(dtype, shape)
        yield Case(op, [x], given)
        far = any(abs(number) > 2**31 for number in starts + ends + steps)
        for index in INDEX[far:] if starts and dtype in (np.float32, np.int32) else ():
            yield Case(op, [x, *lists([numbers or None for numbers in given.values()], index)])


PADS = [((3, 4), [1, 2, 0, 3]), ((3, 4), [-1, 0, 2, -2]), ((3, 4), [0, 0, 0, 0]), ((5,), [4, 3]), ((3, 4), [-2, 1, 1, -3])]


def pad(op, dtype):
    for shape, pads in some(dtype, PADS, 2):
        for mode in ("Constant", "Reflect", "Edge", "Wrap"):
            if mode == "Reflect" and any(pad > 1 for pad in pads) and min(shape) < 4:
                pads = [min(pad, 1) for pad in pads]
            yield from both(op, dtype, special(dtype, shape), {"pads": pads}, {"mode": mode})
    x, one = values(dtype, (2, 3)), np.ones((), dtype)
    yield Case(op, [x, None, None, one], {"pads": [1, 2], "axes": [-1]})
    yield Case(op, [x], {"pads": [1, 2], "axes": [0], "value": 1})
    for index in INDEX:
        yield Case(op, [x, *lists([[1, 2], [0]], index), one])
    yield Case(op, [values(dtype, (0, 3))], {"pads": [1, 0, 1, 0]})
    yield Case(op, [values(dtype, ())], {"pads": []})


def squeeze(op, dtype):
    for shape, axes in some(dtype, [((5, 1, 1, 3), [1, 2]), ((1, 1), [0, 1]), ((1, 0, 1), [0]), ((1, 3, 1), [-1, 0]), ((), [])]):
        yield Case(op, [special(dtype, shape)], {"axes": axes})


def unsqueeze(op, dtype):
    for shape, axes in some(dtype, [((3, 4), [-1, 0]), ((), [0, 1]), ((0, 2), [1]), ((3, 4), [1, 2, 3]), ((), [])]):
        yield Case(op, [special(dtype, shape)], {"axes": axes})


def expand(op, dtype):
    for shape, target in some(dtype, [((3, 1), [2, 1, 6]), ((), [2, 3]), ((1,), [0]), ((), []), ((3, 4), [1]), ((1, 0), [3, 1]), ((2, 3), [2, 3])]):
        yield from both(op, dtype, special(dtype, shape), {"shape": target})


def tile(op, dtype):
    for shape, repeats in some(dtype, [((2, 1, 5), [1, 4, 2]), ((), []), ((0, 2), [2, 2]), ((2,), [0])]):
        yield from both(op, dtype, special(dtype, shape), {"repeats": repeats})


def flip(op, dtype):
    for shape, axes in some(dtype, [((2, 3), [0]), ((), []), ((0, 3), [0]), ((2, 3, 5), [-1, 1]), ((5,), [0]), ((2, 3), [])]):
        yield Case(op, [special(dtype, shape)], {"axes": axes})


def shape(op, dtype):
    x = special(dtype, (2, 3, 4))
    for settings in ({}, {"start": 1}, {"start": -2, "end": -1}, {"start": 2, "end": 1}, {"start": -10, "end": 10}):
        yield Case(op, [x], settings)
    yield from (Case(op, [values(dtype, sizes)]) for sizes in ((), (0, 2)))


def size(op, dtype):
    yield from (Case(op, [special(dtype, sizes)]) for sizes in ((2, 3, 4), (), (0, 2)))


def full(op, dtype):
    for sizes in ([2, 3], [], [0, 2]):
        for value in special(dtype, (12,))[::4 if sizes else 1]:
            yield Case(op, [None, np.array(value)], {"shape": sizes})
    for index in INDEX:
        for sizes in ([2, 3], [], [2, 1, 3]):
            yield Case(op, [np.array(sizes, index), np.ones((), dtype)])
        yield Case(op, [np.array([3], index)], {"value": 1, "dtype": dtype_of(dtype)})


def range(op, dtype):
    bounds = [(0, 5, 1), (1, 7, 2), (3, 3, 1), (5, 1, 1), (0, 5, 7), (3, 120, 50)] + ([(5, 0, -2)] if dtype.kind != "u" else [])
    for bound in bounds + ([(0.5, 2, 0.25)] if is_float(dtype) else []):
        yield Case(op, [np.array(number, dtype) for number in bound])
    yield Case(op, [None, np.array(4, dtype), None])
    # Only the number of elements may be infinite, or none.
    for bound in [(0, -np.inf, 1), (np.inf, 3, 1), (0, np.inf, -1), (2, 5, np.inf), (5, 2, -np.inf), (-0.0, 2, 1), (-2, -0.0, 1)] if is_float(dtype) else ():
        yield Case(op, [np.array(number, dtype) for number in bound])


def depth_to_space(op, dtype):
    for mode in ("Dcr", "Crd"):
        yield Case(op, [special(dtype, (2, 8, 2, 3))], {"block_size": 2, "mode": mode})
        yield Case(op, [special(dtype, (0, 9, 1, 2))], {"block_size": 3, "mode": mode})


def space_to_depth(op, dtype):
    for shape, block in (((2, 3, 6, 9), 3), ((0, 2, 2, 4), 2), ((1, 1, 1, 3), 1)):
        yield Case(op, [special(dtype, shape)], {"block_size": block})


def trilu(op, dtype):
    for shape in some(dtype, [(3, 4), (0, 3), (2, 4, 3), (5, 1)], 2):
        for k in (0, 1, -2, 10):
            yield Case(op, [special(dtype, shape)], {"k": k})
            yield Case(op, [special(dtype, shape), np.array(k)], {"upper": False})


#
# Indices
#


def places(shape, size, dtype=np.int64, seed=3):
    """Good for an axis of `size`, negative ones included."""
    return np.asarray(np.random.default_rng(seed).integers(-size, size, shape) if size else np.zeros(shape)).astype(dtype)


def rows_of_places(shape, sizes, dtype):
    return np.stack([places(shape, size, dtype, k) for k, size in enumerate(sizes)], -1)


TAKEN = [((5, 3), (2, 2), 1), ((5, 3), (), 0), ((0, 3), (0,), 0), ((2, 5, 3), (4,), -2), ((5,), (0,), 0), ((3, 0), (2,), 0), ((7, 64), (3,), 0)]


def gather(op, dtype):
    for i, (shape, many, axis) in enumerate(some(dtype, TAKEN)):
        yield Case(op, [special(dtype, shape), places(many, shape[axis], INDEX[i % 2])], {"axis": axis})


ALONG = [((5, 3), (4, 7), 1), ((2, 3), (0, 2), 1), ((5, 3), (2, 3), 0), ((5,), (3,), 0), ((2, 3, 4), (1, 2, 4), -1)]


def gather_elements(op, dtype):
    for i, (shape, many, axis) in enumerate(some(dtype, ALONG)):
        yield Case(op, [special(dtype, shape), places(many, shape[axis], INDEX[i % 2])], {"axis": axis})


def combinations(dtype):
    return ("Replace",) if dtype == bool else ("Replace", "Add", "Mul", "Max", "Min")


def scatter_elements(op, dtype):
    for i, (shape, many, axis) in enumerate(some(dtype, ALONG, 2)):
        for reduction in combinations(dtype):
            indices, updates = places(many, shape[axis], INDEX[i % 2]), values(dtype, many, 1)
            x = values(dtype, shape) if reduction in ("Max", "Min") else special(dtype, shape)
            yield Case(op, [x, indices, updates], {"axis": axis, "reduction": reduction})


ROWS = [((3, 4, 5), (2, 2), 3, 0), ((3, 4), (), 2, 0), ((3, 4), (0,), 2, 0), ((3, 4, 5), (3, 2), 1, 1), ((3, 4, 5), (2,), 1, 0),
        ((3, 4, 5), (3, 4), 1, 2)]  # fmt: skip


def gather_nd(op, dtype):
    for i, (shape, many, length, batch) in enumerate(some(dtype, ROWS)):
        indices = rows_of_places(many, shape[batch : batch + length], INDEX[i % 2])
        yield Case(op, [special(dtype, shape), indices], {"batch_dims": batch}, fixed=(1,))


def scatter_nd(op, dtype):
    for i, (shape, many, length) in enumerate(some(dtype, [((5, 3), (2, 2), 2), ((5, 3), (), 1), ((5, 3), (0,), 1), ((2, 3, 4), (3,), 2)], 2)):
        for reduction in combinations(dtype):
            indices, updates = rows_of_places(many, shape[:length], INDEX[i % 2]), values(dtype, many + shape[length:], 1)
            x = values(dtype, shape) if reduction in ("Max", "Min") else special(dtype, shape)
            yield Case(op, [x, indices, updates], {"reduction": reduction}, fixed=(1,))


def one_hot(op, dtype):
    kinds = [np.int64, np.int32, np.uint8, np.float32]
    for i, (shape, axis) in enumerate([((3,), -1), ((2, 3), 1), ((), -1), ((0,), -1), ((3,), 0)]):
        kind = np.dtype(kinds[i % 4])
        indices = np.asarray(np.random.default_rng(4).integers(0 if kind.kind == "u" else -6, 7, shape)).astype(kind)
        marks = values(dtype, (2,)) if dtype != bool else np.array([False, True])
        if is_float(dtype):
            marks[:] = [[0.0, 1.5], [-0.0, np.nan], [np.inf, -np.inf]][i % 3]
        yield Case(op, [indices, marks], {"depth": 4, "axis": axis})
        yield Case(op, [indices, marks, np.array(4, kinds[(i + 2) % 4])], {"axis": axis})


TOPS = [((2, 33, 3), 33, 1), ((5,), 0, 0), ((3, 0), 0, 1), ((2, 64), 10, -1), ((5,), 3, 0), ((7, 2), 4, 0), ((1,), 1, 0), ((0, 3), 2, 1)]


def topk(op, dtype):
    for i, (shape, k, axis) in enumerate(some(dtype, TOPS)):
        x = special(dtype, shape, i)
        yield Case(op, [x], {"k": k, "axis": axis, "largest": i % 2 == 0})
        yield Case(op, [x, np.array(k, INDEX[i % 2])], {"axis": axis, "largest": i % 2 == 1})


def non_zero(op, dtype):
    for shape in some(dtype, [(3, 7), (0, 3), (5,), (2, 3, 2)]):
        yield Case(op, [np.where(np.arange(np.prod(shape)).reshape(shape) % 4, special(dtype, shape), np.zeros((), dtype))])
    yield from (Case(op, [np.array(number, dtype)]) for number in (0, 1))


#
# Resizing and quantization
#


def resize(op, dtype):
    x = values(dtype, (3, 5))
    scales = np.array([1.5, 0.75], np.float32)
    for settings in ({}, {"coordinate_transformation_mode": "Asymmetric", "nearest_mode": "Floor"}):
        yield Case(op, [special(dtype, (5, 9)) if is_float(dtype) else x], {"sizes": [7, 3], **settings})
        yield Case(op, [x, None, scales], settings, fixed=(2,))
    for index in INDEX:
        yield Case(op, [x, None, None, np.array([2, 9], index)])
    for mode in ("Linear", "Cubic") if is_float(dtype) else ():
        yield Case(op, [x], {"sizes": [7, 3], "mode": mode}, Sums(32, 2.0))
        yield Case(op, [x, None, scales], {"mode": mode}, Sums(32, 2.0), (2,))
    for mode in ("Nearest", "Linear", "Cubic") if is_float(dtype) else ("Nearest",):
        yield Case(op, [values(dtype, ()), None, np.zeros(0, np.float32)], {"mode": mode}, fixed=(2,))
        yield Case(op, [values(dtype, (0, 5))], {"sizes": [0, 3], "mode": mode})
        yield Case(op, [values(dtype, (3, 5))], {"sizes": [0, 3], "mode": mode})
        yield Case(op, [values(dtype, (3, 0)), None, np.array([2, 0.5], np.float32)], {"mode": mode}, fixed=(2,))
    for kind in (np.float32, np.float64):
        roi = np.array([0.25, 0.5, 1, 1.5], kind)
        yield Case(op, [x, roi], {"sizes": [4, 4], "coordinate_transformation_mode": "TfCropAndResize", "extrapolation_value": 3.0}, fixed=(1,))


def steps(kind, dtype):
    """Of x of shape [3, 4] a scale, a zero point and the block's size: for all, for each along axis 1, for blocks of three."""
    if kind == "tensor":
        return np.array(0.5, dtype), np.array(5), 0
    if kind == "axis":
        return np.array([0.5, 1, 2, 0.25], dtype), np.arange(4), 0
    return np.array([[0.5, 1], [2, 0.25], [1, 1]], dtype), np.arange(6).reshape(3, 2), 3


def quantize(op, dtype):
    x = (values(dtype, (3, 4)) * np.asarray(50, dtype)).astype(dtype)
    x[0] = [2.5, -0.5, 1e4, -1e4]
    x[1] = [np.inf, -np.inf, np.nan, -0.0]
    for kind in ("tensor", "axis", "block"):
        scale, zero, block = steps(kind, dtype)
        for target in QUANTIZED:
            settings = {"axis": 1, "block_size": block}
            yield Case(op, [x, scale, zero.astype(target)], settings)
            yield Case(op, [x, scale], {**settings, "dtype": dtype_of(target)})
    one = np.ones((), dtype)
    yield Case(op, [values(dtype, (0, 3)), one])
    yield Case(op, [np.array(3.2, dtype), one])


def dequantize(op, dtype):
    for float_dtype in ("float32", "float64", "float16"):
        for kind in ("tensor", "axis", "block"):
            scale, zero, block = steps(kind, np.dtype(float_dtype))
            small = (values(dtype, (3, 4)) % 100).astype(dtype)
            yield Case(op, [small, scale, zero.astype(dtype)], {"axis": 1, "block_size": block})
            yield Case(op, [small, scale], {"axis": 1, "block_size": block})
    for shape in ((0, 3), ()):
        yield Case(op, [values(dtype, shape), np.array(0.5, np.float32)])


NAMES = ("reshape transpose concat split slice pad squeeze unsqueeze expand tile flip shape size full range depth_to_space space_to_depth "
         "trilu gather gather_elements gather_nd scatter_elements scatter_nd one_hot topk non_zero resize quantize dequantize")  # fmt: skip
CASES = {name: globals()[name] for name in NAMES.split()}
