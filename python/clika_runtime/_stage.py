"""What the callbacks of finalize() are told."""

from __future__ import annotations

import dataclasses


class FinalizeStage(str):
    """The name of a stage of `finalize`, a str, and how much is done when it begins."""

    __slots__ = {
        "done": "The share of the whole time that the stages before it usually take: 0 for the first, then rising, below 1."
    }
    done: float

    def __new__(cls, name: str, done: float) -> FinalizeStage:
        stage = super().__new__(cls, name)
        stage.done = done
        return stage

    def __getnewargs__(self) -> tuple[str, float]:  # type: ignore[override]
        return str(self), self.done


@dataclasses.dataclass(frozen=True)
class Fallback:
    """What compiled code computes by loops over single elements, many times as slow as vectors are: `nodes` are the names
    of the nodes that it is for, as in `"@f/relu_1"` of the private function f, and `reason` is why vectors do not do it.
    """

    nodes: list[str]
    reason: str
