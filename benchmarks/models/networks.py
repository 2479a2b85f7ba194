"""Networks built from their published shapes, with seeded random weights: MobileNet v2, BERT as MiniLM has it, and a
step of a GPT-2-small decoder."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT = TensorProto.FLOAT, TensorProto.INT64


class Builder:
    """Nodes, each named after its operator and place, and weights."""

    def __init__(self, seed: int) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.rng = np.random.default_rng(seed)

    def node(self, op: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        names = [f"{op}_{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), names, name=f"{op}_{len(self.nodes)}", **attributes))
        return names[0] if outputs == 1 else names

    def constant(self, value: Any, dtype: Any = None) -> str:
        name = f"constant_{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def normal(self, *shape: int, scale: float) -> str:
        return self.constant(self.rng.standard_normal(shape, dtype=np.float32) * np.float32(scale))

    def uniform(self, low: float, high: float, size: int) -> str:
        return self.constant(self.rng.uniform(low, high, size).astype(np.float32))

    def model(self, name: str, inputs: dict[str, tuple[int, list[int]]], outputs: dict[str, str]) -> onnx.ModelProto:
        """`outputs` maps the names of the outputs to the values that they are."""
        for new, old in outputs.items():
            self.nodes.append(helper.make_node("Identity", [old], [new], name=f"output_{new}"))
        graph = helper.make_graph(
            self.nodes, name,
            [helper.make_tensor_value_info(key, *value) for key, value in inputs.items()],
            [onnx.ValueInfoProto(name=key) for key in outputs], self.weights,
        )  # fmt: skip
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def convolution(build: Builder, x: str, in_channels: int, channels: int, kernel: int, stride: int = 1, groups: int = 1,
                clipped: bool = True) -> str:  # fmt: skip
    """A convolution, its batch norm and, where `clipped`, a ReLU6."""
    fan_in = in_channels // groups * kernel * kernel
    weight = build.normal(channels, in_channels // groups, kernel, kernel, scale=np.sqrt((2 if clipped else 1) / fan_in))
    x = build.node("Conv", x, weight, kernel_shape=[kernel, kernel], strides=[stride, stride], group=groups, pads=[kernel // 2] * 4)
    scale, shift, mean, variance = (build.uniform(*span, channels) for span in ((0.8, 1.2), (-0.1, 0.1), (-0.1, 0.1), (0.8, 1.2)))
    x = build.node("BatchNormalization", x, scale, shift, mean, variance, epsilon=1e-5)
    return build.node("Clip", x, build.constant(0, np.float32), build.constant(6, np.float32)) if clipped else x


# Expansion, channels, blocks, stride of the first.
MOBILENET_V2 = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))


def mobilenet_v2(batch: int) -> onnx.ModelProto:
    build = Builder(1)
    x, width = convolution(build, "image", 3, 32, 3, 2), 32
    for expansion, channels, blocks, first in MOBILENET_V2:
        for stride in (first, *[1] * (blocks - 1)):
            inner, wide = x, width * expansion
            if expansion > 1:
                inner = convolution(build, inner, width, wide, 1)
            inner = convolution(build, inner, wide, wide, 3, stride, wide)
            inner = convolution(build, inner, wide, channels, 1, clipped=False)
            x = build.node("Add", x, inner) if stride == 1 and width == channels else inner
            width = channels
    x = build.node("GlobalAveragePool", convolution(build, x, width, 1280, 1))
    weight, bias = build.normal(1000, 1280, scale=1280**-0.5), build.uniform(-0.1, 0.1, 1000)
    scores = build.node("Gemm", build.node("Flatten", x), weight, bias, transB=1)
    return build.model("mobilenet_v2", {"image": (FLOAT, [batch, 3, 224, 224])}, {"scores": scores})


def linear(build: Builder, x: str, inputs: int, outputs: int, scale: float = 0.05) -> str:
    product = build.node("MatMul", x, build.normal(inputs, outputs, scale=scale))
    return build.node("Add", product, build.uniform(-0.02, 0.02, outputs))


def layer_norm(build: Builder, x: str, size: int, epsilon: float) -> str:
    return build.node("LayerNormalization", x, build.uniform(0.8, 1.2, size), build.uniform(-0.1, 0.1, size), axis=-1, epsilon=epsilon)


def heads(build: Builder, x: str, batch: int, length: int, count: int, size: int) -> str:
    split = build.node("Reshape", x, build.constant([batch, length, count, size], np.int64))
    return build.node("Transpose", split, perm=[0, 2, 1, 3])


def attention(build: Builder, q: str, k: str, v: str, size: int, mask: str | None = None) -> str:
    scores = build.node("MatMul", q, build.node("Transpose", k, perm=[0, 1, 3, 2]))
    scores = build.node("Div", scores, build.constant(size**0.5, np.float32))
    if mask is not None:
        scores = build.node("Add", scores, mask)
    return build.node("MatMul", build.node("Softmax", scores, axis=-1), v)


def joined(build: Builder, x: str, batch: int, length: int, width: int) -> str:
    return build.node("Reshape", build.node("Transpose", x, perm=[0, 2, 1, 3]), build.constant([batch, length, width], np.int64))


def gelu(build: Builder, x: str) -> str:
    raised = build.node("Add", build.node("Erf", build.node("Div", x, build.constant(2**0.5, np.float32))), build.constant(1, np.float32))
    return build.node("Mul", build.node("Mul", x, raised), build.constant(0.5, np.float32))


def tanh_gelu(build: Builder, x: str) -> str:
    cube = build.node("Mul", build.node("Mul", x, build.node("Mul", x, x)), build.constant(0.044715, np.float32))
    inner = build.node("Mul", build.node("Add", x, cube), build.constant((2 / np.pi) ** 0.5, np.float32))
    raised = build.node("Add", build.node("Tanh", inner), build.constant(1, np.float32))
    return build.node("Mul", build.node("Mul", x, build.constant(0.5, np.float32)), raised)


def bert(batch: int, layers: int = 6, width: int = 384, count: int = 12, length: int = 128, vocabulary: int = 30522) -> onnx.ModelProto:
    build, size = Builder(2), width // count
    words = build.node("Gather", build.normal(vocabulary, width, scale=0.5), "input_ids")
    kinds = build.node("Gather", build.normal(2, width, scale=0.5), "token_type_ids")
    x = build.node("Add", build.node("Add", words, kinds), build.normal(1, length, width, scale=0.5))
    x = layer_norm(build, x, width, 1e-12)
    seen = build.node("Cast", build.node("Unsqueeze", "attention_mask", build.constant([1, 2], np.int64)), to=FLOAT)
    hidden = build.node("Sub", build.constant(1, np.float32), seen)
    mask = build.node("Mul", hidden, build.constant(np.finfo(np.float32).min, np.float32))
    for _ in range(layers):
        q, k, v = (heads(build, linear(build, x, width, width), batch, length, count, size) for _ in range(3))
        mixed = joined(build, attention(build, q, k, v, size, mask), batch, length, width)
        x = layer_norm(build, build.node("Add", linear(build, mixed, width, width), x), width, 1e-12)
        inner = linear(build, gelu(build, linear(build, x, width, 4 * width)), 4 * width, width)
        x = layer_norm(build, build.node("Add", inner, x), width, 1e-12)
    inputs = {name: (INT, [batch, length]) for name in ("input_ids", "attention_mask", "token_type_ids")}
    return build.model("bert", inputs, {"last_hidden_state": x})


def gpt2(batch: int, layers: int = 12, width: int = 768, count: int = 12, past: int = 127, vocabulary: int = 50257) -> onnx.ModelProto:
    """One token after `past` others, whose keys and values are inputs; the new ones are outputs."""
    build, size = Builder(3), width // count
    embedding = build.normal(vocabulary, width, scale=0.2)
    position = build.node("Gather", build.normal(1024, width, scale=0.2), "position")
    x = build.node("Add", build.node("Gather", embedding, "token"), position)
    inputs: dict[str, tuple[int, list[int]]] = {"token": (INT, [batch, 1]), "position": (INT, [batch, 1])}
    outputs: dict[str, str] = {}
    for layer in range(layers):
        projected = linear(build, layer_norm(build, x, width, 1e-5), width, 3 * width)
        parts = build.node("Split", projected, build.constant([width] * 3, np.int64), outputs=3, axis=-1)
        q, k, v = (heads(build, part, batch, 1, count, size) for part in parts)
        for name, value in (("key", k), ("value", v)):
            inputs[f"past_{name}_{layer}"] = (FLOAT, [batch, count, past, size])
            outputs[f"{name}_{layer}"] = build.node("Concat", f"past_{name}_{layer}", value, axis=2)
        mixed = attention(build, q, outputs[f"key_{layer}"], outputs[f"value_{layer}"], size)
        x = build.node("Add", x, linear(build, joined(build, mixed, batch, 1, width), width, width))
        inner = tanh_gelu(build, linear(build, layer_norm(build, x, width, 1e-5), width, 4 * width))
        x = build.node("Add", x, linear(build, inner, 4 * width, width))
    x = build.node("Reshape", layer_norm(build, x, width, 1e-5), build.constant([batch, width], np.int64))
    return build.model("gpt2", inputs, {"scores": build.node("Gemm", x, embedding, transB=1)} | outputs)
