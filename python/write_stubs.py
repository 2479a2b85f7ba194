"""Writes clika_runtime/graph/transforms.pyi, whose list of the runtime's transforms comes from the built package."""

import pathlib

from clika_runtime.graph.transforms import runtime_transforms

HEAD = '''# Written by python/write_stubs.py; do not edit.
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
'''


def stub() -> str:
    lines = [f"def {made.name}() -> Transform: ...\n" for made in runtime_transforms()]
    return HEAD + "".join(sorted(lines))


if __name__ == "__main__":
    target = pathlib.Path(__file__).parent / "clika_runtime" / "graph" / "transforms.pyi"
    target.write_text(stub())
    print(f"wrote {target}")
