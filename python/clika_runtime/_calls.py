"""Calls that do not fit a function of the package."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from ._errors import ArgumentTypeError

F = TypeVar("F", bound=Callable[..., Any])


def _form(fn: Callable[..., Any]) -> str:
    """As in `trace(fn, specs, *, name='graph')`."""
    signature = inspect.signature(fn)
    plain = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
    return f"{fn.__name__}{signature.replace(parameters=plain, return_annotation=signature.empty)}"


def named_call(advice: str = "") -> Callable[[F], F]:
    """Makes a call with arguments that the function it decorates does not take an ArgumentTypeError that says how it is
    called, and `advice`."""

    def decorate(fn: F) -> F:
        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return fn(*args, **kwargs)
            except TypeError as error:
                # One of the call's own has no frame below this one.
                if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                    raise
                what = str(error).partition("() ")[2] or str(error)
            raise ArgumentTypeError(f"{fn.__name__}: {what}; it is called as {_form(fn)}{advice}")

        return call  # type: ignore[return-value]

    return decorate
