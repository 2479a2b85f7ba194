# insert and replace take a function over the public ops. Both transforms below write x * sigmoid(x) as one Silu.
import clika_runtime as crt
from clika_runtime.graph import ModelGraph, Node, OpCode, transforms
from show import applied, text, vector


def gate_of(product: Node) -> Node | None:
    """The Sigmoid of a product x * sigmoid(x)."""
    gate = product.input(1).producer()
    if gate is None or gate.op_code != OpCode.Sigmoid or gate.input(0) != product.input(0):
        return None
    return gate


def silu(tensors: list[crt.Tensor]) -> crt.Tensor:
    return crt.silu(tensors[0])


@transforms.transform
def by_insert(graph: ModelGraph) -> None:
    for product in graph.find_nodes(OpCode.Mul):
        gate = gate_of(product)
        if gate is not None:
            (value,) = graph.insert(silu, [product.input(0)])   # nothing reads it yet
            graph.replace_all_uses_with(product.output(0), value)
            graph.remove_node(product)
            graph.remove_node(gate)
            return


@transforms.transform
def by_replace(graph: ModelGraph) -> None:
    for product in graph.find_nodes(OpCode.Mul):
        if gate_of(product) is not None:
            graph.replace([product.output(0)], silu, [product.input(0)])
            return


def twice_gated(inputs: list[crt.Tensor]) -> list[crt.Tensor]:
    once = inputs[0] * crt.sigmoid(inputs[0])
    return [once * crt.sigmoid(once)]


for transform in (by_insert, by_replace):
    graph = crt.trace(twice_gated, [vector("x")], output_names=["y"]).graph
    report = graph.optimize([transform])
    print(f"{text(graph)} | {applied(report)}")
