"""The suites of ./dev check. Each runs to its end, prints what fails, and gives back how many tests passed and failed."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from typing import NamedTuple

import build
import sources
from console import PYTHON, ROOT, StepFailed, environment, say

MINUTES = 60
# How many graphs the random-graph test grows under a sanitizer, and how many runs fail, each several times slower there.
SANITIZED_GRAPHS = 400
SANITIZED_FAILURES = 80


class Count(NamedTuple):
    passed: int
    failed: int

    def __add__(self, other: "Count") -> "Count":  # type: ignore[override]
        return Count(self.passed + other.passed, self.failed + other.failed)


def sanitizer_options(preset: str) -> dict[str, str]:
    """LLVM is not instrumented: what it allocates and never frees is listed in test/leaks.txt, and the marks that its headers
    set in our code, on memory that its libraries hand out, are not heeded (allow_user_poisoning)."""
    leaks = ROOT / "test" / "leaks.txt"
    return {
        "asan": {
            "ASAN_OPTIONS": "allocator_may_return_null=1:detect_container_overflow=0:detect_stack_use_after_return=0"
                            ":allow_user_poisoning=0",
            "LSAN_OPTIONS": f"suppressions={leaks}:print_suppressions=0",
            "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        },
        "tsan": {"TSAN_OPTIONS": f"allocator_may_return_null=1:suppressions={ROOT / 'test' / 'races.txt'}:halt_on_error=1"},
    }.get(preset, {})


def suite_environment(preset: str) -> dict[str, str]:
    """What tests may read: where the build, the prefix and the interpreter are."""
    env = environment() | sanitizer_options(preset)
    env["CLIKA_BUILD"] = str(build.folder(preset))
    env["CLIKA_PREFIX"] = str(build.prefix(preset))
    env["CLIKA_PYTHON"] = str(PYTHON)
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    return env


def run(command: list[object], preset: str, minutes: int, *, kept: bool = False,
        extra: dict[str, str] | None = None) -> tuple[int, str]:
    """Runs one command of a suite: its status and, where kept, what it printed."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, cwd=ROOT, env=suite_environment(preset) | (extra or {}), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE if kept else None, stderr=subprocess.STDOUT if kept else None,
                              text=True, errors="replace", timeout=minutes * MINUTES)  # fmt: skip
    except subprocess.TimeoutExpired as late:
        printed = late.stdout or b""
        text = printed.decode(errors="replace") if isinstance(printed, bytes) else printed
        return 124, f"{text}\nno end within {minutes} minutes"
    except OSError as error:
        return 127, str(error)
    return done.returncode, done.stdout or ""


def format_of_sources(preset: str) -> Count:
    return Count(0, 1) if sources.format_all(only_check=True) else Count(1, 0)


def lit(preset: str, *params: str) -> Count:
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "lit.json"
        status, _ = run([PYTHON, PYTHON.parent / "lit", "-q", "-v", f"-j{build.jobs()}", "-o", report, *params,
                         build.folder(preset) / "test"], preset, 20)  # fmt: skip
        if not report.exists():
            raise StepFailed(f"lit ended with status {status} and wrote no report")
        codes = [test["code"] for test in json.loads(report.read_text())["tests"]]
    passed = sum(code in ("PASS", "XFAIL", "FLAKYPASS") for code in codes)
    ignored = sum(code in ("UNSUPPORTED", "EXCLUDED", "SKIPPED") for code in codes)
    return Count(passed, len(codes) - passed - ignored)


def lit_round_trip(preset: str) -> Count:
    return lit(preset, "--param", "round_trip=1")


def unit(preset: str) -> Count:
    """Each test program once, side by side; a program that dies counts one failure more than it reported."""
    listed = subprocess.run(["ctest", "--test-dir", build.folder(preset), "--show-only=json-v1"],
                            capture_output=True, text=True)  # fmt: skip
    if listed.returncode != 0:
        raise StepFailed(f"ctest could not list the tests: {listed.stderr.strip()}")
    tests = [test for test in json.loads(listed.stdout)["tests"] if "command" in test]
    with concurrent.futures.ThreadPoolExecutor(build.jobs()) as pool:
        counts = list(pool.map(lambda test: unit_test(test, preset), tests))
    return sum(counts, Count(0, 0))


def unit_test(test: dict, preset: str) -> Count:
    labels = next((entry["value"] for entry in test.get("properties", []) if entry["name"] == "LABELS"), [])
    if "gtest" in labels:
        return gtest_program(test["command"], preset)
    status, printed = run(test["command"], preset, 15, kept=True)
    if status != 0:
        say(f"{test['name']} (status {status}):\n{printed[-6000:]}")
    return Count(int(status == 0), int(status != 0))


def gtest_program(command: list[str], preset: str) -> Count:
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        status, printed = run([*command, f"--gtest_output=json:{report}", "--gtest_brief=1"], preset, 15, kept=True)
        count = Count(0, 0)
        if report.exists():
            totals = json.loads(report.read_text())
            skipped = sum(test["result"] == "SKIPPED" for suite in totals["testsuites"] for test in suite["testsuite"])
            count = Count(totals["tests"] - totals["failures"] - totals["disabled"] - skipped, totals["failures"])
    if status != 0 and count.failed == 0:
        count += Count(0, 1)
    if count.failed:
        say(f"{pathlib.Path(command[0]).name} (status {status}):\n{printed[-6000:]}")
    return count


def pytest(tests: str, preset: str, minutes: int, parallel: tuple[object, ...] = (),
           extra: dict[str, str] | None = None) -> Count:
    """Runs the folders or files of tests named with spaces between them."""
    paths = [ROOT / name for name in tests.split()]
    if paths[0].is_dir() and not any(paths[0].rglob("test_*.py")):
        return Count(0, 0)
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "report.xml"
        status, _ = run([PYTHON, "-m", "pytest", "-q", "-ra", "--tb=short", "-p", "no:cacheprovider",
                         *parallel, f"--junitxml={report}", *paths], preset, minutes, extra=extra)  # fmt: skip
        if not report.exists():
            raise StepFailed(f"pytest ended with status {status} and wrote no report")
        count = Count(0, 0)
        for suite in ElementTree.parse(report).getroot().iter("testsuite"):
            number = {key: int(suite.get(key, 0)) for key in ("tests", "failures", "errors", "skipped")}
            failed = number["failures"] + number["errors"]
            count += Count(number["tests"] - failed - number["skipped"], failed)
    return count if status == 0 or count.failed else count + Count(0, 1)


def python(preset: str) -> Count:
    return pytest("test/Python test/Regression", preset, 30, ("-n", build.jobs(), "--dist", "worksteal"))


def random_graphs(preset: str) -> Count:
    """The random-graph test alone, on the preset's own package; under a sanitizer the runs that must fail, too."""
    env = {"PYTHONPATH": str(build.prefix(preset) / "python")}
    tests = "test/Python/test_random_graphs.py"
    if preset != "release":
        tests += " test/Python/test_random_failures.py"
        env["CLIKA_RANDOM_FAILURES"] = os.environ.get("CLIKA_RANDOM_FAILURES", str(SANITIZED_FAILURES))
        env["CLIKA_RANDOM_GRAPHS"] = os.environ.get("CLIKA_RANDOM_GRAPHS", str(SANITIZED_GRAPHS))
        say(f"{env['CLIKA_RANDOM_GRAPHS']} random graphs; CLIKA_RANDOM_GRAPHS=2000 grows as many as the full check")
    if preset == "asan":
        env |= inside_python()
    return pytest(tests, preset, 60, ("-n", build.jobs(), "--dist", "worksteal"), env)


def inside_python() -> dict[str, str]:
    """What lets an interpreter that is not instrumented load our instrumented library."""
    # The runtime wraps what libstdc++ throws with, which Python loads only later.
    runtimes = [preloaded("clang-22", "libclang_rt.asan-x86_64.so"), preloaded("g++", "libstdc++.so.6")]
    # Python frees little at its end, so leaks are looked for in the C++ tests alone.
    options = sanitizer_options("asan")["ASAN_OPTIONS"] + ":detect_leaks=0"
    return {"LD_PRELOAD": " ".join(runtimes), "ASAN_OPTIONS": options, "PYTHONMALLOC": "malloc"}


def preloaded(compiler: str, library: str) -> str:
    asked = subprocess.run([compiler, f"-print-file-name={library}"], capture_output=True, text=True)
    path = asked.stdout.strip()
    if asked.returncode != 0 or not pathlib.Path(path).is_absolute():
        raise StepFailed(f"{compiler} knows no {library}; install Debian's package libclang-rt-22-dev and start again.")
    return path


def project(preset: str) -> Count:
    return pytest("test/Project", preset, 40)


def page_programs(preset: str) -> Count:
    """The programs of the founding page, where its folder lies beside the clone."""
    script = ROOT.parent / "shared" / "acceptance" / "page_programs.py"
    if not script.exists():
        say("no ../shared/acceptance here: the programs in examples/ cover the page")
        return Count(0, 0)
    _, printed = run([PYTHON, script, "--prefix", build.prefix(preset), "--python", PYTHON], preset, 20, kept=True)
    print(printed, end="", flush=True)
    summary = re.search(r"^(\d+) passed, (\d+) failed\s*\Z", printed, re.M)
    if summary is None:
        raise StepFailed("page_programs.py printed no summary")
    return Count(int(summary[1]), int(summary[2]))
