"""The models that bench_models.py measures: what makes each of them as a file for a batch size, and inputs for it."""

from __future__ import annotations

import pathlib
import tempfile
from collections.abc import Callable

import networks
import numpy as np
import onnx
from onnx import numpy_helper
from packaged_models import package_file, randomized


def with_batch(model: onnx.ModelProto, batch: int) -> onnx.ModelProto:
    """The model for one batch size: that of its inputs, and of the constant shapes that its Reshapes write 1 in."""
    graph = model.graph
    constants = {tensor.name: tensor for tensor in graph.initializer}
    inputs = [value for value in graph.input if value.name not in constants]
    del graph.input[:]
    graph.input.extend(inputs)
    for value in graph.input:
        value.type.tensor_type.shape.dim[0].dim_value = batch
    for node in graph.node:
        if node.op_type == "Reshape" and node.input[1] in constants:
            shape = numpy_helper.to_array(constants[node.input[1]]).copy()
            if shape[0] == 1:
                shape[0] = batch
                constants[node.input[1]].CopyFrom(numpy_helper.from_array(shape, node.input[1]))
    without_dropout(graph)
    names = [value.name for value in graph.output]
    del graph.value_info[:], graph.output[:]
    graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    model.ir_version = max(model.ir_version, 8)  # the first versions list the weights among the inputs
    return model


def without_dropout(graph: onnx.GraphProto) -> None:
    """Dropout does nothing where a model is not trained, and onnx2torch reads none of these versions."""
    kept, instead = [], {}
    for node in graph.node:
        if node.op_type == "Dropout":
            instead[node.output[0]] = instead.get(node.input[0], node.input[0])
            continue
        node.input[:] = [instead.get(name, name) for name in node.input]
        kept.append(node)
    del graph.node[:]
    graph.node.extend(kept)


def light(name: str) -> Callable[[int], onnx.ModelProto]:
    def make(batch: int) -> onnx.ModelProto:
        with tempfile.TemporaryDirectory() as folder:
            return with_batch(onnx.load(randomized(f"light_{name}.onnx", pathlib.Path(folder))), batch)

    return make


def magika(batch: int) -> onnx.ModelProto:
    return with_batch(onnx.load(package_file("magika", "models", "standard_v3_3", "model.onnx")), batch)


MODELS: dict[str, Callable[[int], onnx.ModelProto]] = {
    **{name: light(name) for name in ("resnet50", "densenet121", "inception_v2", "shufflenet", "squeezenet", "vgg19")},
    "mobilenet_v2": networks.mobilenet_v2,
    "magika": magika,
    "bert": networks.bert,
    "gpt2": networks.gpt2,
}  # fmt: skip


def saved(name: str, batch: int, folder: pathlib.Path) -> pathlib.Path:
    """The model as a file with the types of its outputs; its weights lie in a file beside it."""
    path = folder / f"{name}_{batch}.onnx"
    if not path.exists():
        model = onnx.shape_inference.infer_shapes(MODELS[name](batch), data_prop=True)
        del model.graph.value_info[:]
        weights = pathlib.Path(f"{path}.weights")
        weights.unlink(missing_ok=True)
        onnx.save(model, path, save_as_external_data=True, location=weights.name, size_threshold=1024)
    return path


def drawn(value: onnx.ValueInfoProto, rng: np.random.Generator) -> np.ndarray:
    kind = value.type.tensor_type
    shape = [dim.dim_value for dim in kind.shape.dim]
    if 0 in shape:
        raise ValueError(f"the input {value.name} has no fixed shape")
    dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
    if dtype.kind == "f":
        return rng.standard_normal(shape).astype(dtype)
    if value.name == "attention_mask":  # the last quarter of every other sequence is padding
        mask = np.ones(shape, dtype)
        mask[1::2, shape[1] * 3 // 4 :] = 0
        return mask
    limits = {"token_type_ids": 2, "position": 128, "bytes": 257}
    return rng.integers(0, limits.get(value.name, 30000), shape).astype(dtype)


def inputs(path: pathlib.Path) -> list[np.ndarray]:
    """Seeded inputs in the model's order."""
    rng = np.random.default_rng(1)
    return [drawn(value, rng) for value in onnx.load(path, load_external_data=False).graph.input]
