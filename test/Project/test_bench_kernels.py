"""The driver that measures single kernels against PyTorch and NumPy: its shapes, tables, filters and refusals."""

import json
import sys

import numpy as np
import pytest
from conftest import ROOT, run

sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "tools" / "dev")]

import bench  # noqa: E402
import bench_kernels  # noqa: E402
import report  # noqa: E402
import shapes  # noqa: E402

TORCH, NUMPY = "oneDNN in PyTorch", "OpenBLAS in NumPy"


@pytest.fixture
def figures():
    return bench_kernels.Figures(shapes.Matmul(4, 8, 2, reached=90), 1)


def times(us):
    """A process with three turns, the CPU's time half as long again."""
    return [(each * 1e-6, 1.5e-6 * each) for each in (us - 1, us, us + 1)]


def test_a_figure_is_the_median_of_processes_and_turns(figures):
    figures.times[report.OURS] += [times(10.0), times(80.0), times(20.0)]
    figures.forms[report.OURS] += ["NCHW", "NHWC", "NHWC"]
    figures.off[report.OURS] = 1e-7
    figures.peaks += [0.012, 0.0128, 0.02]
    (row,) = figures.rows([report.OURS, NUMPY])
    assert row["run_name"] == "kernels/matmul/4x8x2/constant/threads1/ClikaRT" and row["form"] == "NHWC"
    assert row["real_time"] == pytest.approx(20) and row["cpu_time"] == pytest.approx(30) and row["repetitions"] == 3
    assert row["least_cpu_time"] == pytest.approx(13.5)
    assert row["GFlop/s"] == pytest.approx(0.0064) and row["percent"] == pytest.approx(50)
    figures.threads = 2
    assert figures.row(report.OURS)["percent"] == pytest.approx(25)


def test_tables_hold_ratios_the_design_and_reasons(figures):
    for name, us in ((report.OURS, 20.0), (TORCH, 10.0), (NUMPY, 40.0)):
        figures.times[name].append(times(us))
        figures.forms[name].append("eager" if name == TORCH else "")
        figures.off[name] = 0.0
    away = bench_kernels.Figures(shapes.RowWise("exp", 2, 3), 1)
    away.refused[TORCH] = "no torch"
    text = report.report(figures.rows([report.OURS, TORCH, NUMPY]) + away.rows([report.OURS, TORCH]), {"CPU": "a name"})
    assert text.startswith("CPU a name\n") and "\n\n1 thread:\n\n| shape |" in text
    assert "| matmul/4x8x2/constant | 20 | **10** (eager) | 40 | 0 | 0 | 0 | – | – | – | 90 | 0.50 | 0.50 |" in text
    assert "| by the clock | 1 | 0 (0 %) | 1 | 0.50 | matmul/4x8x2/constant | 0.50 |" in text
    assert "- oneDNN in PyTorch (exp/2x3): no torch" in text


def test_rows_are_what_the_summary_reads(figures, tmp_path):
    figures.times[report.OURS].append(times(20.0))
    figures.forms[report.OURS].append("")
    figures.off[report.OURS] = 0.0
    figures.refused[TORCH] = "no torch"
    out = tmp_path / "out.json"
    out.write_text(json.dumps({"benchmarks": figures.rows([report.OURS, TORCH])}))
    measured, refused = bench.figures(out)
    assert measured["ms"] == pytest.approx(0.02) and measured["GFlop/s"] > 0
    assert refused == {"benchmark": "kernels/matmul/4x8x2/constant/threads1/oneDNN in PyTorch", "not measured": "no torch"}


def test_filters():
    everything, quick, two = (bench_kernels.parse(words) for words in ([], ["--quick"], ["--filter=^softmax", "--rounds=1", "--processes=2", "--threads=1,2"]))
    assert everything.shapes == list(shapes.SHAPES) and everything.processes == 3 and everything.threads == [1]
    assert set(quick.shapes) < set(shapes.SHAPES) and (quick.rounds, quick.processes) == (2, 1)
    assert two.threads == [1, 2] and two.shapes == ["softmax/1536x128", "softmax/128x768"] and (two.rounds, two.processes) == (1, 2)


def test_unknown_peers_are_refused(capfd):
    with pytest.raises(SystemExit):
        bench_kernels.parse(["--peers=numpy,nonesuch"])
    assert "--peers: no nonesuch; there are torch, numpy" in capfd.readouterr().err


def test_shapes_expect_what_they_say():
    turned = shapes.Matmul(3, 4, 5, "inputs", batch=2, turned="xy")
    arrays = turned.arrays()
    assert arrays["x"].shape == (2, 5, 3) and arrays["y"].shape == (2, 4, 5)
    np.testing.assert_allclose(turned.expected(arrays), np.einsum("bkm,bnk->bmn", arrays["x"], arrays["y"]), rtol=1e-5, atol=1e-6)

    conv = shapes.Conv(3, 4, 6, kernel=3, stride=2, dilation=2, groups=2, pad=1)
    arrays = conv.arrays()
    x, weight, result = np.pad(arrays["x"][0], ((0, 0), (1, 1), (1, 1))), arrays["weight"], conv.expected(arrays)
    assert result.shape == (1, 6, 3, 3) and x.shape == (4, 9, 9)
    np.testing.assert_allclose(result[0, 4, 1, 2], (x[2:, 2:7:2, 4:9:2] * weight[4]).sum(), rtol=1e-5)


def test_other_numbers_are_refused(figures, tmp_path):
    """A shape that expects something else than what is computed is not timed."""
    name = "sum of rows/128x768"
    found = bench_kernels.Figures(shapes.SHAPES[name], 1)
    found.expected = found.expected * 1.001
    worker = bench_kernels.Worker(report.OURS, 1, tmp_path)
    try:
        bench_kernels.measure({report.OURS: worker}, found, 1, tmp_path, None)
    finally:
        worker.stop()
    (row,) = found.rows([report.OURS])
    assert row["error_message"] == "computes other numbers: 0.001 of the largest apart, more than 0.0001"


def test_a_shape_is_measured(python, tmp_path):
    out = tmp_path / "figures.json"
    words = ["--filter=^matmul/(100x200x300/constant|12x128x128x64/inputs/y transposed)$", "--peers=numpy", "--rounds=1", "--processes=2",
             f"--benchmark_out={out}"]  # fmt: skip
    done = run([python, ROOT / "benchmarks" / "bench_kernels.py", *words])
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(out.read_text())["benchmarks"]
    assert [(row["shape"], row["contender"]) for row in rows] == [
        (f"matmul/{shape}", name) for shape in ("100x200x300/constant", "12x128x128x64/inputs/y transposed") for name in (report.OURS, NUMPY)]  # fmt: skip
    assert all(row["real_time"] > 1 and row["apart"] < 1e-5 and row["repetitions"] == 2 for row in rows)
    assert "| matmul/100x200x300/constant |" in out.with_suffix(".md").read_text()


def test_every_shape_that_is_quick_is_one_of_all():
    assert set(shapes.QUICK) <= set(shapes.SHAPES)
    assert "bench_kernels" in bench.benchmarks() and "bench_kernels" in bench.REQUIREMENTS
