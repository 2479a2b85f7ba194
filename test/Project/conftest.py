"""What the tests of the project as a whole share. They run against an installed build: ./dev check sets CLIKA_PREFIX
(where find_package(ClikaRT) works), CLIKA_PYTHON (imports clika_runtime) and CLIKA_BUILD."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def folder_from(variable: str) -> pathlib.Path:
    value = os.environ.get(variable)
    if not value:
        pytest.exit(f"{variable} is not set: run these tests through './dev check project'")
    return pathlib.Path(value)


@pytest.fixture(scope="session")
def prefix() -> pathlib.Path:
    return folder_from("CLIKA_PREFIX")


@pytest.fixture(scope="session")
def python() -> pathlib.Path:
    return folder_from("CLIKA_PYTHON")


@pytest.fixture(scope="session")
def build_folder() -> pathlib.Path:
    return folder_from("CLIKA_BUILD")


def run(command: list[object], timeout: int = 300, **options) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=timeout, **options)  # fmt: skip
