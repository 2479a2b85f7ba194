"""A project of its own, with a library that registers transforms and a program that selects them by name."""

import os

import pytest
from conftest import ROOT, run

FOLDER = ROOT / "examples" / "cmake" / "registered_transform"


@pytest.fixture(scope="module")
def program(prefix, tmp_path_factory):
    build = tmp_path_factory.mktemp("registered_transform")
    for command in (
        ["cmake", "-G", "Ninja", "-S", FOLDER, "-B", build, "-DCMAKE_CXX_COMPILER=g++", f"-DCMAKE_PREFIX_PATH={prefix}"],
        ["ninja", "-C", build],
    ):
        done = run(command, timeout=900)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return build / "use_doubling"


def test_the_program_finds_what_the_library_registers(program):
    env = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    done = run([program], env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, (FOLDER / "output.txt").read_text(), "")


def test_the_reason_s_line_is_the_one_in_the_source(program):
    lines = (FOLDER / "doubling.cpp").read_text().splitlines()
    (line,) = [i for i, text in enumerate(lines, 1) if '"the factor is not 2"' in text]
    assert f"the factor is not 2, line {line}\n" in (FOLDER / "output.txt").read_text()
