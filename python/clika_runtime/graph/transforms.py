"""Transforms of your own, rules, and the runtime's transforms: each of these is a function here, of its own name."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Transform, rewrite
from .._core import get_transform as get
from .._core import runtime_transforms


def transform(fn: Any = None, *, name: Any = None, runs_after: Any = ()) -> Any:
    """Makes a transform from the function it decorates: `@transform`, `@transform("name")` or
    `@transform(name="name", runs_after=[...])`. Without a name it takes the function's."""
    if callable(fn) and name is None:
        return Transform(fn.__name__, fn, runs_after)
    chosen = fn if name is None else name
    return lambda decorated: Transform(decorated.__name__ if chosen is None else chosen, decorated, runs_after)


def rule(pattern: Any, *, condition: Any = None, name: Any = None, runs_after: Any = ()) -> Any:
    """Makes a rule from the replacement it decorates, named after the function unless given a name."""
    return lambda replacement: rewrite(
        replacement.__name__ if name is None else name, pattern, replacement, condition, runs_after
    )


def _factory(of: Transform) -> Any:
    def make() -> Transform:
        return of

    make.__name__ = make.__qualname__ = of.name
    make.__doc__ = of.summary
    return make


for _transform in runtime_transforms():
    globals()[_transform.name] = _factory(_transform)
del _transform

__all__ = ["get", "rewrite", "rule", "runtime_transforms", "transform"]
__all__ += [_made.name for _made in runtime_transforms()]
