"""The same bits for any number of threads, and threads among callers, forks, errors and CPUs."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from graphs import traced
from onnx_models import helper, model_of, read
from packaged_models import package_file
from test_onnx_models import session

import clika_runtime as crt

COUNTS = (2, 3, 8)


def rand(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


# Large enough that several threads take part, and of sizes that tiles and threads do not divide.
GRAPHS = {
    "add": (lambda x: x[0] + x[1], [rand(513, 771), rand(513, 771, seed=1)]),
    "broadcast": (lambda x: x[0] * x[1], [rand(7, 311, 129), rand(311, 1, seed=1)]),
    "exp": (lambda x: crt.exp(x[0]), [rand(3, 77777)]),
    "cast": (lambda x: crt.cast(x[0], crt.int8), [rand(999, 1001) * 100]),
    "matmul": (lambda x: crt.matmul(x[0], x[1]), [rand(197, 300), rand(300, 211, seed=1)]),
    "matmul of one row": (lambda x: crt.matmul(x[0], x[1]), [rand(1, 1000), rand(1000, 1003, seed=1)]),
    "matmul of powers of two": (lambda x: crt.matmul(x[0], x[1]), [rand(256, 512), rand(512, 1024, seed=1)]),
    "batch matmul": (lambda x: crt.matmul(x[0], x[1]), [rand(5, 65, 90), rand(5, 90, 70, seed=1)]),
    "transposed matmul": (
        lambda x: crt.matmul(x[0], crt.transpose(x[1], [0, 2, 1])),
        [rand(3, 65, 90), rand(3, 130, 90, seed=1)],
    ),
    "linear with gelu": (lambda x: crt.gelu(crt.linear(x[0], x[1], x[2])), [rand(130, 96), rand(200, 96, seed=1), rand(200)]),
    "conv": (lambda x: crt.conv(x[0], x[1], x[2], pads=[1, 1]), [rand(1, 24, 37, 41), rand(40, 24, 3, 3), rand(40)]),
    "strided conv": (lambda x: crt.conv(x[0], x[1], strides=[2, 2]), [rand(2, 16, 63, 64), rand(33, 16, 3, 3)]),
    "depthwise conv": (lambda x: crt.conv(x[0], x[1], groups=48), [rand(1, 48, 60, 59), rand(48, 1, 5, 5)]),
    "max_pool": (lambda x: crt.max_pool(x[0], [3, 3], strides=[2, 2]), [rand(1, 32, 101, 99)]),
    "avg_pool": (lambda x: crt.avg_pool(x[0], [2, 2]), [rand(2, 32, 61, 99)]),
    "softmax": (lambda x: crt.softmax(x[0], axis=-1), [rand(300, 333)]),
    "softmax of columns": (lambda x: crt.softmax(x[0], axis=0), [rand(300, 333)]),
    "layer_norm": (lambda x: crt.layer_norm(x[0], x[1], x[2]), [rand(4, 70, 300), rand(300), rand(300, seed=2)]),
    "sum of rows": (lambda x: crt.reduce_sum(x[0], axes=[1]), [rand(777, 555)]),
    "sum of columns": (lambda x: crt.reduce_sum(x[0], axes=[0]), [rand(777, 555)]),
    "sum of all": (lambda x: crt.reduce_sum(x[0]), [rand(777, 555)]),
    "argmax": (lambda x: crt.argmax(x[0], axis=1), [rand(777, 555)]),
    "transpose": (lambda x: crt.transpose(x[0], [2, 0, 1]), [rand(65, 130, 66)]),
    "concat": (lambda x: crt.concat([x[0], x[1]], axis=1), [rand(300, 400), rand(300, 333, seed=1)]),
    "gather": (lambda x: crt.gather(x[0], x[1], axis=0), [rand(500, 300), np.arange(-500, 500, dtype=np.int64)]),
    "cumsum": (lambda x: crt.cumsum(x[0], axis=1), [rand(300, 500)]),
    "resize": (lambda x: crt.resize(x[0], sizes=[1, 8, 133, 177], mode="Linear"), [rand(1, 8, 60, 80)]),
}


def outputs(fn, arrays, dynamic, threads):
    shapes = [[f"d{i}_{d}" if dynamic else size for d, size in enumerate(a.shape)] for i, a in enumerate(arrays)]
    specs = [crt.TensorSpec(f"x{i}", a.dtype, shape) for i, (a, shape) in enumerate(zip(arrays, shapes, strict=True))]
    graph = crt.trace(fn, specs).graph
    graph.finalize(threads=threads)
    return [tensor.numpy().tobytes() for _ in range(2) for tensor in graph.run(list(arrays))]


@pytest.mark.parametrize("name", GRAPHS)
def test_same_bits(name):
    fn, arrays = GRAPHS[name]
    expected = outputs(fn, arrays, False, 1)
    assert all(outputs(fn, arrays, False, threads) == expected for threads in COUNTS)


# Shapes of which every size is unknown, where the op allows it.
DYNAMIC = ["add", "exp", "softmax", "sum of rows", "sum of columns", "layer_norm", "max_pool", "transpose", "argmax"]


@pytest.mark.parametrize("name", DYNAMIC)
def test_same_bits_of_unknown_sizes(name):
    fn, arrays = GRAPHS[name]
    if name == "add":
        arrays = [arrays[0]]
        fn = lambda x: x[0] + x[0] * x[0]  # noqa: E731
    if name == "layer_norm":
        weights = [crt.tensor(a) for a in arrays[1:]]
        arrays = arrays[:1]
        shape = ["a", "b", 300]
        graphs = []
        for threads in (1, *COUNTS):
            graph = crt.trace(lambda x: crt.layer_norm(x[0], *weights), [crt.TensorSpec("x", crt.float32, shape)]).graph
            graph.finalize(threads=threads)
            graphs.append(graph.run(arrays)[0].numpy().tobytes())
        assert len(set(graphs)) == 1
        return
    expected = outputs(fn, arrays, True, 1)
    assert all(outputs(fn, arrays, True, threads) == expected for threads in COUNTS)


def test_same_bits_of_a_dynamic_matmul():
    weights = crt.tensor(rand(300, 211, seed=1))
    results = []
    for threads in (1, *COUNTS):
        graph = crt.trace(lambda x: crt.relu(crt.matmul(x[0], weights)), [crt.TensorSpec("x", crt.float32, ["m", 300])]).graph
        graph.finalize(threads=threads)
        results.append(b"".join(graph.run([rand(m, 300)])[0].numpy().tobytes() for m in (0, 1, 3, 31, 64, 257)))
    assert len(set(results)) == 1


@pytest.mark.parametrize("package, file, shape", [
    ("magika", ("models", "standard_v3_3", "model.onnx"), None),
    ("rapidocr_onnxruntime", ("models", "ch_PP-OCRv4_det_infer.onnx"), (1, 3, 96, 160)),
])  # fmt: skip
def test_same_bits_of_a_model(package, file, shape):
    path = package_file(package, *file)
    (value,) = session(path).get_inputs()
    rng = np.random.default_rng(0)
    given = rng.uniform(-1, 1, shape).astype(np.float32) if shape else rng.integers(0, 257, (2, value.shape[1])).astype(np.int32)
    results = []
    for threads in (1, *COUNTS):
        graph = crt.graph.ModelGraph.from_onnx(os.fspath(path))
        graph.optimize()
        graph.finalize(threads=threads)
        results.append([tensor.numpy().tobytes() for tensor in graph.run({value.name: given})])
    assert all(result == results[0] for result in results)


def test_many_callers_at_once():
    a, b = crt.tensor(rand(300, 300)), crt.tensor(rand(300, 300, seed=2))
    graphs = [
        traced(lambda x: crt.softmax(crt.matmul(x[0], a), axis=-1), [200, 300]),
        traced(lambda x: crt.relu(crt.matmul(x[0], b)) + x[0], [200, 300]),
    ]
    inputs = [rand(200, 300, seed=s) for s in range(4)]
    for graph in graphs:
        graph.finalize(threads=3)
    expected = [[graph.run([x])[0].numpy().tobytes() for x in inputs] for graph in graphs]
    wrong = []

    def call(number):
        for round in range(60):
            g, x = (number + round) % 2, (number * 7 + round) % 4
            if graphs[g].run([inputs[x]])[0].numpy().tobytes() != expected[g][x]:
                wrong.append(number)

    callers = [threading.Thread(target=call, args=(number,)) for number in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


def test_a_failing_check_in_a_parallel_part():
    model = model_of(
        [helper.make_node("Gather", ["data", "indices"], ["y"], name="rows", axis=0)],
        {"data": rand(50, 3000), "indices": np.zeros(200, np.int64)},
        ["y"],
        13,
    )

    def run(tmp, threads, indices):
        graph = read(model, tmp)
        graph.finalize(threads=threads)
        data = rand(50, 3000)
        with pytest.raises(crt.InvalidArgumentError) as caught:
            graph.run({"data": data, "indices": indices})
        good = np.arange(200) % 50
        assert np.array_equal(graph.run({"data": data, "indices": good})[0].numpy(), data[good])
        return str(caught.value)

    import pathlib
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for at in (0, 99, 199):
            indices = np.zeros(200, np.int64)
            indices[at] = 50
            messages = {run(pathlib.Path(folder), threads, indices) for threads in (1, 2, 8)}
            assert len(messages) == 1 and "rows" in messages.pop()


def in_a_new_process(code, **options):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False, **options)


PROGRAM = """
import os, sys, numpy as np, clika_runtime as crt
def graph(**options):
    w = crt.tensor(np.arange(90000, dtype=np.float32).reshape(300, 300) / 1000)
    g = crt.trace(lambda x: crt.matmul(x[0], w), [crt.TensorSpec("x", crt.float32, [300, 300])]).graph
    g.finalize(**options)
    return g
x = np.ones((300, 300), np.float32)
def threads():
    return len(os.listdir("/proc/self/task"))
"""


def test_a_forked_process_has_threads_of_its_own():
    code = PROGRAM + """
g = graph(threads=2)
expected = g.run([x])[0].numpy().tobytes()
for _ in range(3):
    child = os.fork()
    if child == 0:
        before = threads()
        same = all(g.run([x])[0].numpy().tobytes() == expected for _ in range(20))
        os._exit(0 if same and before == 1 and threads() == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0
assert g.run([x])[0].numpy().tobytes() == expected
"""
    result = in_a_new_process(code)
    assert result.returncode == 0, result.stderr


def test_affinity():
    one = min(os.sched_getaffinity(0))
    code = PROGRAM + """
g = graph()
before = threads()
for _ in range(20): expected = g.run([x])[0].numpy().tobytes()
assert threads() == before, "one CPU, one thread"
asked = graph(threads=3)
for _ in range(20): assert asked.run([x])[0].numpy().tobytes() == expected
assert threads() == before + 2
"""
    result = in_a_new_process(code, preexec_fn=lambda: os.sched_setaffinity(0, {one}))
    assert result.returncode == 0, result.stderr


def test_threads_is_checked():
    for wrong in (0, -1, -(2**31), 257, 2**31, 2**32 + 1, 2**63, -(2**70), 1.5, 2.0, "2", [2], float("nan")):
        graph = traced(lambda x: crt.relu(x[0]))
        with pytest.raises(crt.InvalidArgumentError, match="^finalize: threads ") as caught:
            graph.finalize(threads=wrong)
        if isinstance(wrong, int):
            assert str(wrong) in str(caught.value)
        assert not graph.is_finalized()
    for right in (1, 256, np.int64(2)):
        traced(lambda x: crt.relu(x[0])).finalize(threads=right)


