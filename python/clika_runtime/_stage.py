"""What the progress callback of finalize() is told."""

from __future__ import annotations


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
