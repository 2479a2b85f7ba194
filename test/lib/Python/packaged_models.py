"""ONNX models that PyPI packages carry: trained ones, and the `light` ones of `onnx`, which get weights here."""

import importlib.util
import pathlib

import numpy as np
import onnx
from onnx import numpy_helper


def package_file(package: str, *parts: str) -> pathlib.Path:
    """A file of an installed package, found without importing it."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(f"the package {package} is not installed; ./dev check installs it")
    return pathlib.Path(found.submodule_search_locations[0], *parts)


def fill(file, shape: np.ndarray, rng: np.random.Generator) -> int:
    """Writes seeded weights of `shape`, a part at a time; returns how many bytes."""
    count = int(np.prod(shape))
    for start in range(0, count, 1 << 22):
        size = min(1 << 22, count - start)
        if len(shape) == 1:
            # A vector is a bias, a mean, or a scale or variance, which must not be negative.
            data = rng.uniform(0.5, 1.5, size).astype(np.float32)
        else:
            data = rng.standard_normal(size, dtype=np.float32) * np.float32(np.sqrt(2 / np.prod(shape[1:])))
        file.write(data.tobytes())
    return 4 * count


def randomized(name: str, folder: pathlib.Path) -> pathlib.Path:
    """A light model with seeded weights, scaled by their fan-in, in the place of its constant fills. They lie in a file
    beside it, for those of vgg19 are half a gigabyte."""
    model = onnx.load(package_file("onnx", "backend", "test", "data", "light", name))
    graph = model.graph
    sizes = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    rng = np.random.default_rng(7)
    nodes = []
    with open(folder / "weights.bin", "wb") as file:
        for node in graph.node:
            if node.op_type != "ConstantOfShape" or node.input[0] not in sizes:
                nodes.append(node)
                continue
            shape, offset = sizes[node.input[0]], file.tell()
            weight = graph.initializer.add(name=node.output[0], data_type=onnx.TensorProto.FLOAT, dims=shape.tolist())
            weight.data_location = onnx.TensorProto.EXTERNAL
            size = fill(file, shape, rng)
            for key, value in (("location", "weights.bin"), ("offset", offset), ("length", size)):
                weight.external_data.add(key=key, value=str(value))
    del graph.node[:]
    graph.node.extend(nodes)
    # What goes into a last softmax says more than what comes out of it.
    if nodes[-1].op_type == "Softmax":
        graph.output.append(onnx.ValueInfoProto(name=nodes[-1].input[0]))
    path = folder / name
    path.write_bytes(model.SerializeToString())
    return path
