"""Every program in examples/ prints what is recorded beside it, in <folder>/expected/<program>.txt.

A program that reads a real model (examples/*/quickstart) is run by its own tests instead."""

import pathlib

import pytest
from conftest import ROOT, run

OWN_TESTS = ("quickstart",)
SHARED = ("show.py",)


def programs(language: str, suffix: str):
    found = sorted((ROOT / "examples" / language).rglob(f"*{suffix}"))
    return [path for path in found if path.parent.name not in OWN_TESTS and path.name not in SHARED]


def short(path) -> str:
    return str(path.relative_to(ROOT / "examples"))


def recorded(path) -> str:
    record = path.parent / "expected" / f"{path.stem}.txt"
    assert record.exists(), f"{short(path)} has no recorded output {record.relative_to(ROOT)}"
    return record.read_text()


@pytest.fixture(scope="module")
def cpp_build(prefix, tmp_path_factory) -> tuple[pathlib.Path, str]:
    """Where examples/cpp was built as the project that it is, and what that printed."""
    build = tmp_path_factory.mktemp("examples")
    configure = ["cmake", "-G", "Ninja", "-S", ROOT / "examples" / "cpp", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
                 "-DCMAKE_CXX_COMPILER=g++", "-DCMAKE_BUILD_TYPE=Debug"]  # fmt: skip
    done = [run(command, timeout=900) for command in (configure, ["ninja", "-C", build, "-k0"])]
    return build, "".join(step.stdout[-20000:] + step.stderr[-4000:] for step in done)


@pytest.mark.parametrize("path", programs("cpp", ".cpp"), ids=short)
def test_cpp(path, cpp_build, tmp_path):
    program = cpp_build[0] / path.stem
    assert program.exists(), cpp_build[1]
    done = run([program], cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, recorded(path)), done.stderr


@pytest.mark.parametrize("path", programs("python", ".py"), ids=short)
def test_python(path, python, tmp_path):
    done = run([python, path], cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, recorded(path)), done.stderr


def test_every_record_has_its_program():
    for record in (ROOT / "examples").rglob("expected/*.txt"):
        language = record.relative_to(ROOT / "examples").parts[0]
        suffix = {"cpp": ".cpp", "python": ".py"}[language]
        assert (record.parent.parent / f"{record.stem}{suffix}").exists(), record
