"""What the programs of this folder share: a graph as text, and a report as text."""

import clika_runtime as crt
from clika_runtime.graph import ModelGraph, NodeKind, OptimizeReport, Value


def expression(value: Value) -> str:
    """How a value is computed, as nested calls: 'Mul(Abs(x), gain)'. A constant that is one number shows as it."""
    node = value.producer()
    if node is None:
        return str(value.constant_scalar())
    if node.kind == NodeKind.Input:
        return node.name
    return node.op_code.name + "(" + ", ".join(map(expression, node.inputs)) + ")"


def text(graph: ModelGraph) -> str:
    return "; ".join(f"{name} = {expression(value)}" for name, value in zip(graph.output_names(), graph.outputs()))


def applied(report: OptimizeReport) -> str:
    return ", ".join(f"{row.transform.name}: {row.applications}" for row in report.transforms)


def vector(name: str) -> crt.TensorSpec:
    return crt.TensorSpec(name, crt.float32, [4])


def mixer() -> ModelGraph:
    """A small mixer: y = |-(-signal)| * gain + |-signal|."""

    def mix(inputs: list[crt.Tensor]) -> list[crt.Tensor]:
        signal, gain = inputs
        return [crt.abs(crt.neg(crt.neg(signal))) * gain + crt.abs(crt.neg(signal))]

    return crt.trace(mix, [vector("signal"), vector("gain")], name="mixer", output_names=["y"]).graph
