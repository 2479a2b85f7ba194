"""Graphs to query, edit, optimize, compile and run; patterns and transforms."""

from .. import _core as _core
from .. import _operators as _operators
from .._core import (
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

from . import transforms  # noqa: E402  (it makes transforms, which name op codes)

__all__ = [
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
    "transforms",
]
