"""The options of finalize(): the code cache, the target CPU, precision and progress."""

import copy
import os
import pathlib
import pickle
import subprocess
import sys
import time

import numpy as np
import pytest
from graphs import relu_chain, traced
from packaged_models import package_file

import clika_runtime as crt

W = np.random.default_rng(0).standard_normal((64, 64)).astype(np.float32)
X = np.random.default_rng(1).standard_normal((5, 64)).astype(np.float32)


def layer(weights=W, size=64):
    return traced(lambda x: crt.softmax(crt.matmul(x[0], crt.tensor(weights)), axis=-1), [5, size])


def run(graph, **options):
    graph.finalize(**options)
    return graph.run([X])[0].numpy()


def stages_of(graph, **options):
    stages = []
    graph.finalize(progress=stages.append, **options)
    return stages


def was_compiled(graph, folder, **options):
    return "generate-code" in stages_of(graph, cache_dir=folder, **options)


def test_code_is_kept(tmp_path):
    folder = tmp_path / "made" / "here"
    expected = run(layer())
    assert was_compiled(layer(), folder)
    (file,) = folder.iterdir()
    assert not was_compiled(layer(), folder)
    assert not was_compiled(layer(), os.fspath(folder))
    assert list(folder.iterdir()) == [file], "nothing is written twice, nothing is left over"
    assert np.array_equal(run(layer(), cache_dir=folder), expected)


def test_weights_are_no_part_of_the_code(tmp_path):
    run(layer(), cache_dir=tmp_path)
    other = layer(W + 1)
    assert not was_compiled(other, tmp_path)
    assert np.array_equal(other.run([X])[0].numpy(), run(layer(W + 1)))


def test_each_option_has_code_of_its_own(tmp_path):
    for options in ({}, {"threads": 1}, {"threads": 3}, {"target_cpu": "x86-64"}, {"precision": "relaxed"}):
        for first in (True, False):
            # Without an option the number of threads is the machine's.
            assert was_compiled(layer(), tmp_path, **({"threads": 2} | options)) == first, options
    assert was_compiled(layer(W[:, :32]), tmp_path, threads=2)


def test_a_damaged_file_is_written_anew(tmp_path):
    expected = run(layer(), cache_dir=tmp_path)
    (file,) = tmp_path.iterdir()
    good = file.read_bytes()
    rng = np.random.default_rng(3)
    damaged = [b"", b"x", good[:40], good[:-1], good + b"\0", bytes(len(good)), good[::-1], os.urandom(len(good))]
    for at in [0, 8, 16, 40, 47, 79, 80, 88, 96, len(good) - 1, *rng.integers(0, len(good), 20)]:
        damaged.append(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
    for bad in damaged:
        file.write_bytes(bad)
        graph = layer()
        assert was_compiled(graph, tmp_path)
        assert np.array_equal(graph.run([X])[0].numpy(), expected)
        assert not was_compiled(layer(), tmp_path)
    # The file of another key, under this one's name.
    run(layer(W[:, :32]), cache_dir=tmp_path)
    (other,) = set(tmp_path.iterdir()) - {file}
    file.write_bytes(other.read_bytes())
    graph = layer()
    assert was_compiled(graph, tmp_path)
    assert np.array_equal(graph.run([X])[0].numpy(), expected)


def test_a_folder_in_place_of_the_file(tmp_path):
    run(layer(), cache_dir=tmp_path)
    (file,) = tmp_path.iterdir()
    file.unlink()
    file.mkdir()
    graph = layer()
    with pytest.raises(crt.IoError, match="^finalize: .*cache_dir"):
        graph.finalize(cache_dir=tmp_path)
    assert not graph.is_finalized()
    assert list(tmp_path.iterdir()) == [file]


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "below", "/proc/nothing/here", "/dev/null"):
        graph = layer()
        with pytest.raises(crt.IoError, match="^finalize: .*cache_dir '.*'.*; give a folder") as caught:
            graph.finalize(cache_dir=folder)
        assert os.fspath(folder) in str(caught.value)
        assert not graph.is_finalized()
        graph.finalize()
    for wrong in (3, ["x"], b"\0"):
        with pytest.raises((TypeError, ValueError, crt.Error)):
            layer().finalize(cache_dir=wrong)


WORKER = """
import sys, numpy as np, clika_runtime as crt
w = np.arange(4096, dtype=np.float32).reshape(64, 64) / 4096
for size in range(3, 11):
    g = crt.trace(lambda x: crt.softmax(crt.matmul(x[0], crt.tensor(w)), axis=-1),
                  [crt.TensorSpec("x", crt.float32, [size, 64])]).graph
    g.finalize(cache_dir=sys.argv[1])
    got = g.run([np.ones((size, 64), np.float32)])[0].numpy()
    assert got.shape == (size, 64) and np.allclose(got.sum(-1), 1)
"""


def test_processes_share_a_folder(tmp_path):
    workers = [subprocess.Popen([sys.executable, "-c", WORKER, os.fspath(tmp_path)], stderr=subprocess.PIPE) for _ in range(4)]
    for worker in workers:
        _, errors = worker.communicate(timeout=300)
        assert worker.returncode == 0, errors.decode()
    assert len(list(tmp_path.iterdir())) == 8


def test_a_model_is_finalized_faster(tmp_path):
    path = os.fspath(package_file("magika", "models", "standard_v3_3", "model.onnx"))

    def seconds():
        graph = crt.graph.ModelGraph.from_onnx(path)
        start = time.perf_counter()
        graph.finalize(cache_dir=tmp_path)
        return time.perf_counter() - start

    cold = seconds()
    assert min(seconds() for _ in range(3)) < cold / 2


def test_target_cpu():
    expected = run(layer())
    for cpu in (None, "host", "x86-64", "x86-64-v2"):
        np.testing.assert_allclose(run(layer(), target_cpu=cpu), expected, rtol=1e-5)


@pytest.mark.parametrize("cpu", ["pentium-9", "cortex-a72", "help", "HOST", " ", "x86-64\n", "+avx2", "x86-64,+avx512f", "i386"])
def test_unknown_target_cpu(cpu):
    graph = layer()
    with pytest.raises(crt.InvalidArgumentError, match="^finalize: target_cpu is ") as caught:
        graph.finalize(target_cpu=cpu)
    assert repr(cpu)[1:-1].replace("\\n", "\n") in str(caught.value) and "'host'" in str(caught.value)
    assert not graph.is_finalized()


def test_target_cpu_beyond_this_machine():
    # No CPU has both AMX and FMA4.
    flags = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    cpu, lacks = ("bdver4", "fma4") if " fma4 " not in flags else ("sapphirerapids", "amx-tile")
    with pytest.raises(crt.InvalidArgumentError, match=f"^finalize: target_cpu is '{cpu}', .*lacks: .*{lacks}.*'host'"):
        layer().finalize(target_cpu=cpu)


def test_precision():
    run(layer(), precision="relaxed")
    for wrong in ("half", "", "Full", "FULL", "full "):
        with pytest.raises(crt.InvalidArgumentError, match="^finalize: precision is .*'full' or 'relaxed'"):
            layer().finalize(precision=wrong)
    for wrong in (None, 1, b"full"):
        with pytest.raises(crt.InvalidArgumentError, match="^finalize: precision"):
            layer().finalize(precision=wrong)


def test_progress_names_each_stage_once():
    stages = stages_of(layer())
    assert len(set(stages)) == len(stages) > 5
    assert stages == stages_of(layer()), "the same stages in the same order"


def test_progress_says_how_much_is_done():
    stages = stages_of(layer())
    done = [stage.done for stage in stages]
    assert done[0] == 0 and done == sorted(set(done)) and done[-1] < 1
    assert all(type(stage) is crt.graph.FinalizeStage for stage in stages)
    for copied in (copy.copy(stages[-1]), copy.deepcopy(stages[-1]), pickle.loads(pickle.dumps(stages[-1]))):
        assert (copied, copied.done) == (stages[-1], done[-1])


def test_an_error_in_progress_ends_finalize():
    stages = stages_of(relu_chain(2))
    for stop in stages:
        graph = relu_chain(2)
        before = graph.to_mlir()

        def progress(stage, stop=stop):
            if stage == stop:
                raise ZeroDivisionError(stage)

        with pytest.raises(ZeroDivisionError):
            graph.finalize(progress=progress)
        assert not graph.is_finalized() and graph.to_mlir() == before
        graph.finalize()


def with_top():
    """A product, whose tiles are vectors, and what is the largest of it, which one element after the other tells."""
    return traced(lambda x: crt.topk(crt.matmul(x[0], x[0]), k=2)[0], [8, 8])


def test_fallbacks_name_what_vectors_do_not_do(tmp_path):
    for _ in range(2):  # Of code that the cache has, too.
        found = []
        with_top().finalize(fallback=found.append, cache_dir=tmp_path)
        assert found == [crt.graph.Fallback(["topk_1"], "it takes its elements one after the other")]
    found = []
    traced(lambda x: crt.softmax(crt.relu(crt.matmul(x[0], x[0])), -1), ["n", "n"]).finalize(fallback=found.append)
    assert found == []


def test_an_error_in_fallback_ends_finalize():
    graph = with_top()
    before = graph.to_mlir()

    def fail(fallback):
        raise ZeroDivisionError(fallback.reason)

    with pytest.raises(ZeroDivisionError, match="one after the other"):
        graph.finalize(fallback=fail)
    assert not graph.is_finalized() and graph.to_mlir() == before
    with pytest.raises(crt.InvalidArgumentError, match="the `fallback` of finalize"):
        graph.finalize(fallback=lambda found: graph.rename_node(graph.nodes()[-1], "x"))
    graph.finalize()


def test_sizes_beyond_memory():
    with pytest.raises(crt.InvalidArgumentError, match="more elements than memory can hold"):
        traced(lambda x: crt.relu(x[0]), [1 << 40, 1 << 40]).finalize()
    # 70 TB of an intermediate result.
    graph = traced(lambda x: crt.reduce_max(crt.cumsum(crt.expand(x[0], [1 << 44]), axis=0)), [1])
    graph.finalize()
    with pytest.raises(crt.OutOfMemoryError, match="^run: .*no memory"):
        graph.run([np.ones(1, np.float32)])
