"""The contract of ./dev that other programs read."""

import json
import subprocess
import sys

import pytest
from conftest import ROOT, run

sys.path.insert(0, str(ROOT / "tools" / "dev"))

import bench  # noqa: E402
import console  # noqa: E402
import main  # noqa: E402
import sources  # noqa: E402


def test_where_prints_two_lines_from_any_folder(prefix, python, tmp_path):
    done = run([ROOT / "dev", "where"], cwd=tmp_path)
    assert done.stdout.splitlines() == [f"prefix={prefix}", f"python={python}"]
    assert (prefix / "lib" / "cmake" / "ClikaRT" / "ClikaRTConfig.cmake").exists()


def test_unknown_suite_is_refused_with_the_list():
    done = run([ROOT / "dev", "check", "no-such-suite"])
    assert done.returncode == 2
    assert "no-such-suite" in done.stderr and "lit" in done.stderr


def test_a_failing_step_tells_the_command_its_output_and_what_to_do(capfd):
    with pytest.raises(console.StepFailed, match="(?s)'sh -c .*' ended with status 3.*Do this.$"):
        console.run(["sh", "-c", "echo its words; exit 3"], "Do this.", quiet=True)
    assert "its words" in capfd.readouterr().out


def test_a_full_disk_takes_the_advice_s_place(monkeypatch):
    monkeypatch.setattr(console, "ENOUGH_ROOM", 1 << 62)
    with pytest.raises(console.StepFailed, match=r"The disk that holds .* has \d+ MiB left: make room"):
        console.run(["false"], "Do this.", quiet=True)


def test_what_is_not_formatted_fails(tmp_path, monkeypatch, capfd):
    (tmp_path / "bad.cpp").write_text("int  x ;\n")
    (tmp_path / "good.cpp").write_text("int x;\n")
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    monkeypatch.setattr(sources, "cpp_files", lambda: ["bad.cpp", "good.cpp"])
    assert sources.format_all(only_check=True) != 0
    shown = capfd.readouterr()
    assert "bad.cpp:1" in shown.err and "good.cpp" not in shown.err and "./dev format" in shown.out
    monkeypatch.setattr(sources, "cpp_files", lambda: ["good.cpp"])
    assert sources.format_all(only_check=True) == 0


def test_tidy_refuses_what_it_does_not_look_at():
    done = run([ROOT / "dev", "tidy", "README.md"])
    assert done.returncode == 1 and "README.md" in done.stdout


def test_no_path_of_one_machine_in_the_sources():
    listed = subprocess.run(["git", "grep", "-nIE", r"(^|[^A-Za-z0-9_.$])/(home|root|tmp)/[a-z]", "--", "*.md", "*.py",
                             "*.cpp", "*.h", "*.td", "*.txt", "*.cmake", "*.toml", "*.json"],
                            cwd=ROOT, capture_output=True, text=True)  # fmt: skip
    found = [line for line in listed.stdout.splitlines() if "test/Project/test_dev.py" not in line]
    assert not found


def test_bench_passes_on_what_follows(capfd):
    words = ["--quick", "--benchmark_filter=optimize/chain", "--benchmark_min_time=0.1s"]
    assert main.parse(["bench", *words]).arguments == words
    assert main.parse(["bench"]).arguments == []
    with pytest.raises(SystemExit):
        main.parse(["build", "--quick"])
    assert "unrecognized arguments: --quick" in capfd.readouterr().err


def test_the_benchmarks_table_shows_medians_and_what_breaks_a_demand(tmp_path):
    def entry(nodes, ms, aggregate="median"):
        name = f"optimize/chain/default_list/{nodes}"
        return {"name": f"{name}_{aggregate}", "run_name": name, "run_type": "aggregate", "aggregate_name": aggregate,
                "real_time": ms * 1e3, "cpu_time": ms * 5e2, "time_unit": "us", "ns_per_node": ms * 1e6 / nodes}  # fmt: skip

    single = {"name": "fma", "run_name": "fma", "run_type": "iteration", "real_time": 2.0, "cpu_time": 1.5, "time_unit": "ms",
              "gflops": 80.0}  # fmt: skip
    out = tmp_path / "one.json"
    out.write_text(json.dumps({"benchmarks": [entry(10000, 10), entry(10000, 99, "mean"), entry(100000, 2100), single]}))
    rows = [{"program": "one"} | row for row in bench.figures(out)]
    assert [row["ms"] for row in rows] == [10, 2100, 2]
    table = bench.markdown(rows)
    assert "| one | fma | 2 | 1.5 | gflops 80 |  |" in table
    assert "per node 21.00 x that of 10k, OVER 2.0; OVER 2000 ms" in table
    assert bench.figures(tmp_path / "none.json") == []


def test_the_optimize_benchmark_runs_from_python(python, tmp_path):
    out = tmp_path / "figures.json"
    done = run([python, ROOT / "benchmarks" / "bench_optimize.py", "--benchmark_filter=/1000$", f"--benchmark_out={out}"])
    assert done.returncode == 0, done.stderr
    names = {row["benchmark"] for row in bench.figures(out)}
    assert {f"optimize/{graph}/{what}/1000" for graph in ("chain", "wide") for what in ("default_list", "python_rule")} <= names
