"""Configures, builds and installs the project into a prefix inside its build folder."""

import hashlib
import os
import pathlib
import subprocess

from console import PYTHON, ROOT, StepFailed, full_disk, run, say

FOLDERS = {"release": "build", "dev": "build-dev", "asan": "build-asan", "tsan": "build-tsan"}

# The others' package needs a sanitizer's runtime in the process before anything else.
IMPORTED = ("release", "dev")


def folder(preset: str) -> pathlib.Path:
    return ROOT / FOLDERS[preset]


def prefix(preset: str = "release") -> pathlib.Path:
    return folder(preset) / "prefix"


def build(preset: str = "release", targets: tuple[str, ...] = (), *settings: str, install: bool = True) -> None:
    configure(preset, *settings)
    say(f"building ({preset})")
    keep_going = ["-k", "0"] if os.environ.get("CI") else []
    run(["ninja", "-C", folder(preset), f"-j{jobs()}", *keep_going, *targets],
        "Mend the first error above and start this command again; only what changed is rebuilt.")  # fmt: skip
    if install:
        run(["cmake", "--install", folder(preset), "--prefix", prefix(preset)],
            f"Remove {prefix(preset)} and start this command again.", quiet=True)  # fmt: skip
        if preset in IMPORTED:
            show_package_to_venv(preset)


def configure(preset: str, *settings: str) -> None:
    """Runs CMake when its command line or the presets changed; ninja itself sees changes of CMakeLists.txt."""
    cmake_folder = subprocess.run([PYTHON, "-m", "pybind11", "--cmakedir"], capture_output=True, text=True, check=True)
    command = ["cmake", "--preset", preset, f"-DPython_EXECUTABLE={PYTHON}", f"-DPython3_EXECUTABLE={PYTHON}",
               f"-Dpybind11_DIR={cmake_folder.stdout.strip()}", *settings]  # fmt: skip
    text = "\n".join(command) + (ROOT / "CMakePresets.json").read_text()
    stamp = folder(preset) / "configured"
    digest = hashlib.sha256(text.encode()).hexdigest()
    if (folder(preset) / "build.ninja").exists() and stamp.exists() and stamp.read_text() == digest:
        return
    say(f"configuring ({preset})")
    run(command, f"Read CMake's message above; removing {folder(preset)} starts afresh.", quiet=True)
    if not (folder(preset) / "build.ninja").exists():
        advice = full_disk() or f"Remove {folder(preset)} and start this command again."
        raise StepFailed(f"CMake wrote no {folder(preset) / 'build.ninja'}.\n  {advice}")
    stamp.write_text(digest)


def show_package_to_venv(preset: str) -> None:
    """Lets .venv import the built clika_runtime."""
    packages = subprocess.run([PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
                              capture_output=True, text=True, check=True)  # fmt: skip
    path_file = pathlib.Path(packages.stdout.strip()) / "clika_runtime_build.pth"
    line = f"{prefix(preset) / 'python'}\n"
    if not path_file.exists() or path_file.read_text() != line:
        path_file.write_text(line)


def accept_generated(preset: str) -> None:
    for line in (folder(preset) / "committed.txt").read_text().splitlines():
        committed, _, generated = line.partition("=")
        if not committed:
            continue
        fresh = pathlib.Path(generated).read_text()
        target = ROOT / committed
        if not target.exists() or target.read_text() != fresh:
            say(f"writing {committed}")
            target.write_text(fresh)


def jobs() -> int:
    return len(os.sched_getaffinity(0))
