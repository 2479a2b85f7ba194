"""Transforms of your own, rules, and the runtime's transforms: each of these is a function here, of its own name."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import (
    Pattern,
    Transform,
    available,
    catalogue,
    cleanup,
    clear_registered,
    get,
    register_transform,
    registered_names,
    reset_registered,
    rewrite,
    runtime_transforms,
    select,
    unregister_transform,
)
from .._calls import named_call
from .._errors import ArgumentTypeError


@named_call(", above the function of the transform; Transform(name, fn) makes one by a call")
def transform(fn: Any = None, *, name: Any = None, runs_after: Any = ()) -> Any:
    """Makes a transform from the function it decorates: `@transform`, `@transform("name")` or
    `@transform(name="name", runs_after=[...])`.

    Args:
        fn: The function, as `Transform` takes it, or the name.
        name: The transform's name; None: the function's own.
        runs_after: The transforms that it must follow in any list that holds both.
    """
    if callable(fn) and name is None:
        return Transform(_name_for("transform", fn, None), fn, runs_after)
    chosen = fn if name is None else name
    if chosen is not None and not isinstance(chosen, str):
        raise ArgumentTypeError(f"transform: the name is a str, not {chosen!r}")
    return lambda decorated: Transform(_name_for("transform", decorated, chosen), decorated, runs_after)


@named_call(", above the replacement, a function of the match and its tensors; rewrite(name, pattern, replacement) makes a rule "
            "by a call")  # fmt: skip
def rule(pattern: Any, *, condition: Any = None, name: Any = None, runs_after: Any = ()) -> Any:
    """Makes a rule from the replacement it decorates.

    Args:
        pattern: What to look for.
        condition: Asked of an occurrence before it is replaced, as for `rewrite`; None: every one is.
        name: The rule's name; None: the function's own.
        runs_after: The transforms that it must follow in any list that holds both.
    Raises:
        InvalidArgumentError: `pattern` is no Pattern.
    """
    if not isinstance(pattern, Pattern):
        what = f"the function {pattern.__name__}" if hasattr(pattern, "__name__") else type(pattern).__name__
        raise ArgumentTypeError(f"rule: pattern is a Pattern, not {what}; write the decorator with what to look for, as in "
                                "@transforms.rule(Pattern.chain([OpCode.Neg, OpCode.Abs]))")
    return lambda replacement: rewrite(
        _name_for("rule", replacement, name), pattern, replacement, condition, runs_after
    )


def _name_for(call: str, fn: Any, given: Any) -> Any:
    """The name given, or the function's own; a partial or an object with __call__ has none."""
    if given is not None:
        return given
    if not hasattr(fn, "__name__"):
        raise ArgumentTypeError(f"{call}: {fn!r} has no name of its own; decorate a function, or give name=")
    return fn.__name__


def _factory(of: Transform) -> Any:
    def make() -> Transform:
        return of

    make.__name__ = make.__qualname__ = of.name
    make.__doc__ = f"{of.summary}."
    return make


for _transform in runtime_transforms():
    globals()[_transform.name] = _factory(_transform)
del _transform

__all__ = ["available", "catalogue", "cleanup", "clear_registered", "get", "register_transform", "registered_names"]
__all__ += ["reset_registered", "rewrite", "rule", "runtime_transforms", "select", "transform", "unregister_transform"]
__all__ += [_made.name for _made in runtime_transforms()]
