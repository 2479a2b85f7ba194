"""Formatting and linting of the C++ sources."""

import subprocess

import build
from console import ROOT, StepFailed, run, say


def cpp_files() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.cpp", "*.h"],
                            cwd=ROOT, capture_output=True, text=True)  # fmt: skip
    if listed.returncode != 0:
        raise StepFailed(f"git could not list the sources: {listed.stderr.strip()}")
    return sorted(name for name in listed.stdout.split("\0") if name and (ROOT / name).exists())


def format_all(only_check: bool) -> int:
    files = cpp_files()
    if not files:
        return 0
    mode = ["--dry-run", "--Werror"] if only_check else ["-i"]
    return subprocess.run(["clang-format-22", *mode, *files], cwd=ROOT).returncode


def tidy() -> int:
    build.build("release", install=False)
    files = [ROOT / name for name in cpp_files() if name.endswith(".cpp") and not name.startswith("examples/")]
    say(f"clang-tidy over {len(files)} files")
    run(["run-clang-tidy-22", "-quiet", "-p", build.folder("release"), f"-j{build.jobs()}", *files],
        "Mend what clang-tidy names above.")  # fmt: skip
    return 0
