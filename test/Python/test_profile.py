"""profile(): names, counts, times and files, against counts made by hand and by NumPy."""

import json
import pickle

import numpy as np
import pytest
from graphs import traced

import clika_runtime as crt
from clika_runtime.graph import ModelGraph


def profiled(graph, *arrays, **options):
    if not graph.is_finalized():
        graph.finalize(threads=1)
    return graph.profile(list(arrays), runs=3, warmup=1, **options)


def row_of(profile, *nodes):
    (row,) = [row for row in profile.rows if row.nodes == list(nodes)]
    return row


def row_with_most_flops(profile):
    return max(profile.rows, key=lambda row: row.flops)


def ones(*shape):
    return np.ones(shape, np.float32)


def test_a_product():
    weights = np.arange(48 * 20, dtype=np.float32).reshape(48, 20)
    graph = traced(lambda x: crt.matmul(x[0], weights), ["n", 48], outputs=["y"])
    for n in (1, 5, 64):
        profile = profiled(graph, ones(n, 48))
        row = row_of(profile, "matmul_1")
        assert (row.calls, row.flops, row.bytes) == (1, 2 * n * 48 * 20, 4 * (n * 48 + 48 * 20 + n * 20))
        assert row.kernel.startswith("clika_kernel_") and row.label == "matmul_1"
        assert row.gflops == pytest.approx(row.flops / row.time_us / 1e3)
        assert row.gigabytes == pytest.approx(row.bytes / row.time_us / 1e3)


def test_element_wise_work_is_one_kernel():
    graph = traced(lambda x: crt.exp(crt.neg(x[0] * 3.0)), ["n", 7], outputs=["y"])
    row = row_of(profiled(graph, ones(11, 7)), "mul_1", "neg_1", "exp_1")
    assert (row.flops, row.bytes) == (3 * 77, 2 * 4 * 77)
    assert row.label == "mul_1 + neg_1 + exp_1"


def test_a_fused_activation_counts():
    weights = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
    graph = traced(lambda x: crt.relu(crt.matmul(x[0], weights)), [8, 64])
    row = row_of(profiled(graph, ones(8, 64)), "matmul_1", "relu_1")
    assert row.flops == 2 * 8 * 64 * 64 + 8 * 64
    assert row.bytes == 4 * (8 * 64 + 64 * 64 + 8 * 64)


def places(size, window, stride, dilation):
    """How many of a row's elements windows come to."""
    count = (size - dilation * (window - 1) - 1) // stride + 1
    return count, len({o * stride + k * dilation for o in range(count) for k in range(window)})


@pytest.mark.parametrize("batch", [1, "n"])
@pytest.mark.parametrize("window, stride, dilation", [(3, 1, 1), (3, 2, 1), (1, 3, 1), (2, 1, 3), (3, 2, 3), (2, 5, 2)])
def test_a_convolution(batch, window, stride, dilation):
    weights = np.ones((8, 4, window, window), np.float32)
    graph = traced(lambda x: crt.conv(x[0], weights, strides=[stride] * 2, dilations=[dilation] * 2), [batch, 4, 23, 19])
    n = 1 if batch == 1 else 3
    row = row_with_most_flops(profiled(graph, ones(n, 4, 23, 19)))
    high, rows = places(23, window, stride, dilation)
    wide, columns = places(19, window, stride, dilation)
    results = n * 8 * high * wide
    assert row.nodes == ["conv_1"]
    assert row.flops == 2 * results * 4 * window**2
    assert row.bytes == 4 * (n * 4 * rows * columns + weights.size + results)


def test_sizes_of_images_that_only_a_run_knows():
    weights = np.ones((8, 4, 3, 3), np.float32)
    graph = traced(lambda x: crt.conv(x[0], weights, strides=[2, 2]), [1, 4, "h", "w"])
    for h, w in ((23, 19), (9, 40)):
        row = row_with_most_flops(profiled(graph, ones(1, 4, h, w)))
        (high, rows), (wide, columns) = places(h, 3, 2, 1), places(w, 3, 2, 1)
        assert row.flops == 2 * 8 * high * wide * 4 * 9
        assert row.bytes == 4 * (4 * rows * columns + weights.size + 8 * high * wide)


def test_a_reduction_and_a_gather():
    graph = traced(lambda x: [crt.reduce_sum(x[0], axes=[1]), crt.gather(x[0], np.int64([1, 0, 1]))], [6, 50])
    profile = profiled(graph, ones(6, 50))
    total = row_of(profile, "reduce_sum_1")
    assert (total.flops, total.bytes) == (300, 4 * (300 + 6))
    # Row by row, and then the result: the copies of a loop count as one call.
    taken = [row for row in profile.rows if row.nodes == ["gather_1"]]
    assert [(row.kernel, row.calls, row.flops, row.bytes) for row in taken] == [("copy", 1, 0, 4 * (150 + 150))] * 2


def test_half_precision_and_integers():
    for dtype, size in ((np.float16, 2), (np.int32, 4), (np.float64, 8)):
        graph = traced(lambda x: x[0] + x[1], [40], [40], dtype=crt.tensor(np.zeros(1, dtype)).dtype)
        row = row_of(profiled(graph, np.ones(40, dtype), np.ones(40, dtype)), "add_1")
        assert (row.flops, row.bytes) == (40, 3 * 40 * size)


def test_what_is_read_twice_counts_once():
    graph = traced(lambda x: x[0] * x[0], [40])
    assert row_of(profiled(graph, ones(40)), "mul_1").bytes == 2 * 160
    graph = traced(lambda x: crt.matmul(x[0], crt.transpose(x[0], [1, 0])), [16, 16])
    row = row_with_most_flops(profiled(graph, ones(16, 16)))
    assert row.flops == 2 * 16**3 and row.bytes in (4 * 2 * 256, 4 * 3 * 256)


def test_a_loop_counts_its_calls():
    def fn(x):
        return crt.loop(7, None, [x[0]], lambda i, carried: (None, [crt.exp(carried)], []))[0]

    graph = traced(fn, ["n"])
    profile = profiled(graph, ones(12))
    row = row_of(profile, "exp_1")
    assert (row.calls, row.flops, row.bytes) == (7, 7 * 12, 7 * 2 * 48)
    assert sum(profile.rows[event.row].nodes == ["exp_1"] for event in profile.events) == 7


def test_a_branch_that_is_not_taken_has_no_row():
    def fn(x):
        positive = crt.reduce_sum(x[0]) > 0
        return crt.if_(positive, lambda: crt.exp(x[0]), lambda: crt.sqrt(crt.neg(x[0])))

    graph = traced(fn, [30])
    graph.finalize(threads=1)
    for sign, nodes, absent in ((1, ["exp_1"], "sqrt_1"), (-1, ["neg_1", "sqrt_1"], "exp_1")):
        profile = profiled(graph, sign * ones(30))
        assert row_of(profile, *nodes).calls == 1
        assert all(absent not in row.nodes for row in profile.rows)


def test_nodes_of_a_function_that_is_called_twice():
    graph = traced(lambda x: x[0], [30])
    graph.add_function("f", lambda x: crt.exp(x[0]), [crt.TensorSpec("a", crt.float32, [30])])
    graph.replace([graph.outputs()[0]], lambda x: crt.call("f", [crt.call("f", [x[0]])[0]])[0], [graph.inputs()[0]])
    profile = profiled(graph, ones(30))
    assert sum(row.flops for row in profile.rows) == 2 * 30
    assert {node for row in profile.rows for node in row.nodes} == {"@f/exp_1"}


def deep_graph():
    rng = np.random.default_rng(0)
    weights = [rng.standard_normal((64, 64), np.float32) for _ in range(3)]

    def fn(x):
        value = x[0]
        for each in weights:
            value = crt.softmax(crt.relu(crt.matmul(value, each)), axis=1)
        return [value, crt.topk(value, 3, axis=1)[0], crt.cumsum(value, 1)]

    return traced(fn, ["n", 64], outputs=["y", "top", "sum"])


@pytest.mark.parametrize("threads", [1, 2])
def test_run_is_as_before(threads):
    graph = deep_graph()
    graph.finalize(threads=threads)
    x = np.random.default_rng(1).standard_normal((33, 64), np.float32)
    before = [each.numpy().copy() for each in graph.run([x])]
    profile = graph.profile([x])
    after = graph.run([x])
    assert all(np.array_equal(a, b.numpy()) for a, b in zip(before, after, strict=True))
    assert profile.threads == threads and profile.runs == 10
    products = [row for row in profile.rows if any(node.startswith("matmul") for node in row.nodes)]
    assert sorted(row.nodes[0] for row in products) == ["matmul_1", "matmul_2", "matmul_3"]
    assert len({row.kernel for row in products}) == 1  # one machine code


def test_the_rows_are_the_whole():
    profile = profiled(deep_graph(), ones(33, 64))
    assert profile.rows[-1].kernel == "other" and not profile.rows[-1].nodes
    times = [row.time_us for row in profile.rows]
    assert times[:-1] == sorted(times[:-1], reverse=True)
    assert sum(times) == pytest.approx(profile.total_us, rel=1e-12)
    assert min(times) >= 0
    inside = sum(event.time_us for event in profile.events)
    assert 0 < inside <= profile.run_us
    assert all(a.start_us + a.time_us <= b.start_us + 1e-6 for a, b in zip(profile.events, profile.events[1:]))
    assert [sum(event.row == i for event in profile.events) for i in range(len(times) - 1)] == [row.calls for row in profile.rows[:-1]]


def test_the_roofline():
    rng = np.random.default_rng(0)
    profile = profiled(traced(lambda x: crt.matmul(x[0], rng.standard_normal((256, 256), np.float32)), [256, 256]), ones(256, 256))
    row = row_of(profile, "matmul_1")
    assert profile.peak_gflops > 1 and all(each.gigabytes > 0.1 for each in profile.bandwidths)
    sizes = [each.bytes for each in profile.bandwidths]
    assert sizes == sorted(sizes) and len(sizes) > 2
    bandwidth = [each.gigabytes for each in profile.bandwidths if each.bytes <= row.bytes][-1]
    least = max(row.flops / profile.peak_gflops, row.bytes / bandwidth) * 1e-3
    assert row.roofline == pytest.approx(least / row.time_us)
    assert 0 < row.roofline < 3  # the machine may have been busy while it was measured


def test_a_table():
    profile = profiled(deep_graph(), ones(33, 64))
    lines = str(profile).splitlines()
    assert lines[0].split() == ["kernel", "calls", "us", "%", "MFLOP", "GFLOP/s", "MB", "GB/s", "%", "of", "roofline", "nodes"]
    assert len(lines) == len(profile.rows) + 2
    assert [line.split()[0] for line in lines[1:-1]] == [row.kernel for row in profile.rows]
    assert [line.rpartition("  ")[2] for line in lines[1:-2]] == [" + ".join(row.nodes) for row in profile.rows[:-1]]
    assert all(line == line.rstrip() for line in lines)
    assert lines[-1].endswith("MiB") and "medians of 3 runs on 1 thread" in lines[-1]


def test_many_nodes_are_cut_in_the_table_alone():
    def fn(x):
        value = x[0]
        for _ in range(6):
            value = crt.exp(value)
        return value

    profile = profiled(traced(fn, [10]), ones(10))
    assert "exp_1 + exp_2 + exp_3 + exp_4 + 2 more\n" in str(profile)
    assert profile.rows[0].nodes == [f"exp_{i}" for i in range(1, 7)]


def test_plain_data(capsys):
    profile = profiled(deep_graph(), ones(2, 64))
    plain = profile.to_dict()
    text = json.loads(profile.to_json())
    assert plain.keys() == text.keys()
    for row, written in zip(plain["rows"], text["rows"], strict=True):
        assert {key: written[key] for key in row} == row
        assert written.keys() - row.keys() == {"gflops", "gigabytes"}
    assert plain["events"] == text["events"] and plain["bandwidths"] == text["bandwidths"]
    assert pickle.loads(pickle.dumps(profile)).to_dict() == plain
    profile.print()
    assert capsys.readouterr().out == str(profile)


def test_a_trace(tmp_path):
    profile = profiled(deep_graph(), ones(2, 64))
    path = tmp_path / "trace.json"
    profile.to_chrome_trace(path)
    events = json.loads(path.read_text())["traceEvents"]
    assert len(events) == 1 + sum(row.calls for row in profile.rows[:-1])
    whole, *calls = events
    assert whole["name"] == "run" and whole["ts"] == 0 and whole["dur"] == pytest.approx(profile.run_us)
    for event, call in zip(profile.events, calls, strict=True):
        row = profile.rows[event.row]
        assert call["name"] == row.label and call["args"] == {"kernel": row.kernel, "nodes": row.nodes}
        assert call["ph"] == "X" and (call["ts"], call["dur"]) == (event.start_us, event.time_us)
        assert call["ts"] + call["dur"] <= whole["dur"]
    with pytest.raises(crt.IoError, match="^to_chrome_trace: the file '.*' cannot be written: "):
        profile.to_chrome_trace(tmp_path / "missing" / "trace.json")


def test_inputs_by_name_and_refusals():
    graph = traced(lambda x: x[0] - x[1], [3], [3])
    with pytest.raises(crt.InvalidArgumentError, match="^profile: the graph has not been finalized; call finalize") as raised:
        graph.profile([ones(3), ones(3)])
    assert raised.value.code_name == "FAILED_PRECONDITION"
    graph.finalize(threads=1)
    assert row_of(graph.profile({"x1": ones(3), "x0": ones(3)}, runs=1), "sub_1").flops == 3
    for inputs, options, message in [
        ([ones(3)], {}, "profile: 1 input was given; the graph has 2: 'x0', 'x1'"),
        ([ones(3), ones(4)], {}, r"profile: the input 'x1' has the shape \[4\]; the graph takes \[3\]"),
        ({"x0": ones(3)}, {}, "profile: the input 'x1' is missing"),
        ({"x0": ones(3), "x1": ones(3), "z": ones(3)}, {}, "profile: the graph has no input 'z'"),
        ([ones(3), ones(3)], {"runs": 0}, "profile: runs is 0; it takes 1 to 100000"),
        ([ones(3), ones(3)], {"warmup": -1}, "profile: warmup is -1; it takes 0 to 100000"),
        ([ones(3), ones(3)], {"runs": 10**12}, "profile: runs is 1000000000000; it takes 1 to 100000"),
    ]:
        with pytest.raises(crt.InvalidArgumentError, match=f"^{message}"):
            graph.profile(inputs, **options)


def test_a_check_that_fails_in_a_run():
    graph = traced(lambda x: crt.concat([x[0], x[1]], axis=1) @ x[2], ["a", 2], ["a", 2], ["c", 3])
    graph.finalize(threads=1)
    assert graph.profile([ones(2, 2), ones(2, 2), ones(4, 3)], runs=1).rows
    with pytest.raises(crt.InvalidArgumentError, match="^profile: "):
        graph.profile([ones(2, 2), ones(2, 2), ones(5, 3)])
    assert graph.profile([ones(2, 2), ones(2, 2), ones(4, 3)], runs=1).rows


def test_graphs_of_nothing_to_compute():
    for fn, nodes in ((lambda x: x[0], []), (lambda x: crt.reshape(x[0], [6]), ["reshape_1"])):
        profile = profiled(traced(fn, [2, 3]), ones(2, 3))
        assert [row.kernel for row in profile.rows] == ["copy", "other"] and profile.rows[0].bytes == 48
        assert profile.rows[0].nodes == nodes
    profile = profiled(traced(lambda x: crt.exp(x[0]), ["n", 3]), ones(0, 3))
    assert sum(row.flops + row.bytes for row in profile.rows) == 0


def test_a_loaded_graph_and_a_cache(tmp_path):
    graph = deep_graph()
    graph.finalize(threads=1, cache_dir=tmp_path)
    files = len(list(tmp_path.rglob("*")))
    expected = [(sorted(row.nodes), row.flops, row.bytes) for row in graph.profile([ones(9, 64)]).rows]
    assert len(list(tmp_path.rglob("*"))) == files + 1
    graph.save(tmp_path / "graph.clika")
    again = deep_graph()
    again.finalize(threads=1, cache_dir=tmp_path)
    for other in (ModelGraph.load(tmp_path / "graph.clika"), again):
        rows = other.profile([ones(9, 64)]).rows
        assert sorted((sorted(row.nodes), row.flops, row.bytes) for row in rows) == sorted(expected)
    assert len(list(tmp_path.rglob("*"))) == files + 2  # the saved graph
