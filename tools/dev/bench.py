"""Runs the benchmarks and sums their figures up in one table, as Markdown and as JSON."""

import json
import os
import pathlib
import re
import subprocess

import build
import machine
from console import PYTHON, ROOT, StepFailed, environment, say

# What optimize() may cost at most: from 10k to 100k nodes the time per node grows by no more than this, and the default
# list takes no more milliseconds on 100k nodes.
GROWTH = 2.0
DEFAULT_LIST_MS = 2000.0
# What a rewrite of a large graph reaches at least: millions of nodes a second, and times the speed of onnxscript's rewriter.
NATIVE = {"Mnodes_per_s": 1.0, "x_onnxscript": 20.0}
PYTHON_RULE = {"x_onnxscript": 10.0}
TO_MS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}


# What scripts compare with, which only they need; some are gigabytes.
REQUIREMENTS = {"bench_rewrite": "requirements-rewriters.txt", "bench_models": "requirements-engines.txt",
                "bench_kernels": "requirements-engines.txt"}  # fmt: skip


def bench(arguments: list[str]) -> int:
    """Runs the benchmarks that the words without a dash name, all where there is none, with the other words."""
    names = [word for word in arguments if not word.startswith("-")]
    if unknown := [name for name in names if name not in benchmarks()]:
        raise StepFailed(f"no benchmark {', '.join(unknown)}; there are {', '.join(benchmarks())}")
    machine.set_up(peers=True)
    for name, file in REQUIREMENTS.items():
        if not names or name in names:
            machine.install_python_packages(file, "--only-binary", ":all:")
    build.build("release", (), "-DCLIKA_BUILD_BENCHMARKS=ON")
    folder = build.folder("release") / "benchmarks"
    status, rows = 0, []
    for command in commands(folder):
        name = pathlib.Path(str(command[-1])).name  # with its ending: a program and a script may be of one name
        if names and pathlib.Path(name).stem not in names:
            continue
        out = folder / f"{name}.json"
        out.unlink(missing_ok=True)
        say(f"running {name}")
        own = passed_on(arguments, to_script=command[0] == PYTHON)
        status |= subprocess.run([*command, f"--benchmark_out={out}", "--benchmark_out_format=json", *own],
                                 cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL).returncode  # fmt: skip
        found = [{"program": name} | row for row in figures(out)]
        if not found:
            say(f"{name} measured nothing: see above, or no benchmark of it matches")
        rows += found
    table = markdown(rows)
    (folder / "results.json").write_text(json.dumps(rows, indent=1))
    (folder / "results.md").write_text(table)
    print(f"\n{table}")
    say(f"the same is in {folder / 'results.md'} and results.json")
    return 1 if status else 0


def benchmarks() -> list[str]:
    """What there is to name: the programs of the CMakeLists.txt, and the scripts without their ending."""
    lists = sorted((ROOT / "benchmarks").glob("*/CMakeLists.txt"))
    programs = [name for path in lists for name in re.findall(r"add_executable\((\w+)", path.read_text())]
    return list(dict.fromkeys(programs + sorted(path.stem for path in (ROOT / "benchmarks").glob("bench_*.py"))))


def passed_on(arguments: list[str], to_script: bool) -> list[str]:
    """Google Benchmark refuses what it does not know; the scripts pass over it."""
    return [word for word in arguments if word.startswith("--benchmark_" if not to_script else "-")]


def commands(folder: pathlib.Path) -> list[list[object]]:
    """The programs that benchmarks/ builds, and the scripts benchmarks/bench_*.py."""
    programs = sorted(path for path in folder.glob("*") if path.is_file() and os.access(path, os.X_OK))
    return [[program] for program in programs] + [[PYTHON, script] for script in sorted((ROOT / "benchmarks").glob("bench_*.py"))]


def figures(out: pathlib.Path) -> list[dict]:
    """A benchmark's median, or its one run; name, milliseconds and counters. Of one that could not be run, why not."""
    if not out.exists() or not out.read_text().strip():
        return []
    known = {"name", "run_name", "run_type", "repetitions", "repetition_index", "family_index", "threads", "iterations",
             "per_family_instance_index", "aggregate_name", "aggregate_unit", "real_time", "cpu_time", "time_unit", "label"}  # fmt: skip
    rows = []
    for entry in json.loads(out.read_text())["benchmarks"]:
        if entry.get("error_occurred"):
            rows.append({"benchmark": entry["run_name"], "not measured": entry["error_message"]})
            continue
        if (entry["run_type"] == "aggregate" and entry["aggregate_name"] != "median"):
            continue
        counters = {key: value for key, value in entry.items() if key not in known and isinstance(value, (int, float))}
        rows.append({"benchmark": entry["run_name"], "ms": entry["real_time"] * TO_MS[entry["time_unit"]],
                     "CPU ms": entry["cpu_time"] * TO_MS[entry["time_unit"]]} | counters)  # fmt: skip
    return rows


def markdown(rows: list[dict]) -> str:
    lines = ["| program | benchmark | ms | CPU ms | other figures | |", "|---|---|---:|---:|---|---|"]
    for row in rows:
        if "not measured" in row:
            lines.append(f"| {row['program']} | {row['benchmark']} | – | – | {row['not measured']} | |")
            continue
        others = ", ".join(f"{key} {value:.4g}" for key, value in row.items() if key not in ("program", "benchmark", "ms", "CPU ms"))
        lines.append(f"| {row['program']} | {row['benchmark']} | {row['ms']:.4g} | {row['CPU ms']:.4g} | {others} | {judged(row, rows)} |")
    return "\n".join(lines) + "\n"


def judged(row: dict, rows: list[dict]) -> str:
    """What the row says of the demands on optimize()."""
    if row["benchmark"].startswith("rewrite/"):
        return judged_rewrite(row, rows)
    found = re.match(r"(optimize/(\w+)/(\w+))/100000\b", row["benchmark"])
    if found is None:
        return ""
    before = [other["ns_per_node"] for other in rows
              if other["program"] == row["program"] and re.match(rf"{found[1]}/10000\b", other["benchmark"])]  # fmt: skip
    notes = []
    if before:
        growth = row["ns_per_node"] / before[0]
        notes.append(f"per node {growth:.2f} x that of 10k{'' if growth <= GROWTH else ', OVER ' + str(GROWTH)}")
    if found[3] == "default_list" and row["ms"] > DEFAULT_LIST_MS:
        notes.append(f"OVER {DEFAULT_LIST_MS:.0f} ms")
    return "; ".join(notes)


def judged_rewrite(row: dict, rows: list[dict]) -> str:
    """The demands on ClikaRT's largest graph of a case."""
    start = row["benchmark"].rsplit("/", 1)[0] + "/"
    largest = max(other["nodes"] for other in rows if other["benchmark"].startswith(start) and "nodes" in other)
    if "/ClikaRT, " not in start or row["nodes"] < largest:
        return ""
    demands = PYTHON_RULE if "Python" in start else NATIVE
    return "; ".join(f"{name} UNDER {least:g}" for name, least in demands.items() if row.get(name, least) < least)
