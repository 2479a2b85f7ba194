"""Writes constants of a model that onnx2torch has read as Python's numbers: torch.compile refuses shapes that are tensors,
and scalars that are tensors where it finds attention."""

from __future__ import annotations

import operator
from typing import Any

import torch
from onnx2torch.node_converters.binary_math_operations import OnnxBinaryMathOperation
from onnx2torch.node_converters.reshape import OnnxReshape
from onnx2torch.node_converters.split import OnnxSplit13

OPERATORS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "_onnx_div": operator.truediv}


def constant(model: torch.fx.GraphModule, value: Any) -> torch.Tensor | None:
    if not isinstance(value, torch.fx.Node) or value.op != "get_attr":
        return None
    found: Any = model
    for name in str(value.target).split("."):
        found = getattr(found, name)
    return found


def number(model: torch.fx.GraphModule, value: Any) -> Any:
    found = constant(model, value)
    return found.item() if found is not None and found.ndim == 0 and found.is_floating_point() else value


def function(model: torch.fx.GraphModule, module: torch.nn.Module, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]] | None:
    """What calls no module and reads no constant; None where the node stays as it is."""
    if isinstance(module, OnnxBinaryMathOperation):
        numbers = tuple(number(model, value) for value in args)
        return (OPERATORS[module.math_op_function.__name__], numbers) if numbers != args else None
    sizes = constant(model, args[1]) if len(args) > 1 else None
    if isinstance(module, OnnxReshape) and sizes is not None:
        return torch.reshape, (args[0], sizes.tolist())
    if isinstance(module, OnnxSplit13) and sizes is not None:
        return torch.split, (args[0], sizes.tolist(), module.axis)
    return None


def with_literals(model: torch.fx.GraphModule) -> torch.fx.GraphModule:
    modules = dict(model.named_modules())
    for node in model.graph.nodes:
        found = function(model, modules[node.target], node.args) if node.op == "call_module" else None
        if found is not None:
            node.op, (node.target, node.args) = "call_function", found
    model.graph.lint()
    model.recompile()
    return model
