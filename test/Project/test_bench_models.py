"""The driver that measures whole models against other engines: its tables, filters and refusals."""

import json
import pathlib
import sys

import numpy as np
import pytest
from conftest import ROOT, run

sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "tools" / "dev")]

import bench  # noqa: E402
import bench_models  # noqa: E402
import tables  # noqa: E402


@pytest.fixture
def case(tmp_path):
    """A case whose model is not read."""
    found = object.__new__(bench_models.Case)
    found.model, found.batch, found.folder, found.expected = "bert", 8, tmp_path, [np.ones(2)]
    found.place = {"path": str(tmp_path / "none.onnx"), "inputs": str(tmp_path / "none.npz")}
    return found


def timed(case, contender, threads, ms):
    """Peers need twice as much of the CPU."""
    cpu = ms if contender == "ClikaRT" else 2 * ms
    return case.row("run", contender, threads) | {"real_time": ms, "cpu_time": cpu, "time_unit": "ms", "repetitions": 3}


def test_tables_hold_medians_ratios_and_reasons(case):
    rows = [timed(case, "ClikaRT", 1, 20.0), timed(case, "ONNX Runtime", 1, 50.0), timed(case, "OpenVINO", 1, 40.0),
            timed(case, "ClikaRT", 2, 20.0), timed(case, "ONNX Runtime", 2, 10.0),
            case.refusal("run", "OpenVINO", 2, "no such op"), case.refusal("run", "IREE", 1, "away")]  # fmt: skip
    report = tables.report(rows, {"CPU": "a name"})
    assert "CPU a name" in report
    assert "| model | batch | threads | ClikaRT | ONNX Runtime | OpenVINO | IREE | best peer / ClikaRT | by CPU time |" in report
    assert "| bert | 8 | 1 | 20 | 50 | **40** | – | 2.00 | 4.00 |" in report
    assert "| bert | 8 | 2 | 20 | **10** | – | – | 0.50 | 1.00 |" in report
    assert "| bert | 1.00 | 0.50 | batch 8, threads 2 |" in report
    assert "- OpenVINO, bert (batch 8, threads 2): no such op\n- IREE, bert (batch 8, threads 1): away" in report


def test_relaxed_precision_has_a_column_and_is_no_peer(case):
    rows = [timed(case, "ClikaRT", 1, 20.0), timed(case, "ONNX Runtime", 1, 40.0), timed(case, "ClikaRT, relaxed", 1, 10.0)]
    assert "| bert | 8 | 1 | 20 | **40** | 2.00 | 4.00 | 4.00 |" in tables.run_table(rows)


def test_start_has_a_table_of_its_own(case):
    def start(contender, ms, peak, **more):
        return timed(case, contender, 2, ms) | {"kind": "start", "peak_bytes": peak, "file_bytes": 90e6} | more

    rows = [start("ClikaRT", 1500.0, 250e6, finalize_s=1.2), start("ClikaRT, saved", 30.0, 100e6), start("ONNX Runtime", 300.0, 200e6)]
    assert "| bert | 90 | 1200 | 1500 | 30 | 300 | 0.10 | 100 | 250 | 200 | 0.50 |" in tables.start_table(rows)
    assert tables.cases(rows) == {}
    assert tables.start_table(rows[1:2]).splitlines()[-1] == "| bert | 90 | – | – | 30 | – | – | 100 | – | – | – |"


def test_rows_are_what_the_summary_reads(case, tmp_path):
    out = tmp_path / "out.json"
    out.write_text(json.dumps({"benchmarks": [timed(case, "ClikaRT", 1, 20.0), case.refusal("run", "IREE", 1, "away")]}))
    measured, refused = bench.figures(out)
    assert measured["benchmark"] == "models/bert/batch8/threads1/ClikaRT" and measured["ms"] == 20
    assert refused["not measured"] == "away"


def test_filters():
    options = bench_models.parse(["--models=bert,magika", "--peers=iree", "--threads=2", "--batch=1,8", "--rounds=3"])
    assert (options.models, options.peers, options.threads, options.batch) == (["bert", "magika"], ["iree"], [2], [1, 8])
    everything, quick = bench_models.parse([]), bench_models.parse(["--quick", "--batch=8"])
    assert len(everything.models) == 10 and everything.threads == [1, 2] and everything.peers == list(bench_models.PEERS)
    assert len(quick.models) < 4 and quick.rounds < everything.rounds and quick.batch == [8]


def test_unknown_names_are_refused(capfd):
    with pytest.raises(SystemExit):
        bench_models.parse(["--models=bert,nonesuch"])
    assert "--models: no nonesuch; there are resnet50," in capfd.readouterr().err


@pytest.mark.parametrize(
    "got, said",
    [
        ([], "gives 0 outputs, 1 expected"),
        ([np.ones(3)], r"gives an output of the shape \(3,\), \(2,\) expected"),
        ([np.array([1.0, np.nan])], "computes other numbers: nan"),
        ([np.array([1.0, 1.001])], "computes other numbers: 0.001 of the largest apart, more than 0.0001"),
    ],
)
def test_other_numbers_are_refused(case, got, said):
    with pytest.raises(bench_models.CannotDo, match=said):
        bench_models.check_numbers("ONNX Runtime", bench_models.apart(got, case.expected))
    bench_models.check_numbers("ONNX Runtime", bench_models.apart([np.array([1, 1.00001])], case.expected))


def test_what_fails_is_listed_with_its_reason(case):
    (row,) = bench_models.measure_runs(case, ["reference"], 1, 1)
    assert row["error_occurred"] and "none.onnx" in row["error_message"]
    assert row["run_name"] == "models/bert/batch8/threads1/reference"


def test_a_worker_that_dies_is_an_error_and_no_end(case):
    worker = bench_models.Worker("reference", 1, case.folder)
    worker.process.kill()
    worker.process.wait()
    with pytest.raises(bench_models.CannotDo, match="ended with status -9"):
        worker.ask("load", **case.place)
    worker.stop()


def test_a_model_is_measured(python, tmp_path):
    out = tmp_path / "figures.json"
    words = ["--models=magika", "--peers=onnxruntime", "--rounds=1", "--benchmark_filter=batch8/threads2", f"--benchmark_out={out}"]
    done = run([python, ROOT / "benchmarks" / "bench_models.py", *words])
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(out.read_text())["benchmarks"]
    assert [row["run_name"] for row in rows] == [f"models/magika/batch8/threads2/{name}" for name in ("ClikaRT", "ONNX Runtime")]
    assert all(row["real_time"] > 1 and row["apart"] < 1e-4 for row in rows)
    assert "| magika | 8 | 2 |" in pathlib.Path(out.with_suffix(".md")).read_text()


def test_dev_bench_knows_the_benchmarks_and_what_each_takes():
    assert {"bench_models", "bench_rewrite", "bench_optimize", "codegen_benchmark"} <= set(bench.benchmarks())
    words = ["bench_models", "--quick", "--models=bert", "--benchmark_filter=x"]
    assert bench.passed_on(words, to_script=True) == words[1:]
    assert bench.passed_on(words, to_script=False) == words[3:]
