"""Formatting and linting of the C++ sources."""

import concurrent.futures
import os
import pathlib
import subprocess

import build
from console import ROOT, StepFailed, say


def cpp_files() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.cpp", "*.h"],
                            cwd=ROOT, capture_output=True, text=True)  # fmt: skip
    if listed.returncode != 0:
        raise StepFailed(f"git could not list the sources: {listed.stderr.strip()}")
    return sorted(name for name in listed.stdout.split("\0") if name and (ROOT / name).exists())


def format_all(only_check: bool) -> int:
    files = cpp_files()
    mode = ["--dry-run", "--Werror"] if only_check else ["-i"]
    command = ["clang-format-22", *mode]
    say(f"{'checking the format of' if only_check else 'formatting'} {len(files)} C++ files")
    # clang-format reads standard input where no file is named.
    status = subprocess.run([*command, *files], cwd=ROOT, stdin=subprocess.DEVNULL).returncode if files else 0
    if only_check and status:
        say("not formatted: the places above; './dev format' formats them")
    return status


def tidy(named: list[str]) -> int:
    """clang-tidy over the named files, or all; the exit status. Generated headers have to be there: it builds first."""
    known = [name for name in cpp_files() if name.endswith(".cpp") and not name.startswith("examples/")]
    files = [tidy_file(name, known) for name in named] or known
    build.build("release", (), "-DCLIKA_BUILD_BENCHMARKS=ON", install=False)
    say(f"clang-tidy over {len(files)} files")
    with concurrent.futures.ThreadPoolExecutor(build.jobs()) as pool:
        failing = [name for name, clean in zip(files, pool.map(tidy_one, files)) if not clean]
    say(f"{len(files) - len(failing)} of {len(files)} files are clean")
    if failing:
        say(f"after mending, './dev tidy {' '.join(failing)}' looks at these alone")
    return 1 if failing else 0


def tidy_file(name: str, known: list[str]) -> str:
    inside = os.path.relpath(pathlib.Path(name).resolve(), ROOT)
    if inside not in known:
        raise StepFailed(f"{name} is no source that clang-tidy looks at: name .cpp files of this project, none of examples/.")
    return inside


def tidy_one(name: str) -> bool:
    done = subprocess.run(["clang-tidy-22", "-quiet", "-p", build.folder("release"), name], cwd=ROOT,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")  # fmt: skip
    if done.returncode != 0:
        print(done.stdout or done.stderr, end="", flush=True)
    return done.returncode == 0
