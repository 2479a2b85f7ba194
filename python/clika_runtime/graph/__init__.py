"""Graphs to query, edit, optimize, compile and run; patterns and transforms."""

from .. import _core as _core
from .. import _operators as _operators
from .._core import (
    Declined,
    Exactness,
    ExactnessKind,
    ModelGraph,
    Node,
    NodeKind,
    OptimizeReport,
    Pattern,
    RewriteLog,
    RewriteMatch,
    RewriteStep,
    Transform,
    TransformReport,
    Value,
)
from .._op_code import OpCode
from .._stage import FinalizeStage

_core.set_op_codes(OpCode)

any_operand = _core.AnyOperand()
"""As the port of a pattern's edge: any input of the consumer that no other edge names."""

from . import transforms  # noqa: E402  (it makes transforms, which name op codes)

__all__ = [
    "Declined",
    "Exactness",
    "ExactnessKind",
    "FinalizeStage",
    "ModelGraph",
    "Node",
    "NodeKind",
    "OpCode",
    "OptimizeReport",
    "Pattern",
    "RewriteLog",
    "RewriteMatch",
    "RewriteStep",
    "Transform",
    "TransformReport",
    "Value",
    "any_operand",
    "transforms",
]
