"""Graphs to query, edit, optimize, compile and run; patterns and transforms.

`ModelGraph` is the graph, `Node` and `Value` what it holds, `Pattern` what a rule looks for; `transforms` holds the
runtime's transforms, makes your own, and chooses among them.
"""

from .. import _core as _core
from .. import _operators as _operators
from .._core import (
    Check,
    Declined,
    Exactness,
    ExactnessKind,
    MatchResult,
    MemoryBandwidth,
    ModelGraph,
    Node,
    NodeKind,
    OptimizeReport,
    Order,
    Pattern,
    PhaseSeconds,
    Profile,
    ProfileEvent,
    ProfileRow,
    RefusalReport,
    RegionReport,
    RewriteLog,
    RewriteMatch,
    RewriteStep,
    SkipCounts,
    Traits,
    Transform,
    TransformReport,
    Value,
)
from .._op_code import OpCode
from .._stage import Fallback, FinalizeStage

_core.set_op_codes(OpCode)

any_operand = _core.AnyOperand()
"""As the port of a pattern's edge: any input of the consumer that no other edge names."""

from ._pattern_transform import PatternTransform  # noqa: E402  (it names op codes)
from . import transforms  # noqa: E402  (it makes transforms, which name op codes)

__all__ = [
    "Check",
    "Declined",
    "Exactness",
    "ExactnessKind",
    "Fallback",
    "FinalizeStage",
    "MatchResult",
    "MemoryBandwidth",
    "ModelGraph",
    "Node",
    "NodeKind",
    "OpCode",
    "OptimizeReport",
    "Order",
    "Pattern",
    "PatternTransform",
    "PhaseSeconds",
    "Profile",
    "ProfileEvent",
    "ProfileRow",
    "RefusalReport",
    "RegionReport",
    "RewriteLog",
    "RewriteMatch",
    "RewriteStep",
    "SkipCounts",
    "Traits",
    "Transform",
    "TransformReport",
    "Value",
    "any_operand",
    "transforms",
]
