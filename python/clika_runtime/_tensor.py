"""Tensors from Python data."""

from typing import Any

import numpy as np

from . import _core
from ._core import DataType, Tensor
from ._calls import named_call
from ._errors import ArgumentTypeError, Error, InvalidArgumentError, OutOfMemoryError, UnsupportedError

# The element types as NumPy names them; bfloat16 comes from the package ml_dtypes.
_BY_NAME = {str(dtype): dtype for dtype in DataType}


@named_call()
def tensor(data: Any, dtype: Any = None) -> Tensor:
    """A tensor with a copy of `data`: numbers, nested sequences of them, NumPy arrays of any layout, or an object of
    another library that offers `__array__`, `__dlpack__` or a buffer.

    Python floats become float32 and ints int64; arrays keep their element type. With `dtype` the values must fit it:
    integers refuse fractions and what is out of their range, floats round.

    Args:
        data: The elements. A tensor is given back as it is.
        dtype: A DataType, its name, or what `numpy.dtype` takes; None: the data's own.
    Raises:
        InvalidArgumentError: the data is or holds no numbers, is ragged, or does not fit the dtype.
        UnsupportedError: NumPy's element type is none of ours.
    """
    wanted = None if dtype is None else _core.to_data_type(dtype, "tensor")
    if isinstance(data, Tensor):
        if wanted is not None and wanted != data.dtype:
            raise InvalidArgumentError(f"tensor: the tensor is {data.dtype}, not {wanted}; convert it with "
                                       "clika_runtime.cast")
        return data
    array = _array_of(data, wanted)
    if wanted is None:
        wanted = _own_type(array, data)
    return _core.tensor_from_array(_converted(array, wanted), wanted)


def constant(data: Any, dtype: DataType | None, call: str, what: str) -> Tensor:
    """What `call` takes for its tensor `what`: numbers, or nested lists of them, as `dtype`, which must hold them. NumPy
    values have a dtype of their own and keep it; without `dtype`, as `tensor` makes it."""
    try:
        if dtype is None or _holds_arrays(data):
            return tensor(data)
        array = _array_of(data, dtype)
        if array.size == 0:  # of no kind
            array = array.astype(np.bool_)
        _check_kind(array, data, dtype)
        converted = _converted(array, dtype)
        if _overflows(array, converted, dtype):
            raise InvalidArgumentError(f"tensor: the data holds numbers that leave the range of {dtype}; give values of "
                                       "the type's range, or infinity")
        return _core.tensor_from_array(converted, dtype)
    except Error as error:
        message = str(error).removeprefix("tensor: ")
        raise type(error)(f"{call}: {what}: {message}", code_name=error.code_name) from None


def restored(array: np.ndarray, dtype: DataType) -> Tensor:
    """A tensor that was pickled, from its elements or their bits."""
    return _core.tensor_from_array(np.asarray(array, array.dtype.newbyteorder("="), order="C"), dtype)


@named_call()
def empty(shape: Any, dtype: Any) -> Tensor:
    """A tensor without defined content, for `run_into` to fill.

    Args:
        shape: The sizes, or one size.
        dtype: A DataType, its name, or what `numpy.dtype` takes.
    """
    return _core.tensor_empty(shape, dtype)


@named_call()
def from_dlpack(x: Any) -> Tensor:
    """A tensor over the memory of `x`, an object with `__dlpack__`; it is copied only where its layout asks for it.

    Raises:
        InvalidArgumentError: `x` offers no `__dlpack__`.
        UnsupportedError: it lies on another device than the CPU, or its element type is none of ours.
    """
    return _core.from_dlpack(x)


def _array_of(data: Any, wanted: DataType | None) -> np.ndarray:
    if isinstance(data, np.ma.MaskedArray):
        raise InvalidArgumentError("tensor: a masked array has no values under its mask; fill it first (data.filled())")
    if hasattr(data, "__dlpack__") and not hasattr(data, "__array__"):
        shared = _core.from_dlpack(data)
        return _core.bits_array(shared) if shared.dtype == DataType.BFloat16 else shared.numpy()
    try:
        array = np.asarray(data)
    except MemoryError as error:
        raise OutOfMemoryError(f"tensor: {error}") from error
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(f"tensor: the data makes no rectangular array of numbers ({error})") from error
    if array.dtype.kind == "O" and array.size and all(type(number) is int for number in array.flat):
        return _large_integers(array, wanted)
    return array


def _large_integers(array: np.ndarray, wanted: DataType | None) -> np.ndarray:
    """Integers beyond 64 bits, which floating-point types round."""
    if wanted in (DataType.Float16, DataType.BFloat16, DataType.Float32, DataType.Float64):
        try:
            return array.astype(np.float64)
        except OverflowError:
            pass
    raise InvalidArgumentError(f"tensor: the data holds integers that {wanted or 'int64'} does not; give smaller "
                               "ones, or floats")


def _own_type(array: np.ndarray, data: Any) -> DataType:
    name = array.dtype.name
    _check_numbers(array, data)
    if name == "float64" and not _holds_arrays(data):
        return DataType.Float32
    if name not in _BY_NAME:
        raise UnsupportedError(f"tensor: the element type {name} has no equal here; convert the array to one of "
                               f"{', '.join(_BY_NAME)}")
    return _BY_NAME[name]


def _check_numbers(array: np.ndarray, data: Any) -> None:
    if array.dtype.kind in "OSUV" and array.dtype.name not in _BY_NAME:
        raise ArgumentTypeError(f"tensor: the data, a {type(data).__name__}, is or holds what is no number (NumPy makes it "
                                f"an array of {array.dtype.name}); give numbers, sequences of them or an array")


def _holds_arrays(data: Any) -> bool:
    """Whether a NumPy value (which chose its float64) stands anywhere in nested Python sequences."""
    if isinstance(data, (list, tuple)):
        return any(_holds_arrays(entry) for entry in data)
    return hasattr(data, "dtype") or not isinstance(data, (int, float))


def _converted(array: np.ndarray, dtype: DataType) -> np.ndarray:
    """`array` in row-major order and native bytes, as NumPy's `dtype`; bfloat16 as the bits in uint16."""
    source = array.dtype.name
    _check_numbers(array, array)
    if source not in _BY_NAME:
        raise UnsupportedError(f"tensor: the element type {source} has no equal here; convert the array to one of "
                               f"{', '.join(_BY_NAME)}")
    if dtype == DataType.BFloat16:
        return _core.to_bfloat16_bits(np.asarray(array, np.float64, order="C")) if source != "bfloat16" else \
            np.asarray(array, order="C").view(np.uint16)
    target = np.dtype(str(dtype))
    if source != target.name:
        _check_fits(array, target)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(array, target.newbyteorder("="), order="C")


def _check_kind(array: np.ndarray, data: Any, dtype: DataType) -> None:
    """Numbers take a Bool tensor's dtype where they are 0 and 1."""
    _check_numbers(array, data)
    if dtype == DataType.Bool and not np.all((array == 0) | (array == 1)):
        raise InvalidArgumentError("tensor: the data holds values that bool does not; give True and False")


def _overflows(array: np.ndarray, converted: np.ndarray, dtype: DataType) -> bool:
    if dtype == DataType.BFloat16:
        finite = (converted & 0x7F80) != 0x7F80
    else:
        finite = np.isfinite(converted)
    return bool(np.any(np.isfinite(array) & ~finite))


def _check_fits(array: np.ndarray, target: np.dtype) -> None:
    if target.kind in "fb" or array.size == 0:
        return
    low, high = np.iinfo(target).min, np.iinfo(target).max
    if array.dtype.kind in "iu":
        fits = int(array.min()) >= low and int(array.max()) <= high
    elif array.dtype.kind == "b":
        return
    else:
        # high + 1 is a power of two, so exact as a float where high itself may not be.
        wide = array.astype(np.float64)
        fits = bool(np.all((np.trunc(wide) == wide) & (wide >= float(low)) & (wide < float(high + 1))))
    if not fits:
        raise InvalidArgumentError(f"tensor: the data holds values that {target.name} does not; give whole numbers "
                                   f"from {low} to {high}, or convert with clika_runtime.cast")
