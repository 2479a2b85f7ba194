"""Rewrites as classes."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import Any

from .. import _core
from .._core import Device, Exactness, MatchResult, ModelGraph, Node, RewriteMatch, Tensor, Traits, Transform, Value
from .._op_code import OpCode


class PatternTransform(ABC):
    """A rewrite to derive from. An object stands in a list of `optimize()` as it is, beside transforms and rules. Once per
    iteration `match` is asked about the nodes there are, in topological order; what it finds is then replaced in turn, under
    the terms of a rule. Where the graph has changed since, `match` is asked again.

    `name` is its name in lists and reports, `traits` what it declares of itself; both may be set, or be given to
    `__init__`."""

    name: str
    traits: Traits

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__new__(cls)
        made.name, made.traits = cls.__name__, Traits()
        return made

    def __init__(
        self,
        name: str | None = None,
        *,
        priority: int | None = None,
        device: Device | str | None = None,
        exactness: Exactness | None = None,
        runs_after: Sequence[Transform | PatternTransform] | None = None,
    ) -> None:
        """Without a name it takes the class's."""
        if name is not None:
            self.name = name
        self.traits = Traits(priority, device, exactness, runs_after)

    def root_op_codes(self) -> Collection[OpCode]:
        """The codes of the nodes that `match` is asked about; none: every operator."""
        return ()

    @abstractmethod
    def match(self, graph: ModelGraph, node: Node) -> MatchResult | None:
        """`self.result(...)`, `self.no_match(...)`, or None, which gives no reason. It may not edit the graph."""

    @abstractmethod
    def apply(self, graph: ModelGraph, match: RewriteMatch, tensors: list[Tensor]) -> Tensor | Sequence[Tensor]:
        """The new values of an occurrence, one per entry of `match.outputs`, over one traced tensor per entry of
        `match.inputs`; `match.nodes` are the nodes of the result. The edits it may make are `add_constant`, where the
        match lies, and `add_function`, whose function `clika_runtime.call` calls; `self.value` reads what was added, or
        any other value of the graph."""

    def result(self, nodes: Sequence[Node | None], insert_at: Node | None = None) -> MatchResult:
        """A match of `nodes`, each in its role; None in an optional role that is lacking. The new operators stand ahead of
        `insert_at`, or after the last value they read, whichever is later; without it, ahead of the first node whose value
        they replace."""
        return _core.match_result(nodes, insert_at)

    def no_match(self, node: Node, reason: str) -> MatchResult:
        """No match at `node`, for a reason that the report counts with the file and line that called this."""
        caller = sys._getframe(1)
        return _core.no_match(node, reason, caller.f_code.co_filename, caller.f_lineno)

    @staticmethod
    def value(value: Value) -> Tensor:
        """In `apply`: a value of the graph as a traced tensor."""
        return _core.value(value)

    def with_(self, traits: Traits | None = None, **given: Any) -> Transform:
        """The transform of this object with other traits, as `Transform.with_` makes it."""
        return _core.transform_of(self).with_(traits, **given)


_core.set_pattern_class(PatternTransform)
