"""The models that bench_rewrite.py gives to each contender, and what is to come out."""

from __future__ import annotations

import collections

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SHAPE = [4, 8]


class Builder:
    """Nodes in a line, each named after its place."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []

    def constant(self, name: str, array: np.ndarray) -> str:
        self.initializers.append(numpy_helper.from_array(array, name))
        return name

    def node(self, op_type: str, *inputs: str, **settings: object) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(op_type, list(inputs), [name], name=name, **settings))
        return name

    def model(self, output: str) -> onnx.ModelProto:
        ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, SHAPE) for name in ("x", output)]
        graph = helper.make_graph(self.nodes, "benchmark", ends[:1], ends[1:], self.initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)


def norms(blocks: int) -> onnx.ModelProto:
    """x / sqrt(mean(x ** 2) + epsilon) * scale, again and again: six nodes a block, each block with a scale of its own."""
    build = Builder()
    two, epsilon = build.constant("two", np.float32(2)), build.constant("epsilon", np.float32(1e-5))
    axes = build.constant("axes", np.array([-1]))
    value = "x"
    for i in range(blocks):
        mean = build.node("ReduceMean", build.node("Pow", value, two), axes, keepdims=1)
        root = build.node("Sqrt", build.node("Add", mean, epsilon))
        scale = build.constant(f"scale_{i}", np.linspace(0.5, 1.5, SHAPE[-1], dtype=np.float32) + np.float32(i % 7) / 10)
        value = build.node("Mul", build.node("Div", value, root), scale)
    return build.model(value)


def padded(blocks: int) -> onnx.ModelProto:
    """Four nodes a block, two of them Identity."""
    build = Builder()
    value = "x"
    for _ in range(blocks):
        value = build.node("Identity", build.node("Sigmoid", build.node("Identity", build.node("Relu", value))))
    return build.model(build.node("Tanh", value))


def untidy(blocks: int) -> onnx.ModelProto:
    """Ten nodes a block, four of which do something: an Identity, a Transpose that moves nothing, a duplicate, two nodes
    that nothing reads, and a product with 1."""
    build = Builder()
    one = build.constant("one", np.float32(1))
    value = "x"
    for _ in range(blocks):
        relu = build.node("Relu", value)
        moved = build.node("Transpose", build.node("Identity", relu), perm=[0, 1])
        total = build.node("Add", build.node("Sigmoid", moved), build.node("Sigmoid", moved))
        build.node("Exp", build.node("Neg", relu))
        value = build.node("Tanh", build.node("Mul", total, one))
    return build.model(value)


# By case: the model of so many blocks, how many nodes that has in a block and besides, what is left of a block and
# besides, and the numbers of blocks.
CASES = {
    "fusion": (norms, 6, 0, {"RMSNormalization": 1}, {}, (50, 500, 5_000)),
    "identity": (padded, 4, 1, {"Relu": 1, "Sigmoid": 1}, {"Tanh": 1}, (250, 2_500, 25_000)),
    "cleanup": (untidy, 10, 0, {"Relu": 1, "Sigmoid": 1, "Add": 1, "Tanh": 1}, {}, (100, 1_000, 10_000)),
}


def model(case: str, blocks: int) -> onnx.ModelProto:
    return CASES[case][0](blocks)


def node_count(case: str, blocks: int) -> int:
    return CASES[case][1] * blocks + CASES[case][2]


def expected(case: str, blocks: int) -> collections.Counter[str]:
    _, _, _, each, besides, _ = CASES[case]
    return collections.Counter({name: count * blocks for name, count in each.items()} | besides)


def sizes(case: str) -> tuple[int, ...]:
    return CASES[case][5]
