"""./dev check: runs every group of tests, one after another, and sums them up in the last line."""

import time

import build
import suites
from console import StepFailed, say

Count = suites.Count
# The suites in the order they run; each takes the preset it runs on.
SUITES = {
    "format": suites.format_of_sources,
    "lit": suites.lit,
    "lit-round-trip": suites.lit_round_trip,
    "unit": suites.unit,
    "python": suites.python,
    "project": suites.project,
    "page": suites.page_programs,
    "random-graphs": suites.random_graphs,
}
# What reads only sources and waits for no build.
UNBUILT = ("format",)
# What runs without a suite named: in the full check the suite "python" holds the random graphs.
CHECKED = {
    "release": tuple(name for name in SUITES if name != "random-graphs"),
    "asan": ("lit", "unit", "random-graphs"),
    "tsan": ("lit", "unit"),
}


def check(names: list[str], preset: str) -> int:
    """Runs the named suites (all: none named), the build before the first that needs it; prints the sum; the exit status."""
    started = time.monotonic()
    chosen = names or list(CHECKED[preset])
    chosen = sorted(chosen, key=lambda name: name not in UNBUILT)
    total = Count(0, 0)
    failing = []
    built = False
    for name in chosen:
        if name not in UNBUILT and not built:
            built = True
            try:
                build.build(preset, install=preset != "tsan")
            except StepFailed as error:
                say(f"the build failed: {error}")
                total += Count(0, 1)
                failing.append("build")
        count = run_suite(name, preset)
        total += count
        if count.failed:
            failing.append(name)
    say(f"checked in {time.monotonic() - started:.0f} s")
    if failing:
        again = " ".join([*([f"--sanitize={preset}"] if preset != "release" else []), *(n for n in failing if n in SUITES)])
        say(f"failing: {', '.join(failing)}; './dev check {again}' runs these alone")
    print(f"{total.passed} passed, {total.failed} failed", flush=True)
    return 1 if total.failed else 0


def run_suite(name: str, preset: str) -> Count:
    say(f"running the {name} tests")
    try:
        count = SUITES[name](preset)
    except StepFailed as error:
        say(f"the {name} tests could not run: {error}")
        count = Count(0, 1)
    say(f"{name}: {count.passed} passed, {count.failed} failed")
    return count
