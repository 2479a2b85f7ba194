"""Control flow: computations that a condition chooses, and that a loop repeats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _core
from ._calls import named_call

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from . import Tensor

    #: What the body of a loop returns: whether to go on (None: it does), the next carried values, the values to keep.
    LoopStep = tuple[Tensor | bool | None, Tensor | Sequence[Tensor], Tensor | Sequence[Tensor]]

__all__ = ["call", "if_", "loop"]


@named_call()
def call(callee: str, inputs: Tensor | Sequence[Tensor]) -> list[Tensor]:
    """What a private function of the graph returns, recorded as a call of it.

    Only inside of a trace that a graph with that function records: `insert`, `replace`, `add_function`, a rule.

    Args:
        callee: The function's name, as `ModelGraph.add_function` was given it.
        inputs: What the function takes.
    Returns:
        What it returns, in a list.
    Raises:
        InvalidArgumentError: the inputs are not what the function takes, or nothing is being recorded.
        NotFoundError: the graph has no such function.
    """
    return _core.call(callee, inputs)


@named_call()
def if_(
    condition: Tensor | bool,
    then_fn: Callable[[], Tensor | Sequence[Tensor]],
    else_fn: Callable[[], Tensor | Sequence[Tensor]],
) -> list[Tensor]:
    """What one of two functions returns, chosen by a condition.

    The functions read the tensors around them and return as many tensors each, of equal dtypes and ranks. Where the
    condition is a traced tensor both are recorded, and only the one taken is computed; else the one taken is called at
    once.

    Args:
        condition: Chooses then_fn where it is true; a bool, or a bool tensor of one element.
        then_fn: A function without parameters.
        else_fn: A function without parameters.
    Returns:
        What the function taken returns, in a list.
    Raises:
        InvalidArgumentError: an argument or a result does not fit; the message starts with the function's name.
    """
    return _core.if_(condition, then_fn, else_fn)


@named_call()
def loop(
    trip_count: Tensor | int | None,
    condition: Tensor | bool | None,
    carried: Sequence[Tensor],
    body: Callable[..., LoopStep],
) -> tuple[list[Tensor], list[Tensor]]:
    """A function repeated over carried values, as in ONNX's Loop.

    ``body(i, *carried)`` gets the number of the iteration (int64, rank 0) and the carried values, and returns
    ``(condition, carried, scans)``: whether to go on (None: it does), the next carried values, and the values to keep of
    every iteration. A carried value keeps its dtype and rank; a dimension that the body changes is dynamic. Inside a
    trace the body is recorded, and called again where a dimension turns out to change; a loop that reads no traced
    tensor is run at once.

    Args:
        trip_count: The most iterations; None: no limit but the condition.
        condition: Whether to begin; None: it does.
        carried: The carried values before the first iteration.
        body: The function.
    Returns:
        The carried values after the last iteration, and the kept values, each stacked along a new axis 0.
    Raises:
        InvalidArgumentError: an argument or a result does not fit; the message starts with the function's name.
    """
    return _core.loop(trip_count, condition, carried, body)
