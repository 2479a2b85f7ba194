"""Every public header stands alone: plain g++, C++17, warnings as errors, only std and ClikaRT on the include path."""

import re

import pytest
from conftest import ROOT, run

HEADERS = sorted(path.relative_to(ROOT / "include") for path in (ROOT / "include" / "ClikaRT").rglob("*.h"))


@pytest.mark.parametrize("header", HEADERS, ids=str)
def test_header_compiles_alone(header, prefix, tmp_path):
    source = tmp_path / "alone.cpp"
    source.write_text(f"#include <{header}>\n#include <{header}>\nint main() {{ return 0; }}\n")
    done = run(["g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                "-I", prefix / "include", source])  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("header", HEADERS, ids=str)
def test_header_names_nothing_of_mlir(header):
    text = (ROOT / "include" / header).read_text()
    assert not re.search(r"\b(mlir|llvm)::|#include\s*[<\"](mlir|llvm)", text)
