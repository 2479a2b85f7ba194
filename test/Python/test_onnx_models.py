"""Whole models against ONNX Runtime: trained ones that PyPI packages carry, and the `light` models of `onnx`."""

import os

import numpy as np
import onnxruntime
import pytest
from packaged_models import package_file, randomized

import clika_runtime as crt


def session(path: os.PathLike) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(os.fspath(path), options, providers=["CPUExecutionProvider"])


def compare(path: os.PathLike, inputs: list[dict], optimize: bool, rtol: float, atol: float) -> None:
    reference = session(path)
    graph = crt.graph.ModelGraph.from_onnx(os.fspath(path))
    if optimize:
        graph.optimize()
    graph.finalize()
    for given in inputs:
        for mine, theirs in zip(graph.run(given), reference.run(None, given), strict=True):
            assert mine.numpy().shape == theirs.shape
            scale = max(1.0, float(np.abs(theirs).max()))
            np.testing.assert_allclose(mine.numpy(), theirs, rtol=rtol, atol=atol * scale)


@pytest.mark.parametrize("optimize", [False, True], ids=["as-read", "optimized"])
def test_magika(optimize):
    path = package_file("magika", "models", "standard_v3_3", "model.onnx")
    (value,) = session(path).get_inputs()
    rng = np.random.default_rng(0)
    batches = [rng.integers(0, 257, (size, value.shape[1])).astype(np.int32) for size in (1, 3)]
    compare(path, [{value.name: batch} for batch in batches], optimize, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("optimize", [False, True], ids=["as-read", "optimized"])
@pytest.mark.parametrize(
    "file, shapes",
    [
        ("ch_ppocr_mobile_v2.0_cls_infer.onnx", [(1, 3, 48, 192), (2, 3, 48, 192)]),
        ("ch_PP-OCRv4_det_infer.onnx", [(1, 3, 64, 96)]),
    ],
)
def test_rapidocr(file, shapes, optimize):
    path = package_file("rapidocr_onnxruntime", "models", file)
    (value,) = session(path).get_inputs()
    rng = np.random.default_rng(0)
    inputs = [{value.name: rng.uniform(-1, 1, shape).astype(np.float32)} for shape in shapes]
    compare(path, inputs, optimize, rtol=1e-3, atol=1e-4)


LIGHT = ["resnet50", "squeezenet", "densenet121", "shufflenet", "inception_v1", "inception_v2", "zfnet512", "bvlc_alexnet", "vgg19"]


@pytest.mark.parametrize("name", LIGHT)
def test_light(name, tmp_path):
    path = randomized(f"light_{name}.onnx", tmp_path)
    rng = np.random.default_rng(1)
    given = {value.name: rng.standard_normal(value.shape).astype(np.float32) if value.type == "tensor(float)" else
             np.array([1, 3], np.int64) for value in session(path).get_inputs()}  # fmt: skip
    compare(path, [given], optimize=True, rtol=2e-3, atol=1e-5)


FIRES = {
    ("magika", "models", "standard_v3_3", "model.onnx"): {
        "literal_shapes", "remove_identity", "reshape_to_squeeze", "decomposed_relu", "reciprocal_mul_to_div",
        "decomposed_gelu", "sink_moves", "fuse_activation",
    },
    ("rapidocr_onnxruntime", "models", "ch_ppocr_mobile_v2.0_cls_infer.onnx"): {
        "share_constants", "fold_constants", "remove_identity", "reshape_to_squeeze", "fold_batch_norm",
        "matmul_add_to_linear", "fold_scale_and_shift", "fuse_activation",
    },
    ("rapidocr_onnxruntime", "models", "ch_PP-OCRv4_det_infer.onnx"): {
        "share_constants", "merge_scales", "fold_batch_norm", "fold_scale_and_shift", "fuse_activation",
    },
    ("rapidocr_onnxruntime", "models", "ch_PP-OCRv4_rec_infer.onnx"): {
        "share_constants", "literal_shapes", "remove_identity", "slices_to_split", "merge_scales", "decomposed_layer_norm",
        "decomposed_silu", "decomposed_attention", "fold_transpose_into_matmul", "fold_batch_norm", "matmul_add_to_linear",
        "fold_scale_and_shift", "fuse_activation",
    },
}  # fmt: skip


@pytest.mark.parametrize("path", FIRES, ids=lambda path: path[-1])
def test_the_report_says_what_fired(path):
    report = crt.graph.ModelGraph.from_onnx(os.fspath(package_file(*path))).optimize()
    assert {row.transform.name for row in report.transforms if row.applications} == FIRES[path]
    assert report.converged and report.nodes_after < 0.75 * report.nodes_before
