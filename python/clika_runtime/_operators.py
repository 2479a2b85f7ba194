"""Tensor's operators and indexing, over the public ops."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from . import _core, ops
from ._core import DataType, Tensor
from ._errors import ArgumentTypeError, InvalidArgumentError
from ._tensor import tensor

_LAST, _FIRST = 2**63 - 1, -(2**63)
_WHOLE = slice(0, _LAST, 1)

# Each operator's method and the op it calls.
_BINARY = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "div",
    "floordiv": "floor_div",
    "mod": "remainder",
    "pow": "pow",
    "matmul": "matmul",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}
_COMPARISONS = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}
_UNARY = {"neg": "neg", "abs": "abs"}


def _call(name: str, *arguments: Any) -> Tensor:
    result: Tensor = getattr(ops, name)(*arguments)
    return result


def _takes(value: Any) -> bool:
    return isinstance(value, np.ndarray) or _core.is_operand(value)


def _install() -> None:
    def forward(name: str) -> Any:
        def method(self: Tensor, other: Any) -> Any:
            return _call(name, self, other) if _takes(other) else NotImplemented

        return method

    def reflected(name: str) -> Any:
        def method(self: Tensor, other: Any) -> Any:
            return _call(name, other, self) if _takes(other) else NotImplemented

        return method

    def unary(name: str) -> Any:
        def method(self: Tensor) -> Tensor:
            return _call(name, self)

        return method

    methods = {f"__{python}__": forward(op) for python, op in (_BINARY | _COMPARISONS).items()}
    methods |= {f"__r{python}__": reflected(op) for python, op in _BINARY.items()}
    methods |= {f"__{python}__": unary(op) for python, op in _UNARY.items()}
    methods |= {"__invert__": _invert, "__getitem__": _index, "__iter__": _iterate}
    for name, method in methods.items():
        method.__name__ = name
        setattr(Tensor, name, method)
    # `==` compares elements, so a tensor hashes as the object it is.
    Tensor.__hash__ = object.__hash__  # type: ignore[method-assign]
    # NumPy leaves `array + tensor` to the tensor.
    Tensor.__array_ufunc__ = None


def _invert(self: Tensor) -> Tensor:
    return _call("logical_not" if self.dtype == DataType.Bool else "bitwise_not", self)


def _iterate(self: Tensor) -> Any:
    return (self[i] for i in range(len(self)))


def _index(self: Tensor, key: Any) -> Tensor:
    entries = _expanded(self, key if isinstance(key, tuple) else (key,))
    if self.is_traced or any(isinstance(entry, Tensor) and entry.is_traced for entry in entries):
        return _index_by_ops(self, entries)
    plain = tuple(entry.numpy() if isinstance(entry, Tensor) else entry for entry in entries)
    try:
        picked = _core.bits_array(self)[plain]
    except IndexError as error:
        raise InvalidArgumentError(f"index: {error}") from error
    return _core.tensor_from_array(np.asarray(picked, order="C"), self.dtype)


def _expanded(self: Tensor, key: tuple[Any, ...]) -> list[Any]:
    """The key with plain ints and tensors of indices, one entry per dimension and per None."""
    entries: list[Any] = []
    taken = sum(entry is not None and entry is not Ellipsis for entry in key)
    if taken > self.ndim:
        raise InvalidArgumentError(f"index: {taken} indices were given for a tensor of rank {self.ndim}, {self!r}")
    if sum(entry is Ellipsis for entry in key) > 1:
        raise InvalidArgumentError("index: '...' stands more than once; it may stand once")
    for entry in key if any(entry is Ellipsis for entry in key) else (*key, Ellipsis):
        if entry is Ellipsis:
            entries += [_WHOLE] * (self.ndim - taken)
        elif entry is None:
            entries.append(entry)
        elif isinstance(entry, slice):
            entries.append(slice(*_slice_bounds(entry)))
        elif isinstance(entry, (Tensor, np.ndarray, list)):
            entries.append(_indices(entry))
        else:
            entries.append(_integer(entry))
            if not _FIRST <= entries[-1] <= _LAST:
                raise InvalidArgumentError("index: an integer of more than 64 bits is out of range for any dimension")
    arrays = sum(isinstance(entry, Tensor) for entry in entries)
    if arrays > 1 or (arrays == 1 and any(isinstance(entry, int) for entry in entries)):
        raise InvalidArgumentError("index: a tensor of indices stands beside another index; index in steps, as in "
                                   "x[0][:, indices]")
    return entries


def _indices(entry: Any) -> Tensor:
    indices = tensor(np.asarray(entry, np.int64) if isinstance(entry, list) and not entry else entry)
    if indices.dtype not in (DataType.Int32, DataType.Int64):
        raise InvalidArgumentError(f"index: a tensor of {indices.dtype} is no index; it takes int32 or int64 (for a bool "
                                   "mask, use clika_runtime.where)")
    return indices


def _integer(entry: Any) -> int:
    if isinstance(entry, (bool, np.bool_)):
        raise ArgumentTypeError("index: a bool is no index; give an int")
    try:
        return operator.index(entry)
    except TypeError:
        raise ArgumentTypeError(f"index: a {type(entry).__name__} is no index; give ints, slices, '...', None or an "
                                   "integer tensor") from None


def _index_by_ops(self: Tensor, entries: list[Any]) -> Tensor:
    result = _sliced(self, [entry for entry in entries if entry is not None])
    axis = 0  # of the result before its squeezed axes go
    squeezed: list[int] = []
    inserted: list[int] = []
    for entry in entries:
        if entry is None:
            inserted.append(axis - len(squeezed) + len(inserted))
            continue
        if isinstance(entry, Tensor):
            result = _call("gather", result, entry, axis)
            axis += entry.ndim - 1
        elif isinstance(entry, int):
            squeezed.append(axis)
        axis += 1
    if squeezed:
        result = _call("squeeze", result, squeezed)
    return _call("unsqueeze", result, inserted) if inserted else result


def _sliced(self: Tensor, entries: list[Any]) -> Tensor:
    starts: list[int] = []
    ends: list[int] = []
    axes: list[int] = []
    steps: list[int] = []
    for axis, (entry, size) in enumerate(zip(entries, self.shape)):
        if isinstance(entry, int):
            if size >= 0 and not -size <= entry < size:
                raise InvalidArgumentError(f"index: {entry} is out of range for dimension {axis} of size {size}")
            bounds = (entry, entry + 1 if entry != -1 else _LAST, 1)
        elif isinstance(entry, slice) and entry != _WHOLE:
            bounds = (entry.start, entry.stop, entry.step)
        else:
            continue
        for values, value in zip((starts, ends, steps), bounds):
            values.append(value)
        axes.append(axis)
    return _call("slice", self, starts, ends, axes, steps) if axes else self


def _slice_bounds(entry: slice) -> tuple[int, int, int]:
    step = 1 if entry.step is None else _integer(entry.step)
    if step == 0:
        raise InvalidArgumentError("index: the step of a slice is 0; give another")
    first, last = (0, _LAST) if step > 0 else (_LAST, _FIRST)
    start = first if entry.start is None else _integer(entry.start)
    stop = last if entry.stop is None else _integer(entry.stop)
    return max(min(start, _LAST), _FIRST), max(min(stop, _LAST), _FIRST), step


_install()
