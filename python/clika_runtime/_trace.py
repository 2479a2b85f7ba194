"""Recording a function over the public ops as a graph."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from . import _core
from ._calls import named_call
from ._core import ModelGraph, Tensor, TensorSpec


@dataclass(frozen=True)
class Trace:
    """What `trace` recorded: its `graph`."""

    graph: ModelGraph


@named_call()
def trace(
    fn: Callable[[list[Tensor]], Tensor | Sequence[Tensor]],
    specs: Sequence[TensorSpec],
    *,
    name: str = "graph",
    output_names: Sequence[str] | None = None,
) -> Trace:
    """Records a function over the public ops as a graph, every operator as written: `trace(fn, specs).graph`.

    Args:
        fn: Called once with a list of traced tensors, one per entry of `specs`; returns the outputs, a tensor or several.
        specs: The graph's inputs.
        name: The graph's name.
        output_names: A name per output; None: "output_0", "output_1" and so on.
    Raises:
        InvalidArgumentError: an argument does not fit, or the function read a traced tensor's data. What the function
            itself raises comes back as it is.
    """
    return Trace(_core.trace(fn, specs, name=name, output_names=output_names))
