# Written by python/write_stubs.py; do not edit.
from collections.abc import Callable, Sequence
from typing import Any, overload

from .._core import ModelGraph, Pattern, RewriteMatch, Tensor, Transform
from .._core import get_transform as get
from .._core import rewrite as rewrite
from .._core import runtime_transforms as runtime_transforms

@overload
def transform(fn: Callable[[ModelGraph], Any], *, runs_after: Sequence[Transform] = ()) -> Transform: ...
@overload
def transform(
    fn: str | None = None, *, name: str | None = None, runs_after: Sequence[Transform] = ()
) -> Callable[[Callable[[ModelGraph], Any]], Transform]: ...
def rule(
    pattern: Pattern,
    *,
    condition: Callable[[RewriteMatch], Any] | None = None,
    name: str | None = None,
    runs_after: Sequence[Transform] = (),
) -> Callable[[Callable[[RewriteMatch, list[Tensor]], Tensor | Sequence[Tensor]]], Transform]: ...
def clamp_to_relu() -> Transform: ...
def remove_double_neg() -> Transform: ...
def remove_redundant_relu() -> Transform: ...
