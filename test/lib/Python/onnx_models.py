"""What the ONNX tests share: one-node models, running a model here and in a reference, and comparing."""

import os
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import clika_runtime as crt

NAMES = "abcdefgh"


def value_info(name: str, array: np.ndarray, dynamic: bool) -> onnx.ValueInfoProto:
    """Dynamic: every dimension is a name; equal sizes of different inputs share none."""
    shape = [f"{name}_{NAMES[i]}" for i in range(array.ndim)] if dynamic else array.shape
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), shape)


def model_of(nodes, inputs, outputs, opset, constants=(), dynamic=False, functions=()) -> onnx.ModelProto:
    """`inputs` and `constants` map names to arrays; `outputs` are names, whose types the runtimes infer."""
    graph = helper.make_graph(
        list(nodes),
        "test",
        [value_info(name, array, dynamic) for name, array in inputs.items()],
        [onnx.ValueInfoProto(name=name) for name in outputs],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in dict(constants).items()],
    )
    opsets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(f.domain, 1) for f in functions]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10, functions=list(functions))


def read(model: onnx.ModelProto, folder: pathlib.Path, **options):
    """The graph that `from_onnx` makes of the model, written to `folder`."""
    path = os.fspath(folder / "model.onnx")
    onnx.save(model, path)
    return crt.graph.ModelGraph.from_onnx(path, **options)


def run_here(model: onnx.ModelProto, inputs: dict, folder: pathlib.Path) -> list[np.ndarray]:
    graph = read(model, folder)
    graph.finalize()
    given = {name: inputs[name] for name in graph.input_names()}
    return [output.numpy() for output in graph.run(given)]


def run_ort(model: onnx.ModelProto, inputs: dict) -> list[np.ndarray]:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {i.name: inputs[i.name] for i in session.get_inputs()})


def assert_same(actual: np.ndarray, expected: np.ndarray, rtol: float = 1e-5, atol: float = 1e-6) -> None:
    expected = np.asarray(expected)
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    if expected.dtype.kind in "iub":
        np.testing.assert_array_equal(actual, expected)
    else:
        np.testing.assert_allclose(actual.astype(np.float64), expected.astype(np.float64), rtol=rtol, atol=atol)


__all__ = ["TensorProto", "assert_same", "helper", "model_of", "numpy_helper", "read", "run_here", "run_ort", "value_info"]
