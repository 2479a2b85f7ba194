"""finalize() and run() from Python."""

import functools
import subprocess
import sys
import threading

import numpy as np
import pytest
from graphs import relu_chain, traced

import clika_runtime as crt
from clika_runtime.graph import ModelGraph

X = np.array([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]], np.float32)


def finalized(fn, *shapes, **options):
    graph = traced(fn, *shapes, **options)
    graph.finalize()
    return graph


def test_run_takes_lists_and_names():
    graph = finalized(lambda x: [x[0] - x[1], crt.neg(x[0])], [2, 3], [2, 3], outputs=["d", "n"])
    two = np.full((2, 3), 2, np.float32)
    for inputs in ([X, two], (crt.tensor(X), crt.tensor(two)), {"x1": two, "x0": X}):
        difference, negated = graph.run(inputs)
        assert np.array_equal(difference.numpy(), X - two) and np.array_equal(negated.numpy(), -X)


def test_run_takes_every_layout():
    graph = finalized(lambda x: crt.neg(x[0]), ["a", "b"])
    for array in (X, X.T, X[::-1], X[:, ::2], np.asfortranarray(X), X.astype(">f4")):
        assert np.array_equal(graph.run([array])[0].numpy(), -array)


def test_run_refuses():
    graph = traced(lambda x: x[0] + x[1], ["n"], ["n"])
    with pytest.raises(crt.InvalidArgumentError, match="^run: ") as caught:
        graph.run([X[0], X[0]])
    assert caught.value.code_name == "FAILED_PRECONDITION"
    graph.finalize()
    three, two = np.ones(3, np.float32), np.ones(2, np.float32)
    for wrong, message in [([three], "2"), ([three, two], "n"), ([X, X], "rank|shape"), ({"x0": three}, "x1"),
                           ({"x0": three, "x1": three, "x2": three}, "x2"), ([three, three.astype(np.float64)], "float64"),
                           (3, "list"), ("ab", "list"), ([3.0, "a"], "Tensor"), ({1: three}, "name")]:
        with pytest.raises(crt.InvalidArgumentError, match=f"^run: .*({message})"):
            graph.run(wrong)
    with pytest.raises(crt.InvalidArgumentError) as caught:
        graph.finalize()
    assert caught.value.code_name == "FAILED_PRECONDITION"
    with pytest.raises(crt.InvalidArgumentError) as caught:
        graph.bypass_node(graph.nodes()[0])
    assert caught.value.code_name == "FAILED_PRECONDITION"


def test_run_into():
    graph = finalized(lambda x: crt.relu(x[0]))
    out = crt.empty([2, 3], crt.float32)
    graph.run_into([X], [out])
    assert np.array_equal(out.numpy(), np.maximum(X, 0))
    with pytest.raises(crt.InvalidArgumentError, match="^run_into: "):
        graph.run_into([X], [X])
    with pytest.raises(crt.InvalidArgumentError, match="^run_into: "):
        graph.run_into([X], [crt.empty([3, 2], crt.float32)])



@pytest.mark.parametrize("rows", [2, 200])  # small constants are kept in another way than large ones
def test_run_into_writes_only_to_what_was_made_for_it(rows):
    graph = finalized(lambda x: crt.relu(x[0]), [rows, 3])
    x = np.zeros((rows, 3), np.float32)
    out = crt.empty([rows, 3], crt.float32)
    array = np.zeros((rows, 3), np.float32)
    array.flags.writeable = False
    used = crt.tensor(np.full((rows, 3), 7, np.float32))
    computed, result = crt.add(crt.tensor(x), 1.0), graph.run([x])[0]
    kept = ModelGraph().add_constant(used, "kept").constant()
    for read_only in (crt.from_dlpack(array), crt.from_dlpack(out.numpy()), used, used.reshape([rows, 3]), kept, computed, result):
        with pytest.raises(crt.InvalidArgumentError, match="^run_into: .* may not change: .*empty"):
            graph.run_into([x], [read_only])
    assert not array.any() and (kept.numpy() == 7).all()
    graph.run_into([x], [out])
    graph.run_into([x], [out.reshape([rows, 3])])

def test_finalize_options():
    stages = []
    graph = relu_chain(1)
    graph.finalize(threads=1, progress=stages.append)
    assert stages and all(isinstance(stage, str) for stage in stages)
    for wrong in ({"precision": "half"}, {"threads": 0}, {"threads": 257}, {"threads": 1.5}, {"threads": "2"}, {"progress": 3}):
        with pytest.raises(crt.InvalidArgumentError, match="^finalize: "):
            relu_chain(1).finalize(**wrong)
    for threads in (-1, 0, 257, 2**31 + 1, 2**63 - 1):
        with pytest.raises(crt.InvalidArgumentError, match=f"^finalize: threads is {threads}; give a number from 1 to 256, or "):
            relu_chain(1).finalize(threads=threads)
    relu_chain(1).finalize(threads=256)

    def fails(stage):
        raise LookupError(stage)

    failed = relu_chain(1)
    with pytest.raises(LookupError):
        failed.finalize(progress=fails)
    failed.finalize()
    assert failed.is_finalized()


def test_device():
    graph = relu_chain(1)
    graph.to("cpu")
    graph.to(crt.Device("cpu"))
    with pytest.raises(crt.UnsupportedError, match="cpu"):
        graph.to("cuda")


def test_many_threads_run_one_graph():
    graph = finalized(lambda x: crt.relu(x[0]) - x[0], ["n"])
    failures = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(50):
            x = rng.standard_normal(rng.integers(0, 2000)).astype(np.float32)
            if not np.array_equal(graph.run([x])[0].numpy(), np.maximum(x, 0) - x):
                failures.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_results_outlive_the_graph():
    graph = finalized(lambda x: crt.neg(x[0]))
    result = graph.run([X])[0].numpy()
    del graph
    assert np.array_equal(result, -X)


def test_eager_ops():
    assert crt.relu(crt.tensor([-1.0, 2.0])).tolist() == [0.0, 2.0]
    assert crt.add(crt.tensor([1, 2]), 3, alpha=2).tolist() == [7, 8]
    assert crt.clamp(crt.tensor([-1.0, 9.0]), crt.tensor(0.0), 6.0).tolist() == [0.0, 6.0]
    assert crt.add(np.ones(2, np.float32), crt.tensor([1.0, 2.0])).tolist() == [2.0, 3.0]
    for call in (lambda: crt.relu("x"), lambda: crt.add(crt.tensor([1.0]), crt.tensor([1])),
                 lambda: crt.add(crt.tensor([1]), 2.5), lambda: crt.add(crt.tensor([1]), 1, alpha="2"),
                 lambda: crt.add(crt.tensor([1]), 1, activation=3), lambda: crt.add(crt.tensor([1.0] * 2), crt.tensor([1.0] * 3))):
        with pytest.raises(crt.InvalidArgumentError, match="^(relu|add): "):
            call()


def test_save_and_load(tmp_path):
    graph = traced(lambda x: x[0] + crt.tensor(X))
    graph.save(tmp_path / "saved")
    loaded = ModelGraph.load(str(tmp_path / "saved"))
    assert loaded.to_mlir() == graph.to_mlir()
    loaded.finalize()
    assert np.array_equal(loaded.run([X])[0].numpy(), X + X)
    with pytest.raises(crt.IoError, match="^load: "):
        ModelGraph.load(tmp_path / "missing")


def test_a_finalized_graph_is_saved_with_its_code(tmp_path):
    weights = np.random.default_rng(0).standard_normal((64, 300)).astype(np.float32)
    graph = crt.trace(lambda t: [crt.relu(crt.matmul(t[0], crt.tensor(weights))), t[0] * 3.0, t[1]],
                      [crt.TensorSpec("x", crt.float32, ["n", 64]), crt.TensorSpec("b", crt.bool, [2])]).graph
    graph.finalize(threads=2)
    path = tmp_path / "finalized"
    graph.save(path)
    loaded = ModelGraph.load(path)
    loaded.save(path)  # over the file that is mapped
    again = ModelGraph.load(path)
    flags = np.array([True, False])
    for n in (1, 7, 64):
        x = np.random.default_rng(n).standard_normal((n, 64)).astype(np.float32)
        expected = graph.run([x, flags])
        for other in (loaded, again):
            assert other.is_finalized()
            for a, b in zip(other.run([x, flags]), expected, strict=True):
                assert np.array_equal(a.numpy(), b.numpy())
    with pytest.raises(crt.InvalidArgumentError, match=r"^run: .*\[n, 64\]"):
        again.run([np.ones((2, 3), np.float32), flags])
    with pytest.raises(crt.InvalidArgumentError):
        again.optimize()
    editable = again.clone()
    assert not editable.is_finalized() and editable.to_mlir() == graph.clone().to_mlir()


GROWTH = """
import pathlib, re, sys
import numpy as np
from clika_runtime.graph import ModelGraph

def most():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())[1]) >> 10

start = most()
graph = ModelGraph.load(sys.argv[1])
graph.run([np.ones((1, 2048), np.float32)])
print(most() - start)
"""


@pytest.mark.parametrize("is_compiled", [True, False])
def test_a_loaded_graph_has_in_memory_what_it_reads(tmp_path, is_compiled):
    """Its 64 MiB of weights as they are packed, and not those that they were packed from."""
    weights = [crt.tensor(np.full((2048, 2048), i, np.float32)) for i in range(4)]
    graph = crt.trace(lambda t: [functools.reduce(crt.matmul, [*weights, *t[1:]], t[0])],
                      [crt.TensorSpec("x", crt.float32, [1, 2048])]).graph  # fmt: skip
    if is_compiled:
        graph.finalize(threads=1)
    path = tmp_path / "saved"
    graph.save(path)
    program = GROWTH if is_compiled else GROWTH.replace("graph.run", "().__class__")
    result = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) < (64 + 24 if is_compiled else 24)


def test_queries_go_on_while_a_graph_is_compiled():
    graph = relu_chain(5)
    answers = []

    def progress(_):
        thread = threading.Thread(target=lambda: answers.append(len(graph.nodes())))
        thread.start()
        thread.join(20)
        assert not thread.is_alive()

    graph.finalize(progress=progress)
    assert answers and set(answers) == {6}


def test_edits_while_a_graph_is_compiled_are_refused():
    graph = relu_chain(2)

    before = graph.to_mlir()

    def bypass():
        graph.bypass_node(graph.nodes()[1])

    for edit, call in ((bypass, "bypass_node"), (graph.optimize, "optimize"), (graph.finalize, "finalize"),
                       (lambda: graph.rename_input("x", "z"), "rename_input")):
        with pytest.raises(crt.InvalidArgumentError, match=f"^{call}: the `progress` of finalize.. is running") as caught:
            graph.finalize(progress=lambda _, edit=edit: edit())
        assert caught.value.code_name == "FAILED_PRECONDITION" and not graph.is_finalized() and graph.to_mlir() == before

    def progress(_):
        if len(graph.nodes()) == 3:
            thread = threading.Thread(target=bypass)
            thread.start()
            thread.join()

    with pytest.raises(crt.InvalidArgumentError, match="^finalize: .*edited"):
        graph.finalize(progress=progress)
    assert not graph.is_finalized()
