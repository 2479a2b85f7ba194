"""What the steps share: where the project is, saying what is done, running a command, failing with advice."""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
ENOUGH_ROOM = 64 << 20


class StepFailed(Exception):
    """A step that could not be done; the message says what to do about it."""


def say(text: str) -> None:
    print(f"dev: {text}", flush=True)


def environment() -> dict[str, str]:
    """The environment of every command: a ccache that clones in other folders share, and no prompt."""
    env = dict(os.environ)
    env.setdefault("CCACHE_BASEDIR", str(ROOT))
    env.setdefault("CCACHE_NOHASHDIR", "1")
    env["DEBIAN_FRONTEND"] = "noninteractive"
    env["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    return env


def run(command: list[object], advice: str, *, quiet: bool = False, cwd: pathlib.Path = ROOT) -> None:
    """Runs a command; a failure raises StepFailed with the command, its output where it was kept, and the advice."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words,
        cwd=cwd,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if quiet else None,
        stderr=subprocess.STDOUT if quiet else None,
        text=True,
        errors="replace",
    )
    if done.returncode == 0:
        return
    if quiet:
        sys.stdout.write(done.stdout[-8000:])
    raise StepFailed(f"'{shlex.join(words)}' ended with status {done.returncode}.\n  {full_disk() or advice}")


def full_disk() -> str:
    """What to do about a disk with hardly any room; empty where there is enough."""
    for folder in (ROOT, *sorted(ROOT.glob("build*")), pathlib.Path(tempfile.gettempdir()), pathlib.Path("/var/cache/apt")):
        if folder.is_dir() and (free := shutil.disk_usage(folder).free) < ENOUGH_ROOM:
            return (f"The disk that holds {folder} has {free >> 20} MiB left: make room (setting up and building take "
                    "4 GiB), then start this command again.")  # fmt: skip
    return ""
