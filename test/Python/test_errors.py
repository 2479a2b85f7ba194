"""The exception classes, and what an import says when the libraries are missing."""

import pathlib
import pickle
import subprocess
import sys

import pytest

import clika_runtime as crt

CLASSES = [
    (crt.InvalidArgumentError, ValueError, "InvalidArgument", "INVALID_ARGUMENT"),
    (crt.NotFoundError, KeyError, "NotFound", "NOT_FOUND"),
    (crt.UnsupportedError, NotImplementedError, "Unsupported", "UNSUPPORTED"),
    (crt.OutOfMemoryError, MemoryError, "OutOfMemory", "OUT_OF_MEMORY"),
    (crt.IoError, OSError, "Io", "IO"),
    (crt.InternalError, RuntimeError, "Internal", "INTERNAL"),
]


@pytest.mark.parametrize("cls, builtin, status, code_name", CLASSES)
def test_class(cls, builtin, status, code_name):
    error = cls("call: it's 'wrong'")
    assert isinstance(error, crt.Error) and isinstance(error, builtin)
    assert str(error) == "call: it's 'wrong'"
    assert error.code_name == code_name and error.status == crt.Status[status]
    own = cls("call: no", code_name="NEG_NOT_SERVED")
    for copied in (own, pickle.loads(pickle.dumps(own))):
        assert (type(copied), str(copied), copied.code_name) == (cls, "call: no", "NEG_NOT_SERVED")


def test_every_status_has_a_class():
    assert {status for _, _, status, _ in CLASSES} == {status.name for status in crt.Status}


def test_out_of_memory_comes_through():
    with pytest.raises(crt.OutOfMemoryError, match="^lrn: there is no memory for"):
        crt.lrn(crt.full([1, 3, 2], 1.0), 2**62)
    with pytest.raises(crt.OutOfMemoryError, match="^empty: no memory"):
        crt.empty([2**62], crt.int8)


def test_missing_libraries_are_named(tmp_path):
    source = pathlib.Path(crt.__file__).parent
    package = tmp_path / "clika_runtime"
    package.mkdir()
    (package / "__init__.py").write_text((source / "__init__.py").read_text())
    (package / "_core.py").write_text("raise ImportError('libMLIR.so.22.1: cannot open shared object file')\n")
    done = subprocess.run([sys.executable, "-c", "import clika_runtime"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "libmlir-22" in done.stderr.splitlines()[-1] and "libllvm22" in done.stderr.splitlines()[-1]
