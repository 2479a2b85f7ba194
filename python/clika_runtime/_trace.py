"""Recording a function over the public ops as a graph."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from . import _core
from ._core import ModelGraph, Tensor, TensorSpec


@dataclass(frozen=True)
class Trace:
    """What `trace` recorded."""

    graph: ModelGraph


def trace(
    fn: Callable[[list[Tensor]], Tensor | Sequence[Tensor]],
    specs: Sequence[TensorSpec],
    *,
    name: str = "graph",
    output_names: Sequence[str] | None = None,
) -> Trace:
    """Calls `fn` once with a traced tensor per entry of `specs`; `.graph` of the result holds every operator it called,
    as written. Without `output_names` the outputs are named "output_0", "output_1" and so on."""
    return Trace(_core.trace(fn, specs, name=name, output_names=output_names))
