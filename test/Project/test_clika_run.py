"""clika-run reads what NumPy and ONNX write, runs it and writes what NumPy reads; what is wrong it names."""

import re
import subprocess

import numpy as np
import onnx
import pytest
from conftest import run
from onnx import TensorProto, helper

MAKE_FILES = """
import sys, clika_runtime as crt
def fn(inputs):
    return [crt.relu(inputs[0]) - inputs[1]]
specs = [crt.TensorSpec(name, crt.float32, ["rows", 3]) for name in ("x", "bias")]
graph = crt.trace(fn, specs, output_names=["y"]).graph
graph.save(sys.argv[1] + "/model.clika")
open(sys.argv[1] + "/model.mlir", "w").write(graph.to_mlir())
"""
X = np.array([[1.5, -2, 3], [-4, 5, -0.25]], np.float32)
BIAS = np.array([[1, 2, 3], [4, 5, 6]], np.float32)


@pytest.fixture(scope="module")
def folder(python, tmp_path_factory):
    path = tmp_path_factory.mktemp("models")
    done = run([python, "-c", MAKE_FILES, path])
    assert done.returncode == 0, done.stderr
    rows = ["rows", 3]
    nodes = [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Sub", ["r", "bias"], ["y"])]
    info = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, rows) for name in ("x", "bias", "y")}
    graph = helper.make_graph(nodes, "g", [info["x"], info["bias"]], [info["y"]])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, path / "model.onnx")
    np.save(path / "x.npy", X)
    np.save(path / "bias.npy", BIAS)
    return path


@pytest.fixture
def clika_run(prefix, folder):
    def call(*arguments: str) -> subprocess.CompletedProcess:
        return run([prefix / "bin" / "clika-run", *arguments], cwd=folder)

    return call


@pytest.mark.parametrize("file", ["model.clika", "model.mlir", "model.onnx"])
@pytest.mark.parametrize("mode", [[], ["--no-optimize"]])
def test_runs_on_npy_files(clika_run, folder, file, mode, tmp_path):
    done = clika_run(file, *mode, "--input", "x=x.npy", "--input", "bias=bias.npy", "--outputs", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "input  x: float32[2, 3], from x.npy\n" in done.stdout
    assert "output y: float32[2, 3]\n" in done.stdout
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), np.maximum(X, 0) - BIAS)


def test_random_inputs_repeat_with_the_seed_and_take_sizes(clika_run, folder, tmp_path):
    results = []
    for seed in ("7", "7", "8"):
        done = clika_run("model.clika", "--seed", seed, "--dim", "rows=5", "--repeat", "2", "--outputs", str(tmp_path))
        assert done.returncode == 0, done.stderr
        assert f"input  x: float32[5, 3], random (seed {seed})\n" in done.stdout
        results.append(np.load(tmp_path / "y.npy"))
    assert results[0].shape == (5, 3) and np.array_equal(results[0], results[1])
    assert not np.array_equal(results[0], results[2])


def test_a_size_is_learned_from_the_file_that_is_given(clika_run):
    done = clika_run("model.clika", "--input", "bias=bias.npy")
    assert "input  x: float32[2, 3], random" in done.stdout


@pytest.mark.parametrize("suffix", ["ONNX", "Onnx", "MLIR"])
def test_the_case_of_a_suffix_does_not_matter(clika_run, folder, tmp_path, suffix):
    path = tmp_path / f"model.{suffix}"
    path.write_bytes((folder / f"model.{suffix.lower()}").read_bytes())
    assert clika_run(str(path)).returncode == 0


@pytest.mark.parametrize("arguments, words", [
    (["missing.onnx"], ["missing.onnx"]),
    (["missing.mlir"], ["missing.mlir", "check its name"]),
    (["model.clika", "--input", "z=x.npy"], ["'z'", "x, bias"]),
    (["model.clika", "--dim", "cols=2"], ["'cols'", "rows"]),
    (["model.clika", "--input", "x=missing.npy"], ["missing.npy"]),
    (["model.clika", "--input", "x=x.npy", "--dim", "rows=9"], ["rows"]),
])  # fmt: skip
def test_what_is_wrong_is_named(clika_run, arguments, words):
    done = clika_run(*arguments)
    assert done.returncode == 1
    for word in words:
        assert word in done.stderr


@pytest.mark.parametrize("arguments, words", [
    ([], "no FILE given"),
    (["a", "b"], "one FILE at a time, not 'a' and 'b'"),
    (["a", "--what", "1"], "there is no option --what\n"),
    (["a", "--what"], "there is no option --what\n"),
    (["a", "-v"], "there is no option -v\n"),
    (["a", "--repeat"], "--repeat needs a value"),
    (["a", "--repeat", "0"], "--repeat takes a number from 1"),
    (["a", "--repeat=many"], "not 'many'"),
    (["a", "--input", "x"], "--input takes NAME=VALUE"),
])  # fmt: skip
def test_a_wrong_command_line_shows_the_usage(clika_run, arguments, words):
    done = clika_run(*arguments)
    assert done.returncode == 2 and words in done.stderr and "usage: clika-run" in done.stderr


def test_the_folder_of_outputs_is_made_before_anything_else(clika_run, folder, tmp_path):
    done = clika_run("model.clika", "--input=x=x.npy", f"--outputs={tmp_path}/new/results")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "new" / "results" / "y.npy").exists()
    done = clika_run("missing.onnx", "--outputs", str(folder / "x.npy"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"clika-run: --outputs: the folder '{folder / 'x.npy'}' cannot be made: Not a directory\n"


def test_times_have_their_unit(clika_run):
    assert re.search(r"first run [\d.]+ (us|ms), then of 10 runs the fastest [\d.]+ us, the median [\d.]+ us\n",
                     clika_run("model.clika").stdout)  # fmt: skip


def test_threads_are_those_that_finalize_takes(clika_run):
    for threads in (-1, 0, 257, 1024):
        done = clika_run("model.clika", "--threads", str(threads))
        assert done.returncode == 1
        assert done.stderr == (f"clika-run: finalize: threads is {threads}; give a number from 1 to 256, or leave it unset "
                               "for one per CPU\n")
    assert clika_run("model.clika", "--threads", "256").returncode == 0


def save(path, array):
    np.save(path, array, allow_pickle=True)


@pytest.mark.parametrize("spoil, words", [
    (lambda path: path.write_bytes(b"no array"), "not a .npy file"),
    (lambda path: path.write_bytes(path.read_bytes()[:-4]), "holds 20 bytes"),
    (lambda path: path.write_bytes(path.read_bytes()[:20]), "ends inside its header"),
    (lambda path: save(path, X.astype(np.complex64)), "astype"),
    (lambda path: save(path, np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f4")])), "structure"),
    (lambda path: save(path, X.astype(np.float64)), "float64"),
])  # fmt: skip
def test_a_bad_npy_file_is_refused(clika_run, folder, tmp_path, spoil, words):
    path = tmp_path / "bad.npy"
    np.save(path, X)
    spoil(path)
    done = clika_run("model.clika", "--input", f"x={path}")
    assert done.returncode == 1 and words in done.stderr


DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
SHAPES = [(), (3,), (2, 0), (2, 1, 3)]
PASS_ON = """
import clika_runtime as crt
for dtype in {types}:
    for shape in {shapes}:
        spec = crt.TensorSpec("x", getattr(crt, "bool_" if dtype == "bool" else dtype), shape)
        crt.trace(lambda t: t, [spec], output_names=["y"]).graph.save(f"{{dtype}}{{len(shape)}}.clika")
"""


@pytest.fixture(scope="module")
def identities(python, tmp_path_factory):
    path = tmp_path_factory.mktemp("identities")
    done = run([python, "-c", PASS_ON.format(types=DTYPES, shapes=SHAPES)], cwd=path)
    assert done.returncode == 0, done.stderr
    return path


@pytest.mark.parametrize("dtype, shape", [(dtype, SHAPES[i % 4]) for i, dtype in enumerate(DTYPES)] +
                         [("float32", shape) for shape in SHAPES] + [(dtype, (2, 1, 3)) for dtype in DTYPES])  # fmt: skip
def test_every_type_and_rank_passes_through(prefix, identities, tmp_path, dtype, shape):
    """In any order of bytes and elements."""
    data = (np.arange(np.prod(shape, dtype=int)) * 257 % 113).reshape(shape).astype(dtype)
    for spelled in (data, np.asarray(data, order="F"), data.astype(data.dtype.newbyteorder(">")),
                    np.asarray(data, data.dtype.newbyteorder(">"), order="F")):  # fmt: skip
        np.save(tmp_path / "x.npy", spelled)
        done = run([prefix / "bin" / "clika-run", identities / f"{dtype}{len(shape)}.clika", "--input", "x=x.npy",
                    "--outputs", ".", "--repeat", "1"], cwd=tmp_path)  # fmt: skip
        assert done.returncode == 0, done.stderr
        result = np.load(tmp_path / "y.npy")
        assert result.dtype == data.dtype and result.shape == data.shape
        np.testing.assert_array_equal(result, data)
        (tmp_path / "y.npy").unlink()
