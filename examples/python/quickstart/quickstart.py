"""A trained ONNX model from file to answers: read, rewritten, compiled, and run on files of this repository.

The model is the one inside PyPI's `magika`, which tells a file's type from its bytes. Its answers here are compared with
the package's own, and the scores with ONNX Runtime's.
"""

import json
import pathlib
import sys
import time

import clika_runtime as crt
import magika
import numpy as np
import onnxruntime
from clika_runtime.graph import ModelGraph, OpCode, Pattern, RewriteMatch, transforms

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
MODEL = pathlib.Path(magika.__file__).parent / "models" / "standard_v3_3"
FILES = (
    "README.md",
    "LICENSE",
    "dev",
    "CMakeLists.txt",
    "CMakePresets.json",
    "pyproject.toml",
    ".gitignore",
    "include/ClikaRT/graph.h",
    "lib/IO/Onnx/Wire.cpp",
    "lib/Dialect/ShapeOps.td",
    "python/clika_runtime/_tensor.py",
    "examples/python/quickstart/quickstart.py",
)


# A rule of our own: 1 / sqrt(x) is one operator, rsqrt, which computes the same bits.
@transforms.rule(Pattern.chain([OpCode.Sqrt, OpCode.Reciprocal]))
def reciprocal_root(match: RewriteMatch, tensors: list[crt.Tensor]) -> crt.Tensor:
    return crt.rsqrt(tensors[0])


def features(content: bytes, config: dict) -> np.ndarray:
    """What the model reads: the first and the last bytes, without white space at the ends, padded."""
    first = content[: config["block_size"]].lstrip()[: config["beg_size"]]
    last = content[-config["block_size"] :].rstrip()[-config["end_size"] :]
    values = np.full(config["beg_size"] + config["end_size"], config["padding_token"], np.int32)
    values[: len(first)] = np.frombuffer(first, np.uint8)
    values[len(values) - len(last) :] = np.frombuffer(last, np.uint8)
    return values


def prepare() -> ModelGraph:
    """The compiled model."""
    graph = ModelGraph.from_onnx(MODEL / "model.onnx")
    operators = len(graph.nodes()) - len(graph.inputs())
    (source,), (result,) = graph.inputs(), graph.outputs()
    print("the model of PyPI's magika: what kind of file it is, from the first and last bytes")
    print(f"read {MODEL.name}/model.onnx: {operators} operators")
    print(f"  {graph.input_names()[0]}: {source.dtype.name}{list(source.shape)} -> {graph.output_names()[0]}: {result.dtype.name}")

    print("\na rule of this example, then the runtime's transforms:")
    print(graph.optimize([reciprocal_root, *graph.default_transforms()]))

    start = time.perf_counter()
    graph.finalize()
    print(f"compiled in {time.perf_counter() - start:.2f} s")
    return graph


def main() -> int:
    config = json.loads((MODEL / "config.min.json").read_text())
    labels = config["target_labels_space"]
    paths = [REPOSITORY / name for name in FILES if (REPOSITORY / name).is_file()]
    batch = np.stack([features(path.read_bytes(), config) for path in paths])

    graph = prepare()
    start = time.perf_counter()
    scores = graph.run([batch])[0].numpy()
    print(f"classified {len(paths)} files in {1000 * (time.perf_counter() - start):.1f} ms\n")

    package = magika.Magika()
    session = onnxruntime.InferenceSession(MODEL / "model.onnx", providers=["CPUExecutionProvider"])
    (expected,) = session.run(None, {session.get_inputs()[0].name: batch})

    different = 0
    print(f"{'file':45} {'label':12} {'score':>7}  magika")
    for path, row in zip(paths, scores):
        label = labels[int(row.argmax())]
        theirs = str(package.identify_path(path).dl.label)
        different += label != theirs
        print(f"{str(path.relative_to(REPOSITORY)):45} {label:12} {row.max():7.4f}  {theirs}")

    distance = float(np.abs(scores - expected).max())
    print(f"\nlabels equal to magika's: {len(paths) - different} of {len(paths)}")
    print(f"largest distance of a score from ONNX Runtime's: {distance:.1e}")
    if different or distance > 1e-5:
        print("quickstart: the answers differ", file=sys.stderr)
        return 1
    print("\nnext: your own model with `build/prefix/bin/clika-run model.onnx`, your own rules with docs/write_a_transform.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
